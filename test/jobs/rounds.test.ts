// Jobs that run on one node for the whole cluster.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { onOneNode } from '../../src/jobs/jobs.ts';
import { Database } from '../../src/store/database/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const HOUR_MS = 3_600_000;

describe('a job that runs on one node', () => {
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
    return onOneNode({ database, now: () => now }, { name: 'example', everyMs: HOUR_MS, run });
  };
  const onAllNodes = async () => {
    runs = 0;
    await Promise.all(Array.from({ length: 6 }, () => job().run(signal)));
    return runs;
  };

  it('runs on one node in each hour', async () => {
    assert.equal(await onAllNodes(), 1);
    assert.equal(await onAllNodes(), 0);
    now += HOUR_MS - 1;
    assert.equal(await onAllNodes(), 0);
    now += 1;
    assert.equal(await onAllNodes(), 1);
  });

  it('is given back when it fails or its node stops, and runs on the next node', async () => {
    now += HOUR_MS;
    const options = { name: 'example', everyMs: HOUR_MS };
    const failing = onOneNode({ database, now: () => now }, { ...options, run: () => Promise.reject(new Error('no')) });
    await assert.rejects(failing.run(signal), /^Error: no$/);
    const stopping = new AbortController();
    const stopped = onOneNode({ database, now: () => now }, { ...options, run: async () => stopping.abort() });
    await stopped.run(stopping.signal);
    assert.equal(await onAllNodes(), 1);
    assert.equal(await onAllNodes(), 0);
  });

  it('is tried more often than it runs, so that another node takes over soon', () => {
    assert.equal(job().everyMs, 300_000);
  });
});
