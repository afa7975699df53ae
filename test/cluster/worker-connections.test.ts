// Which connections serve which application of a cluster. The database is plain: tables with the names of Citus' own say where
// applications lie, and both workers are the same server.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { separateWorkers } from '../../src/store/cluster/worker-connections.ts';
import { Database } from '../../src/store/database/database.ts';
import { connectionTo } from '../../src/store/database/database-servers.ts';
import { divideConnections } from '../../src/store/database/placement.ts';
import { isCitus } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

describe('the connections of a coordinator', () => {
  it('are divided among the system and the workers, and stay within their number', () => {
    assert.deepEqual(divideConnections(16, 2), { system: 4, groups: 2, each: 6 });
    assert.deepEqual(divideConnections(100, 5), { system: 25, groups: 5, each: 15 });
    for (let connections = 5; connections <= 500; connections++) {
      for (const workers of [1, 2, 7, 31]) {
        const { system, groups, each } = divideConnections(connections, workers);
        assert.ok(system + groups * each <= connections, `${connections} for ${workers}`);
        assert.ok(groups >= 1 && each >= 3 && groups <= workers);
      }
    }
  });

  it('are shared by several workers, or by all, if they are few', () => {
    assert.deepEqual(divideConnections(16, 31), { system: 4, groups: 4, each: 3 });
    assert.deepEqual(divideConnections(4, 2), { system: 4, groups: 0, each: 0 });
  });

  it('lead to a worker with the same account and database', () => {
    const worker = { host: 'worker-1.example', port: 6543 };
    const to = (connectionString: string) => connectionTo({ connectionString }, worker).connectionString;
    assert.equal(
      to('postgres://me:secret@a:1/db?sslmode=require'),
      'postgres://me:secret@worker-1.example:6543/db?sslmode=require',
    );
    assert.equal(to('postgres://me@a:1,b:2/db?host=/run&port=3'), 'postgres://me@worker-1.example:6543/db?');
    assert.deepEqual(connectionTo({ host: 'a', database: 'db' }, worker), { ...worker, database: 'db' });
    const v6 = connectionTo({ connectionString: 'postgres://a/db' }, { host: '::1', port: 1 });
    assert.equal(v6.connectionString, 'postgres://[::1]:1/db?');
  });
});

const WORKERS = { one: 1, two: 2 } as const;

