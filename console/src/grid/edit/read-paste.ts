// What a pasted table would do: the cells that change, the records that are new, and what cannot be read.

import type { ColumnDefinition, RawRecord, RawValue } from '../../../../client/src/shapes.ts';
import type { PasteProblem, Read, Writing } from '../../values/paste/reading.ts';
import { readText } from '../../values/paste/text.ts';
import type { Sought } from '../../values/paste/user.ts';
import type { GridColumn } from '../grid-columns.ts';
import type { CellChange } from './cell-edits.ts';
import { type CopiedCell, schemeOf } from './copied-cells.ts';
import type { Placed, Placing } from './ranges.ts';
import { sameValue } from './same-value.ts';

/** Finds the person or record that a text names. */
export type Seek = (column: ColumnDefinition, text: string) => Promise<Sought<RawValue>>;

interface UnreadCell {
  readonly record: RawRecord;
  readonly columnId: string;
  readonly problem: PasteProblem;
  readonly text: string;
}

export interface Paste {
  readonly changes: readonly CellChange[];
  readonly unread: readonly UnreadCell[];
  readonly newRecords: readonly Readonly<Record<string, RawValue>>[];
  /** Values of new records that cannot be read and are left out. */
  readonly unreadNew: number;
  /** Cells of the target that cannot be changed. */
  readonly fixed: number;
}

interface Target {
  readonly columns: readonly GridColumn[];
  readonly recordAt: (row: number) => RawRecord | undefined;
  readonly valueOf: (record: RawRecord, columnId: string) => RawValue | undefined;
  readonly mayWrite: (record: RawRecord) => boolean;
}

export async function readPaste(
  { cells, newRows }: Placing<CopiedCell>,
  target: Target,
  { writing, seek }: { readonly writing: Writing; readonly seek: Seek },
): Promise<Paste> {
  const changes: CellChange[] = [];
  const unread: UnreadCell[] = [];
  let fixed = 0;
  for (const { row, column: index, content } of cells) {
    const [record, column] = [target.recordAt(row), target.columns[index]?.column];
    if (record === undefined || column === undefined || !target.mayWrite(record)) {
      fixed += 1;
      continue;
    }
    const read = await readCell(content, { column, writing, seek });
    if ('problem' in read) unread.push({ record, columnId: column.id, problem: read.problem, text: content.text });
    else if (!sameValue(read.wanted, target.valueOf(record, column.id)))
      changes.push({ record, columnId: column.id, wanted: read.wanted });
  }
  const created = await readNewRows(newRows, target.columns, { writing, seek });
  return { changes, unread, fixed, ...created };
}

async function readNewRows(
  rows: readonly (readonly Placed<CopiedCell>[])[],
  columns: readonly GridColumn[],
  how: { readonly writing: Writing; readonly seek: Seek },
): Promise<Pick<Paste, 'newRecords' | 'unreadNew'>> {
  const newRecords: Readonly<Record<string, RawValue>>[] = [];
  let unreadNew = 0;
  for (const row of rows) {
    const values: [string, RawValue][] = [];
    for (const { column: index, content } of row) {
      const column = columns[index]?.column;
      if (column === undefined) continue;
      const read = await readCell(content, { column, ...how });
      if ('problem' in read) unreadNew += 1;
      else if (read.wanted !== null) values.push([column.id, read.wanted]);
    }
    if (values.length > 0) newRecords.push(Object.fromEntries(values));
  }
  return { newRecords, unreadNew };
}

type ReadCell = { readonly wanted: RawValue | null } | { readonly problem: PasteProblem };

async function readCell(
  { text, value, scheme }: CopiedCell,
  { column, writing, seek }: { readonly column: ColumnDefinition; readonly writing: Writing; readonly seek: Seek },
): Promise<ReadCell> {
  if (text.trim() === '' && value === undefined) return { wanted: null };
  const fits = value?.type === column.type && scheme === schemeOf({ ...column, column });
  if (value !== undefined && fits) return { wanted: value };
  const read: Read = text.trim() === '' ? { problem: 'structure' } : readText(text, column, writing);
  if ('value' in read) return { wanted: read.value };
  if ('problem' in read) return read;
  const sought = await seek(column, read.seek);
  return sought.found === undefined ? { problem: sought.problem ?? 'structure' } : { wanted: sought.found };
}
