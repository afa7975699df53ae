// Directus: a snapshot of the schema as JSON (`directus schema snapshot --format json`), and a file of items for each
// collection: JSON or CSV, called like the collection.

import type { Cell } from '../../../moving/formats/table.ts';
import type { ColumnInput } from '../../../wire/publish-document.ts';
import {
  asText,
  type Foreign,
  type ForeignCollection,
  type ForeignColumn,
  jsonCell,
  listColumn,
  objectIn,
  objectsIn,
  referenceColumn,
  simpleColumn,
  splitList,
  textColumn,
} from './foreign.ts';

const TEXTS = new Set(['string', 'text', 'uuid', 'hash']);
const NUMBERS = new Set(['integer', 'bigInteger', 'float', 'decimal']);
const TYPES: Readonly<Record<string, ColumnInput['type']>> = {
  boolean: 'Boolean',
  timestamp: 'DateTime',
  dateTime: 'DateTime',
  date: 'Date',
  time: 'Time',
};

interface Key {
  readonly name: string;
  readonly type: 'String' | 'Number';
}

export function readDirectus(schema: unknown): Foreign {
  const snapshot = objectIn(schema, 'the snapshot');
  const fields = objectsIn(snapshot.fields, '"fields"');
  const relations = objectsIn(snapshot.relations ?? [], '"relations"');
  // Folders of the navigation have no table.
  const names = objectsIn(snapshot.collections, '"collections"')
    .filter(({ schema: table, collection }) => table !== null && !String(collection).startsWith('directus_'))
    .map(({ collection }) => String(collection));
  const keys = new Map(names.map((name) => [name, keyOf(fields.filter(({ collection }) => collection === name))]));
  const notes: string[] = [];
  const collections = names.map(
    (name): ForeignCollection => ({
      name,
      columns: fields
        .filter(({ collection }) => collection === name)
        .flatMap((field): ForeignColumn[] => {
          const source = String(field.field);
          const relation = relations.find((each) => each.collection === name && each.field === field.field);
          const found = columnOf(field, relation, keys);
          if (found.note !== undefined) notes.push(`${name}.${source}: ${found.note}`);
          if (found.column === undefined) return [];
          const column = { ...found.column, ...flagsOf(field, found.column) } as ColumnInput;
          return [{ source, column, ...(found.rewrite === undefined ? {} : { rewrite: found.rewrite }) }];
        }),
    }),
  );
  return { collections, notes };
}

interface Found {
  readonly column?: ColumnInput;
  readonly rewrite?: NonNullable<ForeignColumn['rewrite']>;
  readonly note?: string;
}

function columnOf(
  field: Record<string, unknown>,
  relation: Record<string, unknown> | undefined,
  keys: ReadonlyMap<string, Key | undefined>,
): Found {
  const [name, type] = [String(field.field), String(field.type)];
  const target = relation === undefined ? undefined : String(relation.related_collection);
  const key = target === undefined ? undefined : keys.get(target);
  if (target !== undefined && key !== undefined) return { column: referenceColumn(name, target, key.name, key.type) };
  const note = target === undefined ? {} : { note: `refers to ${target}, which is not moved; the IDs are kept` };
  if (TEXTS.has(type)) return { column: textColumn(name), rewrite: asText, ...note };
  if (NUMBERS.has(type)) return { column: simpleColumn(name, 'Number'), ...note };
  const known = TYPES[type];
  if (known !== undefined) return { column: simpleColumn(name, known) };
  if (type === 'csv') return { column: listColumn(name), rewrite: splitList(',') };
  if (type === 'json') return { column: textColumn(name), rewrite: asText, note: 'JSON becomes its text' };
  if (type === 'geometry.Point') return { column: simpleColumn(name, 'Location'), rewrite: point };
  return {
    note: type === 'alias' ? 'shows other records or groups fields, and has no values' : `has no counterpart (${type})`,
  };
}

function keyOf(fields: readonly Record<string, unknown>[]): Key | undefined {
  const key = fields.find(({ schema }) => (schema as { is_primary_key?: boolean } | null)?.is_primary_key === true);
  return key === undefined
    ? undefined
    : { name: String(key.field), type: NUMBERS.has(String(key.type)) ? 'Number' : 'String' };
}

function flagsOf({ schema }: Record<string, unknown>, { type }: ColumnInput): Partial<ColumnInput> {
  const { is_primary_key: isKey, is_unique: isUnique } = (schema ?? {}) as {
    is_primary_key?: boolean;
    is_unique?: boolean;
  };
  const mayBe = type === 'String' || type === 'Number';
  return mayBe && (isKey === true || isUnique === true) ? { unique: true } : {};
}

/** GeoJSON has the longitude first. */
const point = (cell: Cell): Cell => {
  const given = jsonCell(cell);
  if (given === undefined || given === null) return undefined;
  const [longitude, latitude] = objectIn(given, 'a point').coordinates as [number, number];
  return { latitude, longitude };
};
