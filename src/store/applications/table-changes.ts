// The DDL of publishing: it creates and drops the tables of collections, their columns and their indexes while requests use
// them. Locks are held or waited for only briefly. Walks over records are in store/records/publish-walks.

import { setTimeout as pause } from 'node:timers/promises';
import type { PreparedCollection } from '../../domain/definition/application.ts';
import { type Projection, SEARCH_TEXT } from '../../domain/records/projections.ts';
import { fault } from '../../faults.ts';
import { backupUnderWay, mayDestroy } from '../database/backup-locks.ts';
import { isLocked, isRetriable } from '../database/database-errors.ts';
import type { Publisher, Reader, Transaction } from '../database/handles.ts';
import { relationsIn } from '../database/schemas.ts';
import { plain } from '../database/statements.ts';
import { type Index, indexesOf, sqlType, tableOf, violatedColumn } from '../records/tables.ts';

const LOCK_TIMEOUT_MS = 200;
const LOCK_ATTEMPTS = 60;
/** Transactions that always outlast the short timeout already delay each other by more than the long one does. */
export const SHORT_ATTEMPTS = 30;
const LONG_LOCK_TIMEOUT_MS = 2_000;
/** PostgreSQL cancels an automatic vacuum that has blocked a lock for one second. */
const VACUUM_TIMEOUT_MS = 5_000;

/**
 * Every statement that arrives after a lock request waits until that request is granted. So `work` must use the lock
 * timeout it is given, and runs again after a timeout.
 */
export async function retryOnLockTimeout<T>(
  work: (lockTimeoutMs: number) => Promise<T>,
  attempts = LOCK_ATTEMPTS,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const lockTimeoutMs = attempt > SHORT_ATTEMPTS ? LONG_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS;
    try {
      return await work(lockTimeoutMs);
    } catch (error) {
      if (!isLocked(error) || attempt >= attempts) throw error;
      await pause(lockTimeoutMs * (0.5 + Math.random()));
    }
  }
}

/** Blocks vacuum and DDL on the table, but neither readers nor writers. */
const lockAgainstMaintenance = (schema: string, collectionId: string): string =>
  `lock table ${tableOf(schema, collectionId)} in share update exclusive mode`;

/** An automatic vacuum outlasts the short timeout, so it is waited for first, in a lock mode that blocks no request. */
function lockingSteps(
  schema: string,
  table: string,
  { lockTimeoutMs, statement }: { lockTimeoutMs: number; statement: string },
) {
  return [
    "set local citus.propagate_set_commands = 'local'",
    `set local lock_timeout = ${VACUUM_TIMEOUT_MS}`,
    lockAgainstMaintenance(schema, table),
    `set local lock_timeout = ${lockTimeoutMs}`,
    statement,
  ].map((text) => ({ text, params: [] }));
}

/** Runs a statement that locks its table, in a transaction that holds no other lock. */
function runLocking(publisher: Publisher, collectionId: string, statement: string): Promise<void> {
  const { schema } = publisher.application;
  return retryOnLockTimeout(async (lockTimeoutMs) => {
    const steps = lockingSteps(schema, collectionId, { lockTimeoutMs, statement });
    await publisher.transaction(({ application }) => application.commitWith(steps));
  });
}

/** The same for a statement that drops what a backup may still have to copy. Throws while one is under way. */
function runDropping(publisher: Publisher, collectionId: string, statement: string): Promise<void> {
  const { schema } = publisher.application;
  return retryOnLockTimeout(async (lockTimeoutMs) => {
    const steps = lockingSteps(schema, collectionId, { lockTimeoutMs, statement });
    await publisher.transaction(async ({ system, application }) => {
      if (!(await mayDestroy(system, 'tables'))) throw backupUnderWay();
      await application.commitWith(steps);
    });
  });
}

/**
 * Blocks writers but not readers until the commit. A weaker mode would not wait for transactions that have locked rows and
 * are about to write them, and would deadlock with them.
 */
const lockAgainstWriters = (schema: string, collectionId: string): string =>
  `lock table ${tableOf(schema, collectionId)} in exclusive mode`;

/** Resolves when every writer that began before the call has ended; later writers see what was committed before it. */
export async function awaitWriters(publisher: Publisher, collectionId: string): Promise<void> {
  await runLocking(publisher, collectionId, lockAgainstWriters(publisher.application.schema, collectionId));
}

/**
 * `rec` is the whole record as the JSON text of the reply (domain/records/record-text). The other columns are for
 * conditions, order and uniqueness; projected columns follow (domain/records/projections).
 */
