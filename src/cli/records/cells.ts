// Records as rows of a table: one line of text for each value, whatever its type.

import type { ColumnDefinition } from '../../../client/src/shapes.ts';

/** A value of the interface, of any type. */
interface AnyValue {
  readonly type: string;
  readonly value?: unknown;
  readonly name?: string;
  readonly id?: string;
  readonly recordId?: string;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly altitude?: number;
}

export interface AnyRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly createdBy: { readonly name: string };
  readonly updatedAt: string;
  readonly updatedBy: { readonly name: string };
  readonly hash: string;
  readonly values: Readonly<Record<string, AnyValue>>;
}

export function valueText(given: unknown): string {
  if (given === undefined || given === null) return '';
  const value = given as AnyValue;
  switch (value.type) {
    case 'Location':
      return [value.latitude, value.longitude, ...(value.altitude === undefined ? [] : [value.altitude])].join(', ');
    case 'User':
    case 'Attachment':
      return value.name ?? value.id ?? '';
    case 'Object':
      return Object.entries(value.value as object)
        .map(([name, member]) => `${name}: ${valueText(member)}`)
        .join('; ');
    case 'Array':
      return (value.value as unknown[]).map(valueText).join(', ');
    case 'ReferenceString':
    case 'ReferenceNumber':
    case 'ReferenceUser':
      return value.value === undefined ? (value.recordId ?? '') : valueText(value.value);
    default:
      return String(value.value);
  }
}

/** What a table of records can show besides the columns of the collection. */
export const RECORD_METADATA = ['createdAt', 'createdBy', 'updatedAt', 'updatedBy', 'hash'] as const;
export type Metadata = (typeof RECORD_METADATA)[number];
export type ShownColumn = ColumnDefinition | Metadata;

export const headingOf = (column: ShownColumn): string => (typeof column === 'string' ? column : column.name);

export function cellOf(record: AnyRecord, column: ShownColumn): string {
  if (typeof column !== 'string') return valueText(record.values[column.id]);
  const value = record[column];
  return typeof value === 'string' ? value : value.name;
}
