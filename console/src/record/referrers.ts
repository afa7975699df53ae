// Which columns may refer to a record, and the search that finds the records that do. The search language knows references
// by the value that they refer to, so records that refer to another one with the same value are found as well; they are
// told apart by the ID in the reference.

import type {
  ApplicationDefinition,
  CollectionDefinition,
  ColumnDefinition,
  RawRecord,
  RawSimpleValue,
} from '../../../client/src/shapes.ts';
import { quoted } from '../api/list-query.ts';

export interface ReferringColumn {
  readonly collection: CollectionDefinition;
  readonly column: ColumnDefinition;
  /** The column whose value the reference shows. */
  readonly referred: string;
}

export function referringColumns(
  { collections }: Pick<ApplicationDefinition, 'collections'>,
  id: string,
): readonly ReferringColumn[] {
  return collections.flatMap((collection) =>
    collection.columns.flatMap((column) => {
      const referred = 'scheme' in column && 'collectionId' in column.scheme ? column.scheme : undefined;
      return referred?.collectionId === id ? [{ collection, column, referred: referred.columnId }] : [];
    }),
  );
}

/** Why the records cannot be looked for. */
export type Unsearchable = 'notSearchable' | 'noValue' | 'tooLong';

/** Of the interface, with room for the column and the quotes. */
const TEXT_MAX = 4_000;

/** The search, or why there can be none. */
export function referrersSearch(
  { column, referred }: Pick<ReferringColumn, 'column' | 'referred'>,
  { values }: Pick<RawRecord, 'values'>,
): { readonly search: string } | { readonly reason: Unsearchable } {
  if (!column.searchable) return { reason: 'notSearchable' };
  const value = values[referred];
  const named = `$${column.id}=`;
  switch (value?.type) {
    case 'Number':
      return { search: `${named}${value.value}` };
    case 'User':
      return { search: `${named}${quoted(value.id)}` };
    case 'String': {
      const search = `${named}${quoted(value.value)}`;
      return [...search.slice(0, 2 * TEXT_MAX + 1)].length > TEXT_MAX ? { reason: 'tooLong' } : { search };
    }
    default:
      return { reason: 'noValue' };
  }
}

/** Those of a page that refer to the record, and whether others were among them. */
export function referringTo(recordId: string, columnId: string, found: readonly RawRecord[]) {
  const records = found.filter(({ values }) => {
    const value = values[columnId];
    return value !== undefined && 'recordId' in value && value.recordId === recordId;
  });
  return { records, others: records.length < found.length };
}

/** The first file of a record, also of an array of files. */
export function fileOf(
  { columns }: Pick<CollectionDefinition, 'columns'>,
  { values }: Pick<RawRecord, 'values'>,
): Extract<RawSimpleValue, { type: 'Attachment' }> | undefined {
  for (const { id } of columns) {
    const value = values[id];
    const first = value?.type === 'Array' ? value.value[0] : value;
    if (first?.type === 'Attachment') return first;
  }
  return undefined;
}
