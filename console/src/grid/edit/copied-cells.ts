// Copied cells: text for spreadsheets, and here the values themselves for the case that they are pasted in the same page.

import type { RawRecord, RawValue } from '../../../../client/src/shapes.ts';
import type { Writing } from '../../values/paste/reading.ts';
import { writeText } from '../../values/paste/text.ts';
import type { GridColumn } from '../grid-columns.ts';
import { readTable, writeHtmlTable, writeTable } from './clipboard-table.ts';

export interface CopiedCell {
  readonly text: string;
  readonly value?: RawValue | undefined;
  /** Of the column, as text: parts fit only into a column with the same. */
  readonly scheme?: string | undefined;
}

/** What of a record stands in the cell of a column. */
export function cellValue(record: RawRecord, { id, metadata }: GridColumn): RawValue | undefined {
  switch (metadata) {
    case 'createdAt':
    case 'updatedAt':
      return { type: 'DateTime', value: record[metadata] };
    case 'createdBy':
    case 'updatedBy':
      return { type: 'User', ...record[metadata] };
    default:
      return record.values[id];
  }
}

export const schemeOf = ({ column }: GridColumn): string | undefined =>
  column !== undefined && 'scheme' in column ? JSON.stringify(column.scheme) : undefined;

let last: { readonly text: string; readonly table: readonly (readonly CopiedCell[])[] } | undefined;

export interface Copied {
  readonly text: string;
  readonly html: string;
}

export function copyCells(records: readonly RawRecord[], columns: readonly GridColumn[], writing: Writing): Copied {
  const table = records.map((record) =>
    columns.map((column): CopiedCell => {
      const value = cellValue(record, column);
      return { text: value === undefined ? '' : writeText(value, writing), value, scheme: schemeOf(column) };
    }),
  );
  const text = writeTable(table.map((row) => row.map((cell) => cell.text)));
  const literal = (value: RawValue | undefined) => value?.type !== 'Number' && value?.type !== 'Boolean';
  last = { text, table };
  return {
    text,
    html: writeHtmlTable(table.map((row) => row.map((cell) => ({ text: cell.text, literal: literal(cell.value) })))),
  };
}

/** Browsers and systems may write line breaks in their own way. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n').trimEnd();

export function pastedTable(text: string): readonly (readonly CopiedCell[])[] {
  if (last !== undefined && plain(last.text) === plain(text)) return last.table;
  return readTable(text).map((row) => row.map((cell) => ({ text: cell })));
}
