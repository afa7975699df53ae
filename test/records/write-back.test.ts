// A record that was read can be sent back as it is, and what the server assigns cannot be given.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, string } from '../support/application.ts';
import {
  closeScene,
  done,
  NO_RECORD,
  type Operations,
  openScene,
  operationsOn,
  refused,
  type Scene,
} from '../support/records.ts';

const ASSIGNED = ['id', 'createdAt', 'createdBy', 'timestamp', 'hash', 'updatedAt', 'updatedBy'];

const DOCUMENT = {
  collections: [
    {
      name: 'Bikes',
      columns: [
        { name: 'Code', type: 'String', unique: true, searchable: true },
        { name: 'Gears', type: 'Number' },
        { name: 'Rider', type: 'User' },
        { id: 'ctwin001', name: 'Twin', type: 'String' },
        { id: 'ctwin002', name: 'Twin', type: 'String' },
      ],
    },
  ],
};

describe('a record that was read', () => {
  let scene: Scene;
  let bikes: Operations;
  let column: Record<string, string>;

  before(async () => {
    scene = await openScene(DOCUMENT);
    bikes = operationsOn(scene.app, 'Bikes');
    column = scene.app.ids.Bikes!;
  });
  after(() => closeScene(scene));

  let codes = 0;
  const values = () => ({
    [column.Code!]: string(`B-${++codes}`),
    [column.Gears!]: number(7),
    [column.Rider!]: { type: 'User', id: scene.app.admin.id },
  });

  it('can be changed and sent back', async () => {
    const record = done(await bikes.create(values()));
    record.values[column.Gears!].value = 8;
    const updated = done(await bikes.put(record.id, record));
    assert.deepEqual(updated.values, record.values);
    assert.notEqual(updated.hash, record.hash);
    assert.deepEqual(done(await bikes.put(record.id, { ...updated, replace: false })).values, record.values);
  });

  it('can be sent back with others', async () => {
    const records = done(await bikes.createMany([{ values: values() }, { values: values() }]));
    for (const record of records) record.values[column.Gears!].value = 9;
    const updated = done(await bikes.updateMany(records));
    assert.deepEqual(
      updated.map((record: { id: string; values: object }) => [record.id, record.values]),
      records.map((record: { id: string; values: object }) => [record.id, record.values]),
    );
  });

  it('cannot be given members that the server assigns: they are ignored, whatever they are', async () => {
    const record = done(await bikes.create(values()));
    const { id, createdAt, createdBy, hash, timestamp, values: kept } = record;
    const made = { createdAt: '1999', createdBy: null, timestamp: 0, hash: [], updatedAt: {}, updatedBy: 'me' };
    for (const reply of [
      done(await bikes.put(id, { values: kept, ...made })),
      done(await bikes.updateMany([{ id, values: kept, ...made }]))[0],
    ]) {
      const same = { id: reply.id, createdAt: reply.createdAt, createdBy: reply.createdBy, hash: reply.hash };
      assert.deepEqual({ ...same, timestamp: reply.timestamp }, { id, createdAt, createdBy, hash, timestamp });
      assert.deepEqual(reply.updatedBy, createdBy);
    }
  });

  it('is not written to another record', async () => {
    const [one, other] = done(await bikes.createMany([{ values: values() }, { values: values() }]));
    for (const id of [other.id, NO_RECORD]) {
      const params = refused(await bikes.put(one.id, { ...one, id }), 400, 'INVALID_BODY');
      assert.deepEqual(params, { reason: 'must be the ID in the path, or be left out', path: '/id' });
    }
    assert.equal(refused(await bikes.put(one.id, { ...one, id: 5 }), 400, 'INVALID_BODY').path, '/id');
    assert.deepEqual(done(await bikes.get(other.id)), other);
  });

  it('cannot be created again or upserted with what the server assigns', async () => {
    const record = done(await bikes.create(values()));
    const path = `${scene.app.records('Bikes')}/upsert/${column.Code}`;
    for (const name of ASSIGNED) {
      const element = { values: values(), [name]: record[name] };
      const reason = 'is assigned by the server; leave it out';
      const one = refused(await bikes.create(element.values, { [name]: record[name] }), 400, 'INVALID_BODY');
      assert.deepEqual(one, { reason, path: `/${name}` });
      const many = refused(await bikes.createMany([{ values: values() }, element]), 400, 'INVALID_BODY');
      assert.deepEqual(many, { reason, path: `/1/${name}` });
      const upserted = refused(await scene.app.send('PATCH', path, { json: element }), 400, 'INVALID_BODY');
      assert.deepEqual(upserted, { reason, path: `/${name}` });
    }
    const other = refused(await bikes.create(values(), { colour: 'red' }), 400, 'INVALID_BODY');
    assert.match(other.reason, /^is not known here/);
  });

  it('has its values by the IDs of columns: for a name the refusal says the ID', async () => {
    const named = refused(await bikes.create({ Code: string('x') }), 400, 'INVALID_VALUE');
    const reason = 'the collection has no such column; the column of that name has the ID';
    assert.deepEqual(named, { columnId: 'Code', reason: `${reason} ${column.Code}` });
    const twins = refused(await bikes.create({ Twin: string('x') }), 400, 'INVALID_VALUE').reason;
    assert.match(twins, /; the columns of that name have the IDs ctwin001, ctwin002$/);
    const unknown = refused(await bikes.create({ code: string('x') }), 400, 'INVALID_VALUE').reason;
    assert.equal(unknown, 'the collection has no such column');
    const key = refused(await bikes.upsert(column.Code!, { Code: string('x') }), 400, 'MISSING_UPSERT_KEY_VALUE');
    assert.equal(key.reason, `the key column has no value; its ID is ${column.Code}, and "values" has its name`);
  });
});
