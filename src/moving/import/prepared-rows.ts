// From the rows of a file to records that can be sent, in batches whose borders depend on the file and the options alone:
// an import that is resumed makes the same batches again.

import type { Cell, FileTable, TableRow } from '../formats/table.ts';
import { CellProblem, type RowProblem } from '../problems.ts';
import { type CellReading, type OpenValue, readCell, type WireValue } from '../values/cell-values.ts';
import type { Mapping } from './mapping.ts';

/** As many as the server takes. */
export const BATCH_ROWS = 100;
/** The server takes 1 MB; identifiers that are still to be filled in and the brackets fit into the rest. */
const BATCH_BYTES = 900_000;
/** Below this estimate a batch is not measured. */
const ESTIMATE_BYTES = 250_000;

export interface PreparedRow {
  /** Counted from 0. */
  readonly number: number;
  readonly line: number;
  readonly values: Readonly<Record<string, WireValue | null>>;
  readonly open: readonly OpenValue[];
  /** Of its JSON: seldom less than it has. */
  readonly estimatedBytes: number;
  /** Why it cannot be sent; empty if it can. */
  readonly problems: RowProblem[];
}

export interface PreparedBatch {
  readonly from: number;
  readonly rows: readonly PreparedRow[];
  /** How many of them an earlier run has settled. */
  readonly done: number;
}

export interface RowPreparation {
  readonly mapping: Mapping;
  readonly reading: CellReading;
  /** What another product's way of writing becomes first, by the ID of the column. */
  readonly rewrites?: ReadonlyMap<string, (cell: Cell) => Cell>;
  /** Whether an empty cell removes the value of a record that is updated. */
  readonly clearEmpty: boolean;
}

export function prepareRow(row: TableRow, number: number, preparation: RowPreparation): PreparedRow {
  const { line, cells } = row;
  const { mapping, reading, rewrites, clearEmpty } = preparation;
  const problems: RowProblem[] = row.problem === undefined ? [] : [row.problem];
  const values: Record<string, WireValue | null> = {};
  const open: OpenValue[] = [];
  for (let index = 0; index < cells.length; index += 1) {
    const column = mapping.columnAt(index);
    if (column === undefined) continue;
    try {
      const rewrite = rewrites?.get(column.id);
      const cell = rewrite === undefined ? cells[index] : rewrite(cells[index]);
      const value = readCell(cell, column, reading, open);
      if (value !== undefined) values[column.id] = value;
      else if (clearEmpty) values[column.id] = null;
    } catch (error) {
      if (!(error instanceof CellProblem)) throw error;
      problems.push({ ...error.problem, at: { id: column.id, name: column.name } });
    }
  }
  const estimatedBytes = estimateOf(values);
  if (estimatedBytes > ESTIMATE_BYTES && bytesOf(values) > BATCH_BYTES) {
    problems.push({ code: 'tooLarge', params: {} });
  }
  return { number, line, values, open, estimatedBytes, problems };
}

/** What an earlier run has settled of the batch that begins with a row. */
type Earlier = (from: number) => { readonly rows: number; readonly done: number } | undefined;

export async function* batchesOf(
  table: FileTable,
  preparation: RowPreparation,
  earlier: Earlier,
): AsyncGenerator<PreparedBatch> {
  let number = 0;
  let skipped = 0;
  let batch = new Batch(0, earlier(0));
  for await (const row of table.rows) {
    if (skipped > 0) {
      skipped -= 1;
      number += 1;
      continue;
    }
    if (batch.isDone) {
      skipped = batch.size - 1;
      number += 1;
      batch = new Batch(number + skipped, earlier(number + skipped));
      continue;
    }
    const prepared = prepareRow(row, number, preparation);
    if (!batch.takes(prepared)) {
      yield batch.prepared();
      batch = new Batch(number, earlier(number));
    }
    batch.add(prepared);
    number += 1;
    if (batch.isFull) {
      yield batch.prepared();
      batch = new Batch(number, earlier(number));
    }
  }
  if (batch.hasRows) yield batch.prepared();
}

class Batch {
  readonly #from: number;
  readonly #earlier: { readonly rows: number; readonly done: number } | undefined;
  readonly #rows: PreparedRow[] = [];
  #estimate = 0;
  #bytes = 0;

  constructor(from: number, earlier: { readonly rows: number; readonly done: number } | undefined) {
    this.#from = from;
    this.#earlier = earlier;
  }

  get isDone(): boolean {
    return this.#earlier !== undefined && this.#earlier.done === this.#earlier.rows;
  }

  get size(): number {
    return this.#earlier?.rows ?? BATCH_ROWS;
  }

  get hasRows(): boolean {
    return this.#rows.length > 0;
  }

  get isFull(): boolean {
    return this.#rows.length === this.size;
  }

  /** Small rows, which are the most, are only estimated: measuring takes as long as writing the JSON. */
  takes(row: PreparedRow): boolean {
    if (this.#rows.length === 0) return true;
    if (this.#estimate + row.estimatedBytes < ESTIMATE_BYTES) return true;
    if (this.#bytes === 0) this.#bytes = this.#rows.reduce((sum, { values }) => sum + bytesOf(values), 0);
    return this.#bytes + bytesOf(row.values) <= BATCH_BYTES;
  }

  add(row: PreparedRow): void {
    this.#rows.push(row);
    this.#estimate += row.estimatedBytes;
    if (this.#bytes > 0) this.#bytes += bytesOf(row.values);
  }

  prepared(): PreparedBatch {
    return { from: this.#from, rows: this.#rows, done: this.#earlier?.done ?? 0 };
  }
}

/** Characters of texts, with room for the rest. */
function estimateOf(values: PreparedRow['values']): number {
  let sum = 20;
  for (const id in values) {
    const value = values[id]?.value;
    sum += 50 + (typeof value === 'string' ? value.length * 3 : typeof value === 'object' ? bytesOf(value) : 0);
  }
  return sum;
}

const UTF_8 = new TextEncoder();

/** Of the JSON, with room for the members of a record. */
const bytesOf = (value: unknown): number => UTF_8.encode(JSON.stringify(value)).length + 40;
