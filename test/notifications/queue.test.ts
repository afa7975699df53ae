// The queue itself, without anybody who delivers: what is claimed, and what marks change.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DeliveryMarks } from '../../src/operations/upkeep/delivery-marks.ts';
import { removeFinishedNotifications } from '../../src/operations/upkeep/notification-queues.ts';
import { ServiceHealth } from '../../src/operations/upkeep/push-service-health.ts';
import { Database } from '../../src/store/database/database.ts';
import { claimDeliveries, type Marking, markDeliveries } from '../../src/store/notifications/notifications.ts';
import type { TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { publishWithPush } from './scene.ts';

const at = (ms: number): string => new Date(Date.now() + ms).toISOString();

describe('the queue of deliveries', () => {
  let server: TestServer;
  let app: TestApplication;
  let database: Database;

  before(async () => {
    server = await startTestServer();
    app = await publishWithPush(server);
    database = Database.open({
      connection: server.database.connection,
      connectionsMax: 4,
      onConnectionError: () => undefined,
    });
  });
  after(async () => {
    await database.close();
    await server.close();
  });

  /** Without a note of it, so that the server does not look. */
  const fill = async (count: number): Promise<void> => {
    await server.database.sql(`delete from app_${app.id}.notifications`);
    await server.database.sql(
      `with n as (insert into app_${app.id}.notifications
           select gen_random_uuid(), $1, $1, '{}', now() from generate_series(1, $2::int) returning id)
         insert into app_${app.id}.deliveries select id, 'd', 'waiting', 0, now() - interval '1 hour' from n`,
      [app.admin.id, count],
    );
  };
  const claim = (limit: number, until: string) =>
    claimDeliveries(database.application(app.id), { now: at(0), until, limit });
  const rows = () => server.database.sql(`select state, attempts, due_at from app_${app.id}.deliveries`);

  it('claims no more than the limit, however the statement is planned', async () => {
    await fill(2_000);
    const { database: name } = server.database.connection as { database: string };
    for (const off of [[], ['hashjoin', 'mergejoin'], ['hashjoin', 'mergejoin', 'indexscan', 'bitmapscan']]) {
      for (const way of off) await server.database.sql(`alter database ${name} set enable_${way} = off`);
      const other = Database.open({
        connection: server.database.connection,
        connectionsMax: 4,
        onConnectionError: () => undefined,
      });
      try {
        const writer = other.application(app.id);
        const claimed = await claimDeliveries(writer, { now: at(0), until: at(60_000), limit: 32 });
        assert.equal(claimed.length, 32, off.join(' '));
      } finally {
        await other.close();
      }
    }
    const taken = await server.database.sql(`select count(*)::int from app_${app.id}.deliveries where attempts > 0`);
    assert.deepEqual(taken, [[96]]);
    await server.database.sql(`alter database ${name} reset all`);
  });

  const marking = (marks: Partial<Marking> & Pick<Marking, 'notificationId' | 'claimedUntil'>): Marking => ({
    deviceId: 'd',
    state: 'waiting',
    counted: 1,
    dueAt: at(0),
    problem: null,
    finishedAt: null,
    ...marks,
  });

  it('takes a retry only from the latest claim, and a final state from any', async () => {
    await fill(1);
    const [first, second] = [at(1_000), at(2_000)];
    const [claimed] = await claim(1, first);
    const { notificationId } = claimed!;
    const writer = database.application(app.id);
    // Given back, which counts as no attempt, and claimed by another.
    await markDeliveries(writer, [marking({ notificationId, claimedUntil: first, counted: 0, dueAt: at(-1_000) })]);
    const [again] = await claim(1, second);
    assert.equal(again?.attempts, 1);
    await markDeliveries(writer, [marking({ notificationId, claimedUntil: first, dueAt: at(0), counted: 7 })]);
    assert.deepEqual(await rows(), [['waiting', 1, new Date(second)]]);
    await markDeliveries(writer, [marking({ notificationId, claimedUntil: first, state: 'delivered' })]);
    assert.equal((await rows())[0]?.[0], 'delivered');
  });

  it('takes the final one of two marks of a delivery, in whatever order', async () => {
    for (const reversed of [false, true]) {
      await fill(1);
      const until = at(1_000);
      const [{ notificationId } = { notificationId: '' }] = await claim(1, until);
      const marks = new DeliveryMarks({ database, observe: assert.fail as never });
      const pair = [
        marking({ notificationId, claimedUntil: at(-1_000), state: 'delivered' }),
        marking({ notificationId, claimedUntil: until, problem: 'answered 503' }),
      ];
      for (const one of reversed ? pair.reverse() : pair) marks.add(app.id, one);
      await marks.written();
      assert.equal((await rows())[0]?.[0], 'delivered');
    }
  });

  it('deletes notifications that were finished a week ago', async () => {
    await fill(3);
    const [[young] = []] = await server.database.sql(`select id from app_${app.id}.notifications`);
    const old = (digit: number) => `00000000-0000-7000-8000-00000000000${digit}`;
    for (const digit of [1, 2]) {
      await server.database.sql(`insert into app_${app.id}.notifications values ($1, $2, $2, '{}', '2020-01-01')`, [
        old(digit),
        app.admin.id,
      ]);
    }
    await server.database.sql(`insert into app_${app.id}.deliveries values ($1, 'd', 'waiting', 0, now())`, [old(2)]);
    const observe = assert.fail as never;
    await removeFinishedNotifications({ database, now: Date.now, observe }, new AbortController().signal);
    const left = await server.database.sql(
      `select id from app_${app.id}.notifications where id = any($1::uuid[]) order by id`,
      [[young, old(1), old(2)]],
    );
    assert.deepEqual(left, [[old(2)], [young]], 'but for what is still waiting');
  });
});

describe('concurrent attempts', () => {
  it('are never all of one service, and few of all those that fail', () => {
    const failing: string[] = [];
    const health = new ServiceHealth((service) => failing.push(service));
    for (let index = 0; index < 8; index++) {
      assert.equal(health.admits('a'), 'admitted');
      health.begin('a');
    }
    assert.equal(health.admits('a'), 'busy');
    assert.equal(health.admits('b'), 'admitted');
    for (const service of ['b', 'c']) {
      for (let index = 0; index < 32; index++) {
        health.begin(service);
        health.end(service, 'answered 503');
      }
    }
    assert.deepEqual(failing, ['b', 'c']);
    for (const service of ['b', 'b', 'c', 'c']) {
      assert.equal(health.admits(service), 'admitted');
      health.begin(service);
    }
    assert.deepEqual([health.admits('b'), health.admits('c'), health.admits('d')], ['failing', 'failing', 'admitted']);
    health.end('b', undefined);
    assert.equal(health.admits('b'), 'admitted', 'one that takes something is well again');
  });
});
