// Migrations: from an empty database, by several servers at once, again, and as the committed dump says.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import files, { readFile, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { firstUuidAt } from '../../src/domain/ids.ts';
import { Database } from '../../src/store/database/db.ts';
import { number, publishApplication, string } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { dumpSchemas } from '../support/schema-dump.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { assertNoDebris, assertRecordsAgree, columnsOf, schemaOf } from '../support/stored-records.ts';

const HEADER = `-- The tables that the migrations make: the system schema, and the schema of one application without collections.
-- Read from the catalogs by test/support/schema-dump.ts, never loaded and never edited by hand. The test
-- test/operator/migrations.test.ts fails when it is out of date and rewrites it with CARTULARY_TEST_WRITE_SCHEMA=1.

`;

function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}

/** As the migrations numbered 1 and the server of that time left it. */
async function backToFirstLayout(
  database: TestDatabase,
  schema: string,
  { collectionId, kept }: { collectionId: string; kept: string },
): Promise<void> {
  const table = `${schema}.${collectionId}`;
  const first = ['id', 'rec', 'hash', 'created_by', 'created_at', 'updated_at', kept];
  const columns = (await columnsOf(database, schema, collectionId)).filter((name) => !first.includes(name));
  const indexes = await database.sql(
    `select c.relname::text from pg_index i join pg_class c on c.oid = i.indexrelid
     where i.indrelid = $1::regclass and not i.indisunique`,
    [table],
  );
  for (const [name] of indexes) await database.sql(`drop index ${schema}.${name}`);
  await database.sql(`alter table ${table} ${columns.map((name) => `drop column ${name}`).join(', ')}`);
  await database.sql(`alter table ${schema}.users drop column name_folded`);
  await database.sql(`alter table ${schema}.fence rename column generation to version`);
  await database.sql(`alter table ${schema}.fence drop column layout`);
  await database.sql(`update ${schema}.fence set migration = 1, version = 1`);
  await database.sql('alter table cartulary.applications drop column generation, drop column preparing');
  await database.sql(`drop table ${schema}.attachments`);
  await database.sql('drop table cartulary.publishing, cartulary.erasures, cartulary.job_rounds');
  await database.sql('delete from cartulary.migrations where number > 1');
}

/** The activity log in one table again, and nothing of what came later. */
async function backToFourthLayout(database: TestDatabase, schema: string): Promise<void> {
  await database.sql(`drop table ${schema}.quotas`);
  await database.sql(`create table ${schema}.whole (like ${schema}.activity)`);
  await database.sql(`insert into ${schema}.whole select * from ${schema}.activity`);
  await database.sql(`drop table ${schema}.activity`);
  await database.sql(`alter table ${schema}.whole rename to activity`);
  await database.sql(`alter table ${schema}.activity add primary key (id)`);
  await database.sql(`update ${schema}.fence set migration = 4, layout = 4`);
}

