// Many at once on the same records: nothing is lost, nothing ends in a 500, and what is stored agrees with itself. Also
// with a publishing that comes between a write's first look at a record and its writing.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { number, string } from '../support/application.ts';
import { countWaiting, everywhere, onTable } from '../support/nodes.ts';
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
import { type Reply, startTestServer } from '../support/server.ts';

const CODE = 'ccode000';
const COUNTERS = Array.from({ length: 20 }, (_, n) => `ccount${String(n).padStart(2, '0')}`);
const DOCUMENT = {
  name: 'Concurrency',
  activityLogEnabled: true,
  collections: [
    {
      id: 'tthings0',
      name: 'Things',
      columns: [
        { id: CODE, name: 'Code', type: 'String', unique: true, searchable: true },
        ...COUNTERS.map((id) => ({ id, name: id, type: 'Number' })),
      ],
    },
  ],
};
const FIRST = COUNTERS[0]!;

describe('many at once', () => {
  let scene: Scene;
  let things: Operations;

  before(async () => {
    scene = await openScene(DOCUMENT);
    things = operationsOn(scene.app, 'Things');
  });
  after(() => closeScene(scene));

  const someRecords = async (count: number): Promise<string[]> =>
    done(await things.createMany(Array.from({ length: count }, () => ({ values: {} })))).map(
      (record: { id: string }) => record.id,
    );

  it('update-many of the same 50 records in opposite orders all succeed', async () => {
    const ids = await someRecords(50);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const order = n % 2 === 0 ? ids : [...ids].reverse();
        const values = { [COUNTERS[n]!]: number(n), [FIRST]: number(n) };
        return things.updateMany(order.map((id) => ({ id, values, replace: n % 4 >= 2 })));
      }),
    );
    for (const reply of replies) assert.equal(done(reply).length, 50);
    const rows = (await storedRows(scene, 'Things')).filter(({ id }) => ids.includes(id));
    assert.equal(rows.length, 50);
    for (const row of rows) assertConsistent(row);
    const [values] = rows.map(({ rec }) => JSON.parse(rec).values);
    for (const { rec } of rows) assert.deepEqual(JSON.parse(rec).values, values, 'each request came before or behind');
  });

  it('update-many that move unique values among the same records never fail otherwise', async () => {
    const ids = await someRecords(12);
    const codes = ids.map((_, n) => `moving ${n}`);
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, n) => {
        const order = n % 2 === 0 ? ids : [...ids].reverse();
        return things.updateMany(
          order.map((id, k) => ({ id, values: { [CODE]: string(codes[(k + n) % codes.length]!) } })),
        );
      }),
    );
    for (const reply of replies) if (reply.status !== 200) refused(reply, 400, 'DUPLICATED_VALUES');
    assert.ok(replies.some((reply) => reply.status === 200));
    const held = (await storedRows(scene, 'Things'))
      .filter(({ id }) => ids.includes(id))
      .flatMap(({ rec }) => JSON.parse(rec).values[CODE]?.value ?? []);
    assert.equal(new Set(held).size, held.length);
  });

  it('merges of different columns of one record lose nothing', async () => {
    for (const readBefore of [false, true]) {
      const [id] = await someRecords(1);
      if (readBefore) done(await things.get(id!));
      const replies = await Promise.all(
        COUNTERS.map((column, n) =>
          n % 4 === 3
            ? things.updateMany([{ id, values: { [column]: number(n) }, replace: false }])
            : things.merge(id!, { [column]: number(n) }),
        ),
      );
      for (const reply of replies) done(reply);
      const { values } = done(await things.get(id!));
      assert.deepEqual(values, Object.fromEntries(COUNTERS.map((column, n) => [column, number(n)])));
    }
  });

  it('a merge builds on what the record is, not on what this server last saw of it', async () => {
    const other = await startTestServer({ database: scene.server.database });
    try {
      const [first, second, third] = COUNTERS;
      const { id, hash } = done(await things.create({ [first!]: number(1) }));
      const path = `/v1/${scene.app.id}${scene.app.records('Things', id)}`;
      const json = { values: { [second!]: number(2) }, replace: false };
      done(await other.send('PUT', path, { token: scene.app.admin.token, json }));
      const expected = { [first!]: number(1), [second!]: number(2), [third!]: number(3) };
      refused(await things.merge(id, { [third!]: number(9) }, { 'if-match': `"${hash}"` }), 412, 'PRECONDITION_FAILED');
      assert.deepEqual(done(await things.merge(id, { [third!]: number(3) })).values, expected);
      done(await things.updateMany([{ id, values: { [first!]: number(-1) }, replace: false }]));
      const merged = done(await things.merge(id, { [second!]: null }));
      assert.deepEqual(merged.values, { [first!]: number(-1), [third!]: number(3) });
      assert.equal((await other.send('DELETE', path, { token: scene.app.admin.token })).status, 204);
      refused(await things.merge(id, {}), 404, 'RECORD_NOT_FOUND');
    } finally {
      await other.close();
    }
  });

  it('a mix of creates, updates, merges, batches and deletions leaves rows that agree with themselves', async () => {
    const ids = await someRecords(10);
    const jobs = Array.from({ length: 200 }, (_, n) => async (): Promise<Reply> => {
      const id = ids[(n * 7) % ids.length]!;
      const another = ids[(n * 3 + 1) % ids.length]!;
      const values = { [CODE]: string(`mix ${n % 9}`), [FIRST]: number(n) };
      switch (n % 8) {
        case 0:
          return things.create(values);
        case 1:
          return things.createMany([{ values: {} }, { values }]);
        case 2:
        case 3:
          return things.replace(id, { [FIRST]: number(n) });
        case 4:
          return things.merge(id, values);
        case 5:
          return n % 40 === 5 ? things.remove(id) : things.merge(id, { [CODE]: null });
        default:
          return things.updateMany([
            { id, values },
            { id: another, values: { [FIRST]: number(n) }, replace: false },
          ]);
      }
    });
    const before = (await recordActivities(scene)).length;
    const replies = await Promise.all(jobs.map((job) => job()));
    const allowed = new Set(['DUPLICATED_VALUES', 'RECORD_NOT_FOUND']);
    let changes = 0;
    for (const { status, body, text } of replies) {
      assert.ok([200, 204].includes(status) || allowed.has(body.code), text);
      if (status === 204) changes += 1;
      else if (status === 200) changes += [body].flat().length;
      else changes += (body.params.insertedRecords ?? body.params.updatedRecords ?? []).length;
    }
    assert.ok(replies.some(({ status }) => status === 204));
    for (const row of await storedRows(scene, 'Things')) assertConsistent(row);
    assert.equal((await recordActivities(scene)).length - before, changes, 'one entry for each change that was told');
  });

  it('one update after the other of a record is seen by the next, on every road at once', async () => {
    const [id] = await someRecords(1);
    const times: string[] = [];
    for (let n = 0; n < 10; n++) {
      const replies = await Promise.all([
        things.replace(id!, { [FIRST]: number(n) }),
        things.merge(id!, { [FIRST]: number(n + 0.5) }),
        things.updateMany([{ id, values: { [FIRST]: number(n + 0.25) } }]),
      ]);
      const latest = replies.map((reply) => [done(reply)].flat()[0].updatedAt).sort();
      times.push(latest[0], latest[2]);
      const read = done(await things.get(id!));
      assert.equal(read.updatedAt, latest[2]);
      assert.ok(replies.some((reply) => [reply.body].flat()[0].hash === read.hash));
    }
    assert.deepEqual(times, [...times].sort());
  });

  let codes = 0;
  const upserted = () => ({ [CODE]: string(`upserted ${++codes}`), [FIRST]: number(1) });
  const codeOf = new Map<string, object>();
  const known = (id: string) => ({ [CODE]: codeOf.get(id), [FIRST]: number(2) });
  const twoWithCodes = async (): Promise<string[]> => {
    const records = done(await things.createMany([{ values: upserted() }, { values: upserted() }]));
    for (const { id, values } of records) codeOf.set(id, values[CODE]);
    return records.map(({ id }: { id: string }) => id);
  };

  /** Every way to write, with the activities that it leaves. */
  const roads: [string, (id: string, other: string) => Promise<Reply>, string[]][] = [
    ['create', () => things.create({ [FIRST]: number(1) }), ['create']],
    ['create many', () => things.createMany([{ values: {} }, { values: {} }]), ['create', 'create']],
    ['replace', (id) => things.replace(id, { [FIRST]: number(1) }), ['update']],
    ['merge', (id) => things.merge(id, { [FIRST]: number(1) }), ['update']],
    [
      'merge of what was just read',
      async (id) => {
        done(await things.get(id));
        return things.merge(id, { [FIRST]: number(1) });
      },
      ['update'],
    ],
    ['update many, one', (id) => things.updateMany([{ id, values: { [FIRST]: number(1) } }]), ['update']],
    [
      'update many',
      (id, other) => things.updateMany([id, other].map((one) => ({ id: one, values: { [FIRST]: number(1) } }))),
      ['update', 'update'],
    ],
    [
      'update many, one record twice',
      (id) => things.updateMany([1, 2].map((n) => ({ id, values: { [FIRST]: number(n) } }))),
      ['update', 'update'],
    ],
    ['upsert of a new key', () => things.upsert(CODE, upserted()), ['create']],
    ['upsert of a known key', (id) => things.upsert(CODE, known(id)), ['update']],
    ['upsert many, one', () => things.upsertMany(CODE, [{ values: upserted() }]), ['create']],
    [
      'upsert many, known and new',
      (id) => things.upsertMany(CODE, [{ values: upserted() }, { values: known(id) }]),
      ['create', 'update'],
    ],
    [
      'upsert many, one key twice',
      () => {
        const values = upserted();
        return things.upsertMany(CODE, [{ values }, { values }]);
      },
      ['create', 'update'],
    ],
    ['delete', (id) => things.remove(id), ['delete']],
  ];

  /** What was answered is what is stored, and is logged once for each record. */
  async function assertDone(reply: Reply, id: string, subTypes: string[], before: number) {
    assert.ok(reply.status === 200 || reply.status === 204, reply.text);
    if (reply.status === 204) refused(await things.get(id), 404, 'RECORD_NOT_FOUND');
    const answered = reply.status === 204 ? [] : [reply.body].flat();
    const last = new Map(answered.map((record) => [record.id, record]));
    for (const [recordId, record] of last) assert.deepEqual(done(await things.get(recordId)), record);
    const entries = (await recordActivities(scene)).slice(before);
    assert.deepEqual(
      entries.map(({ subType }: { subType: string }) => subType),
      subTypes,
    );
    return entries;
  }

  describe('with a publishing in between', () => {
    let publishings = 0;

    /** Runs `work`, publishes the application anew while its write waits for the table, then lets it go on. */
    async function acrossPublishing(work: () => Promise<Reply>): Promise<Reply> {
      const table = tableOf(scene, 'Things');
      const client = new pg.Client(scene.server.database.connection);
      await client.connect();
      try {
        await client.query('begin');
        // Lets records be locked for an update, and keeps the update itself waiting.
        await client.query(`lock table ${table} in share mode`);
        const working = work();
        for (let waiting = 0; waiting === 0; await wait(5)) {
          waiting = await countWaiting(scene.server.database);
        }
        publishings += 1;
        const document = { ...DOCUMENT, id: scene.app.id, name: `Concurrency ${publishings}` };
        done(await scene.server.operator('POST', '/applications', document));
        await client.query('commit');
        return await working;
      } finally {
        await client.end();
      }
    }

    for (const [road, work, subTypes] of roads) {
      it(`${road}: what is acknowledged is done, and logged once`, async () => {
        const [id, other] = await twoWithCodes();
        const before = (await recordActivities(scene)).length;
        const reply = await acrossPublishing(() => work(id!, other!));
        const entries = await assertDone(reply, id!, subTypes, before);
        for (const { application } of entries) assert.equal(application.name, `Concurrency ${publishings}`);
      });
    }
  });

  describe('when the database gives up a statement for another', () => {
    /** The next `times` writes fail as the victim of a deadlock does. A sequence counts on when the write is undone. */
    async function failing(times: number): Promise<void> {
      const { database } = scene.server;
      await everywhere(database, 'create sequence if not exists public.writes');
      await everywhere(database, "select setval('public.writes', 1, false)");
      await everywhere(
        database,
        `create or replace function public.victim() returns trigger language plpgsql as $$ begin
        if nextval('public.writes') <= ${times} then raise exception 'victim' using errcode = '40P01'; end if;
        return null; end $$`,
      );
      const trigger = `create or replace trigger victim before insert or update or delete on %s
        for each statement execute function public.victim()`;
      await onTable(database, tableOf(scene, 'Things'), trigger);
    }
    after(() => failing(0));

    for (const [road, work, subTypes] of roads) {
      it(`${road}: it is tried again, and after a while answered with 503`, async () => {
        await failing(0);
        const [id, other] = await twoWithCodes();
        const before = (await recordActivities(scene)).length;
        await failing(1000);
        const params = refused(await work(id!, other!), 503, 'UNAVAILABLE');
        assert.equal(params.reason, 'busy');
        assert.equal((await recordActivities(scene)).length, before);
        await failing(3);
        await assertDone(await work(id!, other!), id!, subTypes, before);
      });
    }
  });
});
