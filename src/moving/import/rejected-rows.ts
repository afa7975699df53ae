// The rows of a file that were rejected, with the line and the reason in columns of their own.

import type { FileTable } from '../formats/table.ts';

export const LINE = '$line';
export const REASON = '$reason';

export interface FileColumn {
  readonly name: string;
  readonly index: number;
}

/** Reads the file again and picks the rows, so that nothing of them had to be kept meanwhile. */
export async function copyRejected(
  table: FileTable,
  columns: readonly FileColumn[],
  reasons: ReadonlyMap<number, string>,
  write: (cells: readonly unknown[]) => Promise<void>,
): Promise<void> {
  let number = 0;
  let written = 0;
  for await (const { line, cells } of table.rows) {
    const reason = reasons.get(number);
    number += 1;
    if (reason === undefined) continue;
    await write([...columns.map(({ index }) => cells[index]), line, reason]);
    written += 1;
    if (written === reasons.size) return;
  }
}

/** Of JSON Lines only the end tells all members. A rejected file that is rejected again has its columns already. */
export async function rejectedColumns(open: () => Promise<FileTable>): Promise<FileColumn[]> {
  const table = await open();
  try {
    const isOpenEnded = table.header.length === 0;
    if (isOpenEnded) for await (const _ of table.rows);
    const all = table.header.map((name, index) => ({ name, index }));
    return all.filter(({ name }) => name !== LINE && name !== REASON);
  } finally {
    await table.close();
  }
}
