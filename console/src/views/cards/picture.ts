// Which picture a card shows: the one of a chosen column, or of the first that can hold one.

import type {
  CollectionDefinition,
  ColumnDefinition,
  RawRecord,
  RawSimpleValue,
} from '../../../../client/src/shapes.ts';

export const NO_PICTURE = 'none';

export type AttachmentValue = Extract<RawSimpleValue, { type: 'Attachment' }>;

const holdsFiles = (column: ColumnDefinition): boolean =>
  column.type === 'Attachment' || (column.type === 'Array' && column.scheme.element.type === 'Attachment');

export const pictureColumns = ({ columns }: CollectionDefinition): readonly ColumnDefinition[] =>
  columns.filter(holdsFiles);

/** Undefined where cards have no picture. */
export function pictureColumn(collection: CollectionDefinition, by: string | undefined): ColumnDefinition | undefined {
  if (by === NO_PICTURE) return undefined;
  const columns = pictureColumns(collection);
  return columns.find(({ id }) => id === by) ?? columns[0];
}

/** Of many files the first. */
export function fileOf({ values }: RawRecord, { id }: ColumnDefinition): AttachmentValue | undefined {
  const value = values[id];
  if (value?.type === 'Attachment') return value;
  const first = value?.type === 'Array' ? value.value[0] : undefined;
  return first?.type === 'Attachment' ? first : undefined;
}
