// A first look at a file: what it contains, and its first rows.

import { MovingFailure } from '../failure.ts';
import type { FileTable, TableRow } from '../formats/table.ts';

/** So many rows are looked at for guesses and shown values. */
const ROWS_MAX = 10_000;

export interface Survey {
  readonly header: readonly string[];
  readonly rows: readonly TableRow[];
  /** Whether the file has no more rows. */
  readonly isWhole: boolean;
}

export async function surveyTable(file: string, open: () => Promise<FileTable>): Promise<Survey> {
  const table = await open();
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
  refuseDoubles(file, table.header);
  return { header: table.header, rows, isWhole };
}

function refuseDoubles(file: string, header: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of header) {
    if (name !== '' && seen.has(name)) throw new MovingFailure('doubleColumn', { file, column: name });
    seen.add(name);
  }
}
