// Publishing that loses data: only with consent, only the intended data, and announced beforehand.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Application } from '../../src/wire/applications.ts';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { assertNoDebris, assertRecordsAgree, schemaOf } from '../support/stored-records.ts';

const TITLE = { name: 'Title', type: 'String' };
const NOTE = { name: 'Note', type: 'String', unique: true };
const ADDRESS_KEYS = [
  { name: 'Street', type: 'String' },
  { name: 'Floor', type: 'Number' },
];
const ADDRESS = { name: 'Address', type: 'Object', scheme: { keys: ADDRESS_KEYS } };
const PARTS = { name: 'Parts', type: 'Array', scheme: { element: { type: 'Object', scheme: { keys: ADDRESS_KEYS } } } };

describe('publishing that loses data', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  interface Story {
    readonly app: TestApplication;
    publish(columns: object[], query?: string): Promise<Reply>;
    create(values: Record<string, object>): Promise<Reply['body']>;
    read(id: string): Promise<Reply['body']>;
  }

  /** An application with one collection, whose values are given by the names of the columns. */
  async function begin(columns: object[]): Promise<Story> {
    const app = await publishApplication(server, { collections: [{ name: 'Things', columns }] });
    const byId = (values: Record<string, object>) =>
      Object.fromEntries(Object.entries(values).map(([name, value]) => [app.ids.Things![name]!, value]));
    return {
      app,
      publish: (next, query = '') =>
        server.operator('POST', `/applications${query}`, {
          id: app.id,
          name: 'Test',
          activityLogEnabled: true,
          collections: [{ name: 'Things', columns: next }],
        }),
      create: async (values) => {
        const reply = await app.send('POST', app.records('Things'), { json: { values: byId(values) } });
        assert.equal(reply.status, 200, reply.text);
        return reply.body;
      },
      read: async (id) => {
        const reply = await app.send('GET', app.records('Things', id));
        assert.equal(reply.status, 200, reply.text);
        return reply.body;
      },
    };
  }

  async function assertSound(application: Application): Promise<void> {
    await assertNoDebris(server.database, application);
    for (const collection of application.collections) {
      await assertRecordsAgree(server.database, application, collection);
    }
  }

  it('removes nothing without consent, and reports the number of affected records', async () => {
    const { app, publish, create, read } = await begin([TITLE, NOTE]);
    const record = await create({ Title: string('a'), Note: string('b') });
    await create({ Title: string('c') });
    const refused = await publish([TITLE]);
    assert.equal(refused.status, 409);
    assert.equal(refused.body.code, 'WOULD_LOSE_DATA');
    const expected = {
      kind: 'column.remove',
      text: refused.body.params.changes[0].text,
      collectionId: app.ids.Things!.id,
      columnId: app.ids.Things!.Note,
      losesData: true,
      records: 1,
    };
    assert.deepEqual(refused.body.params, { changes: [expected] });
    const dry = await publish([TITLE], '?dryRun=true');
    assert.equal(dry.status, 200);
    assert.deepEqual(dry.body.changes, [expected]);
    assert.equal(dry.body.application.version, 2);
    assert.equal(dry.body.application.collections[0].columns.length, 1);
    const both = await publish([TITLE], '?dryRun=true&allowDataLoss=true');
    assert.deepEqual(both.body, dry.body);
    assert.deepEqual(await read(record.id), record);
    const same = await publish([TITLE, NOTE]);
    assert.deepEqual(same.body.changes, []);
    assert.equal(same.body.application.version, 1);
    await assertSound(same.body.application);
  });

  it('removes the values of a removed column and keeps the others', async () => {
    const { app, publish, create, read } = await begin([TITLE, NOTE]);
    const { Title, Note } = app.ids.Things as { Title: string; Note: string };
    const full = await create({ Title: string('a'), Note: string('b') });
    const bare = await create({ Title: string('c') });
    const done = await publish([TITLE], '?allowDataLoss=true');
    assert.equal(done.status, 200, done.text);
    assert.equal(done.body.application.version, 2);
    assert.equal(done.body.changes[0].records, 1);
    const after = await read(full.id);
    assert.deepEqual(after.values, { [Title]: string('a') });
    assert.notEqual(after.hash, full.hash);
    assert.ok(after.timestamp > full.timestamp, `${after.timestamp} ${full.timestamp}`);
    for (const member of ['id', 'createdAt', 'createdBy', 'updatedAt', 'updatedBy']) {
      assert.deepEqual(after[member], full[member], member);
    }
    assert.deepEqual(await read(bare.id), bare);
    const write = await app.send('PUT', app.records('Things', full.id), { json: { values: { [Note]: string('b') } } });
    assert.equal(write.body.code, 'INVALID_VALUE');
    await assertSound(done.body.application);
  });

  it('gives a column that is added again another identifier and no old values', async () => {
    const { app, publish, create, read } = await begin([TITLE, NOTE]);
    const record = await create({ Title: string('a'), Note: string('b') });
    await publish([TITLE], '?allowDataLoss=true');
    const again = await publish([TITLE, NOTE]);
    assert.equal(again.status, 200, again.text);
    assert.deepEqual(
      again.body.changes.map(({ kind }: { kind: string }) => kind),
      ['column.add'],
    );
    assert.equal(again.body.application.version, 3);
    assert.notEqual(again.body.application.collections[0].columns[1].id, app.ids.Things!.Note);
    assert.equal(Object.keys((await read(record.id)).values).length, 1);
    await assertSound(again.body.application);
    const stated = { ...NOTE, id: app.ids.Things!.Note };
    await publish([TITLE], '?allowDataLoss=true');
    const back = await publish([TITLE, stated]);
    assert.equal(back.body.application.collections[0].columns[1].id, app.ids.Things!.Note);
    assert.equal(Object.keys((await read(record.id)).values).length, 1);
    await assertSound(back.body.application);
  });

  it('removes the values of a column that changes its type', async () => {
    const { app, publish, create, read } = await begin([TITLE, NOTE]);
    const { Title, Note } = app.ids.Things as { Title: string; Note: string };
    const record = await create({ Title: string('a'), Note: string('1') });
    const numeric = { ...NOTE, type: 'Number' };
    const refused = await publish([TITLE, numeric]);
    assert.equal(refused.status, 409);
    assert.equal(refused.body.params.changes[0].kind, 'column.type');
    assert.equal(refused.body.params.changes[0].records, 1);
    const done = await publish([TITLE, numeric], '?allowDataLoss=true');
    assert.equal(done.status, 200, done.text);
    assert.equal(done.body.application.collections[0].columns[1].id, Note);
    assert.deepEqual((await read(record.id)).values, { [Title]: string('a') });
    await assertSound(done.body.application);
    const write = await app.send('PUT', app.records('Things', record.id), { json: { values: { [Note]: number(1) } } });
    assert.equal(write.status, 200, write.text);
    const twin = await app.send('POST', app.records('Things'), { json: { values: { [Note]: number(1) } } });
    assert.equal(twin.body.code, 'DUPLICATED_VALUES');
  });

  it('removes only the key that an Object loses, also in an Array', async () => {
    const { app, publish, create, read } = await begin([TITLE, ADDRESS, PARTS]);
    const { Title, Address, Parts } = app.ids.Things as Record<string, string>;
    const object = { type: 'Object', value: { Street: string('Main'), Floor: number(3) } };
    const record = await create({
      Title: string('a'),
      Address: object,
      Parts: { type: 'Array', value: [object, { type: 'Object', value: { Floor: number(1) } }] },
    });
    const keys = [{ name: 'Street', type: 'String' }];
    const next = [
      TITLE,
      { ...ADDRESS, scheme: { keys } },
      { ...PARTS, scheme: { element: { type: 'Object', scheme: { keys } } } },
    ];
    const refused = await publish(next);
    assert.equal(refused.status, 409);
    assert.equal(refused.body.params.changes.length, 2);
    const done = await publish(next, '?allowDataLoss=true');
    assert.equal(done.status, 200, done.text);
    const left = { type: 'Object', value: { Street: string('Main') } };
    assert.deepEqual((await read(record.id)).values, {
      [Title!]: string('a'),
      [Address!]: left,
      [Parts!]: { type: 'Array', value: [left, { type: 'Object', value: {} }] },
    });
    await assertSound(done.body.application);
  });

  it('keeps values, hashes and times when a key or a column is added, and when things are renamed', async () => {
    const { app, publish, create, read } = await begin([TITLE, ADDRESS]);
    const record = await create({ Title: string('a'), Address: { type: 'Object', value: { Floor: number(1) } } });
    const keys = [...ADDRESS_KEYS, { name: 'City', type: 'String' }];
    const done = await publish([
      { ...TITLE, id: app.ids.Things!.Title, name: 'Heading' },
      { ...ADDRESS, scheme: { keys } },
      { name: 'More', type: 'Boolean' },
    ]);
    assert.equal(done.status, 200, done.text);
    assert.deepEqual(await read(record.id), record);
    await assertSound(done.body.application);
  });

  it('removes a collection with its records, which are gone for readers and writers', async () => {
    const { app, create } = await begin([TITLE]);
    const record = await create({ Title: string('a') });
    await create({ Title: string('b') });
    const document = {
      id: app.id,
      name: 'Test',
      activityLogEnabled: true,
      collections: [{ name: 'Other', columns: [] }],
    };
    const refused = await server.operator('POST', '/applications', document);
    assert.equal(refused.status, 409);
    assert.deepEqual(
      refused.body.params.changes.map(({ kind, records }: { kind: string; records: number }) => [kind, records]),
      [['collection.remove', 2]],
    );
    const done = await server.operator('POST', '/applications?allowDataLoss=true', document);
    assert.equal(done.status, 200, done.text);
    const read = await app.send('GET', app.records('Things', record.id));
    assert.equal(read.status, 404);
    assert.equal(read.body.code, 'COLLECTION_NOT_FOUND');
    const write = await app.send('POST', app.records('Things'), { json: { values: {} } });
    assert.equal(write.body.code, 'COLLECTION_NOT_FOUND');
    const other = done.body.application.collections[0].id;
    const made = await app.send('POST', `/collections/${other}/records`, { json: { values: {} } });
    assert.equal(made.status, 200, made.text);
    await assertSound(done.body.application);
  });

  it('starts empty with a collection that is added again under its identifier', async () => {
    const { app, publish, create } = await begin([TITLE, NOTE]);
    const old = await create({ Title: string('a'), Note: string('unique') });
    const empty = { id: app.id, name: 'Test', activityLogEnabled: true, collections: [] };
    assert.equal((await server.operator('POST', '/applications?allowDataLoss=true', empty)).status, 200);
    const { id, Title, Note } = app.ids.Things as Record<string, string>;
    const columns = [
      { ...TITLE, id: Title },
      { ...NOTE, id: Note },
    ];
    const again = { ...empty, collections: [{ id, name: 'Things', columns }] };
    const done = await server.operator('POST', '/applications', again);
    assert.equal(done.status, 200, done.text);
    assert.equal((await app.send('GET', app.records('Things', old.id))).body.code, 'RECORD_NOT_FOUND');
    await create({ Title: string('a'), Note: string('unique') });
    assert.deepEqual((await publish([TITLE, NOTE])).body.changes, []);
    await assertSound(done.body.application);
  });

  it('reaches every record of a large collection', async () => {
    const { app, publish } = await begin([TITLE, NOTE]);
    const { Title, Note } = app.ids.Things as { Title: string; Note: string };
    for (let batch = 0; batch < 11; batch++) {
      const json = Array.from({ length: 100 }, (_, i) => ({
        values: { [Title]: string(`${i}`), [Note]: string(`${batch} ${i}`) },
      }));
      const reply = await app.send('POST', app.records('Things'), { json });
      assert.equal(reply.status, 200, reply.text);
    }
    const done = await publish([TITLE], '?allowDataLoss=true');
    assert.equal(done.body.changes[0].records, 1_100);
    const { application } = done.body;
    const ids = await assertRecordsAgree(server.database, application, application.collections[0]);
    assert.equal(ids.length, 1_100);
    await assertNoDebris(server.database, application);
  });

  it('leaves a reference without its value when the referred column goes with its reference', async () => {
    const sites = { name: 'Sites', columns: [TITLE] };
    const site = { name: 'Site', type: 'ReferenceString', scheme: { collection: 'Sites', column: 'Title' } };
    const app = await publishApplication(server, { collections: [sites, { name: 'Visits', columns: [TITLE, site] }] });
    const made = await app.send('POST', app.records('Sites'), { json: { values: {} } });
    const { Title, Site, id } = app.ids.Visits as Record<string, string>;
    const reference = {
      type: 'ReferenceString',
      collectionId: app.ids.Sites!.id,
      columnId: app.ids.Sites!.Title,
      recordId: made.body.id,
    };
    const visit = await app.send('POST', app.records('Visits'), {
      json: { values: { [Title!]: string('v'), [Site!]: reference } },
    });
    assert.equal(visit.status, 200, visit.text);
    const done = await server.operator('POST', '/applications?allowDataLoss=true', {
      id: app.id,
      name: 'Test',
      activityLogEnabled: true,
      collections: [{ id, name: 'Visits', columns: [TITLE] }],
    });
    assert.equal(done.status, 200, done.text);
    const read = await app.send('GET', app.records('Visits', visit.body.id));
    assert.deepEqual(read.body.values, { [Title!]: string('v') });
    await assertSound(done.body.application);
  });

  it('never sets a time back', async () => {
    const { app, publish, create, read } = await begin([TITLE, NOTE]);
    const record = await create({ Title: string('a'), Note: string('b') });
    // As if a node with a fast clock had published before.
    const ahead = '2999-01-01T00:00:00.000Z';
    await server.database.sql(`update ${schemaOf(app.id)}.${app.ids.Things!.id} set rec = replace(rec, $1, $2)`, [
      `"timestamp":"${record.timestamp}"`,
      `"timestamp":"${ahead}"`,
    ]);
    const done = await publish([TITLE], '?allowDataLoss=true');
    assert.equal(done.status, 200, done.text);
    assert.equal((await read(record.id)).timestamp, ahead);
  });
});
