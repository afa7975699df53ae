// PocketBase: the collections as its dashboard exports them (`pb_schema.json`), and a file of records for each: a JSON array,
// JSON Lines or CSV, called like the collection.

import type { Cell } from '../../../moving/formats/table.ts';
import type { ColumnInput } from '../../../wire/publish-document.ts';
import {
  asText,
  emptyAsNone,
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

const TEXTS = new Set(['text', 'editor', 'email', 'url']);
/** Every record has one, by which relations find it. */
const KEY = 'id';

export function readPocketBase(schema: unknown): Foreign {
  const all = objectsIn(schema, 'the list of collections').filter(
    ({ type, system }) => type !== 'view' && system !== true,
  );
  const names = new Map(all.map(({ id, name }) => [id, String(name)]));
  const notes: string[] = [];
  const collections = all.map((collection): ForeignCollection => {
    const name = String(collection.name);
    // Called "schema" before version 0.23, where options stood in an object of their own.
    const fields = objectsIn(collection.fields ?? collection.schema, `"fields" of ${name}`);
    const unique = uniqueIn(collection.indexes);
    const key: ForeignColumn = { source: KEY, column: textColumn(KEY, { unique: true }) };
    const columns = fields
      .filter((field) => field.name !== KEY)
      .flatMap((field): ForeignColumn[] => {
        const found = columnOf({ ...(field.options as object | undefined), ...field }, names);
        if (found.note !== undefined) notes.push(`${name}.${String(field.name)}: ${found.note}`);
        if (found.column === undefined) return [];
        const flags = unique.has(String(field.name)) && found.column.type === 'String' ? { unique: true } : {};
        const column = { ...found.column, ...flags } as ColumnInput;
        return [{ source: String(field.name), column, rewrite: found.rewrite ?? emptyAsNone }];
      });
    if (collection.type === 'auth') notes.push(`${name}: its people become records; they cannot sign in here`);
    return { name, columns: [key, ...columns] };
  });
  return { collections, notes };
}

interface Found {
  readonly column?: ColumnInput;
  readonly rewrite?: NonNullable<ForeignColumn['rewrite']>;
  readonly note?: string;
}

function columnOf(field: Record<string, unknown>, names: ReadonlyMap<unknown, string>): Found {
  const [name, type] = [String(field.name), String(field.type)];
  const isMany = typeof field.maxSelect === 'number' ? field.maxSelect > 1 : field.maxSelect === null;
  if (TEXTS.has(type)) return { column: textColumn(name) };
  if (type === 'number') return { column: simpleColumn(name, 'Number') };
  if (type === 'bool') return { column: simpleColumn(name, 'Boolean') };
  if (type === 'date' || type === 'autodate') return { column: simpleColumn(name, 'DateTime') };
  if (type === 'geoPoint') return { column: simpleColumn(name, 'Location'), rewrite: point };
  if (type === 'select') return isMany ? { column: listColumn(name), rewrite: choices } : { column: textColumn(name) };
  if (type === 'relation') {
    const target = names.get(field.collectionId);
    if (target === undefined) return { note: 'refers to a collection that is not in the file' };
    if (!isMany) return { column: referenceColumn(name, target, KEY) };
    return {
      column: listColumn(name),
      rewrite: choices,
      note: `relations to several records become a list of the IDs of ${target}`,
    };
  }
  if (type === 'file')
    return { column: listColumn(name), rewrite: choices, note: 'the names of files are kept, not the files' };
  if (type === 'json') return { column: textColumn(name), rewrite: asText, note: 'JSON becomes its text' };
  return { note: type === 'password' ? 'passwords are not moved' : `has no counterpart (${type})` };
}

/** A single one may stand without brackets; CSV has JSON or commas. */
const choices = (cell: Cell): Cell => {
  const given = jsonCell(cell);
  return typeof given === 'string' ? splitList(',')(given) : given;
};

const point = (cell: Cell): Cell => {
  const given = jsonCell(cell);
  if (given === undefined || given === '') return undefined;
  const { lat, lon } = objectIn(given, 'a point') as { lat?: number; lon?: number };
  // Zero and zero is how it writes that there is none.
  return lat === 0 && lon === 0 ? undefined : { latitude: lat, longitude: lon };
};

/** Columns with a unique index of their own. */
function uniqueIn(indexes: unknown): Set<string> {
  const statements = Array.isArray(indexes) ? indexes.map(String) : [];
  return new Set(statements.flatMap((sql) => /\bunique\b.*\(\s*[`"[]?(\w+)[`"\]]?\s*\)\s*$/is.exec(sql)?.[1] ?? []));
}
