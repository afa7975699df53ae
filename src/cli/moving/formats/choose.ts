// The format of a file, by its name or by --format.

import { extname } from 'node:path';
import type { Writable } from 'node:stream';
import { usageFailure } from '../../failure.ts';
import { type CsvForm, csvWriter } from './csv-write.ts';
import { jsonLinesWriter, openJsonLines } from './json-lines.ts';
import type { FileTable, ReadOptions, TableWriter } from './table.ts';

export const FORMATS = ['csv', 'jsonl', 'xlsx'] as const;
export type FileFormat = (typeof FORMATS)[number];

const EXTENSIONS: Readonly<Record<string, FileFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.jsonl': 'jsonl',
  '.ndjson': 'jsonl',
  '.json': 'jsonl',
  '.xlsx': 'xlsx',
};

export function formatOf(file: string, given: string | undefined): FileFormat {
  const format = given ?? EXTENSIONS[extname(file).toLowerCase()];
  const known = FORMATS.find((each) => each === format);
  if (known !== undefined) return known;
  const which = given === undefined ? `The name ${file} does not tell the format.` : `--format ${given} is not known.`;
  throw usageFailure(`${which} Use --format with one of ${FORMATS.join(', ')}.`);
}

// The packages that read CSV and Excel are loaded when a file of that format is: they take as long as the rest of a command.

export async function openTable(file: string, format: FileFormat, options: ReadOptions): Promise<FileTable> {
  if (format === 'jsonl') return openJsonLines(file, options);
  if (format === 'csv') return (await import('./csv-read.ts')).openCsv(file, options);
  return (await import('./xlsx-read.ts')).openXlsx(file, options);
}

export async function tableWriter(
  output: Writable,
  header: readonly string[],
  { format, ...form }: CsvForm & { readonly format: FileFormat },
): Promise<TableWriter> {
  if (format === 'csv') return csvWriter(output, header, form);
  if (format === 'jsonl') return jsonLinesWriter(output, header);
  return (await import('./xlsx-write.ts')).xlsxWriter(output, header);
}
