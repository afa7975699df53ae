// Single operations of many requests at once, which travel in joint statements: each gets its own truthful reply.

import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Person, publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { head, Wire, type WireReply } from '../support/http-client.ts';
import {
  assertConsistent,
  done,
  NO_RECORD,
  type Operations,
  operationsOn,
  recordActivities,
  refused,
  type Scene,
  storedRows,
  tableOf,
} from '../support/records.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { recordStatements, type StatementRecorder } from '../support/statement-recorder.ts';
import { type TroubledWire, troubleWire } from '../support/troubled-wire.ts';
import { until } from '../support/until.ts';

const DOCUMENT = {
  name: 'Joined',
  collections: [
    {
      ...{ id: 'tthings0', name: 'Things', readAccessType: 'creatorOnly', writeAccessType: 'creatorOnly' },
      columns: [
        { id: 'ccode000', name: 'Code', type: 'String', unique: true, searchable: true },
        { id: 'ctext000', name: 'Text', type: 'String' },
      ],
    },
  ],
};
const MANY = 40;
/** Fewer than an application may have under way at once. */
const MEMBERS = 30;
const onCitus = await isCitus();
const REQUEST_MS = 3_000;
const JOINT = /\bunnest\(|= any\(/;

const values = (code: string, text = 'text') => ({ ccode000: string(code), ctext000: string(text) });
const numbers = Array.from({ length: MANY }, (_, n) => n);
const members = numbers.slice(0, MEMBERS);
const codesOf = (rows: readonly (readonly unknown[])[]): string[] =>
  rows.map(([rec]) => JSON.parse(rec as string).values.ccode000.value).toSorted();
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status);

for (const engine of ['plain', 'citus'] as const) {
  describe(`single operations of many requests, with the statements for ${engine}`, () => {
    let recorder: StatementRecorder;
    let database: TestDatabase;
    let scene: Scene;
    let person: Person;
    let things: Operations;
    let own: Operations;

    before(async () => {
      database = await createDatabase();
      recorder = await recordStatements(database.connection);
      const server = await startTestServer({ database, connection: recorder.connection, engine });
      const app = await publishApplication(server, DOCUMENT);
      scene = { server, app };
      person = await app.addPerson('Person');
      things = operationsOn(app, 'Things');
      own = operationsOn(app, 'Things', person.token);
    });
    after(async () => {
      await scene.server.close();
      await recorder.close();
      await database.drop();
    });

    /** The replies, and how many statements on the collection were joint. */
    async function together(requests: readonly (() => Promise<Reply>)[]): Promise<{ replies: Reply[]; joint: number }> {
      recorder.take();
      const replies = await Promise.all(requests.map((request) => request()));
      const joint = recorder
        .take()
        .flat()
        .filter((text) => text.includes(tableOf(scene, 'Things')) && JOINT.test(text)).length;
      assert.ok(joint > 0, 'none of the requests travelled together');
      return { replies, joint };
    }

    const created = async (name: string, by = things): Promise<string[]> =>
      done(await by.createMany(numbers.map((n) => ({ values: values(`${name} ${n}`) })))).map(
        ({ id }: { id: string }) => id,
      );

    it('creates are refused one by one, and the others are stored once', async () => {
      done(await things.create(values('taken')));
      const before = (await storedRows(scene, 'Things')).length;
      const code = (n: number) => (n % 5 === 0 ? 'taken' : n % 5 === 1 ? 'wanted by eight' : `create ${n}`);
      const { replies } = await together(numbers.map((n) => () => things.create(values(code(n)))));
      for (const [n, reply] of replies.entries()) {
        if (n % 5 === 0) refused(reply, 400, 'DUPLICATED_VALUES');
        else if (n % 5 > 1) done(reply);
      }
      const wanted = replies.filter((_, n) => n % 5 === 1);
      assert.equal(wanted.filter(({ status }) => status === 200).length, 1);
      for (const reply of wanted.filter(({ status }) => status !== 200)) refused(reply, 400, 'DUPLICATED_VALUES');
      const rows = await storedRows(scene, 'Things');
      assert.equal(rows.length, before + 25);
      for (const row of rows) assertConsistent(row);
      const logged = (await recordActivities(scene)).map(({ extra }) => extra.recordId);
      assert.deepEqual(logged.toSorted(), rows.map(({ id }) => id).toSorted());
      const texts = new Map(rows.map(({ id, rec }) => [id, rec]));
      for (const { body, text } of replies.filter(({ status }) => status === 200)) {
        assert.equal(text, texts.get(body.id));
      }
    });

    it('updates meet their own conditions', async () => {
      const ids = await created('update');
      const foreign = await created('foreign');
      const hash = done(await things.get(ids[3] ?? '')).hash;
      const { replies } = await together(
        numbers.map((n) => () => {
          const id = ids[n] ?? '';
          if (n === 1) return things.replace(NO_RECORD, values('x'));
          if (n === 2) return things.replace(id, values('update 0'));
          if (n === 3) return things.replace(id, values('update 3', 'new'), { 'if-match': `"${hash}"` });
          if (n === 4) return things.replace(id, values('update 4', 'new'), { 'if-match': `"${'0'.repeat(26)}"` });
          if (n === 5) return own.replace(foreign[n] ?? '', values('foreign 5', 'new'));
          if (n === 6) return things.merge(id, { ctext000: string('new') });
          return things.replace(id, values(`update ${n}`, 'new'));
        }),
      );
      refused(replies[1]!, 404, 'RECORD_NOT_FOUND');
      refused(replies[2]!, 400, 'DUPLICATED_VALUES');
      refused(replies[4]!, 412, 'PRECONDITION_FAILED');
      refused(replies[5]!, 404, 'RECORD_NOT_FOUND');
      const rows = new Map((await storedRows(scene, 'Things')).map((row) => [row.id, row]));
      for (const [n, reply] of replies.entries()) {
        const row = rows.get(ids[n] ?? '');
        assert.ok(row);
        assertConsistent(row);
        if ([1, 2, 4, 5].includes(n)) assert.equal(JSON.parse(row.rec).values.ctext000.value, 'text');
        else assert.equal(reply.text, row.rec);
      }
      const updates = (await recordActivities(scene)).filter(
        ({ subType, extra }) => subType === 'update' && ids.includes(extra.recordId),
      );
      assert.equal(updates.length, MANY - 4);
    });

    it('updates of one record all count, one after the other', async () => {
      const [id = ''] = await created('one');
      const { replies } = await together(
        numbers
          .map((n) => () => things.replace(n % 4 ? id : NO_RECORD, values('one 0', `${n}`)))
          .concat(numbers.map(() => () => things.get(id))),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, MANY * 1.75);
      const times = replies
        .slice(0, MANY)
        .filter(({ status }) => status === 200)
        .map(({ body }) => body.updatedAt);
      assert.equal(done(await things.get(id)).updatedAt, times.toSorted().at(-1));
    });

    it('upserts of new and stored keys', async () => {
      await created('upsert');
      const { replies } = await together(
        numbers.map((n) => () => things.upsert('ccode000', values(`upsert ${n * 2}`, 'upserted'))),
      );
      assert.deepEqual(new Set(statuses(replies)), new Set([200]));
      const texts = (await storedRows(scene, 'Things')).map(({ rec }) => JSON.parse(rec).values);
      const upserted = texts
        .filter(({ ctext000 }) => ctext000.value === 'upserted')
        .map(({ ccode000 }) => ccode000.value);
      assert.deepEqual(upserted.toSorted(), numbers.map((n) => `upsert ${n * 2}`).toSorted());
    });

    it('gets find what their callers may read', async () => {
      const ids = await created('get');
      const mine = await created('mine', own);
      const long = done(await things.create(values('long', 'x'.repeat(20_000))));
      const longer = done(await things.create(values('longer', 'x'.repeat(80_000))));
      const { replies } = await together([
        ...ids.map((id) => () => things.get(id)),
        ...ids.map((id) => () => own.get(id)),
        ...mine.map((id) => () => own.get(id)),
        () => things.get(NO_RECORD),
        () => things.get(long.id),
        () => things.get(longer.id),
      ]);
      for (const [n, id] of ids.entries()) {
        assert.equal(done(replies[n]!).id, id);
        refused(replies[MANY + n]!, 404, 'RECORD_NOT_FOUND');
        assert.equal(done(replies[2 * MANY + n]!).id, mine[n]);
      }
      refused(replies[3 * MANY]!, 404, 'RECORD_NOT_FOUND');
      assert.deepEqual(done(replies[3 * MANY + 1]!), long);
      assert.deepEqual(done(replies[3 * MANY + 2]!), longer);
    });

    it('deletes happen once', async () => {
      const ids = await created('delete');
      const { replies } = await together([
        ...ids.map((id) => () => things.remove(id)),
        ...ids.map((id) => () => things.remove(id)),
        () => own.remove(ids[0] ?? ''),
        () => things.remove(NO_RECORD),
      ]);
      for (const n of numbers) assert.deepEqual(statuses([replies[n]!, replies[MANY + n]!]).toSorted(), [204, 404]);
      for (const reply of replies.slice(2 * MANY)) refused(reply, 404, 'RECORD_NOT_FOUND');
      const gone = new Set(ids);
      assert.deepEqual(
        (await storedRows(scene, 'Things')).filter(({ id }) => gone.has(id)),
        [],
      );
      const deletes = (await recordActivities(scene)).filter(
        ({ subType, extra }) => subType === 'delete' && gone.has(extra.recordId),
      );
      assert.equal(deletes.length, MANY);
    });

    it('a read begun after an acknowledged write sees it', async () => {
      const ids = await created('fresh');
      await Promise.all(
        ids.map(async (id, n) => {
          for (let turn = 0; turn < 5; turn++) {
            const text = `${n} ${turn}`;
            done(await things.replace(id, values(`fresh ${n}`, text)));
            assert.equal(done(await things.get(id)).values.ctext000.value, text);
          }
        }),
      );
    });
  });
}

describe('joint statements in trouble', () => {
  let database: TestDatabase;

  before(async () => {
    database = await createDatabase();
  });
  after(() => database.drop());

  /** Stored records, and another session in a transaction of its own, which has run `locking`. */
  async function whileLocked(
    requestMs: number,
    locking: (table: string, ids: readonly string[]) => string,
    work: (scene: { things: Operations; ids: string[]; table: string; client: pg.Client }) => Promise<void>,
  ): Promise<void> {
    const server = await startTestServer({ database, requestMs });
    const client = new pg.Client(database.connection);
    try {
      const app = await publishApplication(server, DOCUMENT);
      const things = operationsOn(app, 'Things');
      const ids: string[] = done(await things.createMany(numbers.map((n) => ({ values: values(`${n}`) })))).map(
        ({ id }: { id: string }) => id,
      );
      const table = `app_${app.id}.tthings0`;
      await client.connect();
      await client.query(`begin; ${locking(table, ids)}`);
      await work({ things, ids, table, client });
    } finally {
      await client.end();
      await server.close();
    }
  }

  it('a record that another session has locked delays its own update alone', async () => {
    const locking = (table: string, ids: readonly string[]) =>
      `select id from ${table} where id = '${ids[7]}' for update`;
    await whileLocked(3_000, locking, async ({ things, ids }) => {
      const replies = await Promise.all(ids.map((id, n) => things.replace(id, values(`${n}`, 'new'))));
      for (const [n, reply] of replies.entries()) {
        if (n === 7) refused(reply, 503, 'UNAVAILABLE');
        else done(reply);
      }
    });
  });

  it('a write that none of its requests waits for any more is cancelled', {
    skip: onCitus && 'the locks of its table are on the worker',
  }, async () => {
    // A lock of the table is waited for before the statement can bound that wait.
    const locking = (table: string) => `lock table ${table} in share mode`;
    await whileLocked(1_500, locking, async ({ things, ids, table, client }) => {
      const replies = await Promise.all([
        ...ids.slice(0, 10).map((id, n) => things.replace(id, values(`${n}`, 'late'))),
        ...ids.slice(10, 20).map((id) => things.remove(id)),
        ...ids.slice(0, 10).map((_, n) => things.create(values(`late ${n}`))),
      ]);
      for (const reply of replies) assert.equal(refused(reply, 503, 'UNAVAILABLE').reason, 'deadline');
      const waiting = `select 1 from pg_locks where relation = '${table}'::regclass and not granted`;
      await until('nothing to wait for the lock', async () => (await client.query(waiting)).rowCount === 0);
      await client.query('commit');
      const rows = await database.sql(`select rec from ${table}`);
      assert.deepEqual(codesOf(rows), numbers.map(String).toSorted());
      assert.ok(rows.every(([rec]) => !String(rec).includes('late')));
    });
  });

  describe('whose members are requests that arrive in one turn of the event loop', () => {
    let wire: TroubledWire;
    let server: TestServer;
    let app: TestApplication;
    let things: Operations;
    let table = '';
    let clients: Wire[] = [];

    beforeEach(async () => {
      wire = await troubleWire(database.connection);
      server = await startTestServer({ database, connection: wire.connection, requestMs: REQUEST_MS });
      app = await publishApplication(server, DOCUMENT);
      things = operationsOn(app, 'Things');
      table = `app_${app.id}.tthings0`;
      clients = await Promise.all(members.map(() => Wire.open(server.address)));
      // Bytes of a connection that has sent a request are read as soon as they are there.
      for (const client of clients) client.write(head('GET', '/healthz'));
      await Promise.all(clients.map((client) => client.answer()));
    });
    afterEach(async () => {
      for (const client of clients) client.close();
      await server.close();
      await wire.close();
    });

    const request = (method: string, path: string, json?: object): string => {
      const body = json === undefined ? '' : JSON.stringify(json);
      const type = { 'content-type': 'application/json', 'content-length': String(body.length) };
      const headers = { authorization: `Bearer ${app.admin.token}`, ...(json === undefined ? {} : type) };
      return head(method, `/v1/${app.id}${path}`, headers) + body;
    };
    /** The n-th client sends the n-th request; the server is in this process, and finds all of them at once. */
    const sendAll = (made: (n: number) => string) => {
      for (const [n, client] of clients.entries()) client.write(made(n));
    };
    const create = (n: number) => request('POST', app.records('Things'), { values: values(`${n}`) });
    const answers = (some: readonly Wire[]) => Promise.all(some.map((client) => client.answer()));
    const stored = () => database.sql(`select rec from ${table}`);
    const entries = async (kind: string): Promise<number> => {
      const [[count] = []] = await database.sql(
        `select count(*)::int from app_${app.id}.activity where entry like '%"subType":"${kind}"%recordId%'`,
      );
      return count as number;
    };
    const unknown = ({ status, body }: WireReply) => {
      assert.deepEqual([status, body], [503, { code: 'UNAVAILABLE', params: { reason: 'database' } }]);
    };
    const created = async (): Promise<string[]> =>
      done(await things.createMany(members.map((n) => ({ values: values(`${n}`) })))).map(
        ({ id }: { id: string }) => id,
      );

    it('clients that leave take nothing from the others, and what they wrote is stored', async () => {
      const held = wire.hold('on conflict do nothing');
      sendAll(create);
      await held.met;
      assert.deepEqual(codesOf(await stored()), members.map(String).toSorted(), 'all travelled together');
      const [leaving, staying] = [clients.slice(0, 10), clients.slice(10)];
      for (const client of leaving) client.close();
      held.release();
      const replies = await answers(staying);
      for (const [n, { status, body }] of replies.entries()) {
        assert.equal(status, 200);
        assert.equal(body.values.ccode000.value, `${n + 10}`);
      }
      assert.equal((await stored()).length, MEMBERS);
      assert.equal(await entries('create'), MEMBERS);
    });

    it('readers that leave take nothing from the others', async () => {
      const ids = await created();
      const held = wire.hold('where id = any($1');
      sendAll((n) => request('GET', app.records('Things', ids[n])));
      await held.met;
      // They are found to have left ten times a second.
      const [leaving, staying] = [clients.slice(0, 20), clients.slice(20)];
      for (const client of leaving) client.close();
      await pause(300);
      held.release();
      for (const [n, { body }] of (await answers(staying)).entries()) assert.equal(body.id, ids[n + 20]);
    });

    it('one whose deadline passes gets that reply alone, and what it wrote is stored', async () => {
      const [first, second, old, ...young] = clients as [Wire, Wire, Wire, ...Wire[]];
      // While two writes are under way, those that come meet and go together, whatever turn they arrive in.
      const others = [];
      for (const [n, client] of [first, second].entries()) {
        const alone = wire.hold(onCitus ? 'activity (id, entry) values' : 'logged as (insert into');
        client.write(create(MEMBERS + n));
        await alone.met;
        others.push(alone);
      }
      const lookedUp = wire.hold('where u_ccode000 = $1');
      old.write(request('PATCH', `${app.records('Things')}/upsert/ccode000`, { values: values('old') }));
      await lookedUp.met;
      await pause(REQUEST_MS / 2);
      const held = wire.hold('on conflict do nothing');
      lookedUp.release();
      await Promise.resolve();
      for (const [n, client] of young.entries()) client.write(create(n));
      await held.met;
      for (const other of others) other.release();
      // On a cluster the commit comes after the statement.
      await until('it has travelled with the others', async () => codesOf(await stored()).includes('old'));
      const { status, body } = await old.answer();
      assert.deepEqual([status, body], [503, { code: 'UNAVAILABLE', params: { reason: 'deadline' } }]);
      held.release();
      for (const [n, { status, body }] of (await answers(young)).entries()) {
        assert.equal(status, 200);
        assert.equal(body.values.ccode000.value, `${n}`);
      }
      assert.equal((await stored()).length, MEMBERS);
      assert.equal(await entries('create'), MEMBERS);
    });

    it('all learn that the outcome is unknown when the database goes away, and nothing is written twice', async () => {
      const ids = await created();
      const writes: [string, string, (n: number) => string][] = [
        [
          'update',
          'returning t.id, t.rec',
          (n) => request('PUT', app.records('Things', ids[n]), { values: values(`${n}`, 'new') }),
        ],
        ['delete', 'returning t.id', (n) => request('DELETE', app.records('Things', ids[n]))],
      ];
      for (const [kind, text, made] of writes) {
        const lost = wire.lose(text);
        sendAll(made);
        await lost.met;
        for (const reply of await answers(clients)) unknown(reply);
        // On a cluster the entries follow in a second round trip, so that neither they nor the change were committed.
        assert.equal(await entries(kind), onCitus ? 0 : MEMBERS);
        const texts = (await stored()).map(([rec]) => JSON.parse(rec as string).values.ctext000?.value);
        if (onCitus) assert.ok(texts.length === MEMBERS && !texts.includes('new'), 'nothing was written');
        else assert.deepEqual(texts, kind === 'update' ? Array(MEMBERS).fill('new') : []);
      }
    });

    it('a read that travels alone is repeated when its connection is lost', async () => {
      const [id] = await created();
      const lost = wire.lose('where id = $1 and');
      const reply = await things.get(id!);
      await lost.met;
      assert.equal(done(reply).id, id);
    });

    it('reads are repeated when the database goes away', async () => {
      const ids = await created();
      const lost = wire.lose('where id = any($1');
      sendAll((n) => request('GET', app.records('Things', ids[n])));
      await lost.met;
      for (const [n, { status, body }] of (await answers(clients)).entries()) {
        assert.deepEqual([status, body.id], [200, ids[n]], JSON.stringify(body));
      }
    });
  });

  it('a lost connection tells every member that the outcome is unknown, and nothing is written twice', async () => {
    const wire = await troubleWire(database.connection);
    const server = await startTestServer({ database, connection: wire.connection });
    const app = await publishApplication(server, DOCUMENT);
    const things = operationsOn(app, 'Things');
    const lost = wire.lose('on conflict do nothing');
    const replies = await Promise.all(numbers.map((n) => things.create(values(`${n}`))));
    await lost.met;
    const unknown = replies.filter(({ status }) => status === 503);
    assert.ok(unknown.length > 1, 'one joint statement was lost');
    for (const reply of unknown) refused(reply, 503, 'UNAVAILABLE');
    for (const reply of replies.filter(({ status }) => status !== 503)) done(reply);
    const rows = await database.sql(`select rec from app_${app.id}.tthings0`);
    const codes = rows.map(([rec]) => JSON.parse(rec as string).values.ccode000.value);
    assert.equal(new Set(codes).size, codes.length);
    assert.equal(rows.length, MANY, 'what was lost had been committed');
    const [[entries] = []] = await database.sql(
      `select count(*)::int from app_${app.id}.activity where entry like '%record%'`,
    );
    assert.equal(entries, MANY);
    await server.close();
    await wire.close();
  });
});
