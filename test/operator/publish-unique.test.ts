// Columns that become unique or cease to be, for existing and for new records.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, publishApplication, string, type TestApplication } from '../support/application.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { assertNoDebris, assertRecordsAgree } from '../support/stored-records.ts';

describe('publishing unique columns', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  const code = (more: object = {}) => ({ name: 'Code', type: 'String', ...more });
  const begin = (columns: object[]) => publishApplication(server, { collections: [{ name: 'Things', columns }] });

  function publish(app: TestApplication, columns: object[], query = ''): Promise<Reply> {
    return server.operator('POST', `/applications${query}`, {
      id: app.id,
      name: 'Test',
      activityLogEnabled: true,
      collections: [{ name: 'Things', columns }],
    });
  }

  async function create(app: TestApplication, values: Record<string, object>): Promise<Reply> {
    return app.send('POST', app.records('Things'), { json: { values } });
  }

  async function assertSound({ body }: Reply): Promise<void> {
    await assertNoDebris(server.database, body.application);
    await assertRecordsAgree(server.database, body.application, body.application.collections[0]);
  }

  it('enforces a newly unique column for old and new records', async () => {
    const app = await begin([code()]);
    const column = app.ids.Things!.Code!;
    const first = await create(app, { [column]: string('one') });
    await create(app, { [column]: string('two') });
    await create(app, {});
    await create(app, {});
    const done = await publish(app, [code({ unique: true })]);
    assert.equal(done.status, 200, done.text);
    assert.deepEqual(done.body.changes, [
      {
        kind: 'column.flags',
        text: done.body.changes[0].text,
        collectionId: app.ids.Things!.id,
        columnId: column,
      },
    ]);
    await assertSound(done);
    assert.deepEqual((await app.send('GET', app.records('Things', first.body.id))).body, first.body);
    const twin = await create(app, { [column]: string('one') });
    assert.equal(twin.status, 400);
    assert.deepEqual(twin.body, {
      code: 'DUPLICATED_VALUES',
      params: { duplicatedValues: [{ columnId: column, value: string('one') }] },
    });
    assert.equal((await create(app, { [column]: string('three') })).status, 200);
    assert.equal((await create(app, {})).status, 200);
  });

  it('refuses collisions with examples and changes nothing', async () => {
    const app = await begin([code(), { name: 'Size', type: 'Number' }]);
    const { Code, Size } = app.ids.Things as { Code: string; Size: string };
    const records = [];
    for (const [text, size] of [
      ['a', 1],
      ['a', 1],
      ['b', 1],
      ['c', 2],
    ] as const) {
      records.push((await create(app, { [Code]: string(text), [Size]: number(size) })).body);
    }
    const next = [code({ unique: true }), { name: 'Size', type: 'Number', unique: true }];
    for (const query of ['', '?dryRun=true', '?allowDataLoss=true']) {
      const refused = await publish(app, next, query);
      assert.equal(refused.status, 409);
      assert.equal(refused.body.code, 'UNIQUE_COLLISION');
      const collisions = refused.body.params.collisions as {
        collectionId: string;
        columnId: string;
        value: string;
        recordIds: string[];
      }[];
      assert.deepEqual(
        collisions.map(({ collectionId, columnId, value, recordIds }) => [collectionId, columnId, value, recordIds]),
        [
          [app.ids.Things!.id, Code, string('a'), [records[0].id, records[1].id]],
          [app.ids.Things!.id, Size, number(1), [records[0].id, records[1].id, records[2].id]],
        ],
      );
    }
    const same = await publish(app, [code(), { name: 'Size', type: 'Number' }]);
    assert.equal(same.body.application.version, 1);
    assert.deepEqual(same.body.changes, []);
    await assertSound(same);
    assert.equal((await create(app, { [Code]: string('a') })).status, 200);
  });

  it('can be turned off and on again', async () => {
    const app = await begin([code({ unique: true })]);
    const column = app.ids.Things!.Code!;
    assert.equal((await create(app, { [column]: string('x') })).status, 200);
    const off = await publish(app, [code()]);
    assert.equal(off.status, 200, off.text);
    await assertSound(off);
    const twin = await create(app, { [column]: string('x') });
    assert.equal(twin.status, 200, twin.text);
    const refused = await publish(app, [code({ unique: true })]);
    assert.equal(refused.body.code, 'UNIQUE_COLLISION');
    assert.equal((await app.send('DELETE', app.records('Things', twin.body.id))).status, 204);
    const on = await publish(app, [code({ unique: true })]);
    assert.equal(on.status, 200, on.text);
    assert.equal(on.body.application.version, 3);
    await assertSound(on);
    assert.equal((await create(app, { [column]: string('x') })).body.code, 'DUPLICATED_VALUES');
  });

  it('compares values that are too long for an index', async () => {
    const app = await begin([code()]);
    const column = app.ids.Things!.Code!;
    const long = 'é'.repeat(100_000);
    await create(app, { [column]: string(`${long}1`) });
    await create(app, { [column]: string(`${long}2`) });
    const done = await publish(app, [code({ unique: true })]);
    assert.equal(done.status, 200, done.text);
    await assertSound(done);
    assert.equal((await create(app, { [column]: string(`${long}1`) })).body.code, 'DUPLICATED_VALUES');
  });

  it('does not compare values that a change of type removes', async () => {
    const app = await begin([code()]);
    const column = app.ids.Things!.Code!;
    await create(app, { [column]: string('same') });
    await create(app, { [column]: string('same') });
    const next = [{ name: 'Code', type: 'Number', unique: true }];
    assert.equal((await publish(app, next)).body.code, 'WOULD_LOSE_DATA');
    const done = await publish(app, next, '?allowDataLoss=true');
    assert.equal(done.status, 200, done.text);
    await assertSound(done);
    assert.equal((await create(app, { [column]: number(1) })).status, 200);
    assert.equal((await create(app, { [column]: number(1) })).body.code, 'DUPLICATED_VALUES');
  });

  it('supports every type that can be unique', async () => {
    const types = ['String', 'Number', 'DateTime', 'Date', 'Time', 'User'];
    const app = await begin(types.map((type) => ({ name: type, type })));
    const ids = app.ids.Things as Record<string, string>;
    const values = {
      [ids.String!]: string('s'),
      [ids.Number!]: number(1.5),
      [ids.DateTime!]: { type: 'DateTime', value: 1_700_000_000 },
      [ids.Date!]: { type: 'Date', value: '2024-02-29' },
      [ids.Time!]: { type: 'Time', value: '23:59:59' },
      [ids.User!]: { type: 'User', id: app.admin.id },
    };
    const first = await create(app, values);
    assert.equal(first.status, 200, first.text);
    const unique = types.map((type) => ({ name: type, type, unique: true }));
    const done = await publish(app, unique);
    assert.equal(done.status, 200, done.text);
    await assertSound(done);
    const twin = await create(app, values);
    assert.equal(twin.body.code, 'DUPLICATED_VALUES');
    assert.equal(twin.body.params.duplicatedValues.length, types.length);
  });
});
