// Reads CSV (RFC 4180) row by row.

import { type Info, parse } from 'csv-parse';
import { MovingFailure } from '../failure.ts';
import { withoutGuard } from './csv-guard.ts';
import { CELL_CHARACTERS_MAX, type FileTable, type ReadOptions, type TableRow } from './table.ts';
import { type ByteSource, headOf, openText } from './text.ts';

const DELIMITERS = [',', ';', '\t', '|'];

export async function openCsv(source: ByteSource, { encoding, delimiter }: ReadOptions): Promise<FileTable> {
  const separator = delimiter ?? guessDelimiter(await headOf(source, encoding));
  const text = await openText(source, encoding);
  const rows = rowsOf(source.name, text.chunks, separator);
  const first = await rows.next();
  const header = first.done ? [] : first.value.cells.map((cell) => String(cell ?? ''));
  const checked = async function* (): AsyncGenerator<TableRow> {
    try {
      for (let next = await rows.next(); !next.done; next = await rows.next()) yield fitted(next.value, header.length);
    } finally {
      await rows.return(undefined);
    }
  };
  const close = async () => void (await rows.return(undefined));
  return { header, rows: checked(), progress: text.progress, close };
}

/** A row of another length was mostly cut in two by a line break without quotes: its cells may be in the wrong columns. */
function fitted(row: TableRow, width: number): TableRow {
  const { cells, line } = row;
  if (cells.length === width) return row;
  if (cells.length > width && cells.slice(width).every((cell) => cell === undefined)) return row;
  return { line, cells, problem: { code: 'cellCount', params: { count: cells.length, expected: width } } };
}

interface Parsed {
  readonly record: string[];
  readonly info: Info;
}

/** Without what only Node's streams have: the same parser runs in browsers. */
async function* rowsOf(file: string, chunks: AsyncIterable<string>, delimiter: string): AsyncGenerator<TableRow> {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    max_record_size: CELL_CHARACTERS_MAX,
  });
  let found: Parsed[] = [];
  parser.on('data', (parsed: Parsed) => found.push(parsed));
  const failed = new Promise<never>((_, reject) => parser.once('error', reject));
  failed.catch(() => undefined);
  // The parser's own count takes a CR LF within quotes for two.
  let line = 1;
  const rows = function* (): Generator<TableRow> {
    const some = found;
    found = [];
    for (const { record, info } of some) {
      yield { line: line + info.empty_lines, cells: record.map(cellOf) };
      line += 1 + breaksIn(record);
    }
  };
  try {
    for await (const chunk of chunks) {
      await Promise.race([failed, new Promise<void>((resolve) => parser.write(chunk, () => resolve()))]);
      yield* rows();
    }
    const ended = new Promise<void>((resolve) => parser.once('end', resolve));
    parser.end();
    await Promise.race([failed, ended]);
    yield* rows();
  } catch (error) {
    if (error instanceof MovingFailure) throw error;
    const { lines, message } = error as Error & { lines?: number };
    throw new MovingFailure('notCsv', { file, text: message, ...(lines === undefined ? {} : { line: lines }) });
  }
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
