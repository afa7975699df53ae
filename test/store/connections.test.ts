// Connections under stress: broken connections, failing statements, more work than connections, closing while statements run.

import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import os from 'node:os';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { Fault } from '../../src/faults.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import { Database } from '../../src/store/database/database.ts';
import { StaleDefinition } from '../../src/store/database/database-errors.ts';
import { addressesOf } from '../../src/store/database/database-servers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

const options = ({ connection }: TestDatabase) => ({ connection, onConnectionError: () => undefined });
/** False if the database is on another machine, or belongs to another account. */
function mayChangePriority(pid: number): boolean {
  try {
    os.setPriority(pid, os.getPriority(pid));
    return true;
  } catch {
    return false;
  }
}
const isUnavailable = (error: unknown) => error instanceof Fault && error.code === 'UNAVAILABLE';

describe('connections', () => {
  let server: TestDatabase;
  let database: Database;

  before(async () => {
    server = await createDatabase();
    await server.sql('create schema cartulary');
    await server.sql('create table cartulary.numbers (n integer primary key)');
  });
  after(() => server.drop());
  beforeEach(async () => {
    await server.sql('truncate cartulary.numbers');
    database = Database.open({ connection: server.connection, connectionsMax: 4, onConnectionError: () => undefined });
  });
  afterEach(() => database.close());

  const read = (n: number) => database.system.rows('select $1::int', [n]);
  const write = (n: number) => database.system.write('insert into cartulary.numbers values ($1) returning n', [n]);
  const terminate = () =>
    server.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cartulary' and datname = current_database()",
    );

  it('give each read its own rows, however many share a lane', async () => {
    const numbers = Array.from({ length: 500 }, (_, n) => n);
    assert.deepEqual(
      await Promise.all(numbers.map(read)),
      numbers.map((n) => [[n]]),
    );
  });

  it('serve more writes and transactions than there are connections', async () => {
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    await Promise.all(
      numbers.map((n) =>
        n % 2 === 0
          ? write(n)
          : database.system.transaction((tx) => tx.rows('insert into cartulary.numbers values ($1) returning n', [n])),
      ),
    );
    assert.deepEqual(await server.sql('select count(*)::int from cartulary.numbers'), [[60]]);
  });

  it('let a failing read fail alone', async () => {
    const wrong = () => database.system.rows('select 1 / $1::int', [0]);
    const gone = () => database.system.rows('select 1 from cartulary.nowhere where $1', [true]);
    const results = await Promise.allSettled([read(1), wrong(), read(2), gone(), read(3), gone()]);
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled', 'rejected'],
    );
    // The second was pipelined after the one that should have prepared it.
    for (const index of [3, 5]) assert.ok((results[index] as PromiseRejectedResult).reason instanceof StaleDefinition);
    assert.deepEqual(await read(4), [[4]]);
  });

  it('close prepared statements, even ones never prepared, without aborting the current transaction', async () => {
    const own = Database.open({ connection: server.connection, connectionsMax: 2, onConnectionError: () => undefined });
    await assert.rejects(own.system.write('select 1 from cartulary.nowhere where $1', [true]), StaleDefinition);
    for (let n = 0; n < 320; n++) {
      await own.system.transaction(async (tx) =>
        assert.deepEqual(await tx.rows(`select $1::int + ${n} --`.padEnd(600, '-'), [1]), [[n + 1]]),
      );
    }
    const [prepared] = await own.system.write('select count(*)::int from pg_prepared_statements where $1', [true]);
    assert.ok((prepared?.[0] as number) <= 301, `${prepared?.[0]} are prepared`);
    await own.close();
  });

  it('move a read that waits for a lock off its lane', async () => {
    const waiting = await database.system.transaction(async (tx) => {
      await tx.rows('lock table cartulary.numbers in access exclusive mode');
      const answer = database.system.rows('select n from cartulary.numbers where $1', [true]);
      assert.deepEqual(await read(1), [[1]]);
      return { answer };
    });
    assert.deepEqual(await waiting.answer, []);
  });

  it('repeat a read that a deadlock ended, and are busy if there is another one', async () => {
    await server.sql('create sequence cartulary.tries');
    await server.sql(`create function cartulary.deadlocks(times int) returns int language plpgsql as $$ begin
      if nextval('cartulary.tries') <= times then raise exception 'deadlock' using errcode = '40P01'; end if;
      return 7; end $$`);
    const deadlocked = (times: number) => database.system.rows('select cartulary.deadlocks($1)', [times]);
    assert.deepEqual(await deadlocked(1), [[7]]);
    const long = database.system.longQuery({ text: 'select cartulary.deadlocks($1)', params: [100] });
    await assert.rejects(long, isUnavailable);
    await assert.rejects(
      deadlocked(100),
      (error) => isUnavailable(error) && JSON.stringify((error as Fault).params) === '{"reason":"busy"}',
    );
  });

  it('move a read that takes long off its lane', async () => {
    const ended: string[] = [];
    const note = (name: string) => () => ended.push(name);
    // There is one lane.
    const slow = database.application('a').rows('select $1::int, pg_sleep(1)', [7]);
    const inFlight = database.application('a').pipeline([
      { text: 'select $1::int', params: [8] },
      { text: 'select $1::int, pg_sleep(1)', params: [9] },
    ]);
    const behind = [1, 2, 3].map((n) => database.application('b').rows('select $1::int', [n]));
    await Promise.all([
      slow.then(note('slow')),
      inFlight.then(note('slow')),
      ...behind.map((read) => read.then(note('quick'))),
    ]);
    assert.deepEqual(ended, ['quick', 'quick', 'quick', 'slow', 'slow']);
    assert.deepEqual((await slow)[0]?.[0], 7);
    const flown = (await inFlight).map((rows) => rows[0]?.[0]);
    assert.deepEqual(flown, [8, 9]);
    assert.deepEqual(await Promise.all(behind), [[[1]], [[2]], [[3]]]);
  });

  it('limit the long reads of one application', async () => {
    const own = Database.open({ connection: server.connection, connectionsMax: 8, onConnectionError: () => undefined });
    await own.application('b').rows('select $1::int', [1]);
    let done = false;
    const slow = Promise.all(
      Array.from({ length: 8 }, () => own.application('a').rows('select $1::int, pg_sleep(0.6)', [1])),
    ).finally(() => {
      done = true;
    });
    let most = 0;
    while (!done) {
      await own.application('b').rows('select $1::int', [1]);
      const [[count] = []] = await server.sql(
        `select count(*)::int from pg_stat_activity a where state = 'active' and query like '%pg_sleep(0.6)%'
           and pid <> pg_backend_pid() and query_start < now() - interval '0.3 s' and datname = current_database()`,
      );
      most = Math.max(most, count as number);
    }
    assert.equal((await slow).length, 8);
    // While another application is active it has one of six for long reads.
    assert.equal(most, 1);
    await own.close();
  });

  it('close the lanes for a while to an application whose reads keep being ended there', async () => {
    const own = Database.open({ connection: server.connection, connectionsMax: 4, onConnectionError: () => undefined });
    const pidOf = async (name: string) =>
      (await own.application(name).rows('select pg_backend_pid(), $1::int', [1]))[0];
    const lane = await pidOf('b');
    assert.deepEqual(await pidOf('a'), lane);
    for (let n = 0; n < 5; n++) await own.application('a').rows('select $1::int, pg_sleep(0.25)', [n]);
    assert.notDeepEqual(await pidOf('a'), lane);
    assert.deepEqual(await pidOf('b'), lane);
    await own.close();
  });

  it('of an application that waits for locks leave some to the others', async () => {
    await server.sql('create schema app_a');
    await server.sql('create table app_a.numbers (n integer primary key)');
    const own = Database.open({ connection: server.connection, connectionsMax: 8, onConnectionError: () => undefined });
    await database.system.transaction(async (tx) => {
      await tx.rows('lock table app_a.numbers in exclusive mode');
      const waiting = Array.from({ length: 20 }, (_, n) =>
        own.application('a').write('insert into app_a.numbers values ($1) returning n', [n]),
      );
      await pause(100);
      assert.deepEqual(await own.application('b').write('select $1::int', [1]), [[1]]);
      await tx.rows('commit');
      assert.equal((await Promise.all(waiting)).length, 20);
    });
    await own.close();
  });

  it('of a database that the server started have two priorities, and long work has the low one', async () => {
    const own = Database.open({ ...options(server), connectionsMax: 8, embedded: true });
    const [pid, longPid] = await Promise.all([
      own.application('a').write('select pg_backend_pid() where $1', [true]),
      own.application('a').longQuery({ text: 'select pg_backend_pid() where $1', params: [true] }),
    ]);
    const [short, long] = [pid[0]?.[0] as number, longPid[0]?.[0]?.[0] as number];
    assert.notEqual(short, long);
    if (mayChangePriority(short)) assert.ok(os.getPriority(short) < os.getPriority(long));
    await own.close();
  });

  it('have the low priority for heavy requests beside those of another application, and not otherwise', async () => {
    const own = Database.open({ ...options(server), connectionsMax: 8, embedded: true });
    const pidOf = async (store: Database, name: string) =>
      (await store.application(name).write('select pg_backend_pid() where $1', [true]))[0]?.[0] as number;
    const scope = new RequestScope('r', 60_000);
    scope.heavy = true;
    const normal = await pidOf(own, 'a');
    assert.equal(await pidOf(own.forRequest(scope), 'a'), normal);
    await pidOf(own, 'b');
    const low = await pidOf(own.forRequest(scope), 'a');
    assert.notEqual(low, normal);
    if (mayChangePriority(low)) assert.ok(os.getPriority(normal) < os.getPriority(low));
    await own.close();
  });

  it('of one priority make room for the other at the limit', async () => {
    const own = Database.open({ ...options(server), connectionsMax: 8, embedded: true });
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const sleep = 'select $1::int, pg_sleep(0.02)';
    const valuesOf = (results: readonly (readonly unknown[])[]) => results.map((rows) => (rows[0] as unknown[])[0]);
    const short = () => Promise.all(names.map((name, n) => own.application(name).write(sleep, [n])));
    const long = async () => {
      const read = (name: string, n: number) => own.application(name).longQuery({ text: sleep, params: [n] });
      return (await Promise.all(names.map(read))).map(([rows]) => rows!);
    };
    for (let round = 0; round < 5; round++) {
      const results = [...(await short()), ...(await long()), ...(await Promise.all([short(), long()])).flat()];
      assert.deepEqual(
        valuesOf(results),
        [...names, ...names, ...names, ...names].map((_, n) => n % names.length),
      );
      const { idle, checkedOut, connecting, waiting } = own.counts;
      assert.ok(idle + checkedOut + connecting <= 6, `${idle} idle, ${checkedOut} in use, ${connecting} being opened`);
      assert.equal(checkedOut + waiting, 0);
    }
    await own.close();
  });

  it('of one priority make room once for each that waits for the other', async () => {
    const own = Database.open({ ...options(server), connectionsMax: 8, embedded: true });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const sleep = 'select pg_backend_pid(), pg_sleep($1)';
    // All become free at once, and the other connection is not there yet.
    const short = Promise.all(names.map(async (name) => (await own.application(name).write(sleep, [0.3]))[0]![0]));
    await until('no connection is left', async () => own.counts.checkedOut === names.length);
    const long = own.application('g').longQuery({ text: sleep, params: [0] });
    const pids = await short;
    await long;
    const left = await server.sql(`select pid from pg_stat_activity where pid in (${pids.join()})`);
    assert.equal(left.length, names.length - 1);
    await own.close();
  });

  it('are not reused inside a transaction', async () => {
    await database.system.write('begin', []);
    await write(1);
    assert.deepEqual(await server.sql('select n from cartulary.numbers'), [[1]]);
  });

  it('roll back a transaction whose work throws, and are reused', async () => {
    for (let round = 0; round < 10; round++) {
      const work = database.system.transaction(async (tx) => {
        await tx.rows('insert into cartulary.numbers values ($1) returning n', [round]);
        throw new Error('no');
      });
      await assert.rejects(work, /^Error: no$/);
    }
    assert.deepEqual(await server.sql('select count(*)::int from cartulary.numbers'), [[0]]);
    assert.deepEqual(await write(1), [[1]]);
  });

  it('that break during a statement reply unavailable and are replaced', async () => {
    const slow = [
      database.application('a').rows('select pg_sleep($1)', [30]),
      database.application('b').write('select pg_sleep($1)', [30]),
      database.application('c').transaction((tx) => tx.rows('select pg_sleep($1)', [30])),
    ].map((statement) => assert.rejects(statement, isUnavailable));
    // For longer than a read may take on a lane.
    await until('all three to be at it', async () => {
      const [[count] = []] = await server.sql(
        `select count(*)::int from pg_stat_activity where datname = current_database() and state = 'active'
           and query = 'select pg_sleep($1)' and query_start < now() - interval '0.3 s'`,
      );
      return count === 3;
    });
    await terminate();
    await Promise.all(slow);
    assert.deepEqual(await Promise.all([read(1), read(2), write(3)]), [[[1]], [[2]], [[3]]]);
  });

  it('that break while idle are not reused', async () => {
    await Promise.all([...Array.from({ length: 8 }, (_, n) => read(n)), write(1)]);
    await terminate();
    await pause(200);
    assert.deepEqual(await Promise.all([read(1), write(2)]), [[[1]], [[2]]]);
  });

  it('that cannot be opened fail all waiters at once', async () => {
    const nowhere = Database.open({
      connection: { ...server.connection, database: 'there_is_none' },
      connectionsMax: 4,
      onConnectionError: () => undefined,
    });
    const asked = Array.from({ length: 20 }, (_, n) =>
      n % 2 === 0 ? nowhere.system.rows('select $1::int', [n]) : nowhere.system.write('select $1::int', [n]),
    );
    for (const result of await Promise.allSettled(asked)) assert.equal(result.status, 'rejected');
    await nowhere.close();
  });

  it('to a server that was demoted are not reused', async () => {
    const own = Database.open({ connection: server.connection, connectionsMax: 2, onConnectionError: () => undefined });
    await own.system.write("select set_config('default_transaction_read_only', 'on', false) where $1", [true]);
    const insert = () => own.system.write('insert into cartulary.numbers values ($1) returning n', [8]);
    await assert.rejects(insert(), isUnavailable);
    assert.deepEqual(await insert(), [[8]]);
    await own.close();
  });

  it('to a read-only server are not opened', async () => {
    const [[name] = []] = await server.sql('select current_database()');
    await server.sql(`alter database ${name} set default_transaction_read_only = on`);
    const own = Database.open({ connection: server.connection, connectionsMax: 4, onConnectionError: () => undefined });
    for (let n = 0; n < 2; n++) {
      await assert.rejects(own.system.rows('select $1::int', [n]), isUnavailable);
      await assert.rejects(own.system.write('select $1::int', [n]), isUnavailable);
    }
    await server.sql(`begin read write; alter database ${name} reset default_transaction_read_only; commit`);
    assert.deepEqual(await own.system.rows('select $1::int', [3]), [[3]]);
    assert.deepEqual(await own.system.write('select $1::int', [4]), [[4]]);
    await own.close();
  });

  it('close when running statements have finished', async () => {
    const own = Database.open({ connection: server.connection, connectionsMax: 4, onConnectionError: () => undefined });
    const done: string[] = [];
    const under = own.system.transaction(async (tx) => {
      await tx.rows('select pg_sleep($1)', [0.3]);
      await tx.rows('insert into cartulary.numbers values ($1) returning n', [7]);
      done.push('transaction');
    });
    await pause(100);
    await own.close().then(() => done.push('closed'));
    await under;
    assert.deepEqual(done, ['transaction', 'closed']);
    assert.deepEqual(await server.sql('select n from cartulary.numbers'), [[7]]);
  });

  it('that stay silent while they are opened are unavailable', async () => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const connection = { ...server.connection, host: '127.0.0.1', port };
    const own = Database.open({ connection, connectionsMax: 4, onConnectionError: () => undefined });
    await Promise.all([
      assert.rejects(own.system.rows('select $1::int', [1]), isUnavailable),
      assert.rejects(own.system.write('select $1::int', [1]), isUnavailable),
    ]);
    await own.close();
    silent.close();
  });

  it('close also when a statement does not end', async () => {
    const own = Database.open({ connection: server.connection, connectionsMax: 4, onConnectionError: () => undefined });
    const stuck = [own.system.rows('select pg_sleep($1)', [60]), own.system.write('select pg_sleep($1)', [60])].map(
      (statement) => assert.rejects(statement, isUnavailable),
    );
    await pause(200);
    await own.close();
    await Promise.all(stuck);
    await terminate();
  });
});

