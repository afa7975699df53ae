// The statements on a collection's table. Reads return the stored text. Writes name the generation, which the fence checks,
// and the scope in which the caller may write, so that each check and its write are one statement.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import type { Projected, Projection } from '../../domain/records/projections.ts';
import { FROM_MARK, type RecordText, TIMESTAMP_MARK } from '../../domain/records/record-text.ts';
import { atOnce, type Steps } from '../../load/slices.ts';
import type { UserShort } from '../../wire/users.ts';
import type { Reader, Transaction } from '../database/handles.ts';
import { PLANNED_ONCE } from '../database/prepared.ts';
import type { Row, Statement } from '../database/statements.ts';
import { plainArray, textArray, textArrayInSlices, textBytesInSlices } from '../database/text-arrays.ts';
import { fenceGeneration } from './fence.ts';
import { LONG_ALONE_BYTES, LONG_AMONG_OTHERS_BYTES, shortText } from './long-records.ts';
import { sqlType, tableOf, violatedColumn } from './tables.ts';

/** A record ready to be stored. `projected` follows the order of the collection's projections. */
export interface RecordRow {
  readonly id: string;
  readonly rec: string;
  readonly hash: string;
  readonly createdBy: UserShort;
  readonly updatedBy: UserShort;
  readonly updatedAt: string;
  readonly projected: readonly Projected[];
}

/** An update that replaces all values without reading the record first. */
export interface Replacement {
  readonly id: string;
  readonly hash: string;
  readonly now: string;
  /** Parts of the text (domain/records/record-text): between timestamp and updatedAt, and after updatedAt. */
  readonly hashPart: string;
  readonly tailPart: string;
  readonly updatedBy: UserShort;
  readonly projected: readonly Projected[];
}

/** A collection's table, and the generation that writes were prepared for. */
export interface Table {
  readonly schema: string;
  readonly collection: PreparedCollection;
  readonly generation: number;
}

/** What the record must fulfil for a write to apply. */
export interface Conditions {
  readonly scope: string | undefined;
  readonly ifHash: string | undefined;
}

type Texts = ReturnType<typeof makersOf>;

const textsOf = new WeakMap<PreparedCollection, { [Name in keyof Texts]?: string }>();

/** Made when it is first used: of thousands of collections, few are used in all ways. */
function textOf({ schema, collection }: Omit<Table, 'generation'>, name: keyof Texts): string {
  let made = textsOf.get(collection);
  if (made === undefined) {
    made = {};
    textsOf.set(collection, made);
  }
  made[name] ??= makersOf(schema, collection)[name]();
  return made[name];
}

/** SQL: the parts of the stored text `t.rec` that a replacement keeps, with what it puts between and after them. */
export function replacedText(given: { hash: string; now: string; hashPart: string; tailPart: string }): string {
  const mark = `strpos(t.rec, '${TIMESTAMP_MARK}')`;
  const part = (distance: number) => `substr(t.rec, ${mark} + ${distance}, ${FROM_MARK.timeLength})`;
  // Times never go backwards for one record, whatever the node's clock says: the later one is stored.
  const updatedAt = `greatest(${part(FROM_MARK.updatedAt)} collate "C", ${given.now})`;
  const timestamp = `greatest(${part(FROM_MARK.timestamp)} collate "C", ${updatedAt})`;
  return `left(t.rec, ${mark} + ${FROM_MARK.timestamp - 1})
          || case when t.hash = ${given.hash} then ${part(FROM_MARK.timestamp)} else ${timestamp} end
          || ${given.hashPart} || ${updatedAt} || ${given.tailPart}`;
}

export const COLUMNS = 'id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at';

