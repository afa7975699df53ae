// What publishing asks of the tables that are already there: locks, counts, collisions, columns and indexes that come
// and go while requests go on. And the note of a publishing under way. What it does to records is in record-walks.

import { setTimeout as pause } from 'node:timers/promises';
import { type Projection, SEARCH_TEXT } from '../../domain/records/projections.ts';
import { fault, tooBusy } from '../../faults.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { Publisher, Reader, Transaction, Writer } from '../database/handles.ts';
import { isLocked, isRetriable, violatedConstraint } from '../database/sqlstate.ts';
import {
  addProjections,
  createIndex,
  dropCollectionTable,
  dropIndex,
  dropProjections,
  type Index,
  lockAgainstMaintenance,
  lockAgainstWriters,
  readUniqueIndexName,
  tableOf,
} from '../records/tables.ts';

const EXAMPLES_MAX = 5;
const SHOWN_CHARACTERS = 200;

/** One publisher of an application at a time, over all nodes; two numbers name the lock ("publ", and the application). */
const PUBLISH_LOCK = 0x7075626c;
const LOCK_LOOK_MS = 100;
const LOCK_WAIT_MS = 15 * 60_000;

/** Until the connection closes. */
export async function tryLockPublishing({ system }: Publisher, applicationId: string): Promise<boolean> {
  let key = 0;
  for (const character of applicationId) key = (Math.imul(key, 31) + (character.codePointAt(0) ?? 0)) | 0;
  const rows = await system.rows('select pg_try_advisory_lock($1, $2)', [PUBLISH_LOCK, key]);
  return rows[0]?.[0] as boolean;
}

/**
 * Asks again and again instead of waiting in the database: a statement that waits there has a snapshot, and whoever
 * has the lock could not build an index concurrently before it ends. The two would wait for each other.
 */
export async function lockPublishing(publisher: Publisher, applicationId: string): Promise<void> {
  const latest = performance.now() + LOCK_WAIT_MS;
  while (!(await tryLockPublishing(publisher, applicationId))) {
    if (performance.now() > latest) throw tooBusy();
    await pause(LOCK_LOOK_MS * (0.5 + Math.random()));
  }
}

/** `undoing`: back to the definition that stands; `clearing`: behind the switch, what the former one has left. */
export type Step = 'checking' | 'waiting' | 'filling' | 'indexing' | 'switching' | 'clearing' | 'undoing';

export interface Progress {
  readonly step: Step;
  readonly collectionId: string | null;
  readonly done: number;
  readonly total: number;
}

export interface Publishing extends Progress {
  /** The definition besides the one that stands, of which something may be there: the next one, or the former one. */
  readonly other: Definition;
  readonly switched: boolean;
  readonly startedAt: Date;
}

export async function getPublishing(reader: Reader, applicationId: string): Promise<Publishing | undefined> {
  const rows = await reader.rows(
    'select other, switched, step, collection_id, done, total, started_at from cartulary.publishing where application_id = $1',
    [applicationId],
  );
  const row = rows[0] as [string, boolean, Step, string | null, number, number, Date] | undefined;
  if (row === undefined) return undefined;
  const [other, switched, step, collectionId, done, total, startedAt] = row;
  return { other: JSON.parse(other) as Definition, switched, step, collectionId, done, total, startedAt };
}

export async function listPublishings(reader: Reader): Promise<string[]> {
  const rows = await reader.rows('select application_id from cartulary.publishing order by 1', [], { prepare: true });
  return rows.map((row) => row[0] as string);
}

export async function putPublishing(
  handle: Reader,
  applicationId: string,
  { other, switched, step, startedAt }: Pick<Publishing, 'other' | 'switched' | 'step' | 'startedAt'>,
): Promise<void> {
  await handle.rows(
    `insert into cartulary.publishing (application_id, other, switched, step, done, total, started_at)
     values ($1, $2, $3, $4, 0, 0, $5)
     on conflict (application_id) do update set other = excluded.other, switched = excluded.switched,
       step = excluded.step, collection_id = null, done = 0, total = 0`,
    [applicationId, JSON.stringify(other), switched, step, startedAt],
  );
}

export async function putProgress(
  writer: Writer,
  applicationId: string,
  { step, collectionId, done, total }: Progress,
): Promise<void> {
  await writer.write(
    `update cartulary.publishing set step = $2, collection_id = $3, done = $4, total = $5 where application_id = $1`,
    [applicationId, step, collectionId, done, total],
  );
}

