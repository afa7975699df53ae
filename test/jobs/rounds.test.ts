// Jobs that one of the servers does for all of them.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { onceForAll } from '../../src/jobs/jobs.ts';
import { Database } from '../../src/store/database/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const HOUR_MS = 3_600_000;

describe('a job that is done once for all servers', () => {
  let server: TestServer;
  let database: Database;
  let now = Date.now();
  let runs = 0;

  before(async () => {
    server = await startTestServer();
    const { connection } = server.database;
    database = Database.open({ connection, connectionsMax: 4, onConnectionError: () => undefined });
  });
  after(async () => {
    await database.close();
    await server.close();
  });

  const { signal } = new AbortController();
  const job = () => {
    const run = async () => {
      runs += 1;
    };
    return onceForAll({ database, now: () => now }, { name: 'example', everyMs: HOUR_MS, run });
  };
  const onAllServers = async () => {
    runs = 0;
    await Promise.all(Array.from({ length: 6 }, () => job().run(signal)));
    return runs;
  };

  it('is done by one of them in each hour', async () => {
    assert.equal(await onAllServers(), 1);
    assert.equal(await onAllServers(), 0);
    now += HOUR_MS - 1;
    assert.equal(await onAllServers(), 0);
    now += 1;
    assert.equal(await onAllServers(), 1);
  });

  it('is given back when it fails or its server stops, and done by the next that looks', async () => {
    now += HOUR_MS;
    const options = { name: 'example', everyMs: HOUR_MS };
    const failing = onceForAll(
      { database, now: () => now },
      { ...options, run: () => Promise.reject(new Error('no')) },
    );
    await assert.rejects(failing.run(signal), /^Error: no$/);
    const stopping = new AbortController();
    const stopped = onceForAll({ database, now: () => now }, { ...options, run: async () => stopping.abort() });
    await stopped.run(stopping.signal);
    assert.equal(await onAllServers(), 1);
    assert.equal(await onAllServers(), 0);
  });

  it('is asked for more often, so that another server takes over soon', () => {
    assert.equal(job().everyMs, 300_000);
  });
});
