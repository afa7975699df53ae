// Prepared statements of a connection are bounded by the length of their texts: a backend keeps a hundred times as much.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Database } from '../../src/store/database/database.ts';
import { SCHEMAS_MAX } from '../../src/store/database/pool.ts';
import { LOGGED_WRITE, TEXT_LENGTH_MAX, TEXTS_LENGTH_MAX } from '../../src/store/database/prepared.ts';
import { publishApplication, string } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer } from '../support/server.ts';
import { tapWire } from '../support/wire-tap.ts';

describe('prepared statements', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  it('of 400 different searches leave little on a connection', async (t) => {
    const tap = await tapWire(database.connection);
    const server = await startTestServer({ database, connection: tap.connection, connectionsMax: 2 });
    t.after(async () => {
      await server.close();
      await tap.close();
    });
    const app = await publishApplication(server, {
      collections: [
        {
          name: 'Things',
          columns: [
            { name: 'Code', type: 'String', unique: true, searchable: true },
            { name: 'Text', type: 'String', searchable: true },
          ],
        },
      ],
    });
    const { Code, Text } = app.ids.Things as { Code: string; Text: string };
    await app.send('POST', app.records('Things'), { json: { values: { [Code]: string('abc'), [Text]: string('x') } } });
    const terms = (count: number, make: (n: number) => string) => Array.from({ length: count }, (_, n) => make(n));
    for (let n = 0; n < 400; n++) {
      const search = [
        'Code=abc',
        ...terms(20 + (n % 20), (k) => `-Text:zq${k}`),
        ...terms(Math.floor(n / 20), (k) => `-qz${k}`),
      ].join(' ');
      const { status, body } = await app.send('GET', `${app.records('Things')}?${new URLSearchParams({ search })}`);
      assert.deepEqual([status, body.length], [200, 1]);
    }
    assert.ok(tap.preparedBytes() < TEXTS_LENGTH_MAX, `${tap.preparedBytes()} bytes are prepared`);
  });

  describe('of one connection', () => {
    const inOne = async (work: (tx: { rows: Database['system']['rows'] }) => Promise<void>) => {
      const own = Database.open({ connection: database.connection, connectionsMax: 2, onConnectionError: () => {} });
      await own.system.transaction(work).finally(() => own.close());
    };
    const lengths = `select count(*)::int, coalesce(sum(length(statement)), 0)::int from pg_prepared_statements`;
    const padded = (n: number, length: number) => `select $1::int + ${n} --`.padEnd(length, '-');

    const twice = (count: number) => Array.from({ length: 2 * count }, (_, n) => Math.floor(n / 2));

    it('are those of texts that are used a second time', () =>
      inOne(async (tx) => {
        for (let n = 0; n < 100; n++) assert.deepEqual(await tx.rows(padded(n, 60), [1]), [[n + 1]]);
        assert.deepEqual(await tx.rows(lengths), [[0, 0]]);
        for (const n of [0, 0, 99]) assert.deepEqual(await tx.rows(padded(n, 60), [2]), [[n + 2]]);
        assert.deepEqual(await tx.rows(lengths), [[2, 120]]);
      }));

    it('are bounded by the length of their texts together', () =>
      inOne(async (tx) => {
        for (const n of twice(100)) assert.deepEqual(await tx.rows(padded(n, 10_000), [1]), [[n + 1]]);
        const [[count, length] = []] = (await tx.rows(lengths)) as [number, number][];
        assert.ok(length! <= TEXTS_LENGTH_MAX, `${length} characters are prepared`);
        assert.equal(count, Math.floor(TEXTS_LENGTH_MAX / 10_000));
        // The last is among them, the first is not, and either can run again.
        for (const n of [99, 0]) assert.deepEqual(await tx.rows(padded(n, 10_000), [2]), [[n + 2]]);
      }));

    it('keep thousands of short texts apart from the others', () =>
      inOne(async (tx) => {
        const numbers = twice(6_500);
        for (const n of twice(400)) await tx.rows(padded(n, 600), [1]);
        const answers = await Promise.all(numbers.map((n) => tx.rows(padded(n, 60), [1])));
        assert.deepEqual(
          answers.map(([row]) => row?.[0]),
          numbers.map((n) => n + 1),
        );
        const [short, long] = (await tx.rows(
          'select count(*)::int from pg_prepared_statements group by length(statement) > 512 order by length(statement) > 512',
        )) as [number][];
        assert.deepEqual([short, long], [[6_000], [300]]);
        for (const n of [6_499, 0]) assert.deepEqual(await tx.rows(padded(n, 60), [2]), [[n + 2]]);
      }));

    const write = (n: number, length: number) =>
      `${LOGGED_WRITE}select $1::int + ${n} as a) select a from changed --`.padEnd(length, '-');

    it('keep two thousand logged writes apart from the others', () =>
      inOne(async (tx) => {
        for (const n of twice(2_100)) assert.deepEqual(await tx.rows(write(n, 600), [1]), [[n + 1]]);
        for (const n of twice(400)) await tx.rows(padded(n, 600), [1]);
        const counts = await tx.rows(
          `select count(*)::int from pg_prepared_statements group by starts_with(statement, $1) order by 1`,
          [LOGGED_WRITE],
        );
        assert.deepEqual(counts, [[300], [2_000]]);
        for (const n of [2_099, 0]) assert.deepEqual(await tx.rows(write(n, 600), [2]), [[n + 2]]);
      }));

    it('keep the writes to as many applications as a connection knows', () =>
      inOne(async (tx) => {
        const prepared = "select coalesce(string_agg(name, ' ' order by name), '') from pg_prepared_statements";
        const names = async () => String((await tx.rows(prepared))[0]?.[0]).split(' ');
        const writeToEach = async () => {
          for (let n = 0; n < SCHEMAS_MAX; n++) await tx.rows(write(n, 1_200), [1]);
        };
        await writeToEach();
        await writeToEach();
        const before = await names();
        await writeToEach();
        assert.equal(before.length, SCHEMAS_MAX);
        assert.deepEqual(await names(), before);
      }));

    it('are never long', () =>
      inOne(async (tx) => {
        for (const n of twice(2)) {
          assert.deepEqual(await tx.rows(padded(n, TEXT_LENGTH_MAX + 1), [1]), [[n + 1]]);
        }
        assert.deepEqual(await tx.rows(lengths), [[0, 0]]);
      }));

    it('that are sent all at once are bounded too', () =>
      inOne(async (tx) => {
        const numbers = twice(500);
        const answers = await Promise.all(numbers.map((n) => tx.rows(padded(n, 2_000), [1])));
        assert.deepEqual(
          answers.map(([row]) => row?.[0]),
          numbers.map((n) => n + 1),
        );
        const [[count, length] = []] = (await tx.rows(lengths)) as [number, number][];
        assert.ok(count! > 100 && count! <= 300 && length! <= TEXTS_LENGTH_MAX, `${count} of ${length} characters`);
      }));
  });
});
