// JSON Lines: an object per line. Also reads one JSON array of objects, as other products export them.

import { MovingFailure } from '../failure.ts';
import type { RowProblem } from '../problems.ts';
import {
  CELL_CHARACTERS_MAX,
  type Cell,
  type FileTable,
  type ReadOptions,
  SheetDate,
  type TableRow,
  type TableWriter,
  type TextOutput,
} from './table.ts';
import { type ByteSource, headOf, openText } from './text.ts';

interface Piece {
  readonly line: number;
  readonly text: string;
}

export async function openJsonLines(source: ByteSource, { encoding }: ReadOptions): Promise<FileTable> {
  const isArray = /^[\s\ufeff]*\[/.test(await headOf(source, encoding));
  const text = await openText(source, encoding);
  const { name: file } = source;
  const pieces = isArray ? elementsOf(file, text.chunks) : linesOf(file, text.chunks);
  const header: string[] = [];
  const places = new Map<string, number>();
  return { header, rows: rowsOf(pieces, header, places), progress: text.progress, close: async () => undefined };
}

async function* rowsOf(
  pieces: AsyncIterable<Piece>,
  header: string[],
  places: Map<string, number>,
): AsyncGenerator<TableRow> {
  for await (const { line, text } of pieces) {
    const value = parsed(text);
    if ('problem' in value) {
      yield { line, cells: [], problem: value.problem };
      continue;
    }
    const cells: Cell[] = [];
    for (const [name, cell] of Object.entries(value.members)) {
      let place = places.get(name);
      if (place === undefined) {
        place = header.push(name) - 1;
        places.set(name, place);
      }
      cells[place] = cell ?? undefined;
    }
    yield { line, cells };
  }
}

function parsed(text: string): { members: object } | { problem: RowProblem } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { members: value };
    return { problem: { code: 'lineNotObject', params: {} } };
  } catch (error) {
    return { problem: { code: 'lineNotJson', params: { text: (error as Error).message } } };
  }
}

async function* linesOf(file: string, chunks: AsyncIterable<string>): AsyncGenerator<Piece> {
  let rest = '';
  let line = 0;
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    refuseLong(file, line, rest);
    for (const text of lines) {
      line += 1;
      if (text.trim() !== '') yield { line, text };
    }
  }
  if (rest.trim() !== '') yield { line: line + 1, text: rest };
}

/** The objects of an array, found by their braces outside of texts. */
async function* elementsOf(file: string, chunks: AsyncIterable<string>): AsyncGenerator<Piece> {
  let element = '';
  let depth = 0;
  let line = 1;
  let startedAt = 1;
  let isText = false;
  let isEscaped = false;
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at);
      if (code === 10) line += 1;
      if (isText) {
        if (isEscaped) isEscaped = false;
        else if (code === 92) isEscaped = true;
        else if (code === 34) isText = false;
      } else if (code === 34) isText = true;
      else if (code === 123) {
        if (depth === 0) [from, startedAt] = [at, line];
        depth += 1;
      } else if (code === 125) {
        depth -= 1;
        if (depth > 0) continue;
        if (depth < 0) throw new MovingFailure('strayBrace', { file, line });
        yield { line: startedAt, text: element + chunk.slice(from, at + 1) };
        element = '';
      }
    }
    if (depth > 0) element += chunk.slice(from);
    refuseLong(file, startedAt, element);
  }
  if (depth > 0) throw new MovingFailure('openObject', { file, line: startedAt });
}

function refuseLong(file: string, line: number, text: string): void {
  if (text.length <= CELL_CHARACTERS_MAX) return;
  throw new MovingFailure('longObject', { file, line: line + 1, count: CELL_CHARACTERS_MAX });
}

export function jsonLinesWriter(output: TextOutput, header: readonly string[]): TableWriter {
  return {
    write: (cells) => output.write(`${JSON.stringify(members(header, cells))}\n`),
    end: () => output.end(''),
  };
}

function members(header: readonly string[], cells: readonly Cell[]): object {
  const entries = header.flatMap((name, at) => (cells[at] === undefined ? [] : [[name, jsonCell(cells[at])] as const]));
  return Object.fromEntries(entries);
}

const jsonCell = (cell: Cell): unknown => (cell instanceof SheetDate ? cell.text : cell);
