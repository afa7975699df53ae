// The connections that publish are used again for a while, without anything of the publishing before.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { Database } from '../../src/store/database/database.ts';
import type { Publisher } from '../../src/store/database/handles.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

describe('the connections that publish', () => {
  let server: TestDatabase;
  let database: Database;
  before(async () => {
    server = await createDatabase();
    await server.sql('create schema app_pone');
  });
  after(() => server.drop());
  beforeEach(() => {
    const { connection } = server;
    database = Database.open({ connection, connectionsMax: 4, onConnectionError: () => undefined });
  });
  afterEach(() => database.close());

  const pidOf = async ({ system }: Publisher) => (await system.rows('select pg_backend_pid()'))[0]![0] as number;
  // Other tests' databases are in the same server.
  const locks = () =>
    server.sql(
      `select objid from pg_locks join pg_database on pg_database.oid = pg_locks.database
       where locktype = 'advisory' and datname = current_database()`,
    );

  it('are used again, and hold no lock meanwhile', async () => {
    const first = await database.publisher('pone', async (publisher) => {
      await publisher.system.rows('select pg_advisory_lock($1, $2)', [1, 2]);
      assert.equal((await locks()).length, 1);
      return pidOf(publisher);
    });
    assert.deepEqual(await locks(), []);
    assert.equal(await database.publisher('ptwo', pidOf), first);
  });

  it('read a table that has other columns by then', async () => {
    const read = ({ application }: Publisher) => application.rows('select a from app_pone.t where $1', [true]);
    await server.sql("create table app_pone.t as select 'text' as a");
    assert.deepEqual(await database.publisher('pone', read), [['text']]);
    await server.sql('drop table app_pone.t');
    await server.sql('create table app_pone.t as select 5 as a');
    assert.deepEqual(await database.publisher('pone', read), [[5]]);
  });

  it('are not used again after a failure, or when the database has ended them', async () => {
    const pids: number[] = [];
    await assert.rejects(
      database.publisher('pone', async (publisher) => {
        pids.push(await pidOf(publisher));
        throw new Error('broken');
      }),
      /broken/,
    );
    const second = await database.publisher('pone', pidOf);
    assert.notEqual(second, pids[0]);
    await server.sql('select pg_terminate_backend($1::int)', [second]);
    const alive = async () => (await server.sql('select 1 from pg_stat_activity where pid = $1', [second])).length > 0;
    await until('the end of the session', async () => !(await alive()));
    assert.notEqual(await database.publisher('pone', pidOf), second);
  });
});
