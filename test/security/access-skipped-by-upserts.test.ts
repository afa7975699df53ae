// Upserts and access: a record that the caller may not write stays as it is, and that there is one is all that they are
// told, whether they may read it or not.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import {
  closeScene,
  done,
  type InputValues,
  NO_RECORD,
  NO_USER,
  openScene,
  operationsOn,
  recordActivities,
  refused,
  type Scene,
  storedRow,
  storedRows,
} from '../support/records.ts';
import type { Reply } from '../support/server.ts';

const ACCESS = ['everyone', 'creatorOnly'] as const;
const COMBINATIONS = ACCESS.flatMap((readAccessType) =>
  ACCESS.map((writeAccessType) => ({ readAccessType, writeAccessType })),
);
const nameOf = ({ readAccessType, writeAccessType }: (typeof COMBINATIONS)[number]) =>
  `read ${readAccessType}, write ${writeAccessType}`;

describe('upserts and access', () => {
  let scene: Scene;
  let creator: Person;
  let stranger: Person;
  let secondAdmin: Person;
  let made = 0;

  before(async () => {
    scene = await openScene({
      collections: COMBINATIONS.map((combination, index) => ({
        id: `taccess${index}`,
        name: nameOf(combination),
        ...combination,
        columns: [
          { id: `ccode00${index}`, name: 'Code', type: 'String', unique: true, searchable: true },
          { id: `cserial${index}`, name: 'Serial', type: 'Number', unique: true },
          { id: `csize00${index}`, name: 'Size', type: 'Number' },
          { id: `cuser00${index}`, name: 'User', type: 'User' },
        ],
      })),
    });
    creator = await scene.app.addPerson('Creator');
    stranger = await scene.app.addPerson('Stranger');
    secondAdmin = await scene.app.addPerson('Second admin', { admin: true });
  });
  after(() => closeScene(scene));

  for (const [index, combination] of COMBINATIONS.entries()) {
    const name = nameOf(combination);
    const [code, serial, size, user] = ['ccode00', 'cserial', 'csize00', 'cuser00'].map((id) => `${id}${index}`) as [
      string,
      string,
      string,
      string,
    ];
    const open = combination.readAccessType === 'everyone' && combination.writeAccessType === 'everyone';
    const as = (person: Person) => operationsOn(scene.app, name, person.token);

    it(`${name}: the creator and admins may`, async () => {
      const key = { [code]: string(`key ${++made}`) };
      const { id } = done(await as(creator).upsert(code, key));
      for (const person of [creator, secondAdmin]) {
        assert.equal(done(await as(person).upsert(code, { ...key, [size]: number(1) })).id, id);
        assert.equal(done(await as(person).upsertMany(code, [{ values: key }]))[0].updatedBy.name, person.name);
      }
    });

    it(`${name}: ${open ? 'so may a stranger' : 'a stranger may not'}`, async () => {
      const key = { [code]: string(`key ${++made}`) };
      const record = done(await as(creator).upsert(code, { ...key, [serial]: number(made), [size]: number(1) }));
      if (open) {
        assert.equal(done(await as(stranger).upsert(code, { ...key, [size]: number(2) })).id, record.id);
        return;
      }
      const logged = (await recordActivities(scene)).length;
      const other = `other ${++made}`;
      const holder = done(await as(creator).create({ [code]: string(other), [serial]: number(made) }));
      // Nothing of the record, of what was sent or of what it would have collided with shows.
      const attempts: InputValues[] = [
        key,
        { ...key, [size]: number(2) },
        { ...key, [size]: null },
        { ...key, [serial]: record.values[serial] },
        { ...key, [serial]: holder.values[serial] },
        { ...key, [user]: { type: 'User', id: NO_USER } },
      ];
      for (const values of attempts) {
        const reply = await as(stranger).upsert(code, values);
        assert.equal(refused(reply, 403, 'FORBIDDEN'), undefined);
        assert.equal(reply.text, '{"code":"FORBIDDEN"}');
        const own = `own ${++made}`;
        const elements = [{ values: { [code]: string(own) } }, { values }, { values: { [code]: string('never') } }];
        const params = refused(await as(stranger).upsertMany(code, elements), 403, 'FORBIDDEN');
        assert.deepEqual(Object.keys(params).sort(), ['recordIndex', 'upsertedRecords']);
        assert.equal(params.recordIndex, 1);
        assert.deepEqual(
          params.upsertedRecords.map((one: { values: object }) => one.values),
          [{ [code]: string(own) }],
        );
      }
      const row = await storedRow(scene, name, record.id);
      assert.deepEqual(JSON.parse(row.rec), record);
      assert.ok(!(await storedRows(scene, name)).some(({ rec }) => rec.includes('never')));
      assert.equal((await recordActivities(scene)).length, logged + 1 + attempts.length);
    });

    it(`${name}: a stranger makes records of their own`, async () => {
      const key = { [code]: string(`key ${++made}`) };
      const { id, createdBy } = done(await as(stranger).upsert(code, key));
      assert.equal(createdBy.id, stranger.id);
      assert.equal(done(await as(stranger).upsertMany(code, [{ values: key }]))[0].id, id);
    });

    it(`${name}: a collision in another column tells nothing of the other record`, async () => {
      const taken = number(++made);
      const record = done(await as(creator).create({ [code]: string(`key ${++made}`), [serial]: taken }));
      const values = { [code]: string(`key ${++made}`), [serial]: taken };
      const expected = { duplicatedValues: [{ columnId: serial, value: taken }] };
      assert.deepEqual(refused(await as(stranger).upsert(code, values), 400, 'DUPLICATED_VALUES'), expected);
      const reply: Reply = await as(stranger).upsertMany(code, [{ values }]);
      refused(reply, 400, 'DUPLICATED_VALUES');
      assert.ok(!reply.text.includes(record.id) && !reply.text.includes(record.hash));
    });
  }

  it('a stranger learns of a reference that is not for them only that there is a record', async () => {
    const name = 'Refs';
    const [secret] = COMBINATIONS.map(nameOf).slice(-1);
    const columns = [
      {
        id: 'cref0000',
        name: 'Ref',
        type: 'ReferenceString',
        unique: true,
        searchable: true,
        scheme: { collectionId: 'taccess3', columnId: 'ccode003' },
      },
    ];
    const { body } = await scene.server.operator('GET', `/applications/${scene.app.id}`);
    const document = { ...body, collections: [...body.collections, { id: 'trefs000', name, columns }] };
    done(await scene.server.operator('POST', '/applications', document));
    const path = '/collections/trefs000/records/upsert/cref0000';
    const target = done(await operationsOn(scene.app, secret!, creator.token).create({ ccode003: string('secret') }));
    const refer = (recordId: string) => ({
      values: { cref0000: { type: 'ReferenceString', collectionId: 'taccess3', columnId: 'ccode003', recordId } },
    });
    const send = (person: Person, recordId: string) =>
      scene.app.send('PATCH', path, { token: person.token, json: refer(recordId) });
    const [hidden, absent] = [await send(stranger, target.id), await send(stranger, NO_RECORD)];
    const { reason, ...params } = refused(hidden, 400, 'MISSING_UPSERT_KEY_VALUE');
    assert.deepEqual(params, { columnId: 'cref0000' });
    assert.match(String(reason), new RegExp(target.id));
    assert.equal(hidden.text.replace(target.id, NO_RECORD), absent.text);
    const { id } = done(await send(creator, target.id));
    // The record that holds it is for everyone, so that the key is proper now, and still not resolved.
    const met = done(await send(stranger, target.id));
    assert.equal(met.id, id);
    assert.deepEqual(met.values, refer(target.id).values);
  });
});
