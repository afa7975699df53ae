// The format of a file, by its name or by --format.

import type { Writable } from 'node:stream';
import { type CsvForm, csvWriter } from '../../../moving/formats/csv-write.ts';
import { type FileFormat, FORMATS, formatNamed } from '../../../moving/formats/format-names.ts';
import { jsonLinesWriter, openJsonLines } from '../../../moving/formats/json-lines.ts';
import type { FileTable, ReadOptions, TableWriter } from '../../../moving/formats/table.ts';
import { usageFailure } from '../../failure.ts';
import { fileSource } from './byte-source.ts';
import { textOutput } from './text-output.ts';

export function formatOf(file: string, given: string | undefined): FileFormat {
  const known = given === undefined ? formatNamed(file) : FORMATS.find((each) => each === given);
  if (known !== undefined) return known;
  const which = given === undefined ? `The name ${file} does not tell the format.` : `--format ${given} is not known.`;
  throw usageFailure(`${which} Use --format with one of ${FORMATS.join(', ')}.`);
}

// The packages that read CSV and Excel are loaded when a file of that format is: they take as long as the rest of a command.

export async function openTable(file: string, format: FileFormat, options: ReadOptions): Promise<FileTable> {
  if (format === 'jsonl') return openJsonLines(await fileSource(file), options);
  if (format === 'csv')
    return (await import('../../../moving/formats/csv-read.ts')).openCsv(await fileSource(file), options);
  const [{ openXlsx }, { openZip }, { SharedStrings }] = await Promise.all([
    import('../../../moving/formats/xlsx-read.ts'),
    import('./xlsx-zip.ts'),
    import('./shared-strings.ts'),
  ]);
  return openXlsx(await openZip(file), new SharedStrings(), options);
}

export async function tableWriter(
  output: Writable,
  header: readonly string[],
  { format, ...form }: CsvForm & { readonly format: FileFormat },
): Promise<TableWriter> {
  if (format === 'csv') return csvWriter(textOutput(output), header, form);
  if (format === 'jsonl') return jsonLinesWriter(textOutput(output), header);
  return (await import('./xlsx-zip.ts')).xlsxWriter(output, header);
}
