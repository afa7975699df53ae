// While a publishing takes its time, the command tells how far it has come.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { publishApplication, string } from '../support/application.ts';
import { start, withFolder } from '../support/command.ts';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.ts';

describe('cartulary publish', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  it('tells on standard error what is going on, and what has changed at the end', async () => {
    const columns = [{ name: 'Title', type: 'String' }];
    const app = await publishApplication(server, { collections: [{ name: 'Things', columns }] });
    const values = { [app.ids.Things!.Title!]: string('a') };
    assert.equal((await app.send('POST', app.records('Things'), { json: { values } })).status, 200);
    const { hostname, port } = new URL(server.address);
    const env = { CARTULARY_OPERATOR_KEY: OPERATOR_KEY, CARTULARY_HOST: hostname, CARTULARY_PORT: port };
    const document = {
      id: app.id,
      name: 'Test',
      activityLogEnabled: true,
      collections: [{ name: 'Things', columns: [{ ...columns[0], sortable: true }] }],
    };
    // An index that is built concurrently waits for this snapshot.
    const holder = new pg.Client(server.database.connection);
    await holder.connect();
    try {
      await holder.query('begin isolation level repeatable read');
      await holder.query('select 1');
      await withFolder(async (cwd) => {
        const command = start(['publish', '-'], { cwd, env, input: JSON.stringify(document) });
        await command.until(/^0 % Building indexes of Things \(0 of 1\)$/m);
        await holder.query('rollback');
        const { code, stdout, stderr } = await command.finished;
        assert.equal(code, 0, stderr);
        assert.match(stdout, /is at version 2\.$/m);
        assert.ok(!stderr.includes('\r'), 'nobody looks on, so that nothing is rewritten');
      });
    } finally {
      await holder.end();
    }
  });
});
