// What of the grid stands in the address: the search and the order.

import type { ListQuery } from '../api/records.ts';

export interface GridAddress {
  readonly search?: string;
  /** A column ID or a member of the record; descending with a minus in front. */
  readonly sort?: string;
}

const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export function readGridAddress({ search, sort }: Record<string, unknown>): GridAddress {
  const [searched, sorted] = [textOf(search), textOf(sort)];
  return {
    ...(searched === undefined ? {} : { search: searched }),
    ...(sorted === undefined ? {} : { sort: sorted }),
  };
}

/** As the interface lists without parameters: what was updated last comes first. */
const DEFAULT_SORT = '-updatedAt';

export function listQueryOf({ search = '', sort = DEFAULT_SORT }: GridAddress): ListQuery {
  const descending = sort.startsWith('-');
  return { search, sort: descending ? sort.slice(1) : sort, descending };
}
