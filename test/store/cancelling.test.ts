// Statements of a request are cancelled with it: at its deadline, and when a reading client has left.

import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { fault } from '../../src/faults.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import { Connections } from '../../src/store/database/connections.ts';
import { Database } from '../../src/store/database/database.ts';
import { inTransaction, run } from '../../src/store/database/statements.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { cuttableWire } from '../support/cuttable-wire.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { connectUpstream } from '../support/upstream.ts';

const late = () => fault('UNAVAILABLE', { reason: 'deadline' }, { 'retry-after': '1' });

/** The statements that our connections run now, except reads. */
const busy = ({ sql }: TestDatabase) =>
  sql(
    `select pid, state, query from pg_stat_activity where datname = current_database() and application_name = 'cartulary'
       and (state <> 'idle') and query not like '%pg_stat_activity%'`,
  );

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const begun = performance.now();
  while (!(await condition())) {
    assert.ok(performance.now() - begun < 10_000, 'it does not come to pass');
    await pause(20);
  }
}

/** Before any result can arrive. */
const atOnce = (rejected: Promise<unknown>): Promise<unknown> =>
  Promise.race([
    rejected.then(
      () => 'it is done',
      (error) => error,
    ),
    new Promise((resolve) => setImmediate(resolve, 'it waits')),
  ]);

/** Holds a lock until `work` is done. */
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

