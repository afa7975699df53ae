// From definition to tables: the names of a collection's table and of its indexes, and the types of its columns. The DDL is
// in store/applications/table-changes. Every name is built from identifiers whose form was checked, so none needs quoting.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import {
  type ColumnProjections,
  type Projection,
  type ProjectionKind,
  SEARCH_TEXT,
} from '../../domain/records/projections.ts';
import { violatedConstraint } from '../database/database-errors.ts';

export const tableOf = (schema: string, collectionId: string): string => `${schema}.${collectionId}`;

/** Text compares by code points, whatever the locale of the database. */
const SQL_TYPES: Readonly<Record<ProjectionKind, string>> = {
  text: 'text',
  number: 'float8',
  boolean: 'boolean',
  dateTime: 'timestamptz',
  date: 'date',
  time: 'time',
  json: 'jsonb',
};

/** The type of a parameter that fills the projected column. */
export const sqlType = ({ kind }: Pick<Projection, 'kind'>): string => SQL_TYPES[kind];

/** The columns of every collection, before those that are projected (store/applications/table-changes). */
export const COLLECTION_COLUMNS = [
  ...['id', 'rec', 'hash', 'created_by', 'created_name', 'created_at'],
  ...['updated_by', 'updated_name', 'updated_at'],
] as const;

/** The columns of a record's metadata, by their names in the interface. For users it is the column of the name. */
export const METADATA_COLUMNS = {
  updatedAt: { name: 'updated_at', type: 'timestamptz' },
  createdAt: { name: 'created_at', type: 'timestamptz' },
  createdBy: { name: 'created_name', type: 'text' },
  updatedBy: { name: 'updated_name', type: 'text' },
  id: { name: 'id', type: 'text' },
} as const;

/**
 * Every list can be ordered by these. The order of identifiers uses the primary key. Few lists are ordered by users' names, but
 * those two indexes take 4 to 8 of the 420 µs that the database needs for a new record, log entry included: building them when
 * they are first used would save no more. The search index takes 250, and all other indexes together 30.
 */
const ORDER_COLUMNS = Object.values(METADATA_COLUMNS).filter(({ name }) => name !== 'id');

export interface Index {
  /** At most 50 bytes, because a cluster appends the shard's number. */
  readonly name: string;
  readonly unique: boolean;
  /** The SQL after the table's name. `trigrams` is the operator class for substrings. */
  readonly on: (trigrams: string) => string;
}

const plain = (name: string, columns: string): Index => ({ name, unique: false, on: () => `(${columns})` });

/**
 * One index for each order, ending in the identifier that breaks ties and read in both directions. If readers see only
 * their own records, each order has a second index that begins with the creator.
 */
export function indexesOf({ definition, projections }: PreparedCollection): Index[] {
  const { id } = definition;
  const scopedReaders = definition.readAccessType === 'creatorOnly';
  const scopedWriters = scopedReaders || definition.writeAccessType === 'creatorOnly';
  const ordered = (name: string, column: string): Index[] => [
    plain(`${id}_${name}`, `${column}, id`),
    ...(scopedReaders ? [plain(`${id}_${name}_own`, `created_by, ${column}, id`)] : []),
  ];
  return [
    ...ORDER_COLUMNS.flatMap(({ name }) => ordered(name, name)),
    ...(scopedWriters ? [plain(`${id}_own`, 'created_by, id')] : []),
    ...[...projections.byColumn.values()].flatMap((column) => columnIndexes(id, column, ordered)),
    ...(projections.sections.length > 0 ? [searchIndex(id)] : []),
  ];
}

function columnIndexes(
  collectionId: string,
  { column, key, value, recordId, latitude, held, ordered: sortable }: ColumnProjections,
  ordered: (name: string, column: string) => Index[],
): Index[] {
  const indexes: Index[] = [];
  if (key !== undefined) {
    indexes.push({ name: uniqueIndexName(collectionId, column.id), unique: true, on: () => `(${key.name})` });
  }
  if (value !== undefined) {
    const by = `${value.name} nulls first`;
    if (sortable) indexes.push(...ordered(value.name, by));
    // A unique column finds equal texts by its key, and a Boolean, which matches half of all records, needs no index.
    else if (column.type !== 'Boolean' && !(key !== undefined && column.type === 'String')) {
      indexes.push(plain(`${collectionId}_${value.name}`, `${by}, id`));
    }
  }
  if (recordId !== undefined)
    indexes.push(plain(`${collectionId}_${recordId.name}`, `${recordId.name} nulls first, id`));
  if (latitude !== undefined) indexes.push(plain(`${collectionId}_${latitude.name}`, latitude.name));
  if (held !== undefined) indexes.push(heldIndex(collectionId, held));
  return indexes;
}

/** Most records hold few attachments or none, so writers update this index directly, without a pending list. */
const heldIndex = (collectionId: string, { name }: Projection): Index => ({
  name: `${collectionId}_${name}`,
  unique: false,
  on: () => `using gin (${name} jsonb_path_ops) with (fastupdate = off) where ${name} is not null`,
});

/**
 * Writers append to a pending list, which a job merges into the index (store/records/search-indexes). With the default
 * list of 4 MB, the writer that filled it had to merge it: batches of 100 ran at half the speed with ten times the p99.
 * Without a list a record takes 1,100 µs instead of 140, and 80 for the job. The time grows with the number of distinct
 * trigrams, 216 in a record of 360 characters, so the text should make no needless ones.
 */
const searchIndex = (collectionId: string): Index => ({
  name: searchIndexName(collectionId),
  unique: false,
  on: (trigrams) => `using gin (${SEARCH_TEXT} ${trigrams}) with (fastupdate = on, gin_pending_list_limit = 65536)`,
});

export const searchIndexName = (collectionId: string): string => `${collectionId}_${SEARCH_TEXT}`;

const uniqueIndexName = (collectionId: string, columnId: string): string => `${collectionId}_${columnId}_key`;

/** The unique column for which the database refused a row or an index; undefined when it failed for another reason. */
export function violatedColumn(error: unknown): string | undefined {
  const name = violatedConstraint(error);
  return name === undefined ? undefined : /^t[a-z0-9]{7}_(c[a-z0-9]{7})_key$/.exec(name)?.[1];
}
