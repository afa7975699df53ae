// Who may read and write a record: the four combinations of access types, for its creator, another user and an admin,
// through every operation.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import {
  closeScene,
  done,
  NO_RECORD,
  type Operations,
  openScene,
  operationsOn,
  refused,
  type Scene,
  storedRow,
} from '../support/records.ts';
import type { Reply } from '../support/server.ts';

const SIZE = 'csize000';
const ACCESS = ['everyone', 'creatorOnly'] as const;
const COMBINATIONS = ACCESS.flatMap((readAccessType) =>
  ACCESS.map((writeAccessType) => ({ readAccessType, writeAccessType })),
);
const nameOf = ({ readAccessType, writeAccessType }: (typeof COMBINATIONS)[number]) =>
  `read ${readAccessType}, write ${writeAccessType}`;

type Verdict = 200 | 403 | 404;

/** What §6 of the decisions says for someone who is neither creator nor admin. */
const STRANGERS: Record<string, { read: Verdict; write: Verdict }> = {
  'read everyone, write everyone': { read: 200, write: 200 },
  'read everyone, write creatorOnly': { read: 200, write: 403 },
  'read creatorOnly, write everyone': { read: 404, write: 404 },
  'read creatorOnly, write creatorOnly': { read: 404, write: 404 },
};

describe('access', () => {
  let scene: Scene;
  let creator: Person;
  let stranger: Person;
  let secondAdmin: Person;

  before(async () => {
    scene = await openScene({
      collections: COMBINATIONS.map((combination, index) => ({
        id: `taccess${index}`,
        name: nameOf(combination),
        ...combination,
        columns: [{ id: `csize00${index}`, name: 'Size', type: 'Number' }],
      })),
    });
    creator = await scene.app.addPerson('Creator');
    stranger = await scene.app.addPerson('Stranger');
    secondAdmin = await scene.app.addPerson('Second admin', { admin: true });
  });
  after(() => closeScene(scene));

  const judge = (reply: Reply, verdict: Verdict, success = 200) => {
    if (verdict === 404) refused(reply, 404, 'RECORD_NOT_FOUND');
    else if (verdict === 403) refused(reply, 403, 'FORBIDDEN');
    else assert.equal(reply.status, success, reply.text);
  };

  for (const [index, combination] of COMBINATIONS.entries()) {
    const name = nameOf(combination);
    const column = SIZE.slice(0, -1) + index;
    const size = (n: number) => ({ [column]: number(n) });

    for (const who of ['creator', 'stranger', 'admin'] as const) {
      it(`${name}: ${who}`, async () => {
        const { read, write } = who === 'stranger' ? STRANGERS[name]! : { read: 200 as const, write: 200 as const };
        const person = { creator, stranger, admin: secondAdmin }[who];
        const asCreator = operationsOn(scene.app, name, creator.token);
        const asPerson = operationsOn(scene.app, name, person.token);
        const record = done(await asCreator.create(size(1)));
        const unchanged = async () => assert.equal((await storedRow(scene, name, record.id)).hash, record.hash);

        judge(await asPerson.get(record.id), read);
        const conditional = await asPerson.get(record.id, { 'if-none-match': '*' });
        assert.equal(conditional.status, read === 200 ? 304 : 404);

        const writes: (() => Promise<Reply>)[] = [
          () => asPerson.replace(record.id, size(2)),
          () => asPerson.merge(record.id, size(3)),
          () => asPerson.replace(record.id, size(4), { 'if-match': '*' }),
          () => asPerson.updateMany([{ id: record.id, values: size(5) }]),
          () => asPerson.updateMany([{ id: record.id, values: size(6), replace: false }]),
        ];
        for (const attempt of writes) {
          judge(await attempt(), write);
          if (write !== 200) await unchanged();
        }
        if (write === 200) assert.equal(done(await asPerson.get(record.id)).updatedBy.name, person.name);
        // Whether the values have moved on is told only to whoever may change them.
        const stale = { 'if-match': '"stale"' };
        for (const reply of [
          await asPerson.replace(record.id, size(7), stale),
          await asPerson.merge(record.id, size(7), stale),
          await asPerson.remove(record.id, stale),
        ]) {
          if (write === 200) refused(reply, 412, 'PRECONDITION_FAILED');
          else judge(reply, write);
        }

        judge(await asPerson.remove(record.id), write, 204);
        if (write === 200) refused(await asCreator.get(record.id), 404, 'RECORD_NOT_FOUND');
        else await unchanged();
      });
    }

    if (combination.readAccessType === 'everyone') continue;
    it(`${name}: a record that may not be read answers as one that never was`, async () => {
      const asStranger: Operations = operationsOn(scene.app, name, stranger.token);
      const record = done(await operationsOn(scene.app, name, creator.token).create(size(1)));
      const attempts: ((id: string) => Promise<Reply>)[] = [
        (id) => asStranger.get(id),
        (id) => asStranger.replace(id, size(2)),
        (id) => asStranger.merge(id, size(2)),
        (id) => asStranger.remove(id),
        (id) => asStranger.updateMany([{ id, values: size(2) }]),
      ];
      for (const attempt of attempts) {
        const [hidden, absent] = [await attempt(record.id), await attempt(NO_RECORD)];
        assert.equal(hidden.status, absent.status);
        assert.equal(hidden.text.replaceAll(record.id, NO_RECORD), absent.text);
      }
    });
  }

  it('the creator named by an admin is the creator, and the admin is not shut out', async () => {
    const name = 'read creatorOnly, write creatorOnly';
    const asAdmin = operationsOn(scene.app, name);
    const record = done(await asAdmin.create({}, { creatorId: creator.id }));
    assert.deepEqual(done(await operationsOn(scene.app, name, creator.token).get(record.id)), record);
    refused(await operationsOn(scene.app, name, stranger.token).get(record.id), 404, 'RECORD_NOT_FOUND');
    assert.deepEqual(done(await asAdmin.get(record.id)), record);
  });

  it('creating is open to everyone, in every kind of collection', async () => {
    for (const combination of COMBINATIONS) {
      const asStranger = operationsOn(scene.app, nameOf(combination), stranger.token);
      const record = done(await asStranger.create({}));
      assert.equal(record.createdBy.id, stranger.id);
      assert.equal((await asStranger.remove(record.id)).status, 204);
    }
  });

  it('a record is found in its own collection only, and a collection must exist', async () => {
    const [first, second] = COMBINATIONS.map(nameOf);
    const record = done(await operationsOn(scene.app, first!).create({}));
    const elsewhere = operationsOn(scene.app, second!);
    refused(await elsewhere.get(record.id), 404, 'RECORD_NOT_FOUND');
    refused(await elsewhere.replace(record.id, {}), 404, 'RECORD_NOT_FOUND');
    refused(await elsewhere.merge(record.id, {}), 404, 'RECORD_NOT_FOUND');
    refused(await elsewhere.remove(record.id), 404, 'RECORD_NOT_FOUND');
    const path = '/collections/tnothere/records';
    const values = { cnothere: string('x') };
    for (const reply of [
      await scene.app.send('GET', `${path}/${record.id}`),
      await scene.app.send('POST', path, { json: { values } }),
      await scene.app.send('POST', path, { json: [] }),
      await scene.app.send('PUT', path, { json: [] }),
      await scene.app.send('PUT', `${path}/${record.id}`, { json: { values } }),
      await scene.app.send('DELETE', `${path}/${record.id}`),
    ]) {
      assert.deepEqual(refused(reply, 404, 'COLLECTION_NOT_FOUND'), { collectionId: 'tnothere' });
    }
  });
});
