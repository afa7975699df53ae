// The columns of the grid: those of the collection, and who created and updated a record when.

import type { CollectionDefinition, ColumnDefinition } from '../api/client.ts';

export const METADATA = ['updatedAt', 'updatedBy', 'createdAt', 'createdBy'] as const;
export type MetadataKey = (typeof METADATA)[number];

/** What the header and the cells of a column need to know. */
export interface GridColumn {
  readonly id: string;
  readonly name: string;
  readonly sortable: boolean;
  /** Absent for what every record has. */
  readonly column?: ColumnDefinition;
  readonly metadata?: MetadataKey;
}

const WIDTHS: Partial<Record<ColumnDefinition['type'], number>> = {
  Number: 120,
  Boolean: 96,
  DateTime: 200,
  Date: 144,
  Time: 104,
  Location: 240,
  Object: 280,
  Array: 280,
};
const WIDTH = 200;

export function gridColumns(
  { columns }: CollectionDefinition,
  metadataName: (key: MetadataKey) => string,
): readonly GridColumn[] {
  return [
    ...columns.map((column) => ({ id: column.id, name: column.name, sortable: column.sortable, column })),
    ...METADATA.map((metadata) => ({ id: metadata, name: metadataName(metadata), sortable: true, metadata })),
  ];
}

/** Beside the name in the head: padding, the sign of the order and the menu. */
const HEAD_WIDTH = 68;
/** A name is at most so wide at first: a column should not fill a screen with its name. */
const NAME_WIDTH_MAX = 260;

/** Of a column that nobody has sized: room for usual values and for its name. `nameWidth`: in pixels. */
export function usualWidth({ column, name }: GridColumn, nameWidth: (name: string) => number): number {
  const usual = (column === undefined ? undefined : WIDTHS[column.type]) ?? WIDTH;
  return Math.max(usual, Math.ceil(Math.min(nameWidth(name), NAME_WIDTH_MAX)) + HEAD_WIDTH);
}

/** Numbers stand under each other at the right. */
export const isNumeric = ({ column }: GridColumn): boolean =>
  column?.type === 'Number' || column?.type === 'ReferenceNumber';
