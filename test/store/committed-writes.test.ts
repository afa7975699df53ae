// Committed writes are counted on the request and never repeated.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Fault } from '../../src/faults.ts';
import { withCurrentDefinition } from '../../src/operations/current-definition.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import { Database } from '../../src/store/database/database.ts';
import { StaleDefinition } from '../../src/store/database/database-errors.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

const INSERT = 'insert into app_a.things (n) values ($1) returning n';
const REMOVE = 'delete from app_a.things where n = $1';

describe('a write', () => {
  let server: TestDatabase;
  let database: Database;
  let scope: RequestScope;

  before(async () => {
    server = await createDatabase();
    await server.sql('create schema app_a create table things (n int)');
    database = Database.open({ connection: server.connection, connectionsMax: 4, onConnectionError: () => undefined });
  });
  beforeEach(async () => {
    await server.sql('delete from app_a.things');
    scope = new RequestScope('r', 10_000);
  });
  after(async () => {
    await database.close();
    await server.drop();
  });

  const store = () => database.forRequest(scope).application('a');
  const stored = async () => (await server.sql('select n from app_a.things order by n')).flat();
  const deadlock = () => Object.assign(new Error('as if it were a deadlock'), { code: '40P01' });

  it('is counted if it changed something, alone or in a transaction', async () => {
    await store().write(INSERT, [1]);
    assert.equal(scope.committedWrites, 1);
    await store().transaction((tx) => tx.rows(INSERT, [2]));
    assert.equal(scope.committedWrites, 2);
    await store().transaction((tx) => tx.commitWith([{ text: INSERT, params: [3] }]));
    assert.equal(scope.committedWrites, 3);
    await database.forRequest(scope).jointTransaction('a', ({ application }) => application.rows(INSERT, [4]));
    assert.equal(scope.committedWrites, 4);
    await database.forRequest(scope).publisher('a', ({ application }) => application.rows(INSERT, [5]));
    assert.equal(scope.committedWrites, 5);
    await database
      .forRequest(scope)
      .publisher('a', (publisher) => publisher.transaction(({ application }) => application.rows(INSERT, [6])));
    assert.equal(scope.committedWrites, 6);
  });

  it('is counted while it runs', async () => {
    const writing = store().transaction(async (tx) => {
      await tx.rows('select 1');
      assert.equal(scope.committedWrites, 1);
    });
    await writing;
    assert.equal(scope.committedWrites, 0);
  });

  it('is not counted if it changed nothing, was rolled back, or is idempotent', async () => {
    await store().write(REMOVE, [1]);
    await store().transaction((tx) => tx.commitWith([{ text: REMOVE, params: [1] }]));
    await store().transaction((tx) => tx.rows('select n from app_a.things for update'));
    await assert.rejects(store().write('insert into app_a.nothing values ($1)', [1]), StaleDefinition);
    const undone = store().transaction(async (tx) => {
      await tx.rows(INSERT, [1]);
      throw new StaleDefinition();
    });
    await assert.rejects(undone, StaleDefinition);
    await store().repeatable.write(INSERT, [2]);
    await store().repeatable.transaction((tx) => tx.rows(INSERT, [3]));
    await database.forRequest(scope).publisher('a', ({ application }) => application.rows('select 1'));
    assert.equal(scope.committedWrites, 0);
    assert.deepEqual(await stored(), [2, 3]);
  });

  it('is not repeated after a failure that follows its commit', async () => {
    for (const failure of [deadlock(), new StaleDefinition()]) {
      let runs = 0;
      const behind = store().transaction(async (tx) => {
        runs += 1;
        await tx.commitWith([{ text: INSERT, params: [runs] }]);
        throw failure;
      });
      await assert.rejects(behind, (error: Error) => error !== failure && error.cause === failure);
      assert.equal(runs, 1);
    }
    assert.deepEqual(await stored(), [1, 1]);
    assert.equal(scope.committedWrites, 2);
  });

  it('is repeated after a deadlock before its commit', async () => {
    let runs = 0;
    await store().transaction(async (tx) => {
      runs += 1;
      await tx.rows(INSERT, [runs]);
      if (runs === 1) throw deadlock();
    });
    assert.deepEqual(await stored(), [2]);
  });

  it('and a copy are repeated after a deadlock outside of a transaction, and are busy after many', async () => {
    await server.sql('create sequence app_a.tries');
    await server.sql(`create function app_a.deadlocks(times int) returns int language plpgsql as $$ begin
      if nextval('app_a.tries') <= times then raise exception 'deadlock' using errcode = '40P01'; end if;
      return 7; end $$`);
    const again = () => server.sql("select setval('app_a.tries', 1, false)");
    const insert = (times: number) =>
      store().write('insert into app_a.things (n) values (app_a.deadlocks($1)) returning n', [times]);
    const copy = (times: number) => store().copied(`select app_a.deadlocks(${times})::text`);
    const isBusy = (error: unknown) =>
      error instanceof Fault && JSON.stringify([error.code, error.params]) === '["UNAVAILABLE",{"reason":"busy"}]';
    await again();
    assert.deepEqual(await insert(3), [[7]]);
    assert.equal(scope.committedWrites, 1);
    await again();
    await assert.rejects(insert(1_000), isBusy);
    assert.equal(scope.committedWrites, 1);
    assert.deepEqual(await stored(), [7]);
    await again();
    assert.equal(String((await copy(3))[0]?.[0]), '7');
    await again();
    await assert.rejects(copy(1_000), isBusy);
  });

  it('keeps the request from starting over, and the reply says that the outcome is unknown', async () => {
    let runs = 0;
    const request = (write: () => Promise<unknown>) =>
      withCurrentDefinition(
        scope,
        async () => {
          runs += 1;
          await write();
          if (runs < 3) throw new StaleDefinition();
        },
        () => undefined,
      );
    await request(() => store().write(REMOVE, [1]));
    assert.equal(runs, 3);
    runs = 0;
    await assert.rejects(
      request(() => store().write(INSERT, [1])),
      (error) => error instanceof Fault && error.code === 'UNAVAILABLE',
    );
    assert.equal(runs, 1);
    assert.deepEqual(await stored(), [1]);
  });

  it('is refused by the methods that read, which may run it twice', async () => {
    assert.throws(() => store().rows(INSERT, [1]), /by a method that reads/);
    assert.throws(() => store().pipeline([{ text: REMOVE, params: [1] }]), /by a method that reads/);
  });
});