export async function removePublishing(handle: Reader, applicationId: string): Promise<void> {
  await handle.rows('delete from cartulary.publishing where application_id = $1', [applicationId]);
}

export async function countRecords(reader: Reader, collectionId: string, columnId?: string): Promise<number> {
  const table = tableOf(reader.schema, collectionId);
  const where = columnId === undefined ? '' : `where rec::json -> 'values' -> '${columnId}' is not null`;
  const rows = await reader.rows(`select count(*)::int from ${table} ${where}`);
  return Number(rows[0]?.[0]);
}

export interface Collision {
  /** The value; the beginning of its JSON text when it is long. */
  readonly value: unknown;
  readonly recordIds: readonly string[];
}

function readShown(text: string): unknown {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : (JSON.parse(text) as unknown);
}

/**
 * Values that several records have in a column, with some of the records; equal values have equal canonical text.
 * `byKey`: by the keys that were filled in, which for a User leave the name aside.
 */
export async function findCollisions(
  reader: Reader,
  collectionId: string,
  columnId: string,
  { byKey } = { byKey: false },
): Promise<Collision[]> {
  const value = `(rec::json -> 'values' -> '${columnId}')::text`;
  const rows = await reader.rows(
    `select left(min(value), ${SHOWN_CHARACTERS + 1}), (array_agg(id order by id))[1:${EXAMPLES_MAX}]
     from (select id, ${value} as value, ${byKey ? `u_${columnId}` : value} as key from ${tableOf(reader.schema, collectionId)}) v
     where key is not null group by key having count(*) > 1 order by 1 limit ${EXAMPLES_MAX}`,
  );
  return (rows as [string, string[]][]).map(([text, recordIds]) => ({ value: readShown(text), recordIds }));
}

/** How long a change of a table may keep others waiting before it gives way to them, and how often it tries again. */
const OTHERS_WAIT_MS = 200;
const LOCK_ATTEMPTS = 60;
/** Where transactions take longer than that all the time, a longer wait is no more to others than what they do. */
const PATIENT_ATTEMPTS = 30;
const OTHERS_WAIT_MS_MAX = 2_000;
/** More than the second after which PostgreSQL ends an automatic vacuum that is in somebody's way. */
const VACUUM_WAIT_MS = 5_000;

/**
 * Whoever waits for a lock on a table makes all who come later wait behind it. So `work` waits only for as long as it is
 * told, and is run again when that was not enough.
 */
export async function givingWay<T>(work: (waitMs: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const waitMs = attempt > PATIENT_ATTEMPTS ? OTHERS_WAIT_MS_MAX : OTHERS_WAIT_MS;
    try {
      return await work(waitMs);
    } catch (error) {
      if (!isLocked(error) || attempt === LOCK_ATTEMPTS) throw error;
      await pause(waitMs * (0.5 + Math.random()));
    }
  }
}

/** An automatic vacuum does not end in that moment: it is waited for before, in a mode that keeps no request waiting. */
function lockingSteps(schema: string, table: string, { waitMs, statement }: { waitMs: number; statement: string }) {
  return [
    "set local citus.propagate_set_commands = 'local'",
    `set local lock_timeout = ${VACUUM_WAIT_MS}`,
    lockAgainstMaintenance(schema, table),
    `set local lock_timeout = ${waitMs}`,
    statement,
  ].map((text) => ({ text, params: [] }));
}

/** Runs a statement that must wait for others of its table, in a transaction of its own that holds nothing else. */
function betweenOthers(publisher: Publisher, collectionId: string, statement: string): Promise<void> {
  const { schema } = publisher.application;
  return givingWay(async (waitMs) => {
    const steps = lockingSteps(schema, collectionId, { waitMs, statement });
    await publisher.transaction(({ application }) => application.last(steps));
  });
}

/** Returns when all writers have ended that began before; those who come later see what was committed before the call. */
export async function awaitWriters(publisher: Publisher, collectionId: string): Promise<void> {
  await betweenOthers(publisher, collectionId, lockAgainstWriters(publisher.application.schema, collectionId));
}

/** Nothing but nullable columns that no reader or writer of the present generation knows. */
export async function addMissingProjections(
  publisher: Publisher,
  collectionId: string,
  projections: readonly Projection[],
): Promise<void> {
  const present = await presentProjections(publisher.application, collectionId);
  const missing = projections.filter(({ name }) => !present.includes(name));
  if (missing.length === 0) return;
  await refuseTooMany(publisher, collectionId, missing.length);
  await betweenOthers(publisher, collectionId, addProjections(publisher.application.schema, collectionId, missing));
}

