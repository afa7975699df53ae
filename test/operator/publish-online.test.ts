// The slow steps of publishing run while requests go on. Each test blocks the preparation at one of its steps, with
// a lock or snapshot that only the preparation waits for, and checks the server meanwhile.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import type { Application } from '../../src/wire/applications.ts';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import { isCitus } from '../support/citus.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { assertNoDebris, assertRecordsAgree, schemaOf } from '../support/stored-records.ts';
import { until } from '../support/until.ts';

const THINGS = 't0000001';
const TITLE = { id: 'c0000001', name: 'Title', type: 'String' };
const CODE = { id: 'c0000002', name: 'Code', type: 'String' };
const COUNT = { id: 'c0000003', name: 'Count', type: 'Number' };
const COLUMNS = [TITLE, CODE, COUNT];
const MORE = [
  { ...TITLE, searchable: true, sortable: true },
  { ...CODE, unique: true },
  { ...COUNT, sortable: true },
];
const RECORDS = 1_200;
const onCitus = await isCitus();
/** Where the preparation is held by a trigger, or by a snapshot that an index on the same PostgreSQL waits for. */
const NOT_HELD = { skip: onCitus && 'a cluster has no triggers, and builds indexes on the worker' };

describe('publishing with many records', () => {
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

  const documentOf = (app: Pick<TestApplication, 'id'>, columns: object[], collection: object = {}) => ({
    id: app.id,
    name: 'Test',
    activityLogEnabled: true,
    collections: [{ id: THINGS, name: 'Things', columns, ...collection }],
  });
  const publish = (app: TestApplication, columns: object[], collection: object = {}, node = server): Promise<Reply> =>
    node.operator('POST', '/applications', documentOf(app, columns, collection));
  const valuesOf = (n: number) => ({
    [TITLE.id]: string(`title ${n % 7}`),
    [CODE.id]: string(`code ${n}`),
    [COUNT.id]: number(n),
  });

  async function begin(records = RECORDS): Promise<TestApplication> {
    const app = await publishApplication(server, { collections: [{ id: THINGS, name: 'Things', columns: COLUMNS }] });
    for (let n = 0; n < records; n += 100) {
      const json = Array.from({ length: Math.min(100, records - n) }, (_, i) => ({ values: valuesOf(n + i) }));
      assert.equal((await app.send('POST', app.records('Things'), { json })).status, 200);
    }
    return app;
  }

  const definitionOf = async (app: TestApplication): Promise<Application> => (await app.send('GET', '')).body;

  async function assertSound(app: TestApplication): Promise<string[]> {
    const application = await definitionOf(app);
    await assertNoDebris(server.database, application);
    return assertRecordsAgree(server.database, application, application.collections[0]!);
  }

  /** Runs `work` while a transaction of the test is open, in which `statement` was run. */
  async function whileOpen(statement: string, work: (release: () => Promise<void>) => Promise<void>): Promise<void> {
    const client = new pg.Client(server.database.connection);
    await client.connect();
    try {
      await client.query('begin isolation level repeatable read');
      await client.query(statement);
      await work(async () => {
        await client.query('rollback');
      });
    } finally {
      await client.end();
    }
  }

  /** No concurrent index build finishes before this snapshot ends. */
  const holdingIndexes = (work: (release: () => Promise<void>) => Promise<void>) => whileOpen('select 1', work);

  /** Makes the statements that fill columns wait in a trigger, before their first write. */
  async function holdingFilling(
    app: TestApplication,
    work: (release: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const [schema, table] = [schemaOf(app.id), `${schemaOf(app.id)}.${THINGS}`];
    await server.database.sql(`create function ${schema}.hold() returns trigger language plpgsql as $$ begin
      if current_setting('application_name') = 'cartulary publisher' then perform pg_advisory_xact_lock_shared(1); end if;
      return null; end $$`);
    await server.database.sql(
      `create trigger hold before update on ${table} for each statement execute function ${schema}.hold()`,
    );
    const client = new pg.Client(server.database.connection);
    await client.connect();
    try {
      await client.query('select pg_advisory_lock(1)');
      await work(async () => {
        await client.query('select pg_advisory_unlock(1)');
      });
    } finally {
      await client.end();
      await server.database.sql(`drop trigger hold on ${table}`);
      await server.database.sql(`drop function ${schema}.hold()`);
    }
  }

  const progressOf = async (app: TestApplication, node = server) =>
    (await node.operator('GET', `/applications/${app.id}/publishing`)).body.publishing;
  const untilStep = (app: TestApplication, step: string) =>
    until(`the step ${step}`, async () => (await progressOf(app, second))?.step === step);
  /** From then on writers maintain the index, and it refuses duplicates. */
  const untilEnforced = (app: TestApplication) =>
    until('a unique index', async () => {
      const rows = await server.database.sql(
        `select 1 from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
         where n.nspname = $1 and c.relname = $2 and i.indisready`,
        [schemaOf(app.id), `${THINGS}_${CODE.id}_key`],
      );
      return rows.length > 0;
    });

  /** Every kind of request for records, on one node. */
  async function useRecords(app: TestApplication, node: TestServer, mark: string): Promise<void> {
    const ask = async (method: string, recordId?: string, json?: object): Promise<Reply> => {
      const path = `/v1/${app.id}${app.records('Things', recordId)}`;
      const reply = await node.send(method, path, { token: app.admin.token, ...(json && { json }) });
      assert.ok(reply.status < 300, reply.text);
      return reply;
    };
    const one = await ask('POST', undefined, { values: { [CODE.id]: string(`${mark} one`), [COUNT.id]: number(1) } });
    const batch = ['two', 'three', 'gone'].map((name) => ({ values: { [CODE.id]: string(`${mark} ${name}`) } }));
    const [two, three, gone] = (await ask('POST', undefined, batch)).body;
    await ask('PUT', one.body.id, { values: { [TITLE.id]: string(`${mark} new`), [CODE.id]: string(`${mark} 1`) } });
    await ask('PUT', two.id, { replace: false, values: { [COUNT.id]: number(2) } });
    await ask('PUT', undefined, [
      { id: two.id, replace: false, values: { [TITLE.id]: string(mark) } },
      { id: three.id, values: { [TITLE.id]: string('three'), [CODE.id]: string(`${mark} 3`) } },
    ]);
    await ask('DELETE', gone.id);
    assert.equal((await ask('GET', two.id)).body.values[TITLE.id].value, mark);
  }

  it('fills columns with whatever a text or a date may hold', async () => {
    const app = await begin(0);
    const day = { id: 'c0000004', name: 'Day', type: 'Date' };
    assert.equal((await publish(app, [...COLUMNS, day])).status, 200);
    const texts = ['"', '\\', '{a,b}', 'NULL', '', ' ', "it's", 'two\nlines', 'naïve 🜚', '\u2028', 'x'.repeat(70_000)];
    const json = texts.map((text, n) => ({
      values: {
        [TITLE.id]: string(text),
        [CODE.id]: string(`${n} ${text}`),
        [day.id]: { type: 'Date', value: '2024-02-29' },
      },
    }));
    assert.equal((await app.send('POST', app.records('Things'), { json: [...json, { values: {} }] })).status, 200);
    assert.equal((await publish(app, [...MORE, { ...day, sortable: true, searchable: true }])).status, 200);
    assert.equal((await assertSound(app)).length, texts.length + 1);
  });

  it('does not block reads and writes while indexes are built, on every node', async () => {
    const app = await begin();
    const before = await definitionOf(app);
    await holdingIndexes(async (release) => {
      const publishing = publish(app, MORE);
      await untilStep(app, 'indexing');
      for (const [index, node] of [server, second].entries()) await useRecords(app, node, `node ${index}`);
      assert.deepEqual(await definitionOf(app), before, 'the definition is unchanged before the switch');
      const progress = await progressOf(app);
      assert.equal(progress.collectionId, THINGS);
      assert.ok(progress.total > 0 && progress.done < progress.total, JSON.stringify(progress));
      assert.equal(new Date(progress.startedAt).toISOString(), progress.startedAt);
      await release();
      const done = await publishing;
      assert.equal(done.status, 200, done.text);
      assert.equal(done.body.application.version, 2);
    });
    assert.equal(await progressOf(app), null);
    assert.equal((await assertSound(app)).length, RECORDS + 6);
  });

  it('does not block reads and writes while columns are filled', NOT_HELD, async () => {
    const app = await begin();
    await holdingFilling(app, async (release) => {
      const publishing = publish(app, MORE);
      await untilStep(app, 'filling');
      for (const [index, node] of [server, second].entries()) await useRecords(app, node, `node ${index}`);
      assert.equal((await progressOf(app)).step, 'filling');
      await release();
      const done = await publishing;
      assert.equal(done.status, 200, done.text);
    });
    assert.equal((await assertSound(app)).length, RECORDS + 6);
  });

  it('does not follow records that arrive faster than columns are filled', NOT_HELD, async () => {
    const app = await begin();
    const [schema, table] = [schemaOf(app.id), `${schemaOf(app.id)}.${THINGS}`];
    const arrived = 'rzzzzzzzzz';
    // Each page that is filled brings more records than it has, which are complete as those of writers are by then.
    await server.database.sql(`create function ${schema}.arrive() returns trigger language plpgsql as $$
      declare one ${table}; many bigint; begin
        if current_setting('application_name') <> 'cartulary publisher' then return null; end if;
        select count(*) into many from ${table};
        if many > 10000 then raise exception 'the walk follows new records'; end if;
        select * into one from ${table} order by id limit 1;
        for n in 1 .. 600 loop
          one.id := '${arrived}' || lpad((many + n)::text, 17, '0');
          insert into ${table} values (one.*);
        end loop;
        return null; end $$`);
    await server.database.sql(
      `create trigger arrive after update on ${table} for each statement execute function ${schema}.arrive()`,
    );
    const done = await publish(app, [{ ...TITLE, searchable: true, sortable: true }, CODE, COUNT]);
    assert.equal(done.status, 200, done.text);
    await server.database.sql(`drop function ${schema}.arrive() cascade`);
    const removed = await server.database.sql(`delete from ${table} where id > '${arrived}' returning 1`);
    assert.ok(removed.length >= 1_200);
    assert.equal((await assertSound(app)).length, RECORDS);
  });

  it('waits for a writer of the old generation without blocking other requests', async () => {
    const app = await begin(10);
    const table = `${schemaOf(app.id)}.${THINGS}`;
    await whileOpen(`update ${table} set hash = hash where id = (select min(id) from ${table})`, async (release) => {
      const publishing = publish(app, MORE);
      await untilStep(app, 'waiting');
      await useRecords(app, server, 'here');
      await useRecords(app, second, 'there');
      assert.equal((await progressOf(app)).step, 'waiting');
      await release();
      assert.equal((await publishing).status, 200);
    });
    await assertSound(app);
  });

  it('refuses collisions that are written before the index is built, and leaves no remains', NOT_HELD, async () => {
    const app = await begin(20);
    const before = await definitionOf(app);
    await holdingFilling(app, async (release) => {
      const publishing = publish(app, MORE);
      await untilStep(app, 'filling');
      const twins = await Promise.all(
        [server, second].map((node) =>
          node.send('POST', `/v1/${app.id}${app.records('Things')}`, {
            token: app.admin.token,
            json: { values: { [CODE.id]: string('twin') } },
          }),
        ),
      );
      for (const twin of twins) assert.equal(twin.status, 200, twin.text);
      await release();
      const refused = await publishing;
      assert.equal(refused.status, 409, refused.text);
      const recordIds = twins.map((twin) => twin.body.id).sort();
      assert.deepEqual(refused.body, {
        code: 'UNIQUE_COLLISION',
        params: { collisions: [{ collectionId: THINGS, columnId: CODE.id, value: string('twin'), recordIds }] },
      });
    });
    assert.deepEqual(await definitionOf(app), before);
    await assertSound(app);
    await useRecords(app, server, 'afterwards');
  });

  it('refuses writes that violate an index that is being built', NOT_HELD, async () => {
    const app = await begin(20);
    await holdingIndexes(async (release) => {
      const publishing = publish(app, [TITLE, { ...CODE, unique: true }, COUNT]);
      await untilEnforced(app);
      for (const node of [server, second]) {
        const send = (json: object) =>
          node.send('POST', `/v1/${app.id}${app.records('Things')}`, { token: app.admin.token, json });
        const alone = await send({ values: valuesOf(5) });
        assert.equal(alone.status, 400, alone.text);
        const duplicatedValues = [{ columnId: CODE.id, value: string('code 5') }];
        assert.deepEqual(alone.body, { code: 'DUPLICATED_VALUES', params: { duplicatedValues } });
        const batch = await send([{ values: {} }, { values: valuesOf(5) }]);
        assert.equal(batch.body.code, 'DUPLICATED_VALUES', batch.text);
      }
      await release();
      assert.equal((await publishing).status, 200);
    });
    await assertSound(app);
  });

  it('makes the next publish wait, but not a dry run', async () => {
    const app = await begin(20);
    await holdingIndexes(async (release) => {
      const first = publish(app, MORE);
      await untilStep(app, 'indexing');
      const renamed = { ...documentOf(app, MORE), name: 'Renamed' };
      const others = [server, second].map((node) => node.operator('POST', '/applications', renamed));
      const dry = await second.operator('POST', '/applications?dryRun=true', renamed);
      assert.equal(dry.body.application.version, 2, dry.text);
      await release();
      assert.equal((await first).body.application.version, 2);
      const replies = await Promise.all(others);
      assert.deepEqual(
        replies.map(({ body }) => body.application.version),
        [3, 3],
      );
      assert.deepEqual(replies.map(({ body }) => body.changes.length).sort(), [0, 1]);
    });
    await assertSound(app);
  });

  it('leaves no remains when its connection breaks', async () => {
    const app = await begin(200);
    // An existing search text must lose the added columns again.
    const columns = [{ ...TITLE, searchable: true }, CODE, COUNT];
    assert.equal((await publish(app, columns)).status, 200);
    await holdingIndexes(async () => {
      const publishing = publish(app, [
        { ...TITLE, searchable: true, sortable: true },
        { ...CODE, searchable: true },
        COUNT,
      ]);
      await untilStep(app, 'indexing');
      await useRecords(app, second, 'meanwhile');
      await server.database.sql(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'cartulary publisher'`,
      );
      const failed = await publishing;
      assert.equal(failed.status, 503, failed.text);
    });
    await assertSound(app);
    assert.equal((await definitionOf(app)).version, 2);
    await useRecords(app, server, 'afterwards');
    assert.equal((await publish(app, MORE)).status, 200);
    await assertSound(app);
  });

  it('adds and removes the columns and indexes for every change of flags, types and access', async () => {
    const app = await begin(30);
    const everything = COLUMNS.map((column) => ({ ...column, unique: true, sortable: true, searchable: true }));
    const bound = { ...CODE, type: 'ReferenceString', scheme: { collectionId: THINGS, columnId: TITLE.id } };
    const steps: [object[], object?][] = [
      [[{ ...TITLE, searchable: true }, CODE, COUNT], { readAccessType: 'creatorOnly' }],
      [COLUMNS, { readAccessType: 'creatorOnly', writeAccessType: 'creatorOnly' }],
      [COLUMNS.map((column) => ({ ...column, sortable: true, searchable: true })), { writeAccessType: 'creatorOnly' }],
      [COLUMNS.map((column) => ({ ...column, sortable: true }))],
      [[{ ...TITLE, searchable: true }, { ...CODE, searchable: true }, COUNT]],
      [[TITLE, { ...CODE, searchable: true, unique: true }, { ...COUNT, unique: true }]],
      [[TITLE, everything[1]!, everything[2]!]],
      [[TITLE, everything[1]!, { ...everything[2]!, type: 'DateTime' }]],
      [[TITLE, { ...bound, sortable: true, searchable: true }, COUNT]],
      [
        [
          { ...everything[0]!, unique: false },
          { ...everything[1]!, type: 'User' },
          { ...COUNT, type: 'Boolean', sortable: true },
        ],
      ],
      [[{ ...TITLE, searchable: true }]],
      [COLUMNS],
    ];
    for (const [step, [columns, more]] of steps.entries()) {
      const done = await server.operator('POST', '/applications?allowDataLoss=true', documentOf(app, columns, more));
      assert.equal(done.status, 200, `${step}: ${done.text}`);
      await assertSound(app);
      const [id] = await assertSound(app);
      const read = await second.send('GET', `/v1/${app.id}${app.records('Things', id)}`, { token: app.admin.token });
      assert.equal(read.status, 200);
    }
  });

  it('shows progress only for existing applications', async () => {
    const app = await begin(0);
    assert.deepEqual((await server.operator('GET', `/applications/${app.id}/publishing`)).body, { publishing: null });
    const missing = await server.operator('GET', `/applications/p${'0'.repeat(26)}/publishing`);
    assert.equal(missing.body.code, 'APPLICATION_NOT_FOUND');
  });
});
