// What an application's tables hold, looked at from below: whether every stored record agrees with itself, and whether a
// schema holds what its definition asks for and nothing else.

import assert from 'node:assert/strict';
import { recordHash } from '../../src/domain/hash.ts';
import { canonicalJson } from '../../src/domain/records/canonical-json.ts';
import { type ProjectionKind, projectionsOf } from '../../src/domain/records/projections.ts';
import type { Application, Collection, Column } from '../../src/wire/applications.ts';
import type { Definition } from '../../src/wire/publish-document.ts';
import type { Values } from '../../src/wire/values.ts';
import type { TestDatabase } from './database.ts';
import { everywhere } from './nodes.ts';

const SYSTEM_COLUMNS = [
  'id',
  'rec',
  'hash',
  'created_by',
  'created_name',
  'created_at',
  'updated_by',
  'updated_name',
  'updated_at',
];
const ORDER_COLUMNS = ['updated_at', 'created_at', 'created_name', 'updated_name'];
const SYSTEM_TABLES = [
  'activity',
  'activity_rest',
  'attachments',
  'deliveries',
  'devices',
  'fence',
  'idempotency_keys',
  'notifications',
  'password_resets',
  'published_definitions',
  'quotas',
  'sessions',
  'sign_ons',
  'tokens',
  'users',
  'views',
];

export const schemaOf = (applicationId: string): string => `app_${applicationId}`;

/** Text, columns and projections of every record tell the same; answers the identifiers. */
export async function assertRecordsAgree(
  database: TestDatabase,
  application: Application,
  collection: Collection,
): Promise<string[]> {
  const table = `${schemaOf(application.id)}.${collection.id}`;
  const rows = (await database.sql(
    `select id, rec, hash, created_by, created_name, created_at, updated_by, updated_name, updated_at
     from ${table} order by id`,
  )) as [string, string, string, string, string, Date, string, string, Date][];
  const columnIds = new Set(collection.columns.map((column) => column.id));
  const stored: [string, Values][] = [];
  for (const [id, rec, hash, createdBy, createdName, createdAt, updatedBy, updatedName, updatedAt] of rows) {
    const record = JSON.parse(rec);
    const values = record.values as Values;
    assert.equal(record.id, id);
    assert.equal(record.hash, hash);
    assert.deepEqual(record.createdBy, { id: createdBy, name: createdName });
    assert.deepEqual(record.updatedBy, { id: updatedBy, name: updatedName });
    assert.equal(record.createdAt, createdAt.toISOString());
    assert.equal(record.updatedAt, updatedAt.toISOString());
    assert.equal(hash, recordHash(id, canonicalJson(values)));
    assert.ok(rec.endsWith(`"values":${canonicalJson(values)}}`), rec);
    for (const columnId of Object.keys(values)) assert.ok(columnIds.has(columnId), `${columnId} is no column`);
    stored.push([id, values]);
  }
  await assertProjected(database, { application, collection, table }, stored);
  return rows.map((row) => row[0]);
}

const SQL_TYPES: Record<ProjectionKind, string> = {
  text: 'text',
  number: 'float8',
  boolean: 'boolean',
  dateTime: 'timestamptz',
  date: 'date',
  time: 'time',
  json: 'jsonb',
};

/** Compared by the database, in the types of its columns. */
async function assertProjected(
  database: TestDatabase,
  { application, collection, table }: { application: Application; collection: Collection; table: string },
  stored: readonly [string, Values][],
): Promise<void> {
  const { all } = projectionsOf(application as unknown as Definition).get(collection.id)!;
  if (all.length === 0) return;
  const names = all.map(({ name }) => name);
  const types = all.map(({ kind }, index) => `$${2 + index}::${SQL_TYPES[kind]}[]`);
  const differing = await database.sql(
    `select t.id, ${names.map((name) => `t.${name}::text, r.${name}::text`).join(', ')} from ${table} t
     join unnest($1::text[], ${types.join(', ')}) as r(id, ${names.join(', ')}) on r.id = t.id
     where ${names.map((name) => `t.${name} is distinct from r.${name}`).join(' or ')}`,
    [stored.map(([id]) => id), ...all.map(({ read }) => stored.map(([, values]) => read(values)))],
  );
  assert.deepEqual(differing, [], `what is stored and what should be of ${names.join(', ')}`);
}