/** PostgreSQL numbers the columns of a table up to this, and gives no number twice. */
const COLUMN_NUMBERS = 1_600;

async function refuseTooMany({ application }: Publisher, collectionId: string, added: number): Promise<void> {
  const rows = await application.rows('select max(attnum)::int from pg_attribute where attrelid = $1::regclass', [
    tableOf(application.schema, collectionId),
  ]);
  if (Number(rows[0]?.[0]) + added <= COLUMN_NUMBERS) return;
  const reason =
    `the flags of the collection ${collectionId} have been changed so often that its table has no room for more; ` +
    'a new collection, into which its records are copied, has';
  throw fault('INVALID_DEFINITION', { problems: [{ path: '/collections', reason }] });
}

/** Leaves the projected columns that are wanted in the collections named, and no others. */
export async function dropOtherProjections(
  publisher: Publisher,
  wanted: ReadonlyMap<string, readonly Projection[]>,
): Promise<void> {
  const { schema } = publisher.application;
  const rows = await publisher.application.rows(
    `select c.relname::text, a.attname::text
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and ${IS_PROJECTION}
     order by 1, 2`,
    [schema],
  );
  for (const [collectionId, projections] of wanted) {
    const names = new Set(projections.map((projection) => projection.name));
    const others = (rows as [string, string][]).filter(([table, name]) => table === collectionId && !names.has(name));
    if (others.length === 0) continue;
    const dropped = others.map(([, name]) => name);
    await betweenOthers(publisher, collectionId, dropProjections(schema, collectionId, dropped));
  }
}

const IS_PROJECTION = `(attname like '__c_______' or attname = '${SEARCH_TEXT}')`;

export async function presentProjections(reader: Reader, collectionId: string): Promise<string[]> {
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
  if (rows[0]?.[0] === true) await betweenOthers(publisher, collectionId, dropCollectionTable(schema, collectionId));
}

/** The operator class for substrings, wherever its extension was installed. */
export async function trigrams(reader: Reader): Promise<string> {
  const rows = await reader.rows(
    "select extnamespace::regnamespace::text from pg_extension where extname = 'pg_trgm'",
    [],
    { prepare: true },
  );
  return `${rows[0]?.[0] as string}.gin_trgm_ops`;
}

const INDEX_ATTEMPTS = 3;

/** Without keeping anybody waiting. The column whose values collide when a unique index is impossible. */
export async function buildIndex(
  { application }: Publisher,
  collectionId: string,
  index: Index,
): Promise<{ collidingColumnId?: string }> {
  const options = { trigrams: await trigrams(application), concurrently: true };
  for (let attempt = 1; ; attempt++) {
    try {
      await application.rows(createIndex(application.schema, collectionId, index, options));
      return {};
    } catch (error) {
      // What failed stays behind, not valid, and writers go on maintaining it.
      await application.rows(dropIndex(application.schema, index.name, { concurrently: true }));
      const violated = violatedConstraint(error);
      const collidingColumnId = violated === undefined ? undefined : readUniqueIndexName(violated)?.columnId;
      if (collidingColumnId !== undefined) return { collidingColumnId };
      if (!isRetriable(error) || attempt === INDEX_ATTEMPTS) throw error;
    }
  }
}

/** Leaves the indexes that are wanted in the collections named and whole, besides primary keys, and no others. */
export async function dropOtherIndexes(
  { application }: Publisher,
  wanted: ReadonlyMap<string, readonly Index[]>,
): Promise<void> {
  const rows = await application.rows(
    `select t.relname::text, c.relname::text, i.indisvalid
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
       join pg_namespace n on n.oid = t.relnamespace
     where n.nspname = $1 and not i.indisprimary order by 1, 2`,
    [application.schema],
  );
  for (const [table, name, valid] of rows as [string, string, boolean][]) {
    const indexes = wanted.get(table);
    if (indexes === undefined || (valid && indexes.some((index) => index.name === name))) continue;
    await application.rows(dropIndex(application.schema, name, { concurrently: true }));
  }
}

export async function analyzeTable({ application }: Publisher, collectionId: string): Promise<void> {
  await application.rows(`analyze ${tableOf(application.schema, collectionId)}`);
}

/** Until the commit; only inside of `givingWay`. `table`: a collection, or another table of the application. */
export async function keepWritersOut(tx: Transaction, table: string, waitMs: number): Promise<void> {
  const statement = lockAgainstWriters(tx.schema, table);
  await tx.flight(lockingSteps(tx.schema, table, { waitMs, statement }));
  await tx.rows('set local lock_timeout = 0');
}
