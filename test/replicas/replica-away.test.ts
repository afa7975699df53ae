// A replica that fails in any way costs its readers nothing: the primary serves them.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { withClient } from '../support/client.ts';
import { scrape } from '../support/metrics.ts';
import { until } from '../support/until.ts';
import { isEventual, type Notes, openReplicaScene, type ReplicaScene } from './scene.ts';

const LAG_MS = 8_000;
const READERS = 4;

describe('a replica', () => {
  let scene: ReplicaScene;
  let notes: Notes;
  let id: string;

  before(async () => {
    scene = await openReplicaScene({ lagMs: LAG_MS });
    notes = await scene.publish();
    id = await notes.create('first');
  });
  after(() => scene?.close());

  const served = () => until('the replica', async () => isEventual(await notes.read(`/${id}`)));
  const fallenBack = () => until('the primary', async () => !isEventual(await notes.read(`/${id}`)));
  const table = () => `app_${notes.id}.${notes.ids.Notes?.id}`;

  /** Reads all the while; each of them has to succeed. */
  async function whileReading(work: () => Promise<void>): Promise<void> {
    let ended = false;
    const readers = Array.from({ length: READERS }, async (_, n) => {
      while (!ended) await notes.read(n % 2 === 0 ? `/${id}` : '?search=irs');
    });
    const working = work().finally(() => {
      ended = true;
    });
    await Promise.all([working, ...readers]);
  }

  it('that is killed is missed by no reader, and serves again when it is back', async () => {
    await served();
    await whileReading(async () => {
      await scene.standby.end('SIGKILL');
      await fallenBack();
      const ready = await scene.server.send('GET', '/readyz');
      assert.deepEqual(ready.body, { status: 'ready', replicas: 1, replicasAway: 1 });
      assert.equal((await scrape(scene.server.address)).sum('cartulary_replica_up'), 0);
      await scene.standby.start();
      await served();
    });
    const events = scene.seen.map(({ event }) => event).filter((event) => event.startsWith('replica.'));
    assert.deepEqual(events, ['replica.found', 'replica.away', 'replica.found']);
  });

  it('that falls silent is missed by no reader', async () => {
    await served();
    await whileReading(async () => {
      scene.standby.freeze();
      try {
        await fallenBack();
      } finally {
        scene.standby.thaw();
      }
      await served();
    });
  });

  it('that lags too far is not read from', async () => {
    await served();
    await scene.pause();
    try {
      await notes.rename(id, 'while it lags', scene.otherNode);
      assert.equal(notes.titleOf(await notes.read(`/${id}`)), 'first');
      await until('the primary', async () => notes.titleOf(await notes.read(`/${id}`)) === 'while it lags');
    } finally {
      await scene.resume();
    }
    await served();
  });

  it('that waits with a table that is being changed leaves its reads to the primary', async () => {
    await served();
    const before = await scene.reads('conflict');
    await withClient(scene.primary.connection, async (client) => {
      await client.query('begin');
      await client.query(`lock table ${table()} in access exclusive mode`);
      await scene.primary.sql('select pg_switch_wal()');
      const locked = `select from pg_locks where relation = '${table()}'::regclass and mode = 'AccessExclusiveLock'`;
      await until('the lock', async () => (await scene.standby.sql(locked)).length > 0);
      await scene.pause();
      await client.query('rollback');
    });
    try {
      assert.ok(!isEventual(await notes.read(`/${id}`)));
      assert.equal(await scene.reads('conflict'), before + 1);
    } finally {
      await scene.resume();
    }
    await served();
  });

  it('that cancels reads to follow the primary leaves them to it', async () => {
    await scene.standby.sql('alter system set max_standby_streaming_delay = 0');
    await scene.standby.sql('select pg_reload_conf()');
    const texts = Array.from({ length: 200 }, (_, n) => `first of ${n} `.repeat(400));
    for (const text of texts) await notes.create(text, scene.otherNode);
    await served();
    const before = await scene.reads('conflict');
    await whileReading(() =>
      until('a conflict', async () => {
        await scene.primary.sql(`do $$ begin lock table ${table()} in access exclusive mode; end $$`);
        return (await scene.reads('conflict')) > before;
      }),
    );
  });

  it('that has been promoted is not read from', async () => {
    await served();
    await scene.standby.sql('select pg_promote()');
    await fallenBack();
    const away = scene.seen.findLast(({ event }) => event === 'replica.away');
    assert.match(away?.event === 'replica.away' ? away.reason : '', /not a standby/);
    assert.equal((await scene.server.send('GET', '/readyz')).body.replicasAway, 1);
  });
});
