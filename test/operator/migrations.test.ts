// Migrations: from an empty database, by several servers at once, again, and as the committed dump says.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { publishApplication, string } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { dumpSchemas } from '../support/schema-dump.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from './stored-records.ts';

const HEADER = `-- The tables that the migrations make: the system schema, and the schema of one application without collections.
-- Read from the catalogs by test/support/schema-dump.ts, never loaded and never edited by hand. The test
-- test/operator/migrations.test.ts fails when it is out of date and rewrites it with CARTULARY_TEST_WRITE_SCHEMA=1.

`;

function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

describe('migrations', () => {
  /** Gives a database of its own, and closes what was started on it. */
  async function withDatabase(
    work: (database: TestDatabase, start: () => Promise<TestServer>) => Promise<void>,
  ): Promise<void> {
    const database = await createDatabase();
    const servers: TestServer[] = [];
    const start = async () => {
      const server = await startTestServer({ database });
      servers.push(server);
      return server;
    };
    try {
      await work(database, start);
      for (const server of servers) assert.deepEqual(server.failures, []);
    } finally {
      for (const server of servers) await server.close();
      await database.drop();
    }
  }

  const COLLECTIONS = [{ name: 'Things', columns: [{ name: 'Title', type: 'String', unique: true }] }];

  it('let any number of servers start at once on an empty database', async () => {
    await withDatabase(async (database, start) => {
      const servers = await Promise.all(Array.from({ length: 4 }, start));
      for (const server of servers) assert.equal((await server.send('GET', '/readyz')).status, 200);
      const app = await publishApplication(servers[0]!, { collections: COLLECTIONS });
      for (const server of servers) {
        assert.equal((await server.send('GET', `/v1/${app.id}`, { token: app.admin.token })).status, 200);
      }
      const numbers = await database.sql('select number from cartulary.migrations order by number');
      assert.deepEqual(
        numbers.map(([number]) => number),
        numbers.map((_, index) => index + 1),
      );
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
        fence: await database.sql(`select version, migration, ctid::text from ${schemaOf(app.id)}.fence`),
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

  it('say when a database is not migrated', async () => {
    await withDatabase(async (database, start) => {
      const server = await start();
      await database.sql('delete from cartulary.migrations');
      const reply = await server.send('GET', '/readyz');
      assert.equal(reply.status, 503);
      assert.ok(reply.headers.has('retry-after'));
      assert.equal((await server.send('GET', '/healthz')).status, 200);
    });
  });

  it('make what migrations/schema.sql says', async () => {
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
