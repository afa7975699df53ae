// Reads CSV (RFC 4180) row by row.

import { type Info, parse } from 'csv-parse';
import { CommandFailure } from '../../failure.ts';
import { withoutGuard } from './csv-guard.ts';
import { CELL_CHARACTERS_MAX, type FileTable, type ReadOptions, type TableRow } from './table.ts';
import { headOf, openText } from './text-file.ts';

const DELIMITERS = [',', ';', '\t', '|'];

export async function openCsv(file: string, { encoding, delimiter }: ReadOptions): Promise<FileTable> {
  const separator = delimiter ?? guessDelimiter(await headOf(file, encoding));
  const text = await openText(file, encoding);
  const rows = rowsOf(file, text.chunks, separator)[Symbol.asyncIterator]();
  const first = await rows.next();
  const header = first.done ? [] : first.value.cells.map((cell) => String(cell ?? ''));
  const checked = async function* (): AsyncGenerator<TableRow> {
    for (let next = await rows.next(); !next.done; next = await rows.next()) yield fitted(next.value, header.length);
  };
  return { header, rows: checked(), progress: text.progress, close: text.close };
}

/** A row of another length was mostly cut in two by a line break without quotes: its cells may be in the wrong columns. */
function fitted(row: TableRow, width: number): TableRow {
  const { cells, line } = row;
  if (cells.length === width) return row;
  if (cells.length > width && cells.slice(width).every((cell) => cell === undefined)) return row;
  return { line, cells, problem: `has ${cells.length} cells where the heading has ${width}` };
}

interface Parsed {
  readonly record: string[];
  readonly info: Info;
}

async function* rowsOf(file: string, chunks: AsyncIterable<string>, delimiter: string): AsyncGenerator<TableRow> {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: CELL_CHARACTERS_MAX,
  });
  const feeding = feed(parser, chunks);
  feeding.catch((error: Error) => parser.destroy(error));
  // The parser's own count takes a CR LF within quotes for two.
  let line = 1;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      yield { line: line + info.empty_lines, cells: record.map(cellOf) };
      line += 1 + breaksIn(record);
    }
    await feeding;
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const { lines, message } = error as Error & { lines?: number };
    throw new CommandFailure(
      `${file} cannot be read as CSV: ${message}${lines === undefined ? '' : ` (line ${lines})`}.`,
    );
  }
}

async function feed(parser: NodeJS.WritableStream, chunks: AsyncIterable<string>): Promise<void> {
  for await (const chunk of chunks) {
    if (!parser.write(chunk)) await new Promise((resolve) => parser.once('drain', resolve));
  }
  parser.end();
}

const cellOf = (text: string): string | undefined => (text === '' ? undefined : withoutGuard(text));

const breaksIn = (record: readonly string[]): number =>
  record.reduce((sum, cell) => (/[\r\n]/.test(cell) ? sum + cell.split(/\r\n|\n|\r/).length - 1 : sum), 0);

/** The one that the heading has most often outside of quotes. */
export function guessDelimiter(head: string): string {
  const heading = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(head)?.[0] ?? '';
  const bare = heading.replaceAll(/"(?:[^"]|"")*"/g, '');
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}