describe('an address with several hosts', () => {
  const hostsOf = (connectionString: string) =>
    addressesOf({ connectionString }).map((address) => {
      const { host, port, user, password, database } = new pg.Client(address);
      return [host, port, user, password, database];
    });

  it('is split into one address for each host', () => {
    assert.deepEqual(
      hostsOf('postgres://me:p%2Cw@a.example:5433,b.example,[::1]:5434/records?target_session_attrs=read-write'),
      [
        ['a.example', 5433, 'me', 'p,w', 'records'],
        ['b.example', 5432, 'me', 'p,w', 'records'],
        ['::1', 5434, 'me', 'p,w', 'records'],
      ],
    );
    assert.deepEqual(hostsOf('postgres://me@/records?host=%2Frun%2Fa,/run/b&port=5433,5434'), [
      ['/run/a', 5433, 'me', null, 'records'],
      ['/run/b', 5434, 'me', null, 'records'],
    ]);
    assert.deepEqual(hostsOf('postgres://me@/records?host=/run/a,/run/b&port=5433'), [
      ['/run/a', 5433, 'me', null, 'records'],
      ['/run/b', 5433, 'me', null, 'records'],
    ]);
  });

  it('is split only if it has several hosts', () => {
    for (const connectionString of [
      'postgres://me:x@a:1/db?sslmode=require',
      'postgres://me@/db?host=%2Frun&port=5432',
      'postgres:///db',
    ]) {
      assert.deepEqual(addressesOf({ connectionString }), [{ connectionString }]);
    }
    assert.deepEqual(addressesOf({ host: 'a,b' }), [{ host: 'a,b' }]);
  });
});
