// Publishing while readers and writers go on, by several publishers and on several nodes.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import type { Application } from '../../src/wire/applications.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { fetchChecked } from '../support/http-client.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { assertNoDebris, assertRecordsAgree, schemaOf, untilWaiting } from '../support/stored-records.ts';

const PUBLISHINGS = 16;
const RECORD_ID = /\br[a-z0-9]{26}\b/g;
const READ_MS_MAX = 10_000;
/** Further records are removed at once: otherwise a faster machine gives each publish more records to rewrite. */
const PRESENT_MAX = 500;

const onCitus = await isCitus();

describe('publishing while traffic goes on', () => {
  let server: TestServer;
  let second: TestServer;

  before(async () => {
    server = await startTestServer();
    second = await startTestServer({ database: server.database });
  });
  after(async () => {
    await second.close();
    await server.close();
  });

  const TITLE = { id: 'c0000001', name: 'Title', type: 'String' };
  const CODE = { id: 'c0000002', name: 'Code', type: 'String' };
  const EXTRA = { id: 'c0000003', name: 'Extra', type: 'String' };
  const THINGS = 't0000001';

  const documentOf = (app: Pick<TestApplication, 'id'>, columns: object[], more: object = {}) => ({
    id: app.id,
    name: 'Test',
    activityLogEnabled: true,
    collections: [{ id: THINGS, name: 'Things', columns }],
    ...more,
  });

  const begin = (columns: object[]) =>
    publishApplication(server, { collections: [{ id: THINGS, name: 'Things', columns }] });

  async function definitionOf(app: TestApplication): Promise<Application> {
    return (await app.send('GET', '')).body;
  }

  it('loses no acknowledged write and causes no error', async () => {
    const app = await begin([TITLE, CODE]);
    const present = new Set<string>();
    const gone = new Set<string>();
    const leaving = new Set<string>();
    const refusals = new Set<string>();
    let going = true;
    let count = 0;
    let reads = 0;
    let latest: string | undefined;

    const onNode = (node: TestServer, method: string, path: string, json?: object): Promise<Reply> =>
      node.send(method, `/v1/${app.id}${path}`, { token: app.admin.token, ...(json && { json }) });
    const heed = (reply: Reply): Reply => {
      assert.ok(reply.status < 500, reply.text);
      if (reply.status >= 400) refusals.add(reply.body.code);
      return reply;
    };
    const valuesOf = (n: number) => ({
      [TITLE.id]: string(`title ${n % 7}`),
      [CODE.id]: string(`code ${n}`),
      ...(n % 3 === 0 && { [EXTRA.id]: string(`extra ${n}`) }),
    });

    async function write(node: TestServer): Promise<void> {
      while (going) {
        count += 1;
        const n = count;
        const batch = n % 5 === 0;
        const one = { values: valuesOf(n) };
        const other = { values: { [CODE.id]: string(`code ${n}+`) } };
        const reply = heed(await onNode(node, 'POST', app.records('Things'), batch ? [one, other] : one));
        const made = reply.status === 200 ? [reply.body].flat() : (reply.body.params?.insertedRecords ?? []);
        for (const record of made) present.add(record.id);
        const id = made[0]?.id;
        if (id === undefined) continue;
        if (n % 4 === 0) {
          const replace = n % 8 === 0;
          const path = app.records('Things', id);
          heed(await onNode(node, 'PUT', path, { replace, values: { [TITLE.id]: string(`new ${n}`) } }));
        }
        if (n % 6 === 0 || present.size > PRESENT_MAX) {
          leaving.add(id);
          const removed = heed(await onNode(node, 'DELETE', app.records('Things', id)));
          assert.equal(removed.status, 204, removed.text);
          present.delete(id);
          gone.add(id);
        } else {
          latest = id;
        }
      }
    }

    async function read(node: TestServer): Promise<void> {
      while (going) {
        const id = latest;
        if (id !== undefined) {
          const reply = await onNode(node, 'GET', app.records('Things', id));
          assert.ok(reply.status === 200 || (reply.status === 404 && leaving.has(id)), reply.text);
          reads += 1;
        }
        heed(await onNode(node, 'GET', ''));
      }
    }

    const traffic = [write(server), write(server), write(second), write(second), read(server), read(second)];
    const versions: number[] = [];
    try {
      for (let round = 0; round < PUBLISHINGS; round++) {
        const columns = [
          { ...TITLE, searchable: round % 4 === 3, sortable: round % 3 === 0 },
          { ...CODE, unique: round % 2 === 0, searchable: round % 5 > 2 },
          ...(round % 3 === 1 ? [{ ...EXTRA, unique: round % 2 === 1 }] : []),
        ];
        const node = round % 5 === 0 ? second : server;
        const reply = await node.operator('POST', '/applications?allowDataLoss=true', documentOf(app, columns));
        assert.equal(reply.status, 200, reply.text);
        versions.push(reply.body.application.version);
      }
    } finally {
      going = false;
      await Promise.allSettled(traffic);
    }
    await Promise.all(traffic);
    assert.deepEqual(
      versions,
      Array.from({ length: PUBLISHINGS }, (_, i) => i + 2),
    );
    assert.deepEqual([...refusals], ['INVALID_VALUE'], 'the column that comes and goes was refused, and nothing else');
    assert.ok(present.size > PUBLISHINGS && gone.size > 0 && reads > PUBLISHINGS);
    const application = await definitionOf(app);
    const stored = await assertRecordsAgree(server.database, application, application.collections[0]!);
    assert.deepEqual(stored, [...present].sort());
    await assertNoDebris(server.database, application);
    const entries = await server.database.sql(`select entry from ${schemaOf(app.id)}.activity`);
    const logged = new Map<string, string[]>();
    for (const [entry] of entries as string[][]) {
      const { type, subType } = JSON.parse(entry!);
      if (type !== 'record') continue;
      for (const id of new Set(entry!.match(RECORD_ID))) logged.set(id, [...(logged.get(id) ?? []), subType]);
    }
    for (const id of [...present, ...gone]) {
      const own = logged.get(id) ?? [];
      assert.equal(own.filter((subType) => subType === 'create').length, 1);
      assert.equal(own.filter((subType) => subType === 'delete').length, gone.has(id) ? 1 : 0);
    }
  });

  it('lets readers read while records are rewritten', {
    skip: onCitus && 'the build of an index on the worker already waits for the transaction that holds the rewrite',
  }, async () => {
    const app = await publishApplication(server, {
      collections: [
        { id: THINGS, name: 'Things', columns: [TITLE, CODE] },
        { id: 't0000002', name: 'Others', columns: [EXTRA] },
      ],
    });
    const thing = await app.send('POST', app.records('Things'), { json: { values: { [TITLE.id]: string('a') } } });
    const other = await app.send('POST', app.records('Others'), { json: { values: { [EXTRA.id]: string('b') } } });
    const blocker = new pg.Client(server.database.connection);
    await blocker.connect();
    try {
      await blocker.query('begin');
      await blocker.query(`select id from ${schemaOf(app.id)}.t0000002 for update`);
      const publishing = server.operator('POST', '/applications?allowDataLoss=true', {
        ...documentOf(app, []),
        collections: [
          {
            id: THINGS,
            name: 'Things',
            columns: [
              { ...TITLE, unique: true },
              { name: 'New', type: 'Date', unique: true },
            ],
          },
          { id: 't0000002', name: 'Others', columns: [] },
        ],
      });
      await untilWaiting(server.database, 'relation');
      for (const [collection, { body }] of [
        ['Things', thing],
        ['Others', other],
      ] as const) {
        const path = `/v1/${app.id}${app.records(collection, body.id)}`;
        for (const node of [server, second]) {
          const response = await fetchChecked(node.address + path, {
            headers: { authorization: `Bearer ${app.admin.token}` },
            signal: AbortSignal.timeout(READ_MS_MAX),
          });
          assert.equal(response.status, 200);
          assert.deepEqual(await response.json(), body);
        }
      }
      await blocker.query('rollback');
      const done = await publishing;
      assert.equal(done.status, 200, done.text);
      await assertNoDebris(server.database, done.body.application);
    } finally {
      await blocker.end();
    }
  });

  it('runs concurrent publishes of one application one after the other', async () => {
    const app = await begin([TITLE]);
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        (i % 2 === 0 ? server : second).operator(
          'POST',
          '/applications',
          documentOf(app, [TITLE], { name: `Name ${i}` }),
        ),
      ),
    );
    for (const reply of replies) {
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body.changes.length, 1);
    }
    const versions = replies.map((reply) => reply.body.application.version).sort((a, b) => a - b);
    assert.deepEqual(versions, [2, 3, 4, 5, 6, 7, 8, 9]);
    const last = replies.find((reply) => reply.body.application.version === 9);
    assert.deepEqual((await server.operator('GET', `/applications/${app.id}`)).body.name, last?.body.application.name);
  });

  it('creates an application once when several clients publish it concurrently', async () => {
    const id = `p${'7'.repeat(26)}`;
    const document = { ...documentOf({ id }, [TITLE]), organization: 'At once' };
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, i) => (i % 2 === 0 ? server : second).operator('POST', '/applications', document)),
    );
    for (const reply of replies) {
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body.application.version, 1);
    }
    assert.equal(replies.filter((reply) => reply.body.changes.length > 0).length, 1);
  });

  it('is respected by a node that has not received the message', async () => {
    const app = await begin([TITLE, CODE]);
    const write = (values: object) =>
      second.send('POST', `/v1/${app.id}${app.records('Things')}`, { token: app.admin.token, json: { values } });
    for (let round = 0; round < 6; round++) {
      const unique = round % 2 === 0;
      const value = { [CODE.id]: string(`${round}`) };
      assert.equal((await write(value)).status, 200);
      // The other node loses its listening connection just before, so that its definition is certainly stale.
      await server.database.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name like 'cartulary listener %'`,
      );
      const document = documentOf(app, [TITLE, { ...CODE, unique }]);
      const published = await server.operator('POST', '/applications', document);
      assert.equal(published.status, 200, published.text);
      const reply = await write(value);
      if (unique) assert.equal(reply.body.code, 'DUPLICATED_VALUES', reply.text);
      else assert.equal(reply.status, 200, reply.text);
      if (!unique)
        assert.equal(
          (
            await second.send('DELETE', `/v1/${app.id}${app.records('Things', reply.body.id)}`, {
              token: app.admin.token,
            })
          ).status,
          204,
        );
      const application = await definitionOf(app);
      await assertRecordsAgree(server.database, application, application.collections[0]!);
    }
  });

  it('gives a new column to every node at once', async () => {
    const app = await begin([TITLE]);
    const columns: object[] = [TITLE];
    for (let round = 0; round < 5; round++) {
      const columnId = `c100000${round}`;
      columns.push({ id: columnId, name: `Added ${round}`, type: 'String', unique: round % 2 === 0 });
      const published = await server.operator('POST', '/applications', documentOf(app, columns));
      assert.equal(published.status, 200, published.text);
      // At once: a refusal by the definition that the other node still has is checked against the published one.
      const reply = await second.send('POST', `/v1/${app.id}${app.records('Things')}`, {
        token: app.admin.token,
        json: { values: { [columnId]: string(`${round}`) } },
      });
      assert.equal(reply.status, 200, reply.text);
    }
    const application = await definitionOf(app);
    const stored = await assertRecordsAgree(server.database, application, application.collections[0]!);
    assert.equal(stored.length, 5);
  });
});