/** Tables, columns and indexes of the application's schema are those of the definition, and nobody publishes. */
export async function assertNoDebris(database: TestDatabase, application: Application): Promise<void> {
  const schema = schemaOf(application.id);
  const tables = await database.sql('select tablename::text from pg_tables where schemaname = $1 order by tablename', [
    schema,
  ]);
  const months = /^activity_(until_)?\d{4}_\d\d$/;
  assert.deepEqual(
    tables.map((row) => row[0] as string).filter((table) => !months.test(table)),
    [...SYSTEM_TABLES, ...application.collections.map(({ id }) => id)].sort(),
  );
  for (const collection of application.collections) {
    const expected = layoutOf(application, collection);
    assert.deepEqual(await columnsOf(database, schema, collection.id), expected.columns);
    const indexes = await database.sql(
      `select c.relname::text, i.indisvalid, i.indisunique from pg_index i join pg_class c on c.oid = i.indexrelid
       where i.indrelid = $1::regclass and not i.indisprimary order by 1`,
      [`${schema}.${collection.id}`],
    );
    assert.deepEqual(
      indexes,
      expected.indexes.map((name) => [name, true, name.endsWith('_key')]),
    );
  }
  const [state] = await database.sql('select generation, preparing from cartulary.applications where id = $1', [
    application.id,
  ]);
  const [fence] = await database.sql(`select generation from ${schema}.fence`);
  assert.deepEqual(state, [fence![0], null]);
  const left = await database.sql('select step from cartulary.publishing where application_id = $1', [application.id]);
  assert.deepEqual(left, []);
}

/** What a type is kept as when it is sortable or searchable, and whether equal values are sought in an index. */
const KEPT: Record<string, { columns: string; indexed: string }> = {
  User: { columns: 'si', indexed: 's' },
  Attachment: { columns: 's', indexed: 's' },
  Number: { columns: 'n', indexed: 'n' },
  Boolean: { columns: 'b', indexed: '' },
  DateTime: { columns: 't', indexed: 't' },
  Date: { columns: 'd', indexed: 'd' },
  Time: { columns: 'h', indexed: 'h' },
  Location: { columns: 'yx', indexed: 'y' },
  Object: { columns: 'j', indexed: '' },
  Array: { columns: 'j', indexed: '' },
  ReferenceString: { columns: 'r', indexed: 'r' },
  ReferenceNumber: { columns: 'r', indexed: 'r' },
  ReferenceUser: { columns: 'r', indexed: 'r' },
};

/** By the flags of the column itself and of the references to it; written down apart from the code it is to check. */
function layoutOf(application: Application, collection: Collection): { columns: string[]; indexes: string[] } {
  const columns = [...SYSTEM_COLUMNS];
  const own = collection.readAccessType === 'creatorOnly';
  const orders = [...ORDER_COLUMNS];
  const indexes = own || collection.writeAccessType === 'creatorOnly' ? ['own'] : [];
  const refersTo = (columnId: string, flag: 'sortable' | 'searchable') =>
    application.collections.some((other) =>
      other.columns.some((c) => c[flag] && 'scheme' in c && 'columnId' in c.scheme && c.scheme.columnId === columnId),
    );
  let finds = false;
  for (const column of collection.columns) {
    const { id, type, unique, sortable } = column;
    const ordered = sortable || refersTo(id, 'sortable');
    const sought = column.searchable || refersTo(id, 'searchable');
    if (unique) {
      columns.push(`u_${id}`);
      indexes.push(`${id}_key`);
    }
    if (holdsAttachments(column)) {
      columns.push(`a_${id}`);
      indexes.push(`a_${id}`);
    }
    finds ||= sought && hasText(column);
    if (!ordered && !sought) continue;
    const { columns: letters, indexed } =
      type === 'String' ? { columns: ordered ? 's' : 'p', indexed: unique ? '' : ordered ? 's' : 'p' } : KEPT[type]!;
    for (const letter of letters) {
      columns.push(`${letter}_${id}`);
      if (sortable && letter === letters[0] && letter !== 'r') orders.push(`${letter}_${id}`);
      else if (indexed === letter) indexes.push(`${letter}_${id}`);
    }
  }
  if (finds) {
    columns.push('find');
    indexes.push('find');
  }
  indexes.push(...orders, ...(own ? orders.map((order) => `${order}_own`) : []));
  return { columns: columns.sort(), indexes: indexes.map((name) => `${collection.id}_${name}`).sort() };
}

const holdsAttachments = (column: Column): boolean =>
  column.type === 'Attachment' || ('scheme' in column && JSON.stringify(column.scheme).includes('"type":"Attachment"'));

function hasText(column: Column): boolean {
  if (column.type === 'Object') return column.scheme.keys.some(({ type }) => TEXTS.includes(type));
  if (column.type !== 'Array') return TEXTS.includes(column.type);
  const { type, scheme } = column.scheme.element;
  return TEXTS.includes(type) || (scheme?.keys.some((key) => TEXTS.includes(key.type)) ?? false);
}

const TEXTS = ['String', 'User', 'Attachment'];

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
    const rows = await everywhere(
      database,
      `select 1 from pg_locks where not granted and locktype = $1
       and pid in (select pid from pg_stat_activity where datname = current_database())`,
      [locktype],
    );
    if (rows.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
  throw new Error(`nobody waits for a ${locktype}`);
}
