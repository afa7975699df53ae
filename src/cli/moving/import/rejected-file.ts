// The rows that were rejected, in a file of the same format with the line and the reason: repaired, it can be imported.

import { createWriteStream } from 'node:fs';
import { parse } from 'node:path';
import type { FileFormat } from '../../../moving/formats/format-names.ts';
import type { ReadOptions } from '../../../moving/formats/table.ts';
import type { RejectedRow } from '../../../moving/import/journal.ts';
import { copyRejected, LINE, REASON, rejectedColumns } from '../../../moving/import/rejected-rows.ts';
import { problemSentences } from '../../../moving/problems.ts';
import { CommandFailure } from '../../failure.ts';
import { writeProblem } from '../../output.ts';
import { openTable, tableWriter } from '../formats/choose.ts';

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
  const reasons = new Map(rejected.map(({ row, problems }) => [row, problemSentences(problems)]));
  const columns = await rejectedColumns(() => openTable(file, format, options));
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
    await copyRejected(table, columns, reasons, (cells) => writer.write(cells));
    await writer.end();
  };
  try {
    await Promise.race([failed, write()]);
  } finally {
    await table.close();
  }
  return path;
}
