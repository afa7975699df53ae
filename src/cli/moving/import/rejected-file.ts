// The rows that were rejected, in a file of the same format with the line and the reason: repaired, it can be imported.

import { createWriteStream } from 'node:fs';
import { parse } from 'node:path';
import { CommandFailure } from '../../failure.ts';
import { writeProblem } from '../../output.ts';
import { type FileFormat, openTable, tableWriter } from '../formats/choose.ts';
import type { FileTable, ReadOptions } from '../formats/table.ts';
import type { RejectedRow } from './journal.ts';

const LINE = '$line';
const REASON = '$reason';

export const rejectedPath = (file: string): string => {
  const { dir, name, ext } = parse(file);
  return `${dir === '' ? '' : `${dir}/`}${name}.rejected${ext}`;
};

/** Reads the file again and picks the rows, so that nothing of them had to be kept meanwhile. */
export async function writeRejected(
  file: string,
  { format, options, rejected }: { format: FileFormat; options: ReadOptions; rejected: readonly RejectedRow[] },
): Promise<string> {
  const path = rejectedPath(file);
  const reasons = new Map(rejected.map(({ row, reason }) => [row, reason]));
  const columns = await wholeHeader(file, format, options);
  const table = await openTable(file, format, options);
  const output = createWriteStream(path, { mode: 0o600 });
  const failed = new Promise<never>((_, reject) => {
    output.on('error', (error) => {
      reject(new CommandFailure(`Cannot write the rejected rows to ${path}: ${writeProblem(error)}`, { cause: error }));
    });
  });
  const writer = await tableWriter(output, [...columns.map(({ name }) => name), LINE, REASON], {
    format,
    delimiter: options.delimiter ?? ',',
    byteOrderMark: false,
  });
  const write = async () => {
    await copy(table, columns, reasons, (cells) => writer.write(cells));
    await writer.end();
  };
  try {
    await Promise.race([failed, write()]);
  } finally {
    await table.close();
  }
  return path;
}

interface FileColumn {
  readonly name: string;
  readonly index: number;
}

async function copy(
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

/** Of JSON Lines only the end tells all members. */
async function wholeHeader(file: string, format: FileFormat, options: ReadOptions): Promise<FileColumn[]> {
  const table = await openTable(file, format, options);
  try {
    if (format === 'jsonl') for await (const _ of table.rows);
    // A rejected file that is rejected again has its columns already.
    const all = table.header.map((name, index) => ({ name, index }));
    return all.filter(({ name }) => name !== LINE && name !== REASON);
  } finally {
    await table.close();
  }
}
