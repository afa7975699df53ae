// Tables and counts as commands print them.

import { cutToWidth, onOneLine, textWidth } from '../text-width.ts';

const GAP = '  ';
/** Cells are not cut below this width: a table that is still too wide wraps. */
const CELL_MIN = 10;

interface Layout {
  /** Headings of columns that are aligned to the right. */
  readonly numbers?: readonly string[];
  /** Headings of columns that are never cut, such as identifiers. */
  readonly whole?: readonly string[];
  /** Of the terminal; without it no cell is cut. */
  readonly width?: number | undefined;
}

type Rows = readonly (readonly string[])[];

/** The first row holds the headings. */
export function inColumns(rows: Rows, { numbers = [], whole = [], width }: Layout = {}): string[] {
  const headings = rows[0] ?? [];
  const plain = rows.map((row) => row.map(onOneLine));
  const natural = headings.map((_, column) => Math.max(...plain.map((row) => textWidth(row[column] ?? ''))));
  const isWhole = headings.map((heading) => whole.includes(heading));
  const widths = width === undefined ? natural : cutWidths(natural, isWhole, width);
  const fit = (cell: string, column: number) => {
    const text = cutToWidth(cell, widths[column] ?? 0);
    const padding = ' '.repeat((widths[column] ?? 0) - textWidth(text));
    return numbers.includes(headings[column] ?? '') ? padding + text : text + padding;
  };
  return plain.map((row) => row.map(fit).join(GAP).trimEnd());
}

/** The widest columns are cut first, all to the same width. */
function cutWidths(natural: readonly number[], isWhole: readonly boolean[], width: number): number[] {
  const room = width - GAP.length * (natural.length - 1);
  const cut = (cap: number) => natural.map((own, column) => (isWhole[column] ? own : Math.min(own, cap)));
  let cap = Math.max(CELL_MIN, ...natural);
  while (cap > CELL_MIN && cut(cap).reduce((sum, own) => sum + own, 0) > room) cap--;
  return cut(cap);
}

/** On a terminal, a table with long values is cut to fit. */
export const terminalWidth = (): number | undefined => (process.stdout.isTTY ? process.stdout.columns : undefined);

export const printTable = (rows: Rows, layout: Layout = {}): void => console.log(inColumns(rows, layout).join('\n'));

/** `1 record`, `2,000 records`. */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`;