function makersOf(schema: string, collection: PreparedCollection) {
  const table = tableOf(schema, collection.definition.id);
  const fence = `${schema}.fence`;
  const { all } = collection.projections;
  const each = (make: (name: string, index: number, type: string) => string) =>
    all.map((projection, index) => `, ${make(projection.name, index, sqlType(projection))}`).join('');
  const keys = collection.projections.all.slice(0, collection.uniqueColumns.length).map(({ name }) => name);
  /** What follows `set`. Its parameters begin with the identifier, those of the conditions come before the updating user. */
  const replaced = (id: number) => {
    const given = {
      hash: `$${id + 1}`,
      now: `$${id + 2}::text`,
      hashPart: `$${id + 4}::text`,
      tailPart: `$${id + 5}::text`,
    };
    return `rec = ${replacedText(given)},
        hash = ${given.hash}, updated_at = greatest(t.updated_at, $${id + 3}::timestamptz), updated_by = $${id + 8}, updated_name = $${id + 9}${each((name, i, type) => `${name} = $${id + 10 + i}::${type}`)}`;
  };
  /** The conditions, whose parameters begin with the given one. */
  const fulfils = (first: number) =>
    `($${first}::text is null or t.created_by = $${first}) and ($${first + 1}::text is null or t.hash = $${first + 1})`;
  return {
    get: () =>
      `select ${shortText('', LONG_ALONE_BYTES)} from ${table} where id = $1 and ($2::text is null or created_by = $2)${PLANNED_ONCE}`,
    lock: () => `select id, ${shortText('', LONG_AMONG_OTHERS_BYTES)}, created_by
      from ${table} where id = any($1::text[]) order by id for update`,
    insert: () => `insert into ${table} (${COLUMNS}${each((name) => name)})
      select r.id, r.rec, r.hash, r.created_by, r.created_name, $2::timestamptz, $3, $4, $2::timestamptz${each((name) => `r.${name}`)}
      from ${fence}, unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[]${each((_, i, type) => `$${10 + i}::${type}[]`)})
        as r(id, rec, hash, created_by, created_name${each((name) => name)})
      where fence.generation = $1 returning id`,
    insertOne: () => `insert into ${table} (${COLUMNS}${each((name) => name)})
      select $5, $6, $7, $8, $9, $2::timestamptz, $3, $4, $2::timestamptz${each((_, i, type) => `$${10 + i}::${type}`)}
      from ${fence} where fence.generation = $1 returning id`,
    insertGiven: () => `insert into ${table} (${COLUMNS}${each((name) => name)})
      values ($4, $5, $6, $7, $8, $1::timestamptz, $2, $3, $1::timestamptz${each((_, i, type) => `$${9 + i}::${type}`)}) returning id`,
    replace: () => `update ${table} as t set ${replaced(2)} from ${fence}
      where fence.generation = $1 and t.id = $2 and ${fulfils(8)} returning t.id, t.rec`,
    replaceGiven: () => `update ${table} as t set ${replaced(1)}
      where t.id = $1 and ${fulfils(7)} returning t.id, t.rec`,
    update: () => `update ${table} as t set rec = r.rec, hash = r.hash, updated_at = r.updated_at,
        updated_by = r.updated_by, updated_name = r.updated_name${each((name) => `${name} = r.${name}`)}
      from ${fence}, unnest($2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[]${each((_, i, type) => `$${8 + i}::${type}[]`)})
        as r(id, rec, hash, updated_at, updated_by, updated_name${each((name) => name)})
      where fence.generation = $1 and t.id = r.id returning t.id`,
    remove: () => `delete from ${table} as t using ${fence}
      where fence.generation = $1 and t.id = $2 and ${fulfils(3)} returning t.id`,
    lockGiven: () => `select id from ${table} where id = $1 for update`,
    removeGiven: () => `delete from ${table} as t where t.id = $1 and ${fulfils(2)} returning t.id`,
    requireChanged: () =>
      `select 1 / count(*)::int from ${table} where id = $1 and xmin = pg_current_xact_id_if_assigned()::xid`,
    requireFulfilled: () => `select 1 / count(*)::int from ${table} as t where t.id = $1 and ${fulfils(2)}`,
    inspect: () => `select hash, created_by from ${table} where id = $1`,
    collisions: () => `select ${keys.map((key, i) => `coalesce(bool_or(${key} = $${2 + i}), false)`).join(', ')}
      from ${table} where id <> $1 and (${keys.map((key, i) => `${key} = $${2 + i}`).join(' or ')})`,
  };
}

/** The text, or the size of a long record (store/records/long-records). */
export async function getRecord(
  reader: Reader,
  table: Table,
  { recordId, scope }: { recordId: string; scope: string | undefined },
): Promise<string | undefined> {
  const rows = await reader.rows(textOf(table, 'get'), [recordId, scope ?? null]);
  return rows[0]?.[0] as string | undefined;
}

/** Takes identifiers, and returns for each record its identifier, its text or size, and its creator. */
export const getRecordsText = ({ schema, collection }: Table): string =>
  `select id, ${shortText('', LONG_AMONG_OTHERS_BYTES)}, created_by from ${tableOf(schema, collection.definition.id)} where id = any($1::text[])${PLANNED_ONCE}`;

/** All rows get the update time and the updating user of the first. */
export const insertRecords = (table: Table, rows: readonly RecordRow[]): Statement =>
  atOnce(insertRecordsInSlices(table, rows));

