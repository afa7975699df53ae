// What an application's tables hold, looked at from below: whether every stored record agrees with itself, and whether a
// schema holds what its definition asks for and nothing else.

import assert from 'node:assert/strict';
import { canonicalJson } from '../../src/domain/canonical-json.ts';
import { recordHash } from '../../src/domain/hash.ts';
import { uniqueKey } from '../../src/domain/values/value-types.ts';
import type { Application, Collection } from '../../src/wire/applications.ts';
import type { Values } from '../../src/wire/values.ts';
import type { TestDatabase } from '../support/database.ts';

const SYSTEM_COLUMNS = ['id', 'rec', 'hash', 'created_by', 'created_at', 'updated_at'];
const SYSTEM_TABLES = ['activity', 'fence', 'tokens', 'users'];

export const schemaOf = (applicationId: string): string => `app_${applicationId}`;

/** Text, hash column and projected keys of every record tell the same; answers the identifiers. */
export async function assertRecordsAgree(
  database: TestDatabase,
  application: Application,
  collection: Collection,
): Promise<string[]> {
  const unique = collection.columns.filter((column) => column.unique);
  const keys = unique.map((column) => `, u_${column.id}`).join('');
  const rows = await database.sql(
    `select id, rec, hash, created_by, updated_at${keys} from ${schemaOf(application.id)}.${collection.id} order by id`,
  );
  const columnIds = new Set(collection.columns.map((column) => column.id));
  for (const [id, rec, hash, createdBy, updatedAt, ...stored] of rows as [string, string, string, string, Date][]) {
    const record = JSON.parse(rec);
    const values = record.values as Values;
    assert.equal(record.id, id);
    assert.equal(record.hash, hash);
    assert.equal(record.createdBy.id, createdBy);
    assert.equal(record.updatedAt, updatedAt.toISOString());
    assert.equal(hash, recordHash(id, canonicalJson(values)));
    assert.ok(rec.endsWith(`"values":${canonicalJson(values)}}`), rec);
    for (const columnId of Object.keys(values)) assert.ok(columnIds.has(columnId), `${columnId} is no column`);
    assert.deepEqual(
      stored,
      unique.map((column) => (values[column.id] === undefined ? null : uniqueKey(values[column.id]!))),
    );
  }
  return rows.map((row) => row[0] as string);
}

/** Tables, columns and unique indexes of the application's schema are those of the definition. */
export async function assertNoDebris(database: TestDatabase, application: Application): Promise<void> {
  const schema = schemaOf(application.id);
  const tables = await database.sql('select tablename::text from pg_tables where schemaname = $1 order by tablename', [
    schema,
  ]);
  assert.deepEqual(
    tables.map((row) => row[0]),
    [...SYSTEM_TABLES, ...application.collections.map(({ id }) => id)].sort(),
  );
  for (const collection of application.collections) {
    const unique = collection.columns.filter((column) => column.unique);
    assert.deepEqual(
      await columnsOf(database, schema, collection.id),
      [...SYSTEM_COLUMNS, ...unique.map((column) => `u_${column.id}`)].sort(),
    );
    const indexes = await database.sql(
      `select c.relname::text from pg_index i join pg_class c on c.oid = i.indexrelid
       where i.indrelid = $1::regclass and not i.indisprimary order by 1`,
      [`${schema}.${collection.id}`],
    );
    assert.deepEqual(
      indexes.map((row) => row[0]),
      unique.map((column) => `${collection.id}_${column.id}_key`).sort(),
    );
  }
}

export async function columnsOf(database: TestDatabase, schema: string, table: string): Promise<string[]> {
  const rows = await database.sql(
    'select attname::text from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped',
    [`${schema}.${table}`],
  );
  return rows.map((row) => row[0] as string).sort();
}

const WAIT_TRIES_MAX = 1_000;
const WAIT_MS = 10;

/** Until a session of the database waits for a lock of that kind. */
export async function untilWaiting(database: TestDatabase, locktype: 'relation' | 'transactionid'): Promise<void> {
  for (let tries = 0; tries < WAIT_TRIES_MAX; tries++) {
    const rows = await database.sql(
      `select 1 from pg_locks where not granted and locktype = $1
       and pid in (select pid from pg_stat_activity where datname = current_database())`,
      [locktype],
    );
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error(`nobody waits for a ${locktype}`);
}
