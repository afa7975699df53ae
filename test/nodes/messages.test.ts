// Messages between nodes on a real database: invalidations, heartbeats, a cut connection and its return, and a clean stop.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Database } from '../../src/store/database/database.ts';
import { goneNodes, type Invalidation, NodeListener, type QuotaRecall } from '../../src/store/nodes/messages.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const LISTENERS = `from pg_stat_activity where application_name like 'cartulary listener %' and datname = current_database()`;

describe('messages between nodes', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  const listeners = async () => Number((await database.sql(`select count(*)::int ${LISTENERS}`))[0]?.[0]);
  const notify = (payload: string) => database.sql(`select pg_notify('cartulary', $1)`, [payload]);

  async function withListener(
    work: (listener: NodeListener, news: (Invalidation | QuotaRecall)[]) => Promise<void>,
  ): Promise<void> {
    const news: (Invalidation | QuotaRecall)[] = [];
    const listener = new NodeListener(database.connection, (item) => news.push(item));
    await listener.start();
    try {
      await work(listener, news);
    } finally {
      await listener.stop();
    }
  }

  it('are passed on, except those that cannot be read', async () => {
    await withListener(async (_listener, news) => {
      news.length = 0;
      const payloads = ['application p1', 'nonsense', '', 'beat somebody 1', 'everything', 'sharedUser u1'];
      for (const payload of [...payloads, 'quota p1 records-read', 'application p2']) await notify(payload);
      await until('the last news', () => news.length >= 5);
      const recall = { recalled: 'p1', group: 'records-read' };
      assert.deepEqual(news, [
        { application: 'p1' },
        'everything',
        { sharedUser: 'u1' },
        recall,
        { application: 'p2' },
      ]);
    });
  });

  it('say up to when a node has received all of them', async () => {
    await withListener(async (listener) => {
      await until('a heartbeat', () => listener.receivedAsOf > 0);
      const first = listener.receivedAsOf;
      assert.ok(first <= performance.now());
      await until('another heartbeat', () => listener.receivedAsOf > first);
    });
  });

  it('invalidate everything on a node that reconnects', async () => {
    await withListener(async (listener, news) => {
      await until('a heartbeat', () => listener.receivedAsOf > 0);
      news.length = 0;
      await database.sql(`select pg_terminate_backend(pid) ${LISTENERS}`);
      await until('the return', () => news.includes('everything'));
      const back = performance.now();
      await until('a heartbeat after the return', () => listener.receivedAsOf > back);
      await notify('application p3');
      await until('news', () =>
        news.some((item) => item !== 'everything' && 'application' in item && item.application === 'p3'),
      );
    });
  });

  it('distinguish nodes that are gone from nodes that are cut off for a moment', async () => {
    const { connection } = database;
    const asking = Database.open({ connection, connectionsMax: 2, onConnectionError: () => undefined });
    await withListener(async ({ node }) => {
      assert.deepEqual([...(await goneNodes(asking.system, []))], []);
      assert.deepEqual([...(await goneNodes(asking.system, [node]))], [], 'one look is enough');
      await database.sql(`select pg_terminate_backend(pid) ${LISTENERS}`);
      await until('no listeners', async () => (await listeners()) === 0);
      const gone = await goneNodes(asking.system, [node, 'dead'], { pauseMs: 1_500 });
      assert.deepEqual([...gone], ['dead']);
      const again = performance.now();
      assert.deepEqual([...(await goneNodes(asking.system, ['dead', node], { known: gone }))], ['dead']);
      assert.ok(performance.now() - again < 1_000, 'what is known to be gone is looked for once');
    });
    await asking.close();
  });

  it('leave no connection open, whenever a node is stopped', async () => {
    await withListener(async () => assert.equal(await listeners(), 1));
    await until('no listeners', async () => (await listeners()) === 0);

    const early = new NodeListener(database.connection, () => undefined);
    const started = early.start();
    await early.stop();
    await started;
    await until('no listeners after a stop while connecting', async () => (await listeners()) === 0);
    const asOf = early.receivedAsOf;
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.equal(early.receivedAsOf, asOf, 'nothing beats any more');
  });
});