export async function createCollectionTable(tx: Transaction, collection: PreparedCollection): Promise<void> {
  await createBareTable(tx, collection);
  await createIndexes(tx, collection);
}

/** Without indexes: filling a table that has none, and building them after that, takes less time. */
export async function createBareTable(tx: Transaction, collection: PreparedCollection): Promise<void> {
  const { schema } = tx;
  const { id } = collection.definition;
  const projected = collection.projections.all.map((projection) => `, ${projection.name} ${columnType(projection)}`);
  await tx.rows(`create table ${tableOf(schema, id)} (
    id text collate "C" primary key,
    rec text not null,
    hash text collate "C" not null,
    created_by text collate "C" not null,
    created_name text collate "C" not null,
    created_at timestamptz not null,
    updated_by text collate "C" not null,
    updated_name text collate "C" not null,
    updated_at timestamptz not null${projected.join('')}
  )`);
}

export async function createIndexes(tx: Transaction, collection: PreparedCollection): Promise<void> {
  const { schema } = tx;
  const { id } = collection.definition;
  const options = { trigrams: await trigramOperators(tx), concurrently: false };
  await tx.pipeline(indexesOf(collection).map((index) => plain(createIndex(schema, id, index, options))));
}

const columnType = (projection: Projection): string =>
  projection.kind === 'text' ? 'text collate "C"' : sqlType(projection);

/** The columns are nullable, and no reader or writer of the current generation uses them. */
export async function addMissingProjections(
  publisher: Publisher,
  collectionId: string,
  projections: readonly Projection[],
): Promise<void> {
  const present = await presentProjections(publisher.application, collectionId);
  const missing = projections.filter(({ name }) => !present.includes(name));
  if (missing.length === 0) return;
  await refuseTooManyColumns(publisher, collectionId, missing.length);
  await runLocking(publisher, collectionId, addProjections(publisher.application.schema, collectionId, missing));
}

function addProjections(schema: string, collectionId: string, projections: readonly Projection[]): string {
  const added = projections.map((projection) => `add column ${projection.name} ${columnType(projection)}`);
  return `alter table ${tableOf(schema, collectionId)} ${added.join(', ')}`;
}

/** PostgreSQL numbers the columns of a table up to this and never reuses the number of a dropped column. */
const COLUMN_NUMBERS = 1_600;

async function refuseTooManyColumns({ application }: Publisher, collectionId: string, added: number): Promise<void> {
  const rows = await application.rows('select max(attnum)::int from pg_attribute where attrelid = $1::regclass', [
    tableOf(application.schema, collectionId),
  ]);
  if (Number(rows[0]?.[0]) + added <= COLUMN_NUMBERS) return;
  const reason =
    `the flags of the collection ${collectionId} have been changed so often that its table can take no more columns; ` +
    'create a new collection and copy the records into it';
  throw fault('INVALID_DEFINITION', { problems: [{ path: '/collections', reason }] });
}

/** Drops the projected columns of these collections that are not wanted. */
export async function dropOtherProjections(
  publisher: Publisher,
  wanted: ReadonlyMap<string, readonly Projection[]>,
): Promise<void> {
  const { schema } = publisher.application;
  const rows = await publisher.application.rows(
    `select c.relname::text, a.attname::text
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.oid = any(${relationsIn('$1')}) and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and ${IS_PROJECTION}
     order by 1, 2`,
    [schema],
  );
  for (const [collectionId, projections] of wanted) {
    const names = new Set(projections.map((projection) => projection.name));
    const others = (rows as [string, string][]).filter(([table, name]) => table === collectionId && !names.has(name));
    if (others.length === 0) continue;
    const dropped = others.map(([, name]) => name);
    await runDropping(publisher, collectionId, dropProjections(schema, collectionId, dropped));
  }
}

function dropProjections(schema: string, collectionId: string, names: readonly string[]): string {
  const dropped = names.map((name) => `drop column ${name}`);
  return `alter table ${tableOf(schema, collectionId)} ${dropped.join(', ')}`;
}

const IS_PROJECTION = `(attname like '__c_______' or attname = '${SEARCH_TEXT}')`;

async function presentProjections(reader: Reader, collectionId: string): Promise<string[]> {
  const rows = await reader.rows(
    `select attname::text from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and ${IS_PROJECTION}`,
    [tableOf(reader.schema, collectionId)],
  );
  return rows.map((row) => row[0] as string);
}

