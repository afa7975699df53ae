// What the exports of other products have in common: collections with columns, cells that have to be rewritten, and notes
// on what has no counterpart here.

import type { Cell } from '../../../moving/formats/table.ts';
import { CellProblem } from '../../../moving/problems.ts';
import type { CollectionInput, ColumnInput } from '../../../wire/publish-document.ts';

export interface ForeignColumn {
  /** As the exported data names it. */
  readonly source: string;
  /** Other names of it in exported data. */
  readonly otherNames?: readonly string[];
  readonly column: ColumnInput;
  /** From the other product's way of writing to ours. */
  readonly rewrite?: (cell: Cell) => Cell;
}

export interface ForeignCollection {
  readonly name: string;
  /** Other names of it, by which its data file may be called. */
  readonly otherNames?: readonly string[];
  readonly columns: readonly ForeignColumn[];
}

export interface Foreign {
  readonly collections: readonly ForeignCollection[];
  /** What is lost or changed. */
  readonly notes: readonly string[];
}

export type ForeignReader = (schema: unknown, fallbackName: string) => Foreign;

/** Of times that the other product writes in the time zone of whoever exports. */
export const LOCAL_TIMES = 'its times are read as UTC; if they are not, say --timezone';

/** A file, or a cell, that is not what the product exports. */
export class ForeignProblem extends CellProblem {
  constructor(text: string) {
    super('foreign', { text });
  }
}

export const textColumn = (name: string, more: Partial<ColumnInput> = {}): ColumnInput =>
  ({ name, type: 'String', searchable: true, sortable: true, ...more }) as ColumnInput;

export const simpleColumn = (name: string, type: ColumnInput['type']): ColumnInput =>
  ({
    name,
    type,
    searchable: true,
    ...(type === 'Location' || type === 'Attachment' ? {} : { sortable: true }),
  }) as ColumnInput;

export const listColumn = (name: string): ColumnInput =>
  ({ name, type: 'Array', scheme: { element: { type: 'String' } }, searchable: true }) as ColumnInput;

export const referenceColumn = (
  name: string,
  collection: string,
  column: string,
  type: 'String' | 'Number' = 'String',
) =>
  ({ name, type: `Reference${type}`, scheme: { collection, column }, searchable: true, sortable: true }) as ColumnInput;

export const collectionInput = ({ name, columns }: ForeignCollection): CollectionInput => ({
  name,
  columns: columns.map(({ column }) => column),
});

/** Referred collections before those that refer to them. A circle is cut somewhere. */
export function referredFirst(collections: readonly ForeignCollection[]): ForeignCollection[] {
  const sorted: ForeignCollection[] = [];
  const visited = new Set<string>();
  const visit = (collection: ForeignCollection) => {
    if (visited.has(collection.name)) return;
    visited.add(collection.name);
    for (const { column } of collection.columns) {
      const target = (column.scheme as { collection?: string } | undefined)?.collection;
      const referred = collections.find(({ name }) => name === target);
      if (referred !== undefined) visit(referred);
    }
    sorted.push(collection);
  };
  for (const collection of collections) visit(collection);
  return sorted;
}

export function objectIn(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ForeignProblem(`${what} is not an object`);
}

export function objectsIn(value: unknown, what: string): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.map((each) => objectIn(each, what));
  throw new ForeignProblem(`${what} is not a list`);
}

/** Of a cell of CSV that holds JSON. */
export function jsonCell(cell: Cell): Cell {
  try {
    return typeof cell === 'string' && /^[[{]/.test(cell) ? JSON.parse(cell) : cell;
  } catch {
    throw new ForeignProblem('is not JSON');
  }
}

export const emptyAsNone = (cell: Cell): Cell => (cell === '' ? undefined : cell);

/** JSON that no column holds is kept as its text. */
export const asText = (cell: Cell): Cell => (typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : cell);

/** `a, b` as a list; a name with a comma is written in quotes. */
export function splitList(separator: string) {
  return (cell: Cell): Cell => {
    if (typeof cell !== 'string') return cell;
    const parts = separator === ',' ? (cell.match(/"(?:[^"]|"")*"|[^,]+/g) ?? []) : cell.split(separator);
    return parts
      .map((part) => part.trim())
      .map((part) => (/^".*"$/s.test(part) ? part.slice(1, -1).replaceAll('""', '"') : part))
      .filter((part) => part !== '');
  };
}
