// What we rely on inside of `pg`. A failure here after an upgrade says what has to change in store/database/driver.ts.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import {
  closePrepared,
  cutClient,
  isBusy,
  isInTransaction,
  isLostConnection,
  streamOf,
} from '../../src/store/database/driver.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

describe('a client of pg', () => {
  let database: TestDatabase;
  let client: pg.Client;

  before(async () => {
    database = await createDatabase();
    client = new pg.Client({ ...database.connection, pipeline: true } as pg.ClientConfig);
    client.on('error', () => undefined);
    await client.connect();
  });
  after(async () => {
    await client.end().catch(() => undefined);
    await database.drop();
  });

  it('has a socket that counts what it has read', async () => {
    assert.ok(streamOf(client) instanceof Socket);
    const { bytesRead } = streamOf(client);
    await client.query('select 1');
    assert.ok(streamOf(client).bytesRead > bytesRead);
  });

  it('is busy from a statement until the database is ready for the next', async () => {
    assert.equal(isBusy(client), false);
    const drained = once(client, 'drain');
    const asked = client.query('select 1');
    assert.equal(isBusy(client), true);
    await asked;
    await drained;
    assert.equal(isBusy(client), false);
  });

  it('knows whether it is in a transaction, also in a failed one', async () => {
    assert.equal(isInTransaction(client), false);
    await client.query('begin');
    assert.equal(isInTransaction(client), true);
    await assert.rejects(client.query('select 1/0'));
    await client.query('select 1').catch(() => undefined);
    assert.equal(isInTransaction(client), true);
    await client.query('rollback');
    assert.equal(isInTransaction(client), false);
  });

  it('sends several statements without waiting', async () => {
    const results = await Promise.all([client.query('select 1 as n'), client.query('select 2 as n')]);
    assert.deepEqual(
      results.map(({ rows }) => rows[0].n),
      [1, 2],
    );
  });

  it('prepares a named statement without parameters, and forgets it when it is closed', async () => {
    const count = async () =>
      (await client.query('select count(*)::int as n from pg_prepared_statements')).rows[0].n as number;
    const statement = { name: 'one', text: 'select 1' };
    const asked = client.query(statement);
    await new Promise(setImmediate);
    const early = closePrepared(client, 'one');
    await asked;
    assert.deepEqual([early, await count()], [false, 1], 'not while its preparation is under way');
    assert.equal(closePrepared(client, 'one'), true);
    assert.equal(await count(), 0);
    await client.query({ ...statement, text: 'select 2' });
    assert.equal(await count(), 1, 'the name can be used for another text');
  });

  it('says that its connection is lost, to the statement under way and to the next', async () => {
    const asked = client.query('select pg_sleep(10)');
    const lost = assert.rejects(asked, isLostConnection);
    cutClient(client);
    await lost;
    await assert.rejects(client.query('select 1'), isLostConnection);
  });
});