/** What the fourth migrations add, taken away again. */
async function backToThirdLayout(database: TestDatabase, schema: string): Promise<void> {
  await backToFourthLayout(database, schema);
  const tables = ['deliveries', 'notifications', 'devices', 'password_resets', 'sign_ons', 'sessions'];
  await database.sql(`drop table ${tables.map((table) => `${schema}.${table}`).join(', ')}`);
  await database.sql(`alter table ${schema}.tokens drop column expires_at, drop column last_used_at`);
  await database.sql(`alter table ${schema}.users drop column email_folded, drop column profile_folded,
    drop column team_folded, drop column session_epoch, drop column subject, drop column login_failed_at`);
  await database.sql(`update ${schema}.fence set migration = 3, layout = 3`);
  await database.sql('drop table cartulary.server_keys, cartulary.due_notifications');
  await database.sql(`alter table cartulary.shared_users drop column name_folded, drop column email_folded,
    drop column session_epoch, drop column subject, drop column deleted_at, drop column unsettled_since`);
  await database.sql(`alter table cartulary.shared_users
    add constraint shared_users_name_key unique (organization, name)`);
  await database.sql('alter table cartulary.organizations drop column sign_on_epoch');
  await database.sql('delete from cartulary.migrations where number > 3');
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
        fence: await database.sql(`select generation, migration, layout, ctid::text from ${schemaOf(app.id)}.fence`),
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

  it('are read again where they could not be', async (t) => {
    // One that has read nothing yet.
    const own = new URL('../../src/store/migrate.js?unread', import.meta.url).href;
    const { keepMigrated } = (await import(own)) as typeof import('../../src/store/applications/migrate.ts');
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
      await assert.rejects(keepMigrated(nowhere, 'a'), { code: 'EMFILE' });
    } finally {
      reading.mock.restore();
      syncBuiltinESMExports();
    }
    // It has come as far as the database.
    await assert.rejects(keepMigrated(nowhere, 'a'), { code: 'UNAVAILABLE' });
  });

  it('bring tables of the second layout up to the present one', async () => {
    await withDatabase(async (database, start) => {
      const server = await start();
      const columns = [
        { name: 'Title', type: 'String', unique: true, searchable: true },
        { name: 'Pictures', type: 'Array', scheme: { element: { type: 'Attachment' } } },
      ];
      const app = await publishApplication(server, { collections: [{ name: 'Things', columns }] });
      const { id, Title, Pictures } = app.ids.Things as Record<string, string>;
      const json = { values: { [Title!]: string('before') } };
      assert.equal((await app.send('POST', app.records('Things'), { json })).status, 200);
      const application = (await app.send('GET', '')).body;
      await server.close();
      const schema = schemaOf(app.id);
      await backToThirdLayout(database, schema);
      await database.sql(`alter table ${schema}.${id} drop column a_${Pictures}`);
      await database.sql(`drop table ${schema}.attachments`);
      await database.sql(`update ${schema}.fence set migration = 2, layout = 2`);
      await database.sql('drop table cartulary.erasures, cartulary.job_rounds');
      await database.sql('delete from cartulary.migrations where number > 2');

      await start();
      await assertNoDebris(database, application);
      assert.equal((await assertRecordsAgree(database, application, application.collections[0])).length, 1);
    });
  });

  it('bring tables of the first layout up to the present one', async () => {
    await withDatabase(async (database, start) => {
      const server = await start();
      const columns = [
        { name: 'Title', type: 'String', unique: true, searchable: true },
        { name: 'Count', type: 'Number', sortable: true },
        { name: 'Note', type: 'String' },
        { name: 'Picture', type: 'Attachment', sortable: true },
      ];
      const app = await publishApplication(server, {
        collections: [{ name: 'Things', columns, readAccessType: 'creatorOnly' }],
      });
      await app.addPerson('ÄÖÜ');
      const { id, Title, Count, Note } = app.ids.Things as Record<string, string>;
      for (let n = 0; n < 1_100; n += 100) {
        const json = Array.from({ length: 100 }, (_, i) => ({
          values: {
            [Title!]: string(`Größe ${n + i}`),
            ...(i % 2 === 0 && { [Count!]: number(i) }),
            ...(i % 3 === 0 && { [Note!]: string('a note') }),
          },
        }));
        assert.equal((await app.send('POST', app.records('Things'), { json })).status, 200);
      }
      const records = `/v1/${app.id}${app.records('Things')}`;
      const application = (await app.send('GET', '')).body;
      await server.close();
      await backToThirdLayout(database, schemaOf(app.id));
      await backToFirstLayout(database, schemaOf(app.id), { collectionId: id!, kept: `u_${Title}` });

      const again = await start();
      await assertNoDebris(database, application);
      const ids = await assertRecordsAgree(database, application, application.collections[0]);
      assert.equal(ids.length, 1_100);
      const names = await database.sql(`select name_folded from ${schemaOf(app.id)}.users order by 1`);
      assert.deepEqual(names, [['admin'], ['äöü']]);
      const json = { values: { [Title!]: string('after'), [Count!]: number(1) } };
      const made = await again.send('POST', records, { token: app.admin.token, json });
      assert.equal(made.status, 200, made.text);
    });
  });

  it('divide an activity log that is one table into months, and lose no entry', async () => {
    await withDatabase(async (database, start) => {
      const server = await start();
      const logging = await publishApplication(server, { collections: [] });
      const silent = await publishApplication(server, { collections: [], activityLogEnabled: false });
      const stopped = await publishApplication(server, { collections: [] });
      const { organization } = (await server.operator('GET', `/applications/${stopped.id}`)).body;
      const off = { id: stopped.id, name: 'Test', organization, collections: [], activityLogEnabled: false };
      assert.equal((await server.operator('POST', '/applications', off)).status, 200);
      await server.close();
      const now = new Date();
      const month = (ahead: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1);
      const name = (ahead: number) => new Date(month(ahead)).toISOString().slice(0, 7).replace('-', '_');
      const schema = schemaOf(logging.id);
      for (const { id } of [logging, silent, stopped]) await backToFourthLayout(database, schemaOf(id));
      // Years ago, just before and just behind the bound, of a clock that ran ahead, and of one that was mad.
      const times = [Date.UTC(2019, 1, 3), month(1) - 1, month(1), month(2) + 5, month(40)];
      for (const time of times) {
        await database.sql(`insert into ${schema}.activity values ($1, '{}')`, [firstUuidAt(time)]);
      }
      const entries = () => database.sql(`select id, entry from ${schema}.activity order by id`);
      const before = await entries();
      await Promise.all([start(), start()]);

      assert.deepEqual(await entries(), before);
      const parts = async (id: string) =>
        database.sql(
          `select c.relname::text, (select count(*)::int from ${schemaOf(id)}.activity a where a.tableoid = c.oid)
           from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = '${schemaOf(id)}.activity'::regclass order by 1`,
        );
      const ahead = [
        [`activity_${name(1)}`, 1],
        [`activity_${name(2)}`, 1],
      ];
      const earlier = before.length - 3;
      assert.deepEqual(await parts(logging.id), [
        ...ahead,
        ['activity_rest', 1],
        [`activity_until_${name(1)}`, earlier],
      ]);
      assert.deepEqual(await parts(silent.id), [['activity_rest', 0]]);
      const [rest, until] = await parts(stopped.id);
      assert.deepEqual([rest, until?.[0]], [['activity_rest', 0], `activity_until_${name(1)}`]);
    });
  });

  it('leave tables that take what a server of the version before writes', async () => {
    await withDatabase(async (database, start) => {
      const server = await start();
      const document = { collections: [], organization: 'Acme', sharedUsersModeEnabled: false };
      const app = await publishApplication(server, document);
      const body = { name: 'Somebody', email: 'Some@Example.com', password: 'Secret-Passw0rd' };
      assert.equal((await server.operator('POST', '/organizations/Acme/sharedUsers', body)).status, 200);
      const later = 'email_folded profile_folded team_folded session_epoch subject login_failed_at deleted_at';
      const added = new Set([...later.split(' '), 'unsettled_since']);
      const copy = async (schema: string, table: string, folded: string) => {
        const columns = (await columnsOf(database, schema, table)).filter(
          (name) => !added.has(name) && name !== folded,
        );
        const values = columns.map((name) => (name === 'id' || name === 'name' ? `'z' || ${name}` : name));
        const [row] = await database.sql(
          `insert into ${schema}.${table} (${columns}) select ${values} from ${schema}.${table} limit 1 returning id`,
        );
        return row![0];
      };
      const userId = await copy(schemaOf(app.id), 'users', '');
      const listed = (await app.send('GET', '/management/users')).body.map(({ id }: { id: string }) => id);
      assert.ok(listed.includes(userId));
      await copy('cartulary', 'shared_users', 'name_folded');
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
