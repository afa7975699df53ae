// From a cell to a value of its column. What has to be looked up (people, referred records) or uploaded (files) is left
// open and put into a list, so that a whole batch is looked up at once.

import type { ColumnDefinition as Column, ObjectScheme, SimpleTypeName } from '../../../client/src/shapes.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import { CellProblem, cellProblem, shownCell } from '../problems.ts';
import { type DateReading, readDateCell, readDateTimeCell, readTimeCell } from './cell-dates.ts';
import { readBooleanCell, readNumberCell } from './cell-numbers.ts';

export interface CellReading extends DateReading {
  readonly decimalComma: boolean;
  /** Between the elements of an array that is not written as JSON. */
  readonly listSeparator: string;
}

/** A value as a request has it. */
export interface WireValue {
  type: string;
  [member: string]: unknown;
}

/** A value that lacks the identifier of a user, a file or a record. */
export interface OpenValue {
  readonly value: WireValue;
  readonly column: Column;
  /** What names it in the file. */
  readonly text: string;
}

type Elements = readonly unknown[];

/** Undefined if the cell has no value. */
export function readCell(
  cell: unknown,
  column: Column,
  reading: CellReading,
  open: OpenValue[],
): WireValue | undefined {
  if (cell === undefined || cell === null) return undefined;
  const { type } = column;
  if (type === 'String') return { type, value: textOf(cell) };
  if (typeof cell === 'string' && cell.trim() === '') return undefined;
  if (type === 'Array') return readArray(cell, column, reading, open);
  if (type === 'Object') return readObject(jsonIn(cell), column, column.scheme, reading, open);
  if (isReference(column)) return readReference(cell, column, open);
  return readSimple(cell, column.type as SimpleTypeName, column, reading, open);
}

type ReferenceColumn = Extract<Column, { scheme: { collectionId: string } }>;

export const isReference = (column: Column): column is ReferenceColumn => column.type.startsWith('Reference');

function readReference(cell: unknown, column: ReferenceColumn, open: OpenValue[]): WireValue {
  const { collectionId, columnId } = column.scheme;
  const value: WireValue = { type: column.type, collectionId, columnId };
  const text = textOf(cell);
  if (isIdentifier('recordId', text)) value.recordId = text;
  else open.push({ value, column, text });
  return value;
}

function readSimple(
  cell: unknown,
  type: SimpleTypeName,
  column: Column,
  reading: CellReading,
  open: OpenValue[],
): WireValue {
  if (type === 'Location') return readLocation(cell);
  if (type === 'User' || type === 'Attachment') {
    const value: WireValue = { type };
    open.push({ value, column, text: textOf(cell) });
    return value;
  }
  return { type, value: readScalar(cell, type, reading) };
}

type ScalarName = Exclude<SimpleTypeName, 'Location' | 'User' | 'Attachment'>;

function readScalar(cell: unknown, type: ScalarName, reading: CellReading): unknown {
  if (type === 'String') return textOf(cell);
  if (type === 'Number') return typeof cell === 'number' ? cell : readNumberCell(textOf(cell), reading.decimalComma);
  if (type === 'Boolean') return typeof cell === 'boolean' ? cell : readBooleanCell(textOf(cell));
  // A time in JSON may be a POSIX time, which the server reads.
  if (type === 'DateTime') return typeof cell === 'number' ? cell : readDateTimeCell(textOf(cell), reading);
  return type === 'Date' ? readDateCell(textOf(cell), reading) : readTimeCell(textOf(cell));
}

const LONE_SURROGATES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Of a text, a number or a truth value; anything else has a type of its own. */
export function textOf(cell: unknown): string {
  if (typeof cell === 'string') {
    if (cell.includes('\u0000')) throw new CellProblem('nulCharacter');
    // A text from another program may have been cut within a character; JSON could not carry the half.
    return cell.replaceAll(LONE_SURROGATES, '\ufffd');
  }
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  throw cellProblem('notText', cell);
}

function readLocation(cell: unknown): WireValue {
  const given = typeof cell === 'object' && cell !== null ? (cell as Record<string, unknown>) : pointIn(textOf(cell));
  const { latitude, longitude, altitude } = given;
  const isPoint = isWithin(latitude, 90) && isWithin(longitude, 180);
  if (!isPoint || (altitude !== undefined && !Number.isFinite(altitude))) {
    throw cellProblem('notPlace', cell);
  }
  return { type: 'Location', latitude, longitude, ...(altitude === undefined ? {} : { altitude }) };
}

const isWithin = (degrees: unknown, max: number): boolean => typeof degrees === 'number' && Math.abs(degrees) <= max;

function pointIn(text: string): Record<string, unknown> {
  const parts = text.split(/[,;]/).map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [latitude, longitude, ...rest] = parts;
  return rest.length === 0
    ? { latitude, longitude }
    : { latitude, longitude, altitude: rest.length > 1 ? Number.NaN : rest[0] };
}

function readArray(
  cell: unknown,
  column: Extract<Column, { type: 'Array' }>,
  reading: CellReading,
  open: OpenValue[],
): WireValue {
  const { type, scheme } = column.scheme.element;
  const read = (element: unknown): WireValue =>
    type === 'Object'
      ? readObject(element, column, scheme ?? { keys: [] }, reading, open)
      : readSimple(element, type, column, reading, open);
  return { type: 'Array', value: elementsIn(cell, reading.listSeparator).map(read) };
}

function elementsIn(cell: unknown, separator: string): Elements {
  if (Array.isArray(cell)) return cell;
  if (typeof cell !== 'string') return [cell];
  if (/^\s*\[/.test(cell)) {
    const parsed = jsonIn(cell);
    if (Array.isArray(parsed)) return parsed;
  }
  return cell
    .split(separator)
    .map((element) => element.trim())
    .filter((element) => element !== '');
}

function readObject(
  given: unknown,
  column: Column,
  { keys }: ObjectScheme,
  reading: CellReading,
  open: OpenValue[],
): WireValue {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new CellProblem('notObject', { cell: shownCell(given), text: keys[0]?.name ?? 'key' });
  }
  const value: Record<string, WireValue> = {};
  for (const [name, cell] of Object.entries(given)) {
    const key = keys.find((each) => each.name === name);
    if (key === undefined) throw new CellProblem('unknownKey', { text: name });
    if (cell !== null) value[name] = readSimple(cell, key.type, column, reading, open);
  }
  return { type: 'Object', value };
}

function jsonIn(cell: unknown): unknown {
  if (typeof cell !== 'string') return cell;
  try {
    return JSON.parse(cell);
  } catch {
    throw cellProblem('notJson', cell);
  }
}
