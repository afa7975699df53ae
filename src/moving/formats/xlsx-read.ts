// Reads a sheet of an Excel file (.xlsx) row by row.

import { MovingFailure } from '../failure.ts';
import type { RowProblem } from '../problems.ts';
import type { Cell, FileTable, ReadOptions, TableRow } from './table.ts';
import { type DateForm, dateForm, dateOf } from './xlsx-dates.ts';
import { readAll, type XmlEvents, type ZipArchive, type ZipParts, zipParts } from './xlsx-parts.ts';

/** Excel's own limit. */
const COLUMNS_MAX = 16_384;

/** The texts that cells refer to by number. There may be millions. */
export interface TextStore {
  add(text: string): void;
  get(index: number): string | undefined;
  close(): void;
}

interface Workbook {
  readonly sheets: readonly { readonly name: string; readonly relation: string }[];
  readonly calendar: 1900 | 1904;
}

interface Sheet {
  readonly strings: TextStore;
  readonly styles: readonly (DateForm | undefined)[];
  readonly calendar: 1900 | 1904;
}

export async function openXlsx(archive: ZipArchive, strings: TextStore, { sheet }: ReadOptions): Promise<FileTable> {
  const parts = zipParts(archive);
  const close = async () => {
    strings.close();
    archive.close();
  };
  try {
    const workbook = await readWorkbook(parts);
    const part = await partOf(archive.name, parts, workbook, sheet);
    if (parts.has('xl/sharedStrings.xml'))
      await readAll(
        parts,
        'xl/sharedStrings.xml',
        stringEvents((text) => strings.add(text)),
      );
    const styles = parts.has('xl/styles.xml') ? await readStyles(parts) : [];
    const out: TableRow[] = [];
    const rows = parts.read(part, sheetEvents({ strings, styles, calendar: workbook.calendar }, out), out);
    const first = await rows.next();
    const header = first.done ? [] : Array.from(first.value.cells, (cell) => String(cell ?? ''));
    return { header, rows, progress: parts.progress, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** For the choice of one. */
export const sheetNames = async (archive: ZipArchive): Promise<string[]> =>
  (await readWorkbook(zipParts(archive))).sheets.map(({ name }) => name);

async function readWorkbook(parts: ZipParts): Promise<Workbook> {
  const sheets: { name: string; relation: string }[] = [];
  let calendar: 1900 | 1904 = 1900;
  await readAll(parts, 'xl/workbook.xml', {
    open(name, attributes) {
      if (name === 'sheet') sheets.push({ name: attributes.name ?? '', relation: attributes['r:id'] ?? '' });
      if (name === 'workbookPr' && /^(?:1|true)$/.test(attributes.date1904 ?? '')) calendar = 1904;
    },
  });
  return { sheets, calendar };
}

async function partOf(
  file: string,
  parts: ZipParts,
  { sheets }: Workbook,
  wanted: string | undefined,
): Promise<string> {
  const chosen = wanted === undefined ? sheets[0] : sheets.find(({ name }) => name === wanted);
  if (chosen === undefined) {
    const names = sheets.map(({ name }) => name).join(', ');
    throw new MovingFailure('noSheet', { file, text: wanted ?? '', referred: names });
  }
  let target = 'worksheets/sheet1.xml';
  await readAll(parts, 'xl/_rels/workbook.xml.rels', {
    open(_, { Id, Target }) {
      if (Id === chosen.relation && Target !== undefined) target = Target;
    },
  });
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
}

/** Texts may be cut into runs of different fonts; the reading aids of Japanese (rPh) are not part of them. */
function stringEvents(found: (text: string) => void): XmlEvents {
  let text = '';
  let isText = false;
  let isAid = false;
  return {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') isAid = true;
      else if (name === 't') isText = !isAid;
    },
    text(piece) {
      if (isText) text += piece;
    },
    close(name) {
      if (name === 'si') found(unescaped(text));
      else if (name === 'rPh') isAid = false;
      else if (name === 't') isText = false;
    },
  };
}

/** Characters that XML cannot hold are written as _x0001_. */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;

async function readStyles(parts: ZipParts): Promise<(DateForm | undefined)[]> {
  const codes = new Map<number, string>();
  const styles: (DateForm | undefined)[] = [];
  let isCells = false;
  await readAll(parts, 'xl/styles.xml', {
    open(name, { numFmtId, formatCode }) {
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode ?? '');
      else if (name === 'cellXfs') isCells = true;
      else if (name === 'xf' && isCells) styles.push(dateForm(Number(numFmtId), codes.get(Number(numFmtId))));
    },
    close(name) {
      if (name === 'cellXfs') isCells = false;
    },
  });
  return styles;
}

interface OpenCell {
  at: number;
  type: string;
  style: number;
  text: string;
}

function sheetEvents(sheet: Sheet, out: TableRow[]): XmlEvents {
  let line = 0;
  let cells: Cell[] = [];
  let problem: RowProblem | undefined;
  let cell: OpenCell | undefined;
  let isText = false;
  let isAid = false;
  return {
    open(name, attributes) {
      if (name === 'row') {
        line = attributes.r === undefined ? line + 1 : Number(attributes.r);
        [cells, problem] = [[], undefined];
      } else if (name === 'c') {
        const { r, t = 'n', s = '' } = attributes;
        cell = { at: r === undefined ? cells.length : columnIndex(r), type: t, style: Number(s), text: '' };
      } else if (name === 'rPh') isAid = true;
      else if (name === 'v' || name === 't') isText = !isAid;
    },
    text(piece) {
      if (isText && cell !== undefined) cell.text += piece;
    },
    close(name) {
      if (name === 'v' || name === 't') isText = false;
      else if (name === 'rPh') isAid = false;
      else if (name === 'c' && cell !== undefined) {
        if (cell.type === 'e') problem ??= { code: 'sheetError', params: { text: cell.text } };
        else cells[cell.at] = cellValue(cell, sheet);
        cell = undefined;
      } else if (name === 'row' && (problem !== undefined || cells.some((each) => each !== undefined))) {
        out.push({ line, cells, ...(problem === undefined ? {} : { problem }) });
      }
    },
  };
}

function columnIndex(reference: string): number {
  let index = 0;
  for (const letter of /^[A-Z]*/.exec(reference)?.[0] ?? '') index = index * 26 + letter.charCodeAt(0) - 64;
  if (index < 1 || index > COLUMNS_MAX) throw new Error(`${reference} is not a cell`);
  return index - 1;
}

function cellValue({ type, style, text }: OpenCell, { strings, styles, calendar }: Sheet): Cell {
  if (type === 's') return strings.get(Number(text));
  if (type === 'inlineStr') return unescaped(text);
  if (text === '') return undefined;
  if (type === 'str') return unescaped(text);
  if (type === 'b') return text === '1' || text === 'true';
  if (type === 'd') return text;
  const number = Number(text);
  const form = styles[style];
  return form === undefined ? number : (dateOf(number, form, calendar) ?? number);
}
