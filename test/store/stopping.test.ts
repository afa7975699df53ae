// What is run for a request ends with it: with its time, and with a reader who has gone.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { fault } from '../../src/faults.ts';
import { Database } from '../../src/store/db.ts';
import { Trip } from '../../src/trip.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { cuttableWire } from '../support/cuttable-wire.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const late = () => fault('UNAVAILABLE', { reason: 'deadline' }, { 'retry-after': '1' });

/** What our connections are doing now, besides reading. */
const busy = ({ sql }: TestDatabase) =>
  sql(
    `select pid, state, query from pg_stat_activity where datname = current_database() and application_name = 'cartulary'
       and (state <> 'idle') and query not like '%pg_stat_activity%'`,
  );

async function until(condition: () => Promise<boolean>): Promise<number> {
  const begun = performance.now();
  while (!(await condition())) {
    assert.ok(performance.now() - begun < 10_000, 'it does not come to pass');
    await pause(20);
  }
  return performance.now() - begun;
}

/** A lock that keeps others waiting until `work` is done. */
async function locking<T>({ connection }: TestDatabase, table: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(`begin; lock table ${table} in access exclusive mode`);
    return await work();
  } finally {
    await client.end();
  }
}

describe('a stopped request', () => {
  let server: TestDatabase;
  let database: Database;

  before(async () => {
    server = await createDatabase();
    await server.sql('create schema app_a');
    await server.sql('create table app_a.numbers (n integer primary key)');
    database = new Database({ connection: server.connection, connectionsMax: 5, onConnectionError: () => undefined });
  });
  after(async () => {
    await database.close();
    await server.drop();
  });

  const insert = 'insert into app_a.numbers values ($1) returning pg_backend_pid()';
  const count = async () => (await server.sql('select count(*)::int from app_a.numbers'))[0]?.[0];

  it('begins nothing', async () => {
    const trip = new Trip('r', 1_000);
    const why = late();
    trip.stop(why);
    const store = database.forTrip(trip).application('a');
    for (const begin of [
      () => store.rows('select 1'),
      () => store.write(insert, [1]),
      () => store.ask({ text: 'select 1', params: [] }),
      () => store.transaction((tx) => tx.rows('select 1')),
      () => store.snapshot((reader) => reader.rows('select 1')),
      () => database.forTrip(trip).together('a', ({ application }) => application.rows('select 1')),
    ]) {
      await assert.rejects(begin(), (error) => error === why);
    }
    assert.equal(await count(), 0);
  });

  it('is answered at once, its statement ends in the database, and its connection is used again', async () => {
    const trip = new Trip('r', 1_000);
    const why = late();
    const [[pid] = []] = await database.application('a').write('select pg_backend_pid() where $1', [true]);
    await locking(server, 'app_a.numbers', async () => {
      const writing = database.forTrip(trip).application('a').write(insert, [1]);
      await until(async () => (await busy(server)).length === 1);
      const begun = performance.now();
      trip.stop(why);
      await assert.rejects(writing, (error) => error === why);
      assert.ok(performance.now() - begun < 100, 'nobody waits for the database to say so');
      await until(async () => (await busy(server)).length === 0);
      assert.ok(performance.now() - begun < 2_000);
    });
    assert.equal(await count(), 0);
    assert.deepEqual(await database.application('a').write(insert, [1]), [[pid]]);
    await server.sql('truncate app_a.numbers');
  });

  it('leaves nothing of its transaction, also when it is between statements or goes on regardless', async () => {
    const trip = new Trip('r', 1_000);
    let tried = 0;
    const work = database
      .forTrip(trip)
      .application('a')
      .transaction(async (tx) => {
        await tx.rows(insert, [2]);
        trip.stop(late());
        for (; tried < 3; tried++) await tx.rows(insert, [3 + tried]).catch(() => undefined);
        await tx.last([{ text: insert, params: [9] }]).catch(() => undefined);
      });
    await assert.rejects(work, (error) => error === trip.stopped);
    await until(async () => tried === 3);
    await until(async () => (await busy(server)).length === 0);
    assert.equal(await count(), 0);
    const other = new Trip('s', 1_000);
    const throwing = database
      .forTrip(other)
      .application('a')
      .transaction(async (tx) => {
        await tx.rows(insert, [20]);
        other.stop(late());
        return tx.rows(insert, [21]);
      });
    await assert.rejects(throwing, (error) => error === other.stopped);
    await until(async () => (await busy(server)).length === 0);
    assert.equal(await count(), 0);
  });

  it('waits no longer for its turn', async () => {
    const trip = new Trip('r', 60_000);
    await locking(server, 'app_a.numbers', async () => {
      // Of four connections an application has three at once; the other's last one leaves none.
      const held = [1, 2, 3].map((n) => database.application('a').write(insert, [n]));
      held.push(database.application('b').write('insert into app_a.numbers values ($1)', [4]));
      const settled = Promise.allSettled(held);
      await until(async () => (await busy(server)).length === 4);
      const store = database.forTrip(trip);
      const waiting = [store.application('a').write(insert, [5]), store.system.write('select $1::int', [6])];
      await pause(50);
      const begun = performance.now();
      trip.stop(late());
      for (const each of waiting) await assert.rejects(each, (error) => error === trip.stopped);
      assert.ok(performance.now() - begun < 500);
      await server.sql(
        `select pg_cancel_backend(pid) from pg_locks where not granted and relation = 'app_a.numbers'::regclass`,
      );
      await settled;
    });
    assert.deepEqual(await database.system.write('select $1::int', [7]), [[7]]);
  });

  it('waits for no read either, and keeps nobody else from reading', async () => {
    const trip = new Trip('r', 1_000);
    const reading = database.forTrip(trip).application('a').rows('select pg_sleep($1)', [1]);
    const other = database.application('a').rows('select $1::int', [1]);
    await pause(100);
    trip.stop(late());
    await assert.rejects(reading, (error) => error === trip.stopped);
    assert.deepEqual(await other, [[1]]);
  });

  it('gives up a connection that says nothing, and with it those that were idle', async () => {
    const wire = await cuttableWire(server.connection);
    const own = new Database({ connection: wire.connection, connectionsMax: 5, onConnectionError: () => undefined });
    const trip = new Trip('r', 1_000);
    await Promise.all([1, 2, 3].map((n) => own.system.write('select pg_sleep(0.1), $1::int', [n])));
    wire.cut();
    const writing = own.forTrip(trip).system.write('select $1::int', [4]);
    await pause(100);
    trip.stop(late());
    await assert.rejects(writing, (error) => error === trip.stopped);
    await pause(1_200);
    wire.mend();
    const begun = performance.now();
    assert.deepEqual(await Promise.all([5, 6, 7].map((n) => own.system.write('select $1::int', [n]))), [
      [[5]],
      [[6]],
      [[7]],
    ]);
    assert.ok(performance.now() - begun < 1_000);
    await own.close();
    await wire.close();
  });
});

