// A node of a later version migrates while a node of this version serves: no request fails, and this node goes on.

import assert from 'node:assert/strict';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { migrate } from '../../src/store/applications/migrate.ts';
import { Database } from '../../src/store/database/database.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const SYSTEM = `alter table cartulary.applications add column from_the_future text;
  alter table cartulary.organizations add column from_the_future text;`;
// A volatile default rewrites the table, under the strongest lock.
const APPLICATION = `alter table {{application}}.users add column from_the_future text;
  alter table {{application}}.tokens add column from_the_future double precision default random();
  alter table {{application}}.attachments add column from_the_future text;`;

const FILE = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' };

describe('a migration by a newer node', () => {
  let server: TestServer;
  let app: TestApplication;
  let folder: string;

  before(async () => {
    server = await startTestServer();
    const columns = [
      { name: 'Title', type: 'String' },
      { name: 'File', type: 'Attachment' },
    ];
    app = await publishApplication(server, { collections: [{ name: 'Things', columns }] });
    folder = await mkdtemp(join(tmpdir(), 'ct-migrations-'));
    await cp(new URL('../../../migrations/', import.meta.url), folder, { recursive: true });
    await writeFile(join(folder, 'system', '9001_future.sql'), SYSTEM);
    await writeFile(join(folder, 'application', '9001_future.sql'), APPLICATION);
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const things = () => app.records('Things');
  const create = (title: string) =>
    app.send('POST', things(), { json: { values: { [app.ids.Things!.Title!]: string(title) } } });

  /** Reads, writes and uploads until stopped; drops cached accounts, so that they are read again. */
  function load() {
    const state = { answered: 0, wrong: [] as string[], going: true };
    const worker = async (work: (n: number) => Promise<{ status: number; text: string }>) => {
      for (let n = 0; state.going; n++) {
        const { status, text } = await work(n);
        if (status === 200) state.answered += 1;
        else state.wrong.push(`${status} ${text}`);
        await pause(5);
      }
    };
    const attachments = `/collections/${app.ids.Things!.id}/attachments`;
    const done = Promise.all([
      worker((n) => create(`thing ${n}`)),
      worker(() => app.send('GET', `${things()}?limit=3`)),
      worker(() => app.send('POST', attachments, { raw: 'text', headers: FILE })),
      worker(() => {
        server.invalidate('everything');
        return app.send('GET', '');
      }),
    ]);
    const stop = async () => {
      state.going = false;
      await done;
    };
    return { state, stop };
  }

  it('gives way to running statements, happens once, and makes no request fail', async (t) => {
    const { connection } = server.database;
    const reader = new pg.Client(connection);
    await reader.connect();
    const nodes = Array.from({ length: 2 }, () =>
      Database.open({ connection, connectionsMax: 4, onConnectionError: () => undefined }),
    );
    const { state, stop } = load();
    t.after(async () => {
      await reader.end();
      await stop();
      await Promise.all(nodes.map((node) => node.close()));
    });
    await until('some answers', () => state.answered > 20);
    // A long read: if the migration waited for its lock, all other statements would wait for the migration.
    await reader.query('begin');
    await reader.query(`select count(*) from app_${app.id}.users, app_${app.id}.tokens, cartulary.applications`);
    let migrated = false;
    const migrating = Promise.all(nodes.map((node) => migrate(node, { folder: pathToFileURL(`${folder}/`) }))).then(
      () => {
        migrated = true;
      },
    );
    const begun = state.answered;
    await until('many answers meanwhile', () => state.answered > begun + 100);
    assert.equal(migrated, false, 'it waits for the one who reads');
    await reader.query('commit');
    await migrating;
    const over = state.answered;
    await until('answers behind it', () => state.answered > over + 50);
    await stop();
    assert.deepEqual(state.wrong, []);
    const applied = await server.database.sql('select count(*)::int from cartulary.migrations where number = 9001');
    assert.deepEqual(applied, [[1]]);
    assert.deepEqual(await server.database.sql(`select migration from app_${app.id}.fence`), [[9001]]);
  });

  it('makes requests wait, not fail, while it locks a table', async (t) => {
    const rewriting = new pg.Client(server.database.connection);
    await rewriting.connect();
    t.after(() => rewriting.end());
    await rewriting.query('begin');
    const tables = ['users', 'tokens', app.ids.Things!.id].map((name) => `app_${app.id}.${name}`);
    await rewriting.query(`lock table ${tables.join(', ')} in access exclusive mode`);
    server.invalidate('everything');
    let answered = 0;
    const answers = [create('waits'), app.send('GET', things()), app.send('GET', '')].map(async (answer) => {
      const { status } = await answer;
      answered += 1;
      return status;
    });
    // Longer than a read waits for a lock on a lane.
    await pause(600);
    assert.equal(answered, 0);
    await rewriting.query('commit');
    assert.deepEqual(await Promise.all(answers), [200, 200, 200]);
  });

  it('leaves a node of the previous version working, even after a restart', async () => {
    const again = await startTestServer({ database: server.database });
    for (const [name, node] of Object.entries({ server, again })) {
      assert.equal((await node.send('GET', '/readyz')).status, 200);
      const person = await app.addPerson(name);
      assert.equal((await node.send('GET', `/v1/${app.id}`, { token: person.token })).status, 200);
    }
    await again.close();
    assert.equal((await create('later')).status, 200);
  });

  it('reaches an application that a node of the previous version publishes afterwards', async () => {
    const newer = await startTestServer({ database: server.database, migrations: pathToFileURL(`${folder}/`) });
    const later = await publishApplication(server, { name: 'Later', collections: [] });
    const fence = `select migration from app_${later.id}.fence`;
    assert.notDeepEqual(await server.database.sql(fence), [[9001]]);
    assert.equal((await newer.send('GET', `/v1/${later.id}`, { token: later.admin.token })).status, 200);
    assert.deepEqual(await server.database.sql(fence), [[9001]]);
    assert.equal((await server.send('GET', `/v1/${later.id}`, { token: later.admin.token })).status, 200);
    await newer.close();
  });
});
