// The columns of the grid: those of the collection, and who created and updated a record when.

import {
  type ColumnDef,
  columnOrderingFeature,
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  tableFeatures,
} from '@tanstack/react-table';
import type { CollectionDefinition, ColumnDefinition, RawRecord } from '../api/client.ts';

export const METADATA = ['updatedAt', 'updatedBy', 'createdAt', 'createdBy'] as const;
export type MetadataKey = (typeof METADATA)[number];

export const features = tableFeatures({
  columnOrderingFeature,
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
});

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
  DateTime: 180,
  Date: 144,
  Time: 104,
  Location: 240,
  Object: 280,
  Array: 280,
};
const WIDTH = 200;
export const WIDTH_MIN = 64;
export const WIDTH_MAX = 800;

export function gridColumns(
  { columns }: CollectionDefinition,
  metadataName: (key: MetadataKey) => string,
): readonly GridColumn[] {
  return [
    ...columns.map((column) => ({ id: column.id, name: column.name, sortable: column.sortable, column })),
    ...METADATA.map((metadata) => ({ id: metadata, name: metadataName(metadata), sortable: true, metadata })),
  ];
}

export const tableColumns = (columns: readonly GridColumn[]): ColumnDef<typeof features, RawRecord>[] =>
  columns.map(({ id, name, column }) => ({
    id,
    header: name,
    size: (column === undefined ? undefined : WIDTHS[column.type]) ?? WIDTH,
    minSize: WIDTH_MIN,
    maxSize: WIDTH_MAX,
  }));

/** Numbers stand under each other at the right. */
export const isNumeric = ({ column }: GridColumn): boolean =>
  column?.type === 'Number' || column?.type === 'ReferenceNumber';