describe('what no request waits for', () => {
  it('takes its time, but does not wait for an answer that was lost', async () => {
    const server = await createDatabase();
    const wire = await cuttableWire(server.connection);
    const options = { connectionsMax: 5, onConnectionError: () => undefined };
    const [near, far] = [server, wire].map(({ connection }) => new Database({ ...options, connection }));
    assert.ok(near !== undefined && far !== undefined);
    const slow = near.system.write('select pg_sleep(5.5), $1::int', [1]);
    await far.system.write('select $1::int', [1]);
    wire.cut();
    const lost = assert.rejects(far.system.write('select $1::int', [2]), { code: 'UNAVAILABLE' });
    wire.mend();
    await lost;
    assert.deepEqual(await far.system.write('select $1::int', [3]), [[3]]);
    assert.deepEqual((await slow)[0]?.[1], 1);
    await near.close();
    await far.close();
    await wire.close();
    await server.drop();
  });
});

describe('a request over HTTP', () => {
  let server: TestServer;
  let application: TestApplication;
  let table: string;

  before(async () => {
    server = await startTestServer({ requestMs: 1_000 });
    application = await publishApplication(server, {
      collections: [{ name: 'Notes', columns: [{ name: 'Title', type: 'String', searchable: true }] }],
    });
    table = `app_${application.id}.${application.ids.Notes?.id}`;
  });
  after(() => server.close());

  const note = (title: string) => ({ values: { [application.ids.Notes?.Title ?? '']: string(title) } });

  it('that writes is answered with 503 when its time is over, and what it waited for goes on without it', async () => {
    const begun = performance.now();
    const reply = await locking(server.database, table, async () => {
      const answer = await application.send('POST', application.records('Notes'), { json: note('late') });
      await until(async () => (await busy(server.database)).length === 0);
      return answer;
    });
    assert.equal(reply.status, 503, reply.text);
    assert.equal(reply.body.params.reason, 'deadline');
    assert.equal(reply.headers.get('retry-after'), '1');
    assert.ok(performance.now() - begun < 4_000);
    const list = await application.send('GET', application.records('Notes'));
    assert.deepEqual([list.status, list.body.records?.length ?? list.body.length], [200, 0], list.text);
  });

  it('whose reader goes is given up', async () => {
    await application.send('GET', `${application.records('Notes')}?search=x`);
    await locking(server.database, table, async () => {
      const leaving = new AbortController();
      const path = `/v1/${application.id}${application.records('Notes')}?search=x`;
      const headers = { authorization: `Bearer ${application.admin.token}` };
      const reading = fetch(server.address + path, { headers, signal: leaving.signal });
      await until(async () => (await busy(server.database)).length > 0);
      leaving.abort();
      await assert.rejects(reading);
      assert.ok((await until(async () => (await busy(server.database)).length === 0)) < 900);
    });
    assert.deepEqual(server.failures, []);
  });
});
