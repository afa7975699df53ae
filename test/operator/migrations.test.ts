// Migrations: on an empty database, by several servers at once, on one that an earlier version made, and as the committed
// dump says.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import files, { readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Database } from '../../src/store/database/database.ts';
import { publishApplication, string } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { projectRoot, withMigrations } from '../support/migrations.ts';
import { dumpSchemas } from '../support/schema-dump.ts';
import { type ServerSettings, startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';

const HEADER = `-- The tables that the migrations make: the system schema, and the schema of one application without collections.
-- Read from the catalogs by test/support/schema-dump.ts, never loaded and never edited by hand. The test
-- test/operator/migrations.test.ts fails when it is out of date and rewrites it with CARTULARY_TEST_WRITE_SCHEMA=1.

`;

/** The last migration of applications. */
const PRESENT = Math.max(
  ...readdirSync(join(projectRoot(), 'migrations/application')).map((name) => Number(name.slice(0, 4))),
);

/** Those of the system schema, as they are noted. */
const SYSTEM = readdirSync(join(projectRoot(), 'migrations/system'))
  .sort()
  .map((name) => [Number(name.slice(0, 4)), name.replace(/\.sql$/, '')]);

/** The migrations of a future version, by their paths in the folder. */
const NEXT_VERSION: Readonly<Record<string, string>> = {
  'system/9002_colours.sql': `create table cartulary.colours (colour text primary key);
    insert into cartulary.colours values ('red');`,
  'system/9003_shades.sql': `alter table cartulary.colours add column shade text not null default 'dark';`,
  'application/9002_colours.sql': `create table {{application}}.colours (colour text primary key);
    insert into {{application}}.colours values ('blue');`,
  'application/9003_shades.sql': `alter table {{application}}.colours add column shade text not null default 'light';`,
};

describe('migrations', () => {
  /** Provides a new database, and closes the servers that were started on it. */
  async function withDatabase(
    work: (database: TestDatabase, start: (settings?: ServerSettings) => Promise<TestServer>) => Promise<void>,
  ): Promise<void> {
    const database = await createDatabase();
    const servers: TestServer[] = [];
    const start = async (settings: ServerSettings = {}) => {
      const server = await startTestServer({ ...settings, database });
      servers.push(server);
      return server;
    };
    try {
      await work(database, start);
    } finally {
      for (const server of servers) await server.close();
      await database.drop();
    }
  }

  const COLLECTIONS = [{ name: 'Things', columns: [{ name: 'Title', type: 'String', unique: true }] }];

  it('let any number of servers start at once on an empty database', async () => {
    await withDatabase(async (database, start) => {
      const servers = await Promise.all(Array.from({ length: 4 }, () => start()));
      for (const server of servers) assert.equal((await server.send('GET', '/readyz')).status, 200);
      const app = await publishApplication(servers[0]!, { collections: COLLECTIONS });
      for (const server of servers) {
        assert.equal((await server.send('GET', `/v1/${app.id}`, { token: app.admin.token })).status, 200);
      }
      const applied = await database.sql('select number, name from cartulary.migrations order by number');
      assert.deepEqual(applied, SYSTEM);
    });
  });

  it('change nothing when a server starts again', async () => {
    await withDatabase(async (database, start) => {
      const first = await start();
      const app = await publishApplication(first, { collections: COLLECTIONS });
      const values = { [app.ids.Things!.Title!]: string('kept') };
      const record = await app.send('POST', app.records('Things'), { json: { values } });
      assert.equal(record.status, 200, record.text);
      const state = async () => ({
        schema: await dumpSchemas(database, schemaOf(app.id)),
        migrations: await database.sql('select number, xmin::text from cartulary.migrations order by number'),
        fence: await database.sql(`select generation, migration, ctid::text from ${schemaOf(app.id)}.fence`),
      });
      const before = await state();
      const again = await start();
      assert.deepEqual(await state(), before);
      const read = await again.send('GET', `/v1/${app.id}${app.records('Things', record.body.id)}`, {
        token: app.admin.token,
      });
      assert.deepEqual(read.body, record.body);
    });
  });

  it('are read again after a failure to read them', async (t) => {
    // A module instance that has read nothing yet.
    const own = new URL('../../src/store/applications/migrate.js?unread', import.meta.url).href;
    const { migrateApplication } = (await import(own)) as typeof import('../../src/store/applications/migrate.ts');
    const nowhere = Database.open({
      connection: { host: '127.0.0.1', port: 1 },
      connectionsMax: 2,
      onConnectionError: () => undefined,
    });
    t.after(() => nowhere.close());
    const reading = t.mock.method(files, 'readdir', async () => {
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    });
    syncBuiltinESMExports();
    try {
      await assert.rejects(migrateApplication(nowhere, 'a'), { code: 'EMFILE' });
    } finally {
      reading.mock.restore();
      syncBuiltinESMExports();
    }
    // The files were read: this error comes from the database.
    await assert.rejects(migrateApplication(nowhere, 'a'), { code: 'UNAVAILABLE' });
  });

  it('apply new ones to the system and to every application, once and in order', async () => {
    await withDatabase(async (database, start) => {
      const first = await start();
      const apps = [
        await publishApplication(first, { collections: COLLECTIONS }),
        await publishApplication(first, { name: 'Silent', collections: [], activityLogEnabled: false }),
      ];
      await first.close();
      await withMigrations(NEXT_VERSION, async (migrations) => {
        await Promise.all([start({ migrations }), start({ migrations })]);
      });
      const applied = await database.sql('select number, name from cartulary.migrations order by number');
      assert.deepEqual(applied, [...SYSTEM, [9002, '9002_colours'], [9003, '9003_shades']]);
      assert.deepEqual(await database.sql('select colour, shade from cartulary.colours'), [['red', 'dark']]);
      for (const { id } of apps) {
        assert.deepEqual(await database.sql(`select migration from ${schemaOf(id)}.fence`), [[9003]]);
        assert.deepEqual(await database.sql(`select colour, shade from ${schemaOf(id)}.colours`), [['blue', 'light']]);
      }
      // A node of this version runs beside them and creates schemas.
      const older = await start();
      assert.equal((await older.send('GET', '/readyz')).status, 200);
      const made = await publishApplication(older, { name: 'Older', collections: COLLECTIONS });
      assert.deepEqual(await database.sql(`select migration from ${schemaOf(made.id)}.fence`), [[PRESENT]]);
    });
  });

  it('are not looked for in an application that is known to have them', async () => {
    await withDatabase(async (database, start) => {
      const first = await start();
      const [known, unknown] = [
        await publishApplication(first, { collections: COLLECTIONS }),
        await publishApplication(first, { name: 'Older', collections: COLLECTIONS }),
      ];
      await first.close();
      // As a node of an earlier version publishes it.
      await database.sql('update cartulary.applications set migration = null where id = $1', [unknown.id]);
      await database.sql(`alter table ${schemaOf(known.id)}.fence rename to fence_away`);
      const again = await start();
      const noted = await database.sql('select migration from cartulary.applications');
      assert.deepEqual(noted, [[PRESENT], [PRESENT]]);
      await database.sql(`alter table ${schemaOf(known.id)}.fence_away rename to fence`);
      for (const { id, admin } of [known, unknown]) {
        assert.equal((await again.send('GET', `/v1/${id}`, { token: admin.token })).status, 200);
      }
    });
  });

  it('leave the schema unchanged if one of their statements fails', async () => {
    await withDatabase(async (database, start) => {
      const first = await start();
      const app = await publishApplication(first, { collections: COLLECTIONS });
      await first.close();
      const wrong = {
        ...NEXT_VERSION,
        'application/9003_shades.sql': 'alter table {{application}}.nowhere add a text;',
      };
      await withMigrations(wrong, async (migrations) => {
        await assert.rejects(start({ migrations }), /nowhere/);
      });
      assert.deepEqual(await database.sql(`select migration from ${schemaOf(app.id)}.fence`), [[PRESENT]]);
      assert.deepEqual(await database.sql('select to_regclass($1)', [`${schemaOf(app.id)}.colours`]), [[null]]);
      const again = await start();
      assert.equal((await again.send('GET', `/v1/${app.id}`, { token: app.admin.token })).status, 200);
    });
  });

  it('refuse a database of a version before the first release', async () => {
    await withDatabase(async (database, start) => {
      await database.sql('create schema cartulary');
      await database.sql('create table cartulary.migrations (number integer primary key)');
      await database.sql('insert into cartulary.migrations values (1), (2), (3), (4)');
      await assert.rejects(
        start(),
        /^Error: This database was made by an earlier development version .* empty data folder/,
      );
      const tables = await database.sql("select tablename::text from pg_tables where schemaname = 'cartulary'");
      assert.deepEqual(tables, [['migrations']]);
    });
  });

  it('report a database that is not migrated', async () => {
    await withDatabase(async (database, start) => {
      const server = await start();
      await database.sql('delete from cartulary.migrations');
      const reply = await server.send('GET', '/readyz');
      assert.equal(reply.status, 503);
      assert.ok(reply.headers.has('retry-after'));
      assert.equal((await server.send('GET', '/healthz')).status, 200);
    });
  });

  it('give every table a key, without which logical replication refuses to move or to update it', async () => {
    await withDatabase(async (database, start) => {
      await publishApplication(await start(), { collections: COLLECTIONS });
      const keyless = await database.sql(
        `select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p') and (n.nspname = 'cartulary' or n.nspname like 'app\\_%')
           and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
      );
      assert.deepEqual(keyless, []);
    });
  });

  it('create the schema in migrations/schema.sql', async () => {
    await withDatabase(async (database, start) => {
      const app = await publishApplication(await start(), { collections: [] });
      const dump = HEADER + (await dumpSchemas(database, schemaOf(app.id)));
      const file = join(projectRoot(), 'migrations', 'schema.sql');
      if (process.env.CARTULARY_TEST_WRITE_SCHEMA === '1') await writeFile(file, dump);
      assert.equal(
        await readFile(file, 'utf8'),
        dump,
        'run it with CARTULARY_TEST_WRITE_SCHEMA=1 and look at the diff',
      );
    });
  });
});
