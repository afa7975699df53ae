// Ranges of cells: what is selected, and where a table that is pasted goes.

import type { Cell } from '../keys.ts';

export interface Range {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

export const rangeOf = (one: Cell, other: Cell): Range => ({
  top: Math.min(one.row, other.row),
  left: Math.min(one.column, other.column),
  bottom: Math.max(one.row, other.row),
  right: Math.max(one.column, other.column),
});

export const rowsIn = ({ top, bottom }: Range): number => bottom - top + 1;
export const columnsIn = ({ left, right }: Range): number => right - left + 1;
export const cellsIn = (range: Range): number => rowsIn(range) * columnsIn(range);

export interface Placed<Content> {
  readonly row: number;
  readonly column: number;
  readonly content: Content;
}

export interface Placing<Content> {
  readonly cells: readonly Placed<Content>[];
  /** What goes below the last record, by column. */
  readonly newRows: readonly (readonly Placed<Content>[])[];
  /** Columns of the table beyond the last of the grid. */
  readonly columnsLeftOut: number;
  readonly target: Range;
}

interface Bounds {
  readonly rows: number;
  readonly columns: number;
}

/** A table goes to the top left of the range, and as often as it fits if the range is a multiple of it. */
export function placeTable<Content>(
  table: readonly (readonly Content[])[],
  range: Range,
  bounds: Bounds,
): Placing<Content> {
  const height = table.length;
  const width = Math.max(...table.map((row) => row.length));
  const repeats = rowsIn(range) % height === 0 && columnsIn(range) % width === 0;
  const [rows, columns] = repeats ? [rowsIn(range), columnsIn(range)] : [height, width];
  const kept = Math.min(columns, bounds.columns - range.left);
  const rowAt = (row: number): readonly Placed<Content>[] =>
    Array.from({ length: kept }, (_, column) => column).flatMap((column) => {
      const content = table[row % height]?.[column % width];
      return content === undefined ? [] : [{ row: range.top + row, column: range.left + column, content }];
    });
  const within = Math.max(0, Math.min(rows, bounds.rows - range.top));
  const all = Array.from({ length: rows }, (_, row) => rowAt(row));
  return {
    cells: all.slice(0, within).flat(),
    newRows: all.slice(within),
    columnsLeftOut: columns - kept,
    target: { ...range, bottom: range.top + rows - 1, right: range.left + kept - 1 },
  };
}
