// The format of a file, by its name or by --format.

import { extname } from 'node:path';
import type { Writable } from 'node:stream';
import { usageFailure } from '../../failure.ts';
import { openCsv } from './csv-read.ts';
import { type CsvForm, csvWriter } from './csv-write.ts';
import { jsonLinesWriter, openJsonLines } from './json-lines.ts';
import type { FileTable, ReadOptions, TableWriter } from './table.ts';
import { openXlsx } from './xlsx-read.ts';
import { xlsxWriter } from './xlsx-write.ts';

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

const OPENERS: Readonly<Record<FileFormat, (file: string, options: ReadOptions) => Promise<FileTable>>> = {
  csv: openCsv,
  jsonl: openJsonLines,
  xlsx: openXlsx,
};

export const openTable = (file: string, format: FileFormat, options: ReadOptions): Promise<FileTable> =>
  OPENERS[format](file, options);

export function tableWriter(
  output: Writable,
  header: readonly string[],
  { format, ...form }: CsvForm & { readonly format: FileFormat },
): TableWriter {
  if (format === 'csv') return csvWriter(output, header, form);
  return format === 'jsonl' ? jsonLinesWriter(output, header) : xlsxWriter(output, header);
}
