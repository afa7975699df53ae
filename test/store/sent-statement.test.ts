// Statements are sent and read by our own code: what arrives has to be what `pg` makes of it, whatever is sent together.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { Database } from '../../src/store/database/database.ts';
import type { Transaction } from '../../src/store/database/handles.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

describe('a statement that is sent', () => {
  let server: TestDatabase;
  let database: Database;

  before(async () => {
    server = await createDatabase();
    database = Database.open({ connection: server.connection, connectionsMax: 4, onConnectionError: () => undefined });
  });
  after(async () => {
    await database.close();
    await server.drop();
  });

  const onOne = <T>(work: (tx: Transaction) => Promise<T>) => database.system.transaction(work);

  it('has the values that pg reads, also when its columns are known already', async () => {
    const text = `select $1::int, 2::int8, 1.5::float8, 1.50::numeric, true, null, 'x', 'x'::bytea, '{"a":[1]}'::jsonb,
      '2024-02-03T04:05:06Z'::timestamptz, date '2024-02-03', array[1, null], array['a"b', null], interval '1 day'`;
    const client = new pg.Client(server.connection);
    await client.connect();
    const { rows } = await client.query({ text, values: [7], rowMode: 'array' });
    await client.end();
    await onOne(async (tx) => {
      for (let n = 0; n < 3; n++) assert.deepEqual(await tx.rows(text, [7]), rows);
    });
    assert.deepEqual(await database.system.longQuery({ text, params: [7] }), [rows]);
  });

  it('has its parameters as they are', async () => {
    const texts = ['', 'a', 'ä', '字'.repeat(40), `${'x'.repeat(31)}ü`, '🙂'.repeat(700), '字'.repeat(3_000), '"\\,{}'];
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, n) => n));
    await onOne(async (tx) => {
      for (const text of texts) {
        assert.deepEqual(await tx.rows('select $1::text, $2::text, $3::bytea', [text, null, bytes]), [
          [text, null, bytes],
        ]);
      }
      const params = [1.5, -1, true, undefined, texts, new Date(0), { a: 'ä' }];
      assert.deepEqual(
        await tx.rows('select $1::float8, $2::int, $3::bool, $4::text, $5::text[], $6::timestamptz, $7::jsonb', params),
        [[1.5, -1, true, null, texts, new Date(0), { a: 'ä' }]],
      );
    });
  });

  it('is whole, however much is sent together', async () => {
    const texts = Array.from({ length: 60 }, (_, n) => String.fromCharCode(97 + (n % 26)).repeat(n * 7_919));
    const ask = ({ rows }: Pick<Transaction, 'rows'>) =>
      Promise.all(texts.map((text) => rows('select md5($1::text) = md5($2::text), length($1)', [text, text])));
    const expected = texts.map(({ length }) => [[true, length]]);
    assert.deepEqual(await onOne((tx) => ask({ rows: tx.rows.bind(tx) })), expected);
    const { system } = database;
    assert.deepEqual(await ask({ rows: system.rows.bind(system) }), expected);
  });

  it('fails alone if a parameter cannot be sent', async () => {
    const unfit = {
      toJSON() {
        throw new Error('not today');
      },
    };
    const { system } = database;
    const results = await Promise.allSettled(
      [1, unfit, 3].map((param) => system.rows('select $1::text /* unfit */', [param])),
    );
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
      [[['1']], 'not today', [['3']]],
    );
    await onOne(async (tx) => {
      await assert.rejects(tx.rows('select $1::text', [unfit]), /^Error: not today$/);
      assert.deepEqual(await tx.rows('select $1::text', ['x']), [['x']]);
    });
  });

  it('fails if its table no longer has the columns that it was prepared for', async () => {
    await server.sql('create table things (n integer); insert into things values (1)');
    const own = Database.open({ connection: server.connection, connectionsMax: 1, onConnectionError: () => undefined });
    const ask = () => own.system.rows('select * from things where $1', [true]);
    assert.deepEqual([await ask(), await ask()], [[[1]], [[1]]]);
    await server.sql('alter table things alter n type text');
    await assert.rejects(ask(), { code: '0A000' });
    await own.close();
  });

  it('is prepared again if its preparation failed', async () => {
    const own = Database.open({ connection: server.connection, connectionsMax: 2, onConnectionError: () => undefined });
    const ask = () => own.system.write('select n from later where $1', [true]);
    await assert.rejects(ask());
    await server.sql('create table later as select 5 as n');
    assert.deepEqual([await ask(), await ask()], [[[5]], [[5]]]);
    // Prepared, and failing later.
    const divide = (n: number) => own.system.write('select 6 / $1::int', [n]);
    await assert.rejects(divide(0), { code: '22012' });
    assert.deepEqual([await divide(2), await divide(3)], [[[3]], [[2]]]);
    await own.close();
  });
});