export function* insertRecordsInSlices(table: Table, rows: readonly RecordRow[]): Steps<Statement> {
  const [first, ...others] = rows;
  if (first !== undefined && others.length === 0) return insertOne(table, first, first);
  return yield* insertSeveralInSlices(table, rows);
}

/** `recs`: the parameter that has the texts of the records. */
export function* insertSeveralInSlices(
  table: Table,
  rows: readonly RecordRow[],
): Steps<Statement & { readonly recs: Buffer }> {
  const [first] = rows;
  if (first === undefined) throw new Error('there is nothing to insert');
  const recs = yield* textArrayInSlices(rows.map((row) => row.rec));
  return {
    recs,
    text: textOf(table, 'insert'),
    params: [
      ...[table.generation, first.updatedAt, first.updatedBy.id, first.updatedBy.name],
      plainArray(rows.map((row) => row.id)),
      recs,
      plainArray(rows.map((row) => row.hash)),
      textArray(rows.map((row) => row.createdBy.id)),
      textArray(rows.map((row) => row.createdBy.name)),
      ...(yield* projectedArraysInSlices(table.collection.projections.all, rows)),
    ],
  };
}

/** One row, whose text is given as bytes too. Encoding a megabyte takes 1.5 ms, and a long record has a search text as well. */
export function* insertLongRecord(table: Table, row: RecordRow, rec: Buffer): Steps<Statement> {
  const projected: (Projected | Buffer)[] = [];
  for (const [index, { kind }] of table.collection.projections.all.entries()) {
    const value = row.projected[index] ?? null;
    const isLong = kind === 'text' && typeof value === 'string' && value.length > LONG_ALONE_BYTES;
    projected.push(isLong ? yield* textBytesInSlices(value) : value);
  }
  return insertOne(table, row, { rec, projected });
}

interface EncodedRow {
  readonly rec: RecordText;
  readonly projected: readonly (Projected | Buffer)[];
}

function insertOne(
  table: Table,
  { id, hash, createdBy, updatedBy, updatedAt }: RecordRow,
  { rec, projected }: EncodedRow,
): Statement {
  const common = [table.generation, updatedAt, updatedBy.id, updatedBy.name];
  return {
    text: textOf(table, 'insertOne'),
    params: [...common, id, rec, hash, createdBy.id, createdBy.name, ...projected],
  };
}

/** Without the fence, which has to follow in the same transaction, as for all that are given (operations/records/cluster-writes). */
export const insertGivenRecord = (
  table: Table,
  { id, rec, hash, createdBy, updatedBy, updatedAt, projected }: RecordRow,
): Statement => ({
  text: textOf(table, 'insertGiven'),
  params: [updatedAt, updatedBy.id, updatedBy.name, id, rec, hash, createdBy.id, createdBy.name, ...projected],
});

export const replaceRecord = (table: Table, replacement: Replacement, conditions: Conditions): Statement => ({
  text: textOf(table, 'replace'),
  params: [table.generation, ...replacing(replacement, conditions)],
});

export const replaceGivenRecord = (table: Table, replacement: Replacement, conditions: Conditions): Statement => ({
  text: textOf(table, 'replaceGiven'),
  params: replacing(replacement, conditions),
});

function replacing(
  { id, hash, now, hashPart, tailPart, updatedBy, projected }: Replacement,
  { scope, ifHash }: Conditions,
): unknown[] {
  const parts = [id, hash, now, now, hashPart, tailPart, scope ?? null, ifHash ?? null];
  return [...parts, updatedBy.id, updatedBy.name, ...projected];
}

/** Fails unless the transaction has written the record. */
export const requireChanged = (table: Table, recordId: string): Statement => ({
  text: textOf(table, 'requireChanged'),
  params: [recordId],
});

/** For locked records: the rows are complete, and only the generation is checked. */
export const updateRecords = (table: Table, rows: readonly RecordRow[]): Statement =>
  atOnce(updateRecordsInSlices(table, rows));

export function* updateRecordsInSlices(table: Table, rows: readonly RecordRow[]): Steps<Statement> {
  return {
    text: textOf(table, 'update'),
    params: [
      table.generation,
      plainArray(rows.map((row) => row.id)),
      yield* textArrayInSlices(rows.map((row) => row.rec)),
      plainArray(rows.map((row) => row.hash)),
      plainArray(rows.map((row) => row.updatedAt)),
      textArray(rows.map((row) => row.updatedBy.id)),
      textArray(rows.map((row) => row.updatedBy.name)),
      ...(yield* projectedArraysInSlices(table.collection.projections.all, rows)),
    ],
  };
}

