// Batches: their bounds, what is checked before anything is applied, and the progress that every kind of error leaves
// behind and tells, at every position.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import {
  assertConsistent,
  closeScene,
  done,
  NO_RECORD,
  NO_USER,
  type Operations,
  openScene,
  operationsOn,
  refused,
  type Scene,
  storedRows,
} from '../support/records.ts';
import type { Reply } from '../support/server.ts';

const CODE = 'ccode000';
const SIZE = 'csize000';
const PERSON = 'cperson0';
const LINK = 'clink000';

const DOCUMENT = {
  collections: [
    {
      id: 'tthings0',
      name: 'Things',
      writeAccessType: 'creatorOnly',
      columns: [
        { id: CODE, name: 'Code', type: 'String', unique: true },
        { id: SIZE, name: 'Size', type: 'Number' },
        { id: PERSON, name: 'Person', type: 'User' },
        {
          id: LINK,
          name: 'Link',
          type: 'ReferenceString',
          scheme: { collectionId: 'tthings0', columnId: CODE },
        },
      ],
    },
  ],
};

describe('batches', () => {
  let scene: Scene;
  let things: Operations;
  let other: Person;
  let taken = '';
  let made = 0;

  before(async () => {
    scene = await openScene(DOCUMENT);
    things = operationsOn(scene.app, 'Things');
    other = await scene.app.addPerson('Other');
    taken = done(await things.create({ [CODE]: string('taken') })).values[CODE].value;
  });
  after(() => closeScene(scene));

  /** Values that nothing objects to, and that no other record has. */
  const fresh = () => {
    made += 1;
    return { [CODE]: string(`fresh ${made}`), [SIZE]: number(made) };
  };
  const link = (recordId: string) => ({
    [LINK]: { type: 'ReferenceString', collectionId: 'tthings0', columnId: CODE, recordId },
  });
  const count = async () => (await storedRows(scene, 'Things')).length;

  it('an empty array is answered with an empty array', async () => {
    assert.equal((await things.createMany([])).text, '[]');
    assert.equal((await things.updateMany([])).text, '[]');
  });

  it('100 are taken and 101 refused before any is applied', async () => {
    const values = Array.from({ length: 100 }, fresh);
    const records = done(await things.createMany(values.map((one) => ({ values: one }))));
    assert.deepEqual(
      records.map((record: { values: object }) => record.values),
      values,
    );
    const before = await count();
    const updates = records.map(({ id }: { id: string }, n: number) => ({ id, values: { [SIZE]: number(5000 + n) } }));
    const updated = done(await things.updateMany([...updates].reverse()));
    assert.deepEqual(
      updated.map(({ id, values: changed }: { id: string; values: object }) => ({ id, values: changed })),
      [...updates].reverse(),
    );
    for (const record of updated.slice(0, 5)) assert.deepEqual(done(await things.get(record.id)), record);
    const more = Array.from({ length: 101 }, () => ({ values: fresh() }));
    assert.equal(refused(await things.createMany(more), 400, 'TOO_MANY_RECORDS').maximum, 100);
    // The count comes before the elements.
    refused(await things.createMany(Array(101).fill('no record')), 400, 'TOO_MANY_RECORDS');
    const again = [...updates, { ...updates[0], values: { [SIZE]: number(1000) } }];
    refused(await things.updateMany(again), 400, 'TOO_MANY_RECORDS');
    assert.equal(await count(), before);
    assert.equal(done(await things.get(updates[0].id)).values[SIZE].value, 5000);
  });

  it('a body that is too large is refused whole', async () => {
    const values = { ...fresh(), [CODE]: string('x'.repeat(600_000)) };
    const before = await count();
    const params = refused(await things.createMany([{ values }, { values }]), 400, 'INVALID_BODY');
    assert.equal(params.maxBytes, 1_048_576);
    assert.equal(await count(), before);
  });

  it('a wrong shape anywhere applies nothing and is named by its path', async () => {
    const { id } = done(await things.create(fresh()));
    const before = await storedRows(scene, 'Things');
    const values = fresh();
    const creates: [unknown, string][] = [
      [null, '/1'],
      ['text', '/1'],
      [[], '/1'],
      [{}, '/1/values'],
      [{ values: null }, '/1/values'],
      [{ values: [] }, '/1/values'],
      [{ values, extra: 1 }, '/1/extra'],
      [{ values, id }, '/1/id'],
      [{ values, replace: true }, '/1/replace'],
      [{ values, creatorId: 'me' }, '/1/creatorId'],
      [{ values, creatorId: null }, '/1/creatorId'],
      [{ values, creatorId: `${NO_USER}0` }, '/1/creatorId'],
    ];
    for (const [element, path] of creates) {
      const params = refused(await things.createMany([{ values: fresh() }, element]), 400, 'INVALID_BODY');
      assert.equal(params.path, path, JSON.stringify(element));
      assert.ok(params.reason.length > 0 && !('recordIndex' in params));
      if (Array.isArray(element)) continue;
      const raw = await things.createRaw(JSON.stringify(element));
      assert.equal(refused(raw, 400, 'INVALID_BODY').path, path.slice(2), JSON.stringify(element));
    }
    const updates: [unknown, string][] = [
      [{ values }, '/1/id'],
      [{ id }, '/1/values'],
      [{ id: 'r1', values }, '/1/id'],
      [{ id: 1, values }, '/1/id'],
      [{ id: id.toUpperCase(), values }, '/1/id'],
      [{ id, values, replace: null }, '/1/replace'],
      [{ id, values, replace: 'false' }, '/1/replace'],
      [{ id, values, creatorId: scene.app.admin.id }, '/1/creatorId'],
      [{ id, values, hush: 'x' }, '/1/hush'],
    ];
    for (const [element, path] of updates) {
      const params = refused(await things.updateMany([{ id, values: fresh() }, element]), 400, 'INVALID_BODY');
      assert.equal(params.path, path, JSON.stringify(element));
    }
    const notArray = await scene.app.send('PUT', scene.app.records('Things'), { json: { id, values } });
    assert.match(refused(notArray, 400, 'INVALID_BODY').reason, /array/);
    for (const raw of ['{"values": {}, "__proto__": {}}', '{"__proto__": {"values": {}}}']) {
      assert.match(refused(await things.createRaw(raw), 400, 'INVALID_BODY').path, /^\/(__proto__|values)$/);
    }
    for (const raw of ['', '[', '{"values": {}}}', '{"values": NaN}', '\ufeff{"values": {}}x']) {
      refused(await things.createRaw(raw), 400, 'INVALID_BODY');
    }
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    assert.equal(refused(await things.createRaw(deep), 400, 'INVALID_BODY').path, '/0');
    assert.equal(refused(await things.createRaw(`{"values": ${deep}}`), 400, 'INVALID_BODY').path, '/values');
    assert.equal(refused(await things.createRaw(`{"values": {}, "x": ${deep}}`), 400, 'INVALID_BODY').path, '/x');
    refused(await things.createRaw('['.repeat(1_000_000)), 400, 'INVALID_BODY');
    assert.deepEqual(await storedRows(scene, 'Things'), before);
  });

  it('creatorId is for admins, and for all elements or none', async () => {
    const asOther = operationsOn(scene.app, 'Things', other.token);
    const given = (creatorId: string) => ({ values: fresh(), creatorId });
    const [first, second] = done(await things.createMany([given(other.id), given(scene.app.admin.id)]));
    assert.deepEqual(first.createdBy, { id: other.id, name: 'Other' });
    assert.deepEqual(first.updatedBy, { id: scene.app.admin.id, name: 'Admin' });
    assert.equal(second.createdBy.id, scene.app.admin.id);
    const one = done(await things.create(fresh(), { creatorId: other.id }));
    assert.deepEqual(one.createdBy, { id: other.id, name: 'Other' });
    assertConsistent((await storedRows(scene, 'Things')).find(({ id }) => id === one.id)!);
    done(await asOther.replace(one.id, {}));
    const before = await count();
    const some: [object[], string][] = [
      [[given(other.id), { values: fresh() }], '/1/creatorId'],
      [[{ values: fresh() }, given(other.id)], '/0/creatorId'],
      [[given(other.id), given(other.id), { values: { cnothere: 1 } }], '/2/creatorId'],
    ];
    for (const [elements, path] of some) {
      for (const caller of [things, asOther]) {
        assert.equal(refused(await caller.createMany(elements), 400, 'INVALID_BODY').path, path);
      }
    }
    const wrong = { cnothere: 1 };
    for (const reply of [
      await asOther.create(fresh(), { creatorId: other.id }),
      await asOther.create(wrong, { creatorId: NO_USER }),
      await asOther.createMany([given(other.id), { values: wrong, creatorId: other.id }]),
    ]) {
      assert.equal(refused(reply, 403, 'ADMIN_REQUIRED'), undefined);
    }
    assert.equal(
      refused(await things.create(fresh(), { creatorId: NO_USER }), 400, 'INVALID_CREATOR').creatorId,
      NO_USER,
    );
    assert.equal(await count(), before);
  });

  const failingValues: [string, () => object, number, string][] = [
    ['an invalid value', () => ({ ...fresh(), [SIZE]: string('x') }), 400, 'INVALID_VALUE'],
    ['an unknown column', () => ({ ...fresh(), cnothere: null }), 400, 'INVALID_VALUE'],
    ['an unknown user', () => ({ ...fresh(), [PERSON]: { type: 'User', id: NO_USER } }), 400, 'INVALID_VALUE'],
    ['an unknown reference', () => ({ ...fresh(), ...link(NO_RECORD) }), 400, 'INVALID_VALUE'],
    ['a stored duplicate', () => ({ [CODE]: string(taken) }), 400, 'DUPLICATED_VALUES'],
  ];

  /** The records before the failure are there as told, and nothing from it on is. */
  async function assertProgress(reply: Reply, member: string, status: number, code: string, position: number) {
    const params = refused(reply, status, code);
    assert.equal(params.recordIndex, position);
    const applied = params[member];
    assert.equal(applied.length, position);
    for (const record of applied) assert.deepEqual(done(await things.get(record.id)), record);
    return params;
  }

  for (const [what, failing, status, code] of failingValues) {
    it(`create: ${what} leaves what came before it, and nothing behind it`, async () => {
      for (const position of [0, 1, 3]) {
        const before = await count();
        const elements = Array.from({ length: 4 }, () => ({ values: fresh() as object }));
        elements[position] = { values: failing() };
        const params = await assertProgress(
          await things.createMany(elements),
          'insertedRecords',
          status,
          code,
          position,
        );
        assert.deepEqual(
          params.insertedRecords.map((record: { values: object }) => record.values),
          elements.slice(0, position).map(({ values }) => values),
        );
        assert.equal(await count(), before + position);
      }
    });
  }

  it('create: an unknown creator leaves what came before it, and nothing behind it', async () => {
    for (const position of [0, 2, 3]) {
      const before = await count();
      const elements = Array.from({ length: 4 }, () => ({ values: fresh(), creatorId: other.id }));
      elements[position] = { values: fresh(), creatorId: NO_USER };
      const reply = await things.createMany(elements);
      const params = await assertProgress(reply, 'insertedRecords', 400, 'INVALID_CREATOR', position);
      assert.equal(params.creatorId, NO_USER);
      assert.equal(await count(), before + position);
    }
  });

  it('create: a duplicate within the batch is one, and of several errors the first counts', async () => {
    const twice = fresh();
    const wrong = { values: { [SIZE]: string('x') } };
    const duplicate = [{ values: fresh() }, { values: twice }, { values: twice }, wrong];
    const params = await assertProgress(
      await things.createMany(duplicate),
      'insertedRecords',
      400,
      'DUPLICATED_VALUES',
      2,
    );
    assert.deepEqual(params.duplicatedValues, [{ columnId: CODE, value: twice[CODE] }]);
    const orders: [object[], string, number][] = [
      [[wrong, { values: { [CODE]: string(taken) } }], 'INVALID_VALUE', 0],
      [[{ values: { [CODE]: string(taken) } }, wrong], 'DUPLICATED_VALUES', 0],
      [[{ values: fresh() }, { values: link(NO_RECORD) }, wrong], 'INVALID_VALUE', 1],
    ];
    for (const [elements, code, position] of orders) {
      await assertProgress(await things.createMany(elements), 'insertedRecords', 400, code, position);
    }
    const alone = refused(await things.createMany([{ values: { [CODE]: string(taken) } }]), 400, 'DUPLICATED_VALUES');
    assert.equal(alone.recordIndex, 0);
    assert.deepEqual(alone.insertedRecords, []);
    const single = refused(await things.create({ [CODE]: string(taken) }), 400, 'DUPLICATED_VALUES');
    assert.deepEqual(Object.keys(single), ['duplicatedValues'], 'one record is no batch');
  });

  for (const [what, failing, status, code] of failingValues) {
    for (const replace of [true, false]) {
      it(`update${replace ? '' : ', merging'}: ${what} leaves what came before it, and nothing behind it`, async () => {
        for (const position of [0, 1, 3]) {
          const old = done(await things.createMany(Array.from({ length: 4 }, () => ({ values: fresh() }))));
          const elements = old.map(({ id }: { id: string }) => ({ id, replace, values: fresh() as object }));
          elements[position] = { ...elements[position], values: failing() };
          const reply = await things.updateMany(elements);
          const params = await assertProgress(reply, 'updatedRecords', status, code, position);
          assert.deepEqual(
            params.updatedRecords.map((record: { id: string; values: object }) => ({
              id: record.id,
              values: record.values,
            })),
            elements.slice(0, position).map(({ id, values }: { id: string; values: object }) => ({ id, values })),
          );
          for (const record of old.slice(position)) assert.deepEqual(done(await things.get(record.id)), record);
        }
      });
    }
  }

  it('update: records that are not there or not the caller’s leave what came before them', async () => {
    const asOther = operationsOn(scene.app, 'Things', other.token);
    const foreign = done(await things.create(fresh()));
    const failures: [object, number, string][] = [
      [{ id: NO_RECORD, values: {} }, 404, 'RECORD_NOT_FOUND'],
      [{ id: foreign.id, values: {} }, 403, 'FORBIDDEN'],
      [{ id: foreign.id, values: {}, replace: false }, 403, 'FORBIDDEN'],
    ];
    for (const [failing, status, code] of failures) {
      for (const position of [0, 1, 2]) {
        const old = done(await asOther.createMany(Array.from({ length: 3 }, () => ({ values: fresh() }))));
        const elements = old.map(({ id }: { id: string }) => ({ id, values: fresh() }));
        elements[position] = failing;
        const params = await assertProgress(
          await asOther.updateMany(elements),
          'updatedRecords',
          status,
          code,
          position,
        );
        assert.equal(params.recordId, code === 'RECORD_NOT_FOUND' ? NO_RECORD : undefined);
        for (const record of old.slice(position)) assert.deepEqual(done(await things.get(record.id)), record);
      }
    }
    assert.deepEqual(done(await things.get(foreign.id)), foreign);
    const single = refused(await things.replace(NO_RECORD, {}), 404, 'RECORD_NOT_FOUND');
    assert.deepEqual(single, { recordId: NO_RECORD });
  });

  it('update: the first error counts, whether in the values, the record or the database', async () => {
    const [one, two] = done(await things.createMany([{ values: fresh() }, { values: fresh() }]));
    const invalid = { id: one.id, values: { [SIZE]: string('x') } };
    const missing = { id: NO_RECORD, values: {} };
    const duplicate = { id: two.id, values: { [CODE]: string(taken) } };
    const fine = { id: one.id, values: fresh() };
    const orders: [object[], number, string, number][] = [
      [[invalid, missing, duplicate], 400, 'INVALID_VALUE', 0],
      [[missing, invalid, duplicate], 404, 'RECORD_NOT_FOUND', 0],
      [[duplicate, missing, invalid], 400, 'DUPLICATED_VALUES', 0],
      [[fine, missing, invalid], 404, 'RECORD_NOT_FOUND', 1],
      [[fine, duplicate, invalid], 400, 'DUPLICATED_VALUES', 1],
    ];
    for (const [elements, status, code, position] of orders) {
      await assertProgress(await things.updateMany(elements), 'updatedRecords', status, code, position);
    }
  });
});
