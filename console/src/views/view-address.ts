// What of a view stands in the address, so that a link shows a colleague the same.

import type { ListQuery } from '../api/list-query.ts';

const MEMBERS = ['view', 'search', 'sort', 'by', 'split', 'measure', 'at'] as const;

export interface ViewAddress {
  /** A kind of view or the ID of a saved one; the grid without it. */
  readonly view?: string;
  readonly search?: string;
  /** A column ID or a member of the record; descending with a minus in front. */
  readonly sort?: string;
  /** The column by which a view arranges records, with a unit where it is a time: `c…:month`. */
  readonly by?: string;
  /** The second column of a chart, whose values are the parts of its bars. */
  readonly split?: string;
  /** Of a chart, as the figures of the interface name it: `sum:c…`. */
  readonly measure?: string;
  /** Where a calendar or a map looks: a day, or a place as `latitude,longitude,zoom`. */
  readonly at?: string;
}

const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export const isViewId = (text: string | undefined): text is string => /^v[a-z0-9]{26}$/.test(text ?? '');

export function readViewAddress(parameters: Record<string, unknown>): ViewAddress {
  // Over a saved view an empty member is a change too: its search was cleared.
  const isSaved = isViewId(textOf(parameters.view));
  const read = (value: unknown) => (isSaved && value === '' ? '' : textOf(value));
  return Object.fromEntries(
    MEMBERS.map((member) => [member, read(parameters[member])]).filter(([, text]) => text !== undefined),
  );
}

/** As the interface lists without parameters: what was updated last comes first. */
const DEFAULT_SORT = '-updatedAt';

interface Columns {
  readonly columns: readonly { readonly id: string; readonly sortable: boolean }[];
}

const SORTED_MEMBERS = ['createdAt', 'updatedAt', 'createdBy', 'updatedBy'];

/** A column may be gone, or no longer sortable, since the link was made. */
export function isKnownSort(sort: string, { columns }: Columns): boolean {
  const name = sort.replace(/^-/, '');
  return sort === '' || SORTED_MEMBERS.includes(name) || columns.some(({ id, sortable }) => id === name && sortable);
}

export function listQueryOf({ search = '', sort: given = '' }: ViewAddress, collection: Columns): ListQuery {
  const sort = given === '' || !isKnownSort(given, collection) ? DEFAULT_SORT : given;
  const descending = sort.startsWith('-');
  return { search, sort: descending ? sort.slice(1) : sort, descending };
}
