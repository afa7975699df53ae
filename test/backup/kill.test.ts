// kill -9 of the server in the middle of a backup or a restoration: nothing of either is left, and both can begin again.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { databaseUrl } from '../support/command.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, sendTo, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { backUp, entriesOf, receiveBackup, restoreInto, sendPart } from './archives.ts';

const COLLECTIONS = [
  {
    name: 'Visits',
    columns: [
      { name: 'Title', type: 'String' },
      { name: 'Photo', type: 'Attachment' },
    ],
  },
];

describe('kill -9', () => {
  let origin: TestServer;
  let app: TestApplication;
  let archive: Buffer;
  let database: TestDatabase;
  let folder: string;
  let server: ServerProcess;
  let environment: Record<string, string>;

  before(async () => {
    origin = await startTestServer();
    app = await publishApplication(origin, { collections: COLLECTIONS });
    for (let n = 0; n < 3; n++) {
      const values = { [app.ids.Visits!.Title!]: string('x'.repeat(500_000)) };
      assert.equal((await app.send('POST', app.records('Visits'), { json: { values } })).status, 200);
      await app.send('POST', `/collections/${app.ids.Visits!.id}/attachments`, { raw: randomBytes(500_000) });
    }
    archive = await backUp(origin);
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'ct-backup-kill-'));
    environment = {
      DATABASE_URL: databaseUrl(database),
      CARTULARY_DATA: folder,
      CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
    };
    server = await spawnServer(environment);
  });
  after(async () => {
    await server.end('SIGTERM');
    await origin.close();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const schemas = () => database.sql("select 1 from pg_namespace where nspname like 'app%'");
  const published = async () =>
    (await sendTo(server.address, 'GET', '/operator/v1/applications', { token: OPERATOR_KEY })).body.length as number;

  it('of nobody, but a client that leaves, leaves an empty server too', async () => {
    const restored = until('the rows to be restored', async () => (await schemas()).length === 1);
    await sendPart(server.address, archive.subarray(0, archive.length - 300_000), restored);
    await until('what was left to be removed', async () => (await schemas()).length === 0);
    assert.equal(await published(), 0);
  });

  it('while restoring leaves an empty server, and the backup can be restored then', async () => {
    // Refused (409) as long as the restoration that was left is ending.
    let sending: Promise<void> | undefined;
    const send = () =>
      sendPart(server.address, archive.subarray(0, archive.length - 300_000)).then(() => {
        sending = undefined;
      });
    // By then all rows are committed, and some of the files are there.
    await until('the rows to be restored', async () => {
      sending ??= send();
      return (await schemas()).length === 1;
    });
    assert.equal(await published(), 0, 'nothing is visible before the end');
    await server.end('SIGKILL');
    await sending;
    server = await spawnServer(environment);
    await until('what was left to be removed', async () => (await schemas()).length === 0);
    assert.equal(await published(), 0);
    let reply = await restoreInto(server, archive);
    await until('the end of what was left', async () => {
      if (reply.status === 409) reply = await restoreInto(server, archive);
      return reply.status !== 409;
    });
    assert.deepEqual([reply.status, reply.body.attachments], [200, 3], reply.text);
    assert.equal(await published(), 1);
  });

  it('while backing up cuts the archive, and the next backup is whole', async () => {
    await assert.rejects(
      receiveBackup(server.address, '', async () => {
        await server.end('SIGKILL');
      }),
      /aborted|ECONNRESET/,
    );
    server = await spawnServer(environment);
    assert.equal((await entriesOf(await backUp(server))).at(-1)?.kind, 'end');
  });
});