type WithProjected = Pick<RecordRow, 'projected'>;

export const projectedArrays = (
  { projections }: PreparedCollection,
  rows: readonly WithProjected[],
): (string | Buffer)[] => atOnce(projectedArraysInSlices(projections.all, rows));

export function* projectedArraysInSlices(
  projections: readonly Projection[],
  rows: readonly WithProjected[],
): Steps<(string | Buffer)[]> {
  const arrays: (string | Buffer)[] = [];
  for (const [index, { kind }] of projections.entries()) {
    const values = rows.map((row) => row.projected[index] ?? null);
    if (kind !== 'text' && kind !== 'json') arrays.push(plainArray(values));
    else arrays.push(yield* textArrayInSlices(values as (string | null)[], kind === 'text' ? 'text' : 'jsonb'));
  }
  return arrays;
}

export function removeRecord(table: Table, recordId: string, { scope, ifHash }: Conditions): Statement {
  return { text: textOf(table, 'remove'), params: [table.generation, recordId, scope ?? null, ifHash ?? null] };
}

export const lockGivenRecord = (table: Table, recordId: string): Statement => ({
  text: textOf(table, 'lockGiven'),
  params: [recordId],
});

/** Fails unless the record is there and fulfils the conditions. */
export const requireFulfilled = (table: Table, recordId: string, { scope, ifHash }: Conditions): Statement => ({
  text: textOf(table, 'requireFulfilled'),
  params: [recordId, scope ?? null, ifHash ?? null],
});

export const removeGivenRecord = (table: Table, recordId: string, { scope, ifHash }: Conditions): Statement => ({
  text: textOf(table, 'removeGiven'),
  params: [recordId, scope ?? null, ifHash ?? null],
});

export interface LockedText {
  readonly id: string;
  /** The text, or for a long record its size (store/records/long-records). */
  readonly rec: string;
}

export interface LockedRecord extends LockedText {
  readonly createdBy: string;
}

/** Locks in the order of identifiers, so that requests for the same records in any order cannot deadlock. */
export async function lockRecords(
  tx: Transaction,
  table: Table,
  recordIds: readonly string[],
): Promise<{ records: Map<string, LockedRecord>; fence: Row[] | undefined }> {
  const [rows, fence] = await tx.pipeline([
    { text: textOf(table, 'lock'), params: [recordIds] },
    fenceGeneration(tx.schema),
  ]);
  const records = (rows as [string, string, string][]).map(([id, rec, createdBy]) => ({ id, rec, createdBy }));
  return { records: new Map(records.map((record) => [record.id, record])), fence };
}

/** What is needed to explain why a conditional write matched no row. */
export async function inspectRecord(
  reader: Reader,
  table: Table,
  recordId: string,
): Promise<{ record: { hash: string; createdBy: string } | undefined; fence: Row[] | undefined }> {
  const [rows, fence] = await reader.pipeline([
    { text: textOf(table, 'inspect'), params: [recordId] },
    fenceGeneration(reader.schema),
  ]);
  const row = rows?.[0] as [string, string] | undefined;
  return { record: row && { hash: row[0], createdBy: row[1] }, fence };
}

/**
 * Every unique column in which the row collides with another record, when the database refused the row for one of them;
 * undefined when `error` is something else.
 */
export async function duplicatedColumns(
  reader: Reader,
  collection: PreparedCollection,
  { error, row }: { error: unknown; row: Pick<RecordRow, 'id' | 'projected'> },
): Promise<string[] | undefined> {
  const violated = violatedColumn(error);
  if (violated === undefined) return undefined;
  const held = collection.uniqueColumns.length > 1 ? await collisions(reader, collection, row) : [];
  const duplicated = collection.uniqueColumns
    .filter((column, index) => column.id === violated || held[index] === true)
    .map((column) => column.id);
  // A column that is about to become unique has its index already, but is not among the unique columns yet.
  return duplicated.includes(violated) ? duplicated : [...duplicated, violated];
}

/** Whether another record holds the row's key, for each unique column in order. */
async function collisions(
  reader: Reader,
  collection: PreparedCollection,
  row: Pick<RecordRow, 'id' | 'projected'>,
): Promise<boolean[]> {
  const keys = row.projected.slice(0, collection.uniqueColumns.length);
  const rows = await reader.rows(textOf({ schema: reader.schema, collection }, 'collisions'), [row.id, ...keys]);
  return rows[0] as boolean[];
}
