// Upserts that race: one record for each key, no change lost, and no answer but 200, also while records are deleted
// under them and while batches name the same keys in opposite orders.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { number, string } from '../support/application.ts';
import { countWaiting, onTable } from '../support/nodes.ts';
import {
  assertConsistent,
  closeScene,
  done,
  type Operations,
  openScene,
  operationsOn,
  recordActivities,
  refused,
  type Scene,
  storedRows,
  tableOf,
} from '../support/records.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const CODE = 'ccode000';
const SERIAL = 'cserial0';
const COUNTERS = Array.from({ length: 50 }, (_, n) => `ccount${String(n).padStart(2, '0')}`);
const DOCUMENT = {
  name: 'Races',
  collections: [
    {
      id: 'tthings0',
      name: 'Things',
      columns: [
        { id: SERIAL, name: 'Serial', type: 'Number', unique: true, searchable: true },
        { id: CODE, name: 'Code', type: 'String', unique: true, searchable: true },
        ...COUNTERS.map((id) => ({ id, name: id, type: 'Number' })),
      ],
    },
  ],
};

describe('upserts that race', () => {
  let scene: Scene;
  let things: Operations;
  let node: TestServer;
  /** The same through another server on the same database. */
  let elsewhere: Operations;
  let made = 0;

  before(async () => {
    scene = await openScene(DOCUMENT);
    things = operationsOn(scene.app, 'Things');
    node = await startTestServer({ database: scene.server.database });
    const send: typeof scene.app.send = (method, path, options) =>
      node.send(method, `/v1/${scene.app.id}${path}`, { token: scene.app.admin.token, ...options });
    elsewhere = operationsOn({ ...scene.app, send }, 'Things');
  });
  after(async () => {
    for (const row of await storedRows(scene, 'Things')) assertConsistent(row);
    await node.close();
    await closeScene(scene);
  });

  const fresh = () => `code ${++made}`;
  const holding = async (text: string) =>
    (await storedRows(scene, 'Things')).flatMap(({ rec }) => {
      const record = JSON.parse(rec);
      return record.values[CODE]?.value.startsWith(text) ? record : [];
    });
  const roads: [string, (at: Operations, values: object) => Promise<Reply>][] = [
    ['one', (at, values) => at.upsert(CODE, { ...values })],
    ['arrays', (at, values) => at.upsertMany(CODE, [{ values }])],
    ['arrays with the key twice', (at, values) => at.upsertMany(CODE, [{ values }, { values }])],
  ];

  for (const [road, upsert] of roads) {
    it(`50 of the same new key make one record that has what each of them brought: ${road}`, async () => {
      const code = fresh();
      const before = (await recordActivities(scene)).length;
      const replies = await Promise.all(
        COUNTERS.map((column, n) =>
          upsert(n % 3 === 0 ? elsewhere : things, { [CODE]: string(code), [column]: number(n) }),
        ),
      );
      const ids = replies.flatMap((reply) => [done(reply)].flat().map(({ id }) => id));
      assert.equal(new Set(ids).size, 1);
      const [record, ...others] = await holding(code);
      assert.deepEqual(others, []);
      assert.deepEqual(record.values, {
        [CODE]: string(code),
        ...Object.fromEntries(COUNTERS.map((column, n) => [column, number(n)])),
      });
      const entries = (await recordActivities(scene)).slice(before);
      assert.equal(entries.filter(({ subType }) => subType === 'create').length, 1);
      assert.equal(entries.length, ids.length);
    });
  }

  it('the same new key with the same value in another unique column makes one record', async () => {
    const values = { [CODE]: string(fresh()), [SERIAL]: number(++made) };
    const replies = await Promise.all(
      COUNTERS.slice(0, 30).map((column, n) => {
        const sent = { ...values, [column]: number(n) };
        if (n % 3 === 0) return elsewhere.upsert(SERIAL, sent);
        return n % 3 === 1 ? things.upsert(CODE, sent) : things.upsertMany(CODE, [{ values: sent }]);
      }),
    );
    assert.equal(new Set(replies.map((reply) => [done(reply)].flat()[0].id)).size, 1);
    const [record, ...others] = await holding(values[CODE]!.value as string);
    assert.deepEqual(others, []);
    assert.equal(Object.keys(record.values).length, 32);
  });

  it('batches with the same new keys in opposite orders that fail at their end fail by that alone', async () => {
    const prefix = `${fresh()} failing `;
    const codes = Array.from({ length: 15 }, (_, n) => `${prefix}${n}`);
    const taken = number(++made);
    done(await things.create({ [SERIAL]: taken }));
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => {
        const order = n % 2 === 0 ? codes : codes.toReversed();
        const elements = order.map((code) => ({ values: { [CODE]: string(code), [COUNTERS[n]!]: number(n) } }));
        const last = { values: { [CODE]: string(fresh()), [SERIAL]: taken } };
        return (n % 3 === 0 ? elsewhere : things).upsertMany(CODE, [...elements, last]);
      }),
    );
    for (const reply of replies) assert.equal(refused(reply, 400, 'DUPLICATED_VALUES').recordIndex, codes.length);
    const records = await holding(prefix);
    assert.equal(records.length, codes.length);
    for (const { values } of records) assert.equal(Object.keys(values).length, 11, 'what each of them brought');
  });

  for (const twice of [false, true]) {
    it(`batches with the same new keys in opposite orders all succeed${twice ? ', each key twice' : ''}`, async () => {
      const prefix = `${fresh()} opposite `;
      const codes = Array.from({ length: twice ? 20 : 40 }, (_, n) => `${prefix}${n}`);
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, n) => {
          const order = n % 2 === 0 ? codes : codes.toReversed();
          const elements = order.map((code) => ({ values: { [CODE]: string(code), [COUNTERS[n]!]: number(n) } }));
          const at = n % 3 === 0 ? elsewhere : things;
          return at.upsertMany(CODE, twice ? elements.flatMap((element) => [element, element]) : elements);
        }),
      );
      for (const reply of replies) done(reply);
      const records = await holding(prefix);
      assert.equal(records.length, codes.length);
      for (const { values } of records) assert.equal(Object.keys(values).length, 13, 'what each of them brought');
    });
  }

  it('batches that share some keys, and single ones between them, all succeed', async () => {
    const prefix = `${fresh()} shared `;
    const replies = await Promise.all(
      Array.from({ length: 24 }, (_, n) => {
        const at = n % 2 === 0 ? things : elsewhere;
        const values = (k: number) => ({ [CODE]: string(`${prefix}${k % 60}`), [COUNTERS[n]!]: number(k) });
        if (n % 4 === 3) return at.upsert(CODE, values(n * 5));
        return at.upsertMany(
          CODE,
          Array.from({ length: 30 }, (_, k) => ({ values: values(n * 7 + (n % 3 === 0 ? k : -k) + 60) })),
        );
      }),
    );
    for (const reply of replies) done(reply);
    const answered = replies.flatMap((reply) => [reply.body].flat());
    const records = await holding(prefix);
    assert.equal(records.length, new Set(answered.map(({ id }) => id)).size);
    const brought = new Set(
      answered.flatMap(({ id, values }) => Object.keys(values).map((column) => `${id} ${column}`)),
    );
    const held = records.flatMap(({ id, values }: { id: string; values: object }) =>
      Object.keys(values).map((column) => `${id} ${column}`),
    );
    assert.deepEqual([...brought].sort(), held.sort());
  });

  it('changes of one record by upserts, merges and batches lose nothing', async () => {
    const code = fresh();
    const { id } = done(await things.upsert(CODE, { [CODE]: string(code) }));
    const replies = await Promise.all(
      COUNTERS.map((column, n) => {
        const at = n % 5 === 0 ? elsewhere : things;
        const values = { [column]: number(n) };
        if (n % 4 === 0) return at.merge(id, values);
        if (n % 4 === 1) return at.updateMany([{ id, values, replace: false }]);
        const sent = { [CODE]: string(code), ...values };
        return n % 4 === 2 ? at.upsert(CODE, sent) : at.upsertMany(CODE, [{ values: sent }]);
      }),
    );
    for (const reply of replies) done(reply);
    const { values } = done(await things.get(id));
    assert.equal(Object.keys(values).length, COUNTERS.length + 1);
  });

  it('deletions between look and write end in a record or in none, and in no error', async () => {
    const prefix = `${fresh()} deleted `;
    const codes = Array.from({ length: 4 }, (_, n) => `${prefix}${n}`);
    const upserting = async (n: number) => {
      const at = n % 2 === 0 ? things : elsewhere;
      for (let round = 0; round < 15; round++) {
        const values = (k: number) => ({ [CODE]: string(codes[k % codes.length]!), [COUNTERS[n]!]: number(round) });
        const reply =
          n % 3 === 2
            ? await at.upsertMany(
                CODE,
                codes.map((_, k) => ({ values: values(k + n) })),
              )
            : await at.upsert(CODE, values(round));
        done(reply);
      }
    };
    let going = true;
    const deleting = async () => {
      let deletions = 0;
      while (going) {
        for (const { id } of await holding(prefix)) {
          if ((await things.remove(id)).status === 204) deletions += 1;
          await wait(5);
        }
      }
      return deletions;
    };
    const deletions = deleting();
    await Promise.all(Array.from({ length: 9 }, (_, n) => upserting(n))).finally(() => {
      going = false;
    });
    assert.ok((await deletions) > 5);
    const left = await holding(prefix);
    assert.equal(new Set(left.map(({ values }) => values[CODE].value)).size, left.length);
  });

  it('a key that moves to another record meanwhile is met where it is', async () => {
    const [code, away] = [fresh(), fresh()];
    const { id } = done(await things.upsert(CODE, { [CODE]: string(code) }));
    const client = new pg.Client(scene.server.database.connection);
    await client.connect();
    try {
      for (const many of [false, true]) {
        // The upsert finds the record and waits for its row, or, alone, for the change before it in the same server; when it
        // is let go, the record has another key.
        await client.query('begin');
        await client.query(`select 1 from ${tableOf(scene, 'Things')} where id = $1 for update`, [id]);
        const values = { [CODE]: string(code), [COUNTERS[0]!]: number(1) };
        const renaming = things.replace(id, { [CODE]: string(away) });
        await waiting(1);
        const upserting = many ? things.upsertMany(CODE, [{ values }]) : things.upsert(CODE, values);
        await (many ? waiting(2) : wait(100));
        await client.query('commit');
        done(await renaming);
        const met = [done(await upserting)].flat()[0];
        assert.notEqual(met.id, id);
        assert.deepEqual(met.values, values);
        assert.deepEqual(done(await things.get(id)).values, { [CODE]: string(away) });
        assert.equal((await things.remove(met.id)).status, 204);
        done(await things.replace(id, { [CODE]: string(code) }));
      }
    } finally {
      await client.end();
    }
  });

  /** Until so many statements wait for a lock. */
  async function waiting(count: number): Promise<void> {
    await until(`${count} statements that wait`, async () => (await countWaiting(scene.server.database)) >= count);
  }

  it('a key that others make and take away all the time is answered with 503 in the end, not with 500', async () => {
    const { database } = scene.server;
    // Whatever is inserted collides, as if another had come first and gone again.
    await database.sql(`create function public.collide() returns trigger language plpgsql as $$ begin
      raise exception 'duplicate key value violates unique constraint "tthings0_${CODE}_key"' using errcode = '23505';
      end $$`);
    const table = tableOf(scene, 'Things');
    const made = 'create trigger collide before insert on %s for each statement execute function public.collide()';
    await onTable(database, table, made);
    try {
      const values = { [CODE]: string(fresh()) };
      for (const reply of [
        await things.upsert(CODE, values),
        await things.upsertMany(CODE, [{ values }, { values: { [CODE]: string(fresh()) } }]),
        await things.upsertMany(CODE, [{ values }, { values }]),
      ]) {
        assert.deepEqual(refused(reply, 503, 'UNAVAILABLE'), { reason: 'busy' });
        assert.equal(reply.headers.get('retry-after'), '1');
      }
    } finally {
      await onTable(database, table, 'drop trigger collide on %s');
    }
  });
});
