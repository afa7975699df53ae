// A backup in the form for a Citus cluster, where coordinator and worker have a snapshot each. Plain PostgreSQL takes that form too,
// and a fence that does not fit is as if a publish were committed on one of the two alone.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';
import { entriesOf, receiveBackup } from './archives.ts';

const A_WHILE_MS = 700;

describe('a backup in the form for a cluster', () => {
  let server: TestServer;
  let app: TestApplication;
  before(async () => {
    server = await startTestServer({ engine: 'citus' });
    app = await publishApplication(server, {
      collections: [{ name: 'Notes', columns: [{ name: 'Title', type: 'String' }] }],
    });
  });
  after(() => server.close());

  it('waits until the definition and the tables are of the same publish', async () => {
    const move = (by: number) =>
      server.database.sql(`update ${schemaOf(app.id)}.fence set generation = generation + ${by}`);
    await move(1);
    let isDone = false;
    const receiving = receiveBackup(server.address).finally(() => {
      isDone = true;
    });
    await pause(A_WHILE_MS);
    assert.equal(isDone, false);
    await move(-1);
    const { status, archive } = await receiving;
    assert.equal(status, 200);
    const kinds = (await entriesOf(archive)).map(({ kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === 'application').length, 1);
    assert.equal(kinds.at(-1), 'end');
  });
});
