// kill -9 of the server in the middle of a publishing, on a database that lives on: what was prepared goes, the version
// that was published stays, and requests go on.

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { publishApplication, string } from '../support/application.ts';
import { databaseUrl } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, type Reply, sendTo, type TestServer } from '../support/server.ts';
import { assertNoDebris, assertRecordsAgree } from '../support/stored-records.ts';
import { until } from '../support/until.ts';

const TITLE = { id: 'c0000001', name: 'Title', type: 'String', searchable: true };
const CODE = { id: 'c0000002', name: 'Code', type: 'String' };
const documentOf = (columns: object[]) => ({
  name: 'Test',
  activityLogEnabled: true,
  collections: [{ id: 't0000001', name: 'Things', columns }],
});

describe('kill -9 of a server that publishes', () => {
  let database: TestDatabase;
  let folder: string;
  let process_: ServerProcess;

  const spawn = () =>
    spawnServer({
      CARTULARY_DATA: folder,
      CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
      DATABASE_URL: databaseUrl(database),
    });

  before(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'ct-publish-kill-'));
    process_ = await spawn();
  });
  after(async () => {
    await process_.end('SIGTERM');
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const operator = (method: string, path: string, json?: unknown): Promise<Reply> =>
    sendTo(process_.address, method, `/operator/v1${path}`, { token: OPERATOR_KEY, ...(json ? { json } : {}) });
  const send: TestServer['send'] = (method, path, options) => sendTo(process_.address, method, path, options);

  it('is cleared up after by the next start', async () => {
    const app = await publishApplication({ operator, send } as TestServer, documentOf([TITLE, CODE]));
    const records = `/v1/${app.id}${app.records('Things')}`;
    const write = async (n: number) => {
      const json = { values: { [TITLE.id]: string(`title ${n}`), [CODE.id]: string(`code ${n}`) } };
      const reply = await send('POST', records, { token: app.admin.token, json });
      assert.equal(reply.status, 200, reply.text);
    };
    for (let n = 0; n < 20; n++) await write(n);
    const application = (await app.send('GET', '')).body;
    // An index that is built concurrently waits for this snapshot.
    const holder = new pg.Client(database.connection);
    await holder.connect();
    try {
      await holder.query('begin isolation level repeatable read');
      await holder.query('select 1');
      const next = { id: app.id, ...documentOf([TITLE, { ...CODE, unique: true, searchable: true, sortable: true }]) };
      const publishing = operator('POST', '/applications', next).catch(() => 'broken');
      await until('the indexes to be built', async () => {
        const { publishing: progress } = (await operator('GET', `/applications/${app.id}/publishing`)).body;
        return progress?.step === 'indexing';
      });
      await write(20);
      await process_.end('SIGKILL');
      assert.equal(await publishing, 'broken');
      process_ = await spawn();
      await write(21);
      await until(
        'it to be given up',
        async () => (await database.sql('select 1 from cartulary.publishing')).length === 0,
      );
    } finally {
      await holder.end();
    }
    await assertNoDebris(database, application);
    const ids = await assertRecordsAgree(database, application, application.collections[0]);
    assert.equal(ids.length, 22);
    assert.deepEqual((await send('GET', `/v1/${app.id}`, { token: app.admin.token })).body.version, 1);
    await write(22);
  });
});
