// Connections that have used many applications are replaced: the database keeps what a connection knows of each table.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { Database } from '../../src/store/database/database.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

describe('a connection that has used many applications', () => {
  let server: TestDatabase;
  let database: Database;
  before(async () => {
    server = await createDatabase();
  });
  after(() => server.drop());
  beforeEach(() => {
    const { connection } = server;
    database = Database.open({ connection, connectionsMax: 4, schemasMax: 3, onConnectionError: () => undefined });
  });
  afterEach(() => database.close());

  const names = (count: number) => Array.from({ length: count }, (_, n) => `p${n}`);
  const read = async (application: string) =>
    (await database.application(application).rows('select pg_backend_pid(), $1::text', [application]))[0]!;
  const write = async (application: string) =>
    (await database.application(application).write('select pg_backend_pid()', []))[0]![0];
  const sessions = async () =>
    (
      await server.sql(
        "select pid from pg_stat_activity where application_name = 'cartulary' and datname = current_database()",
      )
    ).length;

  it('is replaced while reads go on, and none of them fails', async () => {
    const asked = Array.from({ length: 40 }, () => names(25)).flat();
    const replies = await Promise.all(asked.map(read));
    assert.deepEqual(
      replies.map(([, application]) => application),
      asked,
    );
    const first = replies[0]![0];
    await until('another connection', async () => {
      for (const application of names(25)) if ((await read(application))[0] !== first) return true;
      return false;
    });
    await until('the end of the replaced ones', async () => (await sessions()) === 1);
  });

  it('is replaced after a write, and stays for the same applications', async () => {
    const few = new Set<unknown>();
    for (let turn = 0; turn < 20; turn++) for (const application of names(3)) few.add(await write(application));
    assert.equal(few.size, 1);
    const many = new Set<unknown>();
    for (const application of names(20)) many.add(await write(application));
    assert.ok(many.size > 3, `${many.size} connections were used`);
    await until('the end of the replaced ones', async () => (await sessions()) <= 3);
  });

  it('is chosen again by the applications that it knows', async () => {
    const applications = names(2);
    const [one, other] = applications as [string, string];
    // While the transaction has its connection, the other application needs another one.
    const together = await database
      .application(one)
      .transaction(async (tx) => [(await tx.rows('select pg_backend_pid()'))[0]![0], await write(other)]);
    assert.notEqual(together[0], together[1]);
    for (let turn = 0; turn < 5; turn++) {
      for (const [n, application] of applications.entries()) assert.equal(await write(application), together[n]);
    }
  });
});