/** Forwards each ReadyForQuery later than the messages before it. */
async function lateReadyWire(target: pg.ClientConfig, ms: number) {
  const ready = Buffer.from('Z\0\0\0\x05');
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectUpstream(target, client, sockets);
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk: Buffer) => {
      const at = chunk.indexOf(ready);
      if (at === -1) client.write(chunk);
      else {
        client.write(chunk.subarray(0, at));
        setTimeout(() => client.write(chunk.subarray(at)), ms);
      }
    });
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    connection: { ...target, host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe('a cancelled request', () => {
  let server: TestDatabase;
  let database: Database;

  before(async () => {
    server = await createDatabase();
    await server.sql('create schema app_a');
    await server.sql('create table app_a.numbers (n integer primary key)');
    database = Database.open({ connection: server.connection, connectionsMax: 5, onConnectionError: () => undefined });
  });
  after(async () => {
    await database.close();
    await server.drop();
  });

  const insert = 'insert into app_a.numbers values ($1) returning pg_backend_pid()';
  const count = async () => (await server.sql('select count(*)::int from app_a.numbers'))[0]?.[0];

  it('sends no statement', async () => {
    const scope = new RequestScope('r', 1_000);
    const why = late();
    scope.cancel(why);
    const store = database.forRequest(scope).application('a');
    for (const begin of [
      () => store.rows('select 1'),
      () => store.write(insert, [1]),
      () => store.longQuery({ text: 'select 1', params: [] }),
      () => store.transaction((tx) => tx.rows('select 1')),
      () => store.snapshot((reader) => reader.rows('select 1')),
      () => database.forRequest(scope).jointTransaction('a', ({ application }) => application.rows('select 1')),
    ]) {
      await assert.rejects(begin(), (error) => error === why);
    }
    assert.equal(await count(), 0);
  });

  it('gets its reply at once, its statement ends in the database, and its connection is reused', async () => {
    const scope = new RequestScope('r', 1_000);
    const why = late();
    const [[pid] = []] = await database.application('a').write('select pg_backend_pid() where $1', [true]);
    await locking(server, 'app_a.numbers', async () => {
      const writing = database.forRequest(scope).application('a').write(insert, [1]);
      await until(async () => (await busy(server)).length === 1);
      scope.cancel(why);
      assert.equal(await atOnce(writing), why, 'nobody waits for the database to say so');
      await until(async () => (await busy(server)).length === 0);
    });
    await until(() => database.counts.checkedOut === 0);
    assert.equal(await count(), 0);
    assert.deepEqual(await database.application('a').write(insert, [1]), [[pid]]);
    await server.sql('truncate app_a.numbers');
  });

  it('has its connection reused even if the error arrives well before ReadyForQuery', async () => {
    const wire = await lateReadyWire(server.connection, 100);
    const own = Database.open({ connection: wire.connection, connectionsMax: 5, onConnectionError: () => undefined });
    const scope = new RequestScope('r', 1_000);
    const [[pid] = []] = await own.application('a').write('select pg_backend_pid() where $1', [true]);
    await locking(server, 'app_a.numbers', async () => {
      const writing = own.forRequest(scope).application('a').write(insert, [1]);
      await until(async () => (await busy(server)).length === 1);
      scope.cancel(late());
      await assert.rejects(writing, (error) => error === scope.signal.reason);
      await until(() => own.counts.checkedOut === 0);
    });
    assert.deepEqual(await own.application('a').write('select pg_backend_pid() where $1', [true]), [[pid]]);
    await own.close();
    await wire.close();
  });

  it('leaves nothing of its transaction, even between statements or if its code goes on', async () => {
    const scope = new RequestScope('r', 1_000);
    let tried = 0;
    const work = database
      .forRequest(scope)
      .application('a')
      .transaction(async (tx) => {
        await tx.rows(insert, [2]);
        scope.cancel(late());
        for (; tried < 3; tried++) await tx.rows(insert, [3 + tried]).catch(() => undefined);
        await tx.commitWith([{ text: insert, params: [9] }]).catch(() => undefined);
      });
    await assert.rejects(work, (error) => error === scope.signal.reason);
    await until(async () => tried === 3);
    await until(async () => (await busy(server)).length === 0);
    assert.equal(await count(), 0);
    const other = new RequestScope('s', 1_000);
    const throwing = database
      .forRequest(other)
      .application('a')
      .transaction(async (tx) => {
        await tx.rows(insert, [20]);
        other.cancel(late());
        return tx.rows(insert, [21]);
      });
    await assert.rejects(throwing, (error) => error === other.signal.reason);
    await until(async () => (await busy(server)).length === 0);
    assert.equal(await count(), 0);
  });

  it('leaves the queue', async () => {
    const scope = new RequestScope('r', 60_000);
    await locking(server, 'app_a.numbers', async () => {
      // An application may have three of four connections; the other application has the last.
      const held = [1, 2, 3].map((n) => database.application('a').write(insert, [n]));
      held.push(database.application('b').write('insert into app_a.numbers values ($1)', [4]));
      const settled = Promise.allSettled(held);
      await until(async () => (await busy(server)).length === 4);
      const store = database.forRequest(scope);
      const waiting = [store.application('a').write(insert, [5]), store.system.write('select $1::int', [6])];
      await until(() => database.counts.waiting === 2);
      scope.cancel(late());
      const answers = await Promise.all(waiting.map(atOnce));
      assert.deepEqual(answers, [scope.signal.reason, scope.signal.reason]);
      await server.sql(
        `select pg_cancel_backend(pid) from pg_locks where not granted and relation = 'app_a.numbers'::regclass`,
      );
      await settled;
    });
    assert.deepEqual(await database.system.write('select $1::int', [7]), [[7]]);
  });

  it('does not wait for reads, and delays no other reads', async () => {
    // Of eight connections two are lanes.
    const own = Database.open({ connection: server.connection, connectionsMax: 8, onConnectionError: () => undefined });
    const scope = new RequestScope('r', 1_000);
    const reading = own.forRequest(scope).application('a').rows('select pg_sleep($1)', [2]);
    const isRunning = async () => (await busy(server)).some(([, , query]) => String(query).includes('pg_sleep'));
    await until(isRunning);
    scope.cancel(late());
    assert.equal(await atOnce(reading), scope.signal.reason);
    assert.deepEqual(await own.application('a').rows('select $1::int', [1]), [[1]]);
    assert.ok(await isRunning(), 'statements on a lane are not cancelled: others follow them');
    await own.close();
  });

  it('discards a silent connection, and the idle ones with it', async () => {
    const wire = await cuttableWire(server.connection);
    const own = Database.open({ connection: wire.connection, connectionsMax: 5, onConnectionError: () => undefined });
    const scope = new RequestScope('r', 1_000);
    await Promise.all([1, 2, 3].map((n) => own.system.write('select pg_sleep(0.1), $1::int', [n])));
    wire.cut();
    const writing = own.forRequest(scope).system.write('select $1::int', [4]);
    scope.cancel(late());
    assert.equal(await atOnce(writing), scope.signal.reason);
    await until(() => own.counts.checkedOut === 0 && own.counts.idle === 0);
    wire.mend();
    assert.deepEqual(await Promise.all([5, 6, 7].map((n) => own.system.write('select $1::int', [n]))), [
      [[5]],
      [[6]],
      [[7]],
    ]);
    await own.close();
    await wire.close();
  });

  // `begin` is slowed down here, so that the request is cancelled while it runs.
  for (const [when, seconds] of [
    ['has not begun', 0.4],
    ['does not begin for so long that its connection is given up', 1.6],
  ] as const) {
    it(`leaves nothing of a transaction that ${when}`, async () => {
      const own = new Connections({
        connection: server.connection,
        connectionsMax: 4,
        onConnectionError: () => undefined,
      });
      const scope = new RequestScope('r', 1_000);
      const work = own.withConnection('app_a', scope, (client) =>
        inTransaction(
          client,
          async () => {
            await run(client, { text: insert, params: [31] });
            if (scope.signal.reason) throw scope.signal.reason;
            await run(client, { text: insert, params: [32] });
          },
          { begin: `select pg_sleep(${seconds}); begin` },
        ),
      );
      await until(async () => (await busy(server)).some(([, , query]) => String(query).endsWith('; begin')));
      scope.cancel(late());
      assert.equal(await atOnce(work), scope.signal.reason);
      await until(async () => own.counts.checkedOut === 0 && (await busy(server)).length === 0);
      await own.close();
      assert.equal(await count(), 0);
    });
  }
});

describe('work without a request', () => {
  it('has no deadline, but does not wait for a lost result', async () => {
    const server = await createDatabase();
    const wire = await cuttableWire(server.connection);
    const options = { connectionsMax: 5, onConnectionError: () => undefined };
    const near = Database.open({ ...options, connection: server.connection });
    const far = Database.open({ ...options, connection: wire.connection });
    // Without tracking of activity.
    const untold = Database.open({
      ...options,
      connection: { ...server.connection, options: '-c track_activities=off' },
    });
    const slow = Promise.all([near, untold].map(({ system }) => system.write('select pg_sleep(5.5), $1::int', [1])));
    await far.system.write('select $1::int', [1]);
    wire.cut();
    const lost = assert.rejects(far.system.write('select $1::int', [2]), { code: 'UNAVAILABLE' });
    wire.mend();
    await lost;
    assert.deepEqual(await far.system.write('select $1::int', [3]), [[3]]);
    assert.deepEqual(
      (await slow).map(([row]) => row?.[1]),
      [1, 1],
    );
    await Promise.all([near, far, untold].map((each) => each.close()));
    await wire.close();
    await server.drop();
  });
});

describe('a request over HTTP', () => {
  let server: TestServer;
  let application: TestApplication;
  let table: string;

  before(async () => {
    server = await startTestServer({ requestMs: 3_000 });
    application = await publishApplication(server, {
      collections: [{ name: 'Notes', columns: [{ name: 'Title', type: 'String', searchable: true }] }],
    });
    table = `app_${application.id}.${application.ids.Notes?.id}`;
  });
  after(() => server.close());

  const note = (title: string) => ({ values: { [application.ids.Notes?.Title ?? '']: string(title) } });

  it('gets 503 at its deadline with its timings, and the lock holder goes on', async () => {
    const replies = await locking(server.database, table, async () => {
      const answers = await Promise.all([
        application.send('POST', application.records('Notes'), { json: note('late') }),
        application.send('POST', application.records('Notes'), { json: [note('late'), note('later')] }),
        application.send('GET', application.records('Notes')),
      ]);
      await until(async () => (await busy(server.database)).length === 0);
      return answers;
    });
    for (const reply of replies) {
      assert.equal(reply.status, 503, reply.text);
      assert.equal(reply.body.params.reason, 'deadline');
      assert.equal(reply.headers.get('retry-after'), '1');
      const timing = reply.headers.get('server-timing') ?? '';
      const [operation = 0, db = 0, total = 0] = ['operation', 'db', 'total'].map((name) =>
        Number(new RegExp(`${name};dur=([\\d.]+)`).exec(timing)?.[1]),
      );
      assert.ok(operation > total / 2 && db > total / 2 && db <= total, timing);
    }
    const list = await application.send('GET', application.records('Notes'));
    assert.deepEqual([list.status, list.body], [200, []], list.text);
  });

  it('whose reading client leaves is cancelled before its deadline', async () => {
    await application.send('GET', `${application.records('Notes')}?search=x`);
    const searching = async () =>
      (await busy(server.database)).filter(([, , query]) => String(query).startsWith('select'));
    await locking(server.database, table, async () => {
      let earlier: number | undefined;
      const writing = application.send('POST', application.records('Notes'), { json: note('earlier') });
      void writing.then(({ status }) => {
        earlier = status;
      });
      await until(async () => (await busy(server.database)).length > 0);
      const leaving = new AbortController();
      const path = `/v1/${application.id}${application.records('Notes')}?search=x`;
      const headers = { authorization: `Bearer ${application.admin.token}` };
      const reading = fetch(server.address + path, { headers, signal: leaving.signal });
      await until(async () => (await searching()).length > 0);
      leaving.abort();
      await assert.rejects(reading);
      await until(async () => (await searching()).length === 0);
      assert.equal(earlier, undefined, 'the time of one that came earlier is not over');
      await writing;
    });
  });
});
