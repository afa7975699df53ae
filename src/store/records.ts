// The statements on a collection's table. Reads give the stored text; writes are fenced by the definition's version and
// name the scope within which the caller may act, so that a check and its write are one step.

import type { PreparedCollection } from '../domain/application.ts';
import { FROM_MARK, TIMESTAMP_MARK } from '../domain/record-text.ts';
import type { Reader, Row, Statement, Transaction } from './db.ts';
import { fenceVersion } from './fence.ts';
import { projectionsOf, tableOf } from './tables.ts';

/** A record ready to be stored. `keys` follow the order of the collection's unique columns; null is no value. */
export interface RecordRow {
  readonly id: string;
  readonly rec: string;
  readonly hash: string;
  readonly createdBy: string;
  readonly updatedAt: string;
  readonly keys: readonly (string | null)[];
}

/** What a replacing update sets when it does not know the record it meets. */
export interface Replacement {
  readonly id: string;
  readonly hash: string;
  readonly now: string;
  /** domain/record-text: between timestamp and updatedAt, and behind updatedAt. */
  readonly hashPart: string;
  readonly tailPart: string;
  readonly keys: readonly (string | null)[];
}

/** A collection's table, and the version of the definition that writes were prepared for. */
export interface Table {
  readonly schema: string;
  readonly collection: PreparedCollection;
  readonly version: number;
}

/** Limits on which record a write may touch. */
export interface Conditions {
  readonly scope: string | undefined;
  readonly ifHash: string | undefined;
}

interface Texts {
  readonly get: string;
  readonly lock: string;
  readonly insert: string;
  readonly insertOne: string;
  readonly replace: string;
  readonly update: string;
  readonly fill: string;
  readonly remove: string;
  readonly inspect: string;
  readonly collisions: string;
}

const textsOf = new WeakMap<PreparedCollection, Texts>();

function texts({ schema, collection }: Omit<Table, 'version'>): Texts {
  let found = textsOf.get(collection);
  if (found === undefined) {
    found = makeTexts(schema, collection);
    textsOf.set(collection, found);
  }
  return found;
}

function makeTexts(schema: string, collection: PreparedCollection): Texts {
  const table = tableOf(schema, collection.definition.id);
  const fence = `${schema}.fence`;
  const keys = projectionsOf(collection.definition).map((projection) => projection.name);
  const each = (make: (key: string, index: number) => string) =>
    keys.map((key, index) => `, ${make(key, index)}`).join('');
  const mark = `strpos(t.rec, '${TIMESTAMP_MARK}')`;
  const part = (distance: number) => `substr(t.rec, ${mark} + ${distance}, ${FROM_MARK.timeLength})`;
  const updatedAt = `greatest(${part(FROM_MARK.updatedAt)} collate "C", $4::text)`;
  const timestamp = `greatest(${part(FROM_MARK.timestamp)} collate "C", ${updatedAt})`;
  return {
    get: `select rec from ${table} where id = $1 and ($2::text is null or created_by = $2)`,
    lock: `select id, rec, hash, created_by from ${table} where id = any($1::text[]) order by id for update`,
    insert: `insert into ${table} (id, rec, hash, created_by, created_at, updated_at${each((key) => key)})
      select r.id, r.rec, r.hash, r.created_by, $2::timestamptz, $2::timestamptz${each((key) => `r.${key}`)}
      from ${fence}, unnest($3::text[], $4::text[], $5::text[], $6::text[]${each((_, i) => `$${7 + i}::text[]`)})
        as r(id, rec, hash, created_by${each((key) => key)})
      where fence.version = $1 returning id`,
    insertOne: `insert into ${table} (id, rec, hash, created_by, created_at, updated_at${each((key) => key)})
      select $3, $4, $5, $6, $2::timestamptz, $2::timestamptz${each((_, i) => `$${7 + i}`)}
      from ${fence} where fence.version = $1 returning id`,
    // Times never go backwards for one record, whatever the node's clock says: the later of the two counts.
    replace: `update ${table} as t set
        rec = left(t.rec, ${mark} + ${FROM_MARK.timestamp - 1})
          || case when t.hash = $3 then ${part(FROM_MARK.timestamp)} else ${timestamp} end
          || $6::text || ${updatedAt} || $7::text,
        hash = $3, updated_at = greatest(t.updated_at, $5::timestamptz)${each((key, i) => `${key} = $${10 + i}`)}
      from ${fence}
      where fence.version = $1 and t.id = $2
        and ($8::text is null or t.created_by = $8) and ($9::text is null or t.hash = $9)
      returning t.id, t.rec`,
    update: `update ${table} as t set rec = r.rec, hash = r.hash, updated_at = r.updated_at${each((key) => `${key} = r.${key}`)}
      from ${fence}, unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[]${each((_, i) => `$${6 + i}::text[]`)})
        as r(id, rec, hash, updated_at${each((key) => key)})
      where fence.version = $1 and t.id = r.id returning t.id`,
    fill: `update ${table} as t set ${keys.map((key) => `${key} = r.${key}`).join(', ')}
      from ${fence}, unnest($2::text[]${each((_, i) => `$${3 + i}::text[]`)}) as r(id${each((key) => key)})
      where fence.version = $1 and t.id = r.id returning t.id`,
    remove: `delete from ${table} as t using ${fence}
      where fence.version = $1 and t.id = $2
        and ($3::text is null or t.created_by = $3) and ($4::text is null or t.hash = $4)
      returning t.id`,
    inspect: `select hash, created_by from ${table} where id = $1`,
    collisions: `select ${keys.map((key, i) => `coalesce(bool_or(${key} = $${2 + i}), false)`).join(', ')}
      from ${table} where id <> $1 and (${keys.map((key, i) => `${key} = $${2 + i}`).join(' or ')})`,
  };
}

