// Messages between nodes on a real database: news, heartbeats, a cut connection and its return, and a clean stop.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Database } from '../../src/store/database/db.ts';
import { goneNodes, Hearing, type News, type Recall } from '../../src/store/nodes/hearing.ts';
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

  async function withHearing(work: (hearing: Hearing, news: (News | Recall)[]) => Promise<void>): Promise<void> {
    const news: (News | Recall)[] = [];
    const hearing = new Hearing(database.connection, (item) => news.push(item));
    await hearing.start();
    try {
      await work(hearing, news);
    } finally {
      await hearing.stop();
    }
  }

  it('are passed on, except those that cannot be read', async () => {
    await withHearing(async (_hearing, news) => {
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
    await withHearing(async (hearing) => {
      await until('a beat', () => hearing.asOf > 0);
      const first = hearing.asOf;
      assert.ok(first <= performance.now());
      await until('another beat', () => hearing.asOf > first);
    });
  });

  it('make a node that reconnects take everything for changed', async () => {
    await withHearing(async (hearing, news) => {
      await until('a beat', () => hearing.asOf > 0);
      news.length = 0;
      await database.sql(`select pg_terminate_backend(pid) ${LISTENERS}`);
      await until('the return', () => news.includes('everything'));
      const back = performance.now();
      await until('a beat behind the return', () => hearing.asOf > back);
      await notify('application p3');
      await until('news', () =>
        news.some((item) => item !== 'everything' && 'application' in item && item.application === 'p3'),
      );
    });
  });

  it('tell nodes that are gone from nodes that are cut off for a moment', async () => {
    const { connection } = database;
    const asking = Database.open({ connection, connectionsMax: 2, onConnectionError: () => undefined });
    await withHearing(async ({ node }) => {
      assert.deepEqual([...(await goneNodes(asking.system, []))], []);
      assert.deepEqual([...(await goneNodes(asking.system, [node]))], [], 'one look is enough');
      await database.sql(`select pg_terminate_backend(pid) ${LISTENERS}`);
      await until('no listeners', async () => (await listeners()) === 0);
      const gone = await goneNodes(asking.system, [node, 'dead'], { apartMs: 1_500 });
      assert.deepEqual([...gone], ['dead']);
      const again = performance.now();
      assert.deepEqual([...(await goneNodes(asking.system, ['dead', node], { known: gone }))], ['dead']);
      assert.ok(performance.now() - again < 1_000, 'what is known to be gone is looked for once');
    });
    await asking.close();
  });

  it('leave no connection open, whenever a node is stopped', async () => {
    await withHearing(async () => assert.equal(await listeners(), 1));
    await until('no listeners', async () => (await listeners()) === 0);

    const early = new Hearing(database.connection, () => undefined);
    const started = early.start();
    await early.stop();
    await started;
    await until('no listeners after a stop while connecting', async () => (await listeners()) === 0);
    const asOf = early.asOf;
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.equal(early.asOf, asOf, 'nothing beats any more');
  });
});