export async function dropTable(publisher: Publisher, collectionId: string): Promise<void> {
  const { schema } = publisher.application;
  const rows = await publisher.application.rows('select to_regclass($1) is not null', [tableOf(schema, collectionId)]);
  if (rows[0]?.[0] === true) await runDropping(publisher, collectionId, `drop table ${tableOf(schema, collectionId)}`);
}

/** The operator class of substring indexes, in whichever schema its extension was installed. */
async function trigramOperators(reader: Reader): Promise<string> {
  const rows = await reader.rows(
    "select extnamespace::regnamespace::text from pg_extension where extname = 'pg_trgm'",
    [],
    { prepare: true },
  );
  return `${rows[0]?.[0] as string}.gin_trgm_ops`;
}

/** `trigrams`: the operator class for substrings, with its schema. */
function createIndex(
  schema: string,
  collectionId: string,
  index: Index,
  { trigrams, concurrently }: { trigrams: string; concurrently: boolean },
): string {
  const kind = `${index.unique ? 'unique ' : ''}index${concurrently ? ' concurrently' : ''}`;
  return `create ${kind} ${index.name} on ${tableOf(schema, collectionId)} ${index.on(trigrams)}`;
}

const dropIndex = (schema: string, name: string): string => `drop index concurrently if exists ${schema}.${name}`;

const INDEX_ATTEMPTS = 3;

/** Blocks no reader or writer. Returns the column whose values collide if a unique index cannot be built. */
export async function buildIndex(
  { application }: Publisher,
  collectionId: string,
  index: Index,
): Promise<{ collidingColumnId?: string }> {
  const options = { trigrams: await trigramOperators(application), concurrently: true };
  for (let attempt = 1; ; attempt++) {
    try {
      await application.rows(createIndex(application.schema, collectionId, index, options));
      return {};
    } catch (error) {
      // A failed build leaves an invalid index, which writers would go on maintaining.
      await application.rows(dropIndex(application.schema, index.name));
      const collidingColumnId = violatedColumn(error);
      if (collidingColumnId !== undefined) return { collidingColumnId };
      if (!isRetriable(error) || attempt === INDEX_ATTEMPTS) throw error;
    }
  }
}

/** Drops the indexes of these collections that are invalid or not wanted, except primary keys. */
export async function dropOtherIndexes(
  { application }: Publisher,
  wanted: ReadonlyMap<string, readonly Index[]>,
): Promise<void> {
  const rows = await application.rows(
    `select t.relname::text, c.relname::text, i.indisvalid
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
     where i.indrelid = any(${relationsIn('$1')}) and not i.indisprimary order by 1, 2`,
    [application.schema],
  );
  for (const [table, name, valid] of rows as [string, string, boolean][]) {
    const indexes = wanted.get(table);
    if (indexes === undefined || (valid && indexes.some((index) => index.name === name))) continue;
    await application.rows(dropIndex(application.schema, name));
  }
}

export async function analyzeTable(
  { application }: Pick<Publisher, 'application'>,
  collectionId: string,
): Promise<void> {
  await application.rows(`analyze ${tableOf(application.schema, collectionId)}`);
}

/** Blocks writers until the commit; call it inside `retryOnLockTimeout`. `table`: a collection, or another table. */
export async function lockOutWriters(tx: Transaction, table: string, lockTimeoutMs: number): Promise<void> {
  const statement = lockAgainstWriters(tx.schema, table);
  await tx.pipeline(lockingSteps(tx.schema, table, { lockTimeoutMs, statement }));
  await tx.rows('set local lock_timeout = 0');
}

/**
 * Every table for this transaction alone, in the order of names; call it inside `retryOnLockTimeout`. Requests use tables in
 * other orders, so a removal that waited for long could end some of them as victims of a deadlock; it gives way instead.
 */
export async function lockAllTables(tx: Transaction, lockTimeoutMs: number): Promise<void> {
  const rows = await tx.rows(
    `select c.relname::text from pg_class c
     where c.oid = any(${relationsIn('$1')}) and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
    [tx.schema],
  );
  const tables = rows.map((row) => row[0] as string);
  const steps = [
    "set local citus.propagate_set_commands = 'local'",
    `set local lock_timeout = ${VACUUM_TIMEOUT_MS}`,
    ...tables.map((table) => lockAgainstMaintenance(tx.schema, table)),
    `set local lock_timeout = ${lockTimeoutMs}`,
    ...tables.map((table) => `lock table ${tableOf(tx.schema, table)} in access exclusive mode`),
  ];
  await tx.pipeline(steps.map((text) => ({ text, params: [] })));
}