export async function getRecord(
  reader: Reader,
  table: Table,
  { recordId, scope }: { recordId: string; scope: string | undefined },
): Promise<string | undefined> {
  const rows = await reader.rows(texts(table).get, [recordId, scope ?? null]);
  return rows[0]?.[0] as string | undefined;
}

/** They share one time, that of the first. */
export function insertRecords(table: Table, rows: readonly RecordRow[]): Statement {
  const { version } = table;
  const [first, ...others] = rows;
  if (first !== undefined && others.length === 0) {
    const { id, rec, hash, createdBy, updatedAt, keys } = first;
    return {
      text: texts(table).insertOne,
      params: [version, updatedAt, id, rec, hash, createdBy, ...keys],
    };
  }
  return {
    text: texts(table).insert,
    params: [
      version,
      first?.updatedAt,
      rows.map((row) => row.id),
      rows.map((row) => row.rec),
      rows.map((row) => row.hash),
      rows.map((row) => row.createdBy),
      ...keyArrays(table.collection, rows),
    ],
  };
}

export function replaceRecord(
  table: Table,
  { id, hash, now, hashPart, tailPart, keys }: Replacement,
  { scope, ifHash }: Conditions,
): Statement {
  return {
    text: texts(table).replace,
    params: [table.version, id, hash, now, now, hashPart, tailPart, scope ?? null, ifHash ?? null, ...keys],
  };
}

/** For records that are locked: the rows are complete, and only the version is checked. */
export function updateRecords(table: Table, rows: readonly RecordRow[]): Statement {
  return {
    text: texts(table).update,
    params: [
      table.version,
      rows.map((row) => row.id),
      rows.map((row) => row.rec),
      rows.map((row) => row.hash),
      rows.map((row) => row.updatedAt),
      ...keyArrays(table.collection, rows),
    ],
  };
}

/** The keys of unique columns alone, for records whose values stay. */
export function fillKeys(table: Table, rows: readonly Pick<RecordRow, 'id' | 'keys'>[]): Statement {
  return {
    text: texts(table).fill,
    params: [table.version, rows.map((row) => row.id), ...keyArrays(table.collection, rows)],
  };
}

const keyArrays = (collection: PreparedCollection, rows: readonly Pick<RecordRow, 'keys'>[]) =>
  collection.uniqueColumns.map((_, index) => rows.map((row) => row.keys[index] ?? null));

export function removeRecord(table: Table, recordId: string, { scope, ifHash }: Conditions): Statement {
  return { text: texts(table).remove, params: [table.version, recordId, scope ?? null, ifHash ?? null] };
}

export interface LockedRecord {
  readonly id: string;
  readonly rec: string;
  readonly hash: string;
  readonly createdBy: string;
}

/** Locks in the order of identifiers, so that requests for the same records in any order cannot deadlock. */
export async function lockRecords(
  tx: Transaction,
  table: Table,
  recordIds: readonly string[],
): Promise<{ records: Map<string, LockedRecord>; fence: Row[] | undefined }> {
  const [rows, fence] = await tx.flight([{ text: texts(table).lock, params: [recordIds] }, fenceVersion(tx.schema)]);
  const records = (rows as [string, string, string, string][]).map(([id, rec, hash, createdBy]) => ({
    id,
    rec,
    hash,
    createdBy,
  }));
  return { records: new Map(records.map((record) => [record.id, record])), fence };
}

/** Why a conditional write met nothing. */
export async function inspectRecord(
  reader: Reader,
  table: Table,
  recordId: string,
): Promise<{ record: { hash: string; createdBy: string } | undefined; fence: Row[] | undefined }> {
  const [rows, fence] = await reader.flight([
    { text: texts(table).inspect, params: [recordId] },
    fenceVersion(reader.schema),
  ]);
  const row = rows?.[0] as [string, string] | undefined;
  return { record: row && { hash: row[0], createdBy: row[1] }, fence };
}

/** Which of the keys another record holds; in the order of the collection's unique columns. */
export async function collisions(
  reader: Reader,
  collection: PreparedCollection,
  row: Pick<RecordRow, 'id' | 'keys'>,
): Promise<boolean[]> {
  const rows = await reader.rows(texts({ schema: reader.schema, collection }).collisions, [row.id, ...row.keys]);
  return rows[0] as boolean[];
}