describe('applications of a cluster', { skip: (await isCitus()) ? 'needs a plain PostgreSQL' : false }, () => {
  let server: TestDatabase;
  let database: Database;
  const away = new Set<number>();

  /** Moves it if it lies elsewhere. */
  const put = async (id: string, worker: number) => {
    await server.sql(`create schema if not exists app_${id}`);
    await server.sql(`create table if not exists app_${id}.fence (generation integer primary key)`);
    await server.sql(
      `insert into pg_dist_shard select $1::regclass, $1::regclass::oid::int where not exists (
         select from pg_dist_shard where logicalrelid = $1::regclass)`,
      [`app_${id}.fence`],
    );
    await server.sql('delete from pg_dist_placement where shardid = $1::regclass::oid::int', [`app_${id}.fence`]);
    await server.sql('insert into pg_dist_placement values ($1::regclass::oid::int, $2)', [`app_${id}.fence`, worker]);
  };

  before(async () => {
    server = await createDatabase();
    await server.sql('create schema cartulary');
    await server.sql('create table pg_dist_shard (logicalrelid regclass, shardid integer)');
    await server.sql('create table pg_dist_placement (shardid integer, groupid integer)');
    await server.sql(
      `create table pg_dist_node (nodeid integer, groupid integer, nodename text, nodeport integer, noderole text,
         isactive boolean, shouldhaveshards boolean, metadatasynced boolean)`,
    );
    const { host, port } = server.connection;
    for (const id of Object.values(WORKERS)) {
      await server.sql('insert into pg_dist_node values ($1, $1, $2, $3, $4, true, true, true)', [
        id,
        host,
        port,
        'primary',
      ]);
    }
    for (const id of ['a', 'b']) await put(id, WORKERS.one);
    await put('c', WORKERS.two);
  });
  after(() => server.drop());
  beforeEach(() => {
    away.clear();
    database = Database.open({ connection: server.connection, connectionsMax: 16, onConnectionError: () => undefined });
  });
  afterEach(() => database.close());

  const separate = (direct: boolean) =>
    separateWorkers(database, { connectionsMax: 16, direct, isAway: ({ id }) => away.has(id) });
  const PID = 'select pg_backend_pid()';
  /** A group has one lane, so that its reads run in one session. */
  const sessionOf = async (id: string) => (await database.application(id).rows(PID))[0]?.[0];

  for (const direct of [false, true]) {
    it(`share connections only with those of the same worker${direct ? ', which lead there' : ''}`, async () => {
      await separate(direct);
      for (const id of ['a', 'b', 'c']) await sessionOf(id);
      const sessions = new Set<unknown>();
      for (const id of ['a', 'c']) sessions.add(await sessionOf(id));
      sessions.add((await database.system.rows(PID))[0]?.[0]);
      assert.equal(sessions.size, 3);
      assert.equal(database.workerOf('a'), database.workerOf('b'));
      assert.notEqual(database.workerOf('a'), database.workerOf('c'));
      if (!direct) assert.equal(await sessionOf('a'), await sessionOf('b'));
    });
  }

  it('are served while those of another worker hold all of its connections', async () => {
    await separate(false);
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const holding = Array.from({ length: 16 }, (_, n) =>
      database
        .application(n % 2 === 0 ? 'a' : 'b')
        .transaction(() => held)
        .catch(() => undefined),
    );
    try {
      await until('they wait for connections', async () => database.counts.waiting > 0);
      assert.equal(await database.application('c').transaction(async (tx) => (await tx.rows('select 1')).length), 1);
      const both = database.jointTransaction('c', async ({ system }) => (await system.rows('select 1')).length);
      assert.equal(await both, 1);
      assert.equal(await database.system.transaction(async (tx) => (await tx.rows('select 1')).length), 1);
    } finally {
      go();
      await Promise.all(holding);
    }
  });

  it('are refused at once while their worker is known to be away, and the others served', async () => {
    await separate(true);
    away.add(WORKERS.one);
    await assert.rejects(database.application('a').rows(PID), { code: 'UNAVAILABLE' });
    await assert.rejects(
      database.application('b').transaction(async () => undefined),
      { code: 'UNAVAILABLE' },
    );
    assert.ok(await sessionOf('c'));
    away.clear();
    assert.ok(await sessionOf('a'));
  });

  it('are not published while their worker is known to be away, and leave the connections for that to others', async () => {
    await separate(false);
    const publish = (id: string, work: () => Promise<unknown> = async () => undefined) => database.publisher(id, work);
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    // As many as there are connections.
    let begun = 0;
    const publishing = ['c', 'g', 'h', 'i'].map((id) =>
      publish(id, () => {
        begun += 1;
        return held;
      }),
    );
    await until('all connections are taken', () => begun === publishing.length);
    await sessionOf('a');
    const waiting = assert.rejects(publish('a'), { code: 'UNAVAILABLE' }, 'it is away when its turn comes');
    away.add(WORKERS.one);
    await assert.rejects(publish('b'), { code: 'UNAVAILABLE' });
    go();
    await Promise.all([...publishing, waiting]);
    await publish('c');
    away.clear();
    await publish('a');
  });

  it('are found where their first publishing has put them', async () => {
    await separate(false);
    await database.publisher('f', () => put('f', WORKERS.two));
    await sessionOf('f');
    await sessionOf('c');
    assert.equal(database.workerOf('f'), database.workerOf('c'));
  });

  it('are followed when they have moved', async () => {
    await put('d', WORKERS.one);
    await separate(false);
    await sessionOf('d');
    await sessionOf('a');
    assert.equal(database.workerOf('d'), database.workerOf('a'));
    await put('d', WORKERS.two);
    await sessionOf('c');
    await until('the move is noticed', async () => {
      await sessionOf('d');
      return database.workerOf('d') === database.workerOf('c');
    });
  });

  it('use the connections of the system while they lie on no worker', async () => {
    await server.sql('create schema app_e');
    await separate(true);
    assert.ok(await sessionOf('e'));
    assert.notEqual(database.workerOf('e'), undefined);
  });

  it('stay within the number of connections, with their system', async () => {
    await separate(false);
    const all = ['a', 'b', 'c'].flatMap((id) => Array.from({ length: 20 }, () => database.application(id)));
    await Promise.all(
      [...all, ...Array.from({ length: 20 }, () => database.system)].map((store) =>
        store.transaction((tx) => tx.rows('select pg_sleep(0.01)')),
      ),
    );
    await Promise.all(all.map((store) => store.rows(PID)));
    const { idle, checkedOut, connecting, lanes } = database.counts;
    assert.ok(idle + checkedOut + connecting + lanes <= 16);
  });
});
