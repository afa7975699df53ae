// A first look at a file: whether it can be read to its end, what it contains, and its first rows.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { CommandFailure } from '../../failure.ts';
import { type FileFormat, openTable } from '../formats/choose.ts';
import type { Cell, ReadOptions, TableRow } from '../formats/table.ts';
import { checkText } from '../formats/text-file.ts';

/** So many rows are looked at for guesses and shown values. */
const ROWS_MAX = 10_000;

export interface Survey {
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
  /** Whether the file has no more rows. */
  readonly isWhole: boolean;
}

export async function surveyFile(file: string, format: FileFormat, options: ReadOptions): Promise<Survey> {
  const table = await openTable(file, format, options);
  const rows: TableRow[] = [];
  let isWhole = true;
  try {
    for await (const row of table.rows) {
      rows.push(row);
      if (rows.length < ROWS_MAX) continue;
      isWhole = false;
      break;
    }
  } finally {
    await table.close();
  }
  if (!isWhole && format !== 'xlsx') await checkText(file, options.encoding);
  refuseDoubles(file, table.header);
  return { header: table.header, rows, isWhole };
}

function refuseDoubles(file: string, header: readonly string[]): void {
  const double = header.find((name, index) => name !== '' && header.indexOf(name) !== index);
  if (double !== undefined) throw new CommandFailure(`${file} has two columns "${double}". Rename one of them.`);
}

/** Tells one content from another, whatever the file is called and when it was touched. */
export async function contentHash(file: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file, { highWaterMark: 1024 * 1024 }), hash);
  } catch (error) {
    throw new CommandFailure(`Cannot read ${file}: ${(error as Error).message}`);
  }
  return hash.digest('hex');
}

const SHOWN_VALUES = 3;
const SHOWN_CHARACTERS = 40;

/** The first different values of a column, for the preview. */
export function firstValues({ rows }: Pick<Survey, 'rows'>, index: number): string {
  const found = new Set<string>();
  for (const { cells } of rows) {
    const cell: Cell = cells[index];
    if (cell === undefined) continue;
    found.add(typeof cell === 'string' ? cell : JSON.stringify(cell));
    if (found.size === SHOWN_VALUES) break;
  }
  const text = [...found].join(', ').replaceAll(/\s+/g, ' ');
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
}
