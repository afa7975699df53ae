// What we rely on inside of `pg`. A failure here after an upgrade says what has to change in store/database/driver.ts.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type pg from 'pg';
import {
  becomeQuery,
  cutClient,
  isBusy,
  isInTransaction,
  isLostConnection,
  newClient,
  parameterOf,
  streamOf,
  takeConfirmation,
} from '../../src/store/database/driver.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

describe('a client of pg', () => {
  let database: TestDatabase;
  let client: pg.Client;

  before(async () => {
    database = await createDatabase();
    client = newClient({ ...database.connection, pipeline: true } as pg.ClientConfig);
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

  it('leaves nothing of what arrives in its stream, and hears of notices and errors', async () => {
    const heard: unknown[] = [];
    client.on('notice', ({ message }) => heard.push(message));
    const result = client.query(`do $$ begin raise notice 'hear'; end $$; select repeat('x', 200000) as x; select 1/0`);
    await assert.rejects(result, { code: '22012' });
    assert.deepEqual(heard, ['hear']);
    assert.equal(streamOf(client).readableLength, 0);
    assert.ok(streamOf(client).bytesRead > 200_000);
    await new Promise(setImmediate);
  });

  it('sends several statements without waiting', async () => {
    const results = await Promise.all([client.query('select 1 as n'), client.query('select 2 as n')]);
    assert.deepEqual(
      results.map(({ rows }) => rows[0].n),
      [1, 2],
    );
  });

  it('remembers a named statement only once the database has confirmed that it is prepared', async () => {
    const asked = client.query({ name: 'one', text: 'select 1' });
    const early = takeConfirmation(client, 'one');
    await asked;
    assert.deepEqual([early, takeConfirmation(client, 'one'), takeConfirmation(client, 'one')], [false, true, false]);
    await assert.rejects(client.query({ name: 'two', text: 'select nonsense' }));
    assert.equal(takeConfirmation(client, 'two'), false);
  });

  it('pipelines what inherits from its query, and hands it what arrives', async () => {
    const calls: unknown[] = [];
    const ended = new Promise<void>((resolve) => {
      class Own {
        submit(connection: { query(text: string): void }) {
          connection.query('select 1 as one, null');
        }
        handleRowDescription({ fields }: { fields: { dataTypeID: number }[] }) {
          calls.push(fields.map(({ dataTypeID }) => dataTypeID));
        }
        handleDataRow({ fields }: { fields: unknown[] }) {
          calls.push(fields);
        }
        handleCommandComplete({ text }: { text: string }) {
          calls.push(text);
        }
        handleReadyForQuery() {
          resolve();
        }
        handleError(error: Error) {
          calls.push(error);
          resolve();
        }
      }
      becomeQuery(Own);
      client.query(new Own());
    });
    await Promise.all([ended, client.query('select 2')]);
    assert.deepEqual(calls, [[23, 25], ['1', null], 'SELECT 1']);
  });

  it('tells a statement that cannot be submitted why', async () => {
    const error = await new Promise((resolve) => {
      class Own {
        submit() {
          return new Error('no');
        }
        handleError(why: Error) {
          resolve(why);
        }
      }
      becomeQuery(Own);
      client.query(new Own());
    });
    assert.deepEqual([error, isBusy(client)], [new Error('no'), false]);
  });

  it('makes texts and bytes of parameters', () => {
    assert.deepEqual([null, undefined, 1.5, true, 'x', ['a', null]].map(parameterOf), [
      ...[null, null, '1.5', 'true', 'x'],
      '{"a",NULL}',
    ]);
    assert.deepEqual(parameterOf(Buffer.from('x')), Buffer.from('x'));
  });

  it('says that its connection is lost, to the statement under way and to the next', async () => {
    const asked = client.query('select pg_sleep(10)');
    const lost = assert.rejects(asked, isLostConnection);
    cutClient(client);
    await lost;
    await assert.rejects(client.query('select 1'), isLostConnection);
  });
});
