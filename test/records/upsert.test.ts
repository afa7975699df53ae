// Upserts, one and many: what becomes of the record that has the key or of the one that is made, and of a batch that
// fails. Which keys there are is in upsert-keys.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import {
  assertConsistent,
  closeScene,
  done,
  expectedHash,
  type InputValues,
  NO_RECORD,
  NO_USER,
  type Operations,
  openScene,
  operationsOn,
  recordActivities,
  refused,
  type Scene,
  storedRow,
  storedRows,
} from '../support/records.ts';
import type { Reply } from '../support/server.ts';

const CODE = 'ccode000';
const SERIAL = 'cserial0';
const SIZE = 'csize000';
const PERSON = 'cperson0';
const LINK = 'clink000';
const KEY = { unique: true, searchable: true };

const DOCUMENT = {
  collections: [
    {
      id: 'tthings0',
      name: 'Things',
      writeAccessType: 'creatorOnly',
      columns: [
        { id: CODE, name: 'Code', type: 'String', ...KEY },
        { id: SERIAL, name: 'Serial', type: 'Number', ...KEY },
        { id: SIZE, name: 'Size', type: 'Number' },
        { id: PERSON, name: 'Person', type: 'User' },
        { id: LINK, name: 'Link', type: 'ReferenceString', scheme: { collectionId: 'tthings0', columnId: CODE } },
      ],
    },
  ],
};

describe('upserts', () => {
  let scene: Scene;
  let things: Operations;
  let other: Person;
  let made = 0;

  before(async () => {
    scene = await openScene(DOCUMENT);
    things = operationsOn(scene.app, 'Things');
    other = await scene.app.addPerson('Other');
  });
  after(async () => {
    for (const row of await storedRows(scene, 'Things')) assertConsistent(row);
    await closeScene(scene);
  });

  const fresh = (): string => `code ${++made}`;
  const refer = (recordId: string) => ({ type: 'ReferenceString', collectionId: 'tthings0', columnId: CODE, recordId });
  const count = async () => (await storedRows(scene, 'Things')).length;
  /** One and an array of one, which take different roads to the same end. */
  const roads: [string, (values: InputValues, more?: object) => Promise<Reply>][] = [
    ['one', (values, more) => things.upsert(CODE, values, more)],
    ['an array', (values, more = {}) => things.upsertMany(CODE, [{ values, ...more }])],
  ];
  const only = (reply: Reply) => [done(reply)].flat()[0];

  for (const [road, upsert] of roads) {
    describe(road, () => {
      it('makes the record that is not there, and changes the one that is', async () => {
        const code = string(fresh());
        const created = only(await upsert({ [CODE]: code, [SIZE]: number(1), [PERSON]: null }));
        assert.deepEqual(created.values, { [CODE]: code, [SIZE]: number(1) }, 'null is no value there');
        assert.equal(created.hash, expectedHash(created));
        assert.deepEqual([created.timestamp, created.updatedAt], [created.createdAt, created.createdAt]);
        assert.deepEqual(created.createdBy, { id: scene.app.admin.id, name: 'Admin' });
        assert.deepEqual(done(await things.get(created.id)), created);

        const person = { type: 'User', id: other.id, name: 'Other' };
        const changed = only(await upsert({ [CODE]: code, [PERSON]: person }));
        assert.deepEqual(changed.values, { ...created.values, [PERSON]: person }, 'what is left out stays');
        assert.equal(changed.hash, expectedHash(changed));
        assert.deepEqual([changed.id, changed.createdAt], [created.id, created.createdAt]);
        assert.ok(changed.timestamp >= created.timestamp && changed.timestamp === changed.updatedAt);
        assert.deepEqual(done(await things.get(created.id)), changed);

        const removed = only(await upsert({ [CODE]: code, [PERSON]: null, [SIZE]: null }));
        assert.deepEqual(removed.values, { [CODE]: code }, 'null removes');
        const same = only(await upsert({ [CODE]: code }));
        assert.deepEqual([same.hash, same.timestamp], [removed.hash, removed.timestamp], 'nothing has changed');
        assert.ok(same.updatedAt >= removed.updatedAt);
        // Another operation builds on what this one left, and the other way round.
        done(await things.merge(created.id, { [SIZE]: number(7) }));
        assert.deepEqual(only(await upsert({ [CODE]: code, [SERIAL]: null })).values, {
          [CODE]: code,
          [SIZE]: number(7),
        });
        assert.deepEqual(done(await things.merge(created.id, {})).values, { [CODE]: code, [SIZE]: number(7) });
        assertConsistent(await storedRow(scene, 'Things', created.id));
      });

      it('logs what it did', async () => {
        const code = string(fresh());
        const before = (await recordActivities(scene)).length;
        const { id } = only(await upsert({ [CODE]: code }));
        only(await upsert({ [CODE]: code }));
        refused(await upsert({ [CODE]: code, [SIZE]: string('x') }), 400, 'INVALID_VALUE');
        const entries = (await recordActivities(scene)).slice(before);
        assert.deepEqual(
          entries.map(({ subType, extra }) => [subType, extra.recordId]),
          [
            ['create', id],
            ['update', id],
          ],
        );
        assert.equal(entries[0].collection.id, 'tthings0');
      });

      it('refuses a wrong value and a target that is not there, and changes nothing', async () => {
        const { id } = only(await upsert({ [CODE]: string(fresh()) }));
        const { values, hash } = done(await things.get(id));
        const before = await count();
        const wrong: [InputValues, string][] = [
          [{ [SIZE]: string('x') }, SIZE],
          [{ cnothere: number(1) }, 'cnothere'],
          [{ [PERSON]: { type: 'User', id: NO_USER } }, PERSON],
          [{ [LINK]: refer(NO_RECORD) }, LINK],
          [{ [SIZE]: { type: 'Number', value: null } }, SIZE],
        ];
        for (const [more, columnId] of wrong) {
          for (const code of [values[CODE], string(fresh())]) {
            const params = refused(await upsert({ [CODE]: code, ...more }), 400, 'INVALID_VALUE');
            assert.equal(params.columnId, columnId);
          }
        }
        assert.equal(done(await things.get(id)).hash, hash);
        assert.equal(await count(), before);
      });

      it('keeps a target that is gone where the record holds it', async () => {
        const target = done(await things.create({}));
        const code = string(fresh());
        const { id } = only(await upsert({ [CODE]: code, [LINK]: refer(target.id) }));
        assert.equal((await things.remove(target.id)).status, 204);
        assert.deepEqual(only(await upsert({ [CODE]: code, [LINK]: refer(target.id) })).values[LINK], refer(target.id));
        const fresher = { [CODE]: string(fresh()), [LINK]: refer(target.id) };
        assert.equal(refused(await upsert(fresher), 400, 'INVALID_VALUE').columnId, LINK);
        only(await upsert({ [CODE]: code, [LINK]: null }));
        refused(await upsert({ [CODE]: code, [LINK]: refer(target.id) }), 400, 'INVALID_VALUE');
        assert.equal(done(await things.get(id)).values[LINK], undefined);
      });

      it('shows references live', async () => {
        const title = fresh();
        const target = done(await things.create({ [CODE]: string(title) }));
        const { values } = only(await upsert({ [CODE]: string(fresh()), [LINK]: refer(target.id) }));
        assert.deepEqual(values[LINK], { ...refer(target.id), recordHash: target.hash, value: string(title) });
      });

      it('names a collision in another column, for a new record and for one that is there', async () => {
        const holder = only(await upsert({ [CODE]: string(fresh()), [SERIAL]: number(++made) }));
        const { id, hash, values } = only(await upsert({ [CODE]: string(fresh()) }));
        const before = await count();
        for (const code of [values[CODE], string(fresh())]) {
          const params = refused(
            await upsert({ [CODE]: code, [SERIAL]: holder.values[SERIAL] }),
            400,
            'DUPLICATED_VALUES',
          );
          assert.deepEqual(params.duplicatedValues, [{ columnId: SERIAL, value: holder.values[SERIAL] }]);
        }
        assert.equal(done(await things.get(id)).hash, hash);
        assert.equal(await count(), before);
        // Its own value is no collision.
        assert.equal(only(await upsert(holder.values)).hash, holder.hash);
      });

      it('takes creatorId from admins, and only for a record that it makes', async () => {
        const code = string(fresh());
        const asOther = operationsOn(scene.app, 'Things', other.token);
        const given = { creatorId: other.id };
        refused(await asOther.upsert(CODE, { [CODE]: code }, given), 403, 'ADMIN_REQUIRED');
        // Before the values are looked at.
        refused(await asOther.upsertMany(CODE, [{ values: {}, ...given }]), 403, 'ADMIN_REQUIRED');
        const unknown = refused(await upsert({ [CODE]: code }, { creatorId: NO_USER }), 400, 'INVALID_CREATOR');
        assert.equal(unknown.creatorId, NO_USER);
        const created = only(await upsert({ [CODE]: code }, given));
        assert.deepEqual(created.createdBy, { id: other.id, name: 'Other' });
        assert.deepEqual(created.updatedBy, { id: scene.app.admin.id, name: 'Admin' });
        for (const creatorId of [scene.app.admin.id, NO_USER]) {
          const changed = only(await upsert({ [CODE]: code, [SIZE]: number(1) }, { creatorId }));
          assert.deepEqual(changed.createdBy, created.createdBy);
        }
        assert.equal(done(await asOther.upsert(CODE, { [CODE]: code })).updatedBy.id, other.id);
        const malformed = refused(await upsert({ [CODE]: code }, { creatorId: 'me' }), 400, 'INVALID_BODY');
        assert.match(malformed.path, /creatorId$/);
      });
    });
  }

  describe('the body', () => {
    it('is one object or an array, of the members of a creation', async () => {
      const before = await count();
      const path = `${scene.app.records('Things')}/upsert/${CODE}`;
      const values = { [CODE]: string(fresh()) };
      const wrong: [unknown, string][] = [
        [{}, '/values'],
        [{ values, replace: false }, '/replace'],
        [{ values, id: NO_RECORD }, '/id'],
        [[{ values }, {}], '/1/values'],
        [[{ values }, { values, creatorId: 5 }], '/1/creatorId'],
        [[{ values }, null], '/1'],
        ['text', ''],
      ];
      for (const [json, at] of wrong) {
        assert.equal(refused(await scene.app.send('PATCH', path, { json }), 400, 'INVALID_BODY').path, at);
      }
      const some = [{ values, creatorId: other.id }, { values }];
      const params = refused(await things.upsertMany(CODE, some), 400, 'INVALID_BODY');
      assert.equal(params.path, '/1/creatorId');
      const large = { [CODE]: string('x'.repeat(1_048_576)) };
      assert.equal(refused(await things.upsert(CODE, large), 400, 'INVALID_BODY').maxBytes, 1_048_576);
      assert.equal(await count(), before);
    });

    it('has at most 100 elements, and may have none', async () => {
      assert.equal((await things.upsertMany(CODE, [])).text, '[]');
      const elements = Array.from({ length: 101 }, (_, n) => ({ values: { [CODE]: string(`bound ${n}`) } }));
      assert.equal(refused(await things.upsertMany(CODE, elements), 400, 'TOO_MANY_RECORDS').maximum, 100);
      const created = done(await things.upsertMany(CODE, elements.slice(1)));
      assert.deepEqual(
        created.map((record: { values: object }) => record.values),
        elements.slice(1).map(({ values }) => values),
      );
      const backwards = elements.slice(1).toReversed();
      const changed = done(
        await things.upsertMany(
          CODE,
          backwards.map(({ values }, n) => ({ values: { ...values, [SIZE]: number(n) } })),
        ),
      );
      assert.deepEqual(
        changed.map(({ id }: { id: string }) => id),
        created.map(({ id }: { id: string }) => id).toReversed(),
      );
      for (const record of changed.slice(0, 3)) assert.deepEqual(done(await things.get(record.id)), record);
    });
  });

  describe('a batch', () => {
    const element = (code: string, more: InputValues = {}) => ({ values: { [CODE]: string(code), ...more } });

    it('may meet records that are there, new ones, and the same key again and again', async () => {
      const [old, one, two] = [fresh(), fresh(), fresh()];
      const { id } = done(await things.upsert(CODE, { [CODE]: string(old), [SIZE]: number(0) }));
      const before = (await recordActivities(scene)).length;
      const records = done(
        await things.upsertMany(CODE, [
          element(one, { [SIZE]: number(1) }),
          element(old, { [SIZE]: number(2) }),
          element(one, { [SERIAL]: number(++made) }),
          element(two),
          element(old, { [SIZE]: null }),
          element(one, { [SIZE]: null }),
        ]),
      );
      const ids = records.map((record: { id: string }) => record.id);
      assert.deepEqual([ids[1], ids[4]], [id, id]);
      assert.deepEqual([ids[0], ids[0]], [ids[2], ids[5]]);
      assert.equal(new Set(ids).size, 3);
      assert.deepEqual(
        records.map(({ values }: { values: InputValues }) => [
          values[SIZE] !== undefined,
          values[SERIAL] !== undefined,
        ]),
        [
          [true, false],
          [true, false],
          [true, true],
          [false, false],
          [false, false],
          [false, true],
        ],
      );
      for (const n of [3, 4, 5]) assert.deepEqual(done(await things.get(ids[n])), records[n]);
      assert.deepEqual(
        (await recordActivities(scene)).slice(before).map(({ subType, extra }) => `${subType} ${extra.recordId}`),
        ['create', 'update', 'update', 'create', 'update', 'update'].map((kind, n) => `${kind} ${ids[n]}`),
      );
    });

    it('may move a unique value of another column from one record to the next', async () => {
      const [one, two, three] = [fresh(), fresh(), fresh()];
      const serial = number(++made);
      done(await things.upsertMany(CODE, [element(one, { [SERIAL]: serial }), element(two)]));
      const moved = [element(one, { [SERIAL]: null }), element(two, { [SERIAL]: serial })];
      assert.deepEqual(done(await things.upsertMany(CODE, moved))[1].values[SERIAL], serial);
      const onwards = [element(two, { [SERIAL]: null }), element(three, { [SERIAL]: serial })];
      assert.deepEqual(done(await things.upsertMany(CODE, onwards))[1].values[SERIAL], serial);
      // In the wrong order it collides.
      const params = refused(
        await things.upsertMany(CODE, [element(one, { [SERIAL]: serial }), element(three, { [SERIAL]: null })]),
        400,
        'DUPLICATED_VALUES',
      );
      assert.deepEqual([params.recordIndex, params.upsertedRecords], [0, []]);
    });

    it('that fails keeps what came before the failure, and tells it', async () => {
      const serial = number(++made);
      const holder = done(await things.upsert(CODE, { [CODE]: string(fresh()), [SERIAL]: serial }));
      const failing: [string, (code: string) => object, string][] = [
        ['a missing key', () => ({ values: {} }), 'MISSING_UPSERT_KEY_VALUE'],
        ['a wrong value', (code) => element(code, { [SIZE]: string('x') }), 'INVALID_VALUE'],
        ['a missing target', (code) => element(code, { [LINK]: refer(NO_RECORD) }), 'INVALID_VALUE'],
        ['a collision', (code) => element(code, { [SERIAL]: serial }), 'DUPLICATED_VALUES'],
      ];
      for (const [what, fail, code] of failing) {
        for (const position of [0, 1, 2, 3, 4]) {
          for (const meets of ['old', 'new'] as const) {
            const [known, failed] = [fresh(), fresh()];
            const old = done(
              await things.upsertMany(CODE, [element(known), ...(meets === 'old' ? [element(failed)] : [])]),
            );
            // Creations, updates and one key twice, in front of the failure and behind it.
            const [one, two] = [fresh(), fresh()];
            const fine = [
              element(one),
              element(known, { [SIZE]: number(1) }),
              element(two),
              element(one, { [SIZE]: number(2) }),
            ];
            const before = await storedRows(scene, 'Things');
            const logged = (await recordActivities(scene)).length;
            const elements: object[] = [...fine];
            elements.splice(position, 0, fail(failed));
            const params = refused(await things.upsertMany(CODE, elements), 400, code);
            assert.equal(params.recordIndex, position, `${what} at ${position}`);
            const told = params.upsertedRecords;
            assert.deepEqual(
              told.map(({ values }: { values: InputValues }) => values[CODE]),
              fine.slice(0, position).map(({ values }) => values[CODE]),
            );
            const last = new Map<string, object>(told.map((record: { id: string }) => [record.id, record]));
            for (const [id, record] of last) assert.deepEqual(done(await things.get(id)), record);
            const made = [0, 2].filter((index) => index < position).length;
            const rows = await storedRows(scene, 'Things');
            assert.equal(rows.length, before.length + made, `${what} at ${position}`);
            for (const row of before) {
              if (last.has(row.id)) continue;
              assert.deepEqual(
                rows.find(({ id }) => id === row.id),
                row,
              );
            }
            assert.equal(old[0].id !== holder.id, true);
            const entries = (await recordActivities(scene)).slice(logged);
            assert.deepEqual(
              entries.map(({ subType, extra }) => `${subType} ${extra.recordId}`),
              told.map(({ id }: { id: string }, n: number) => `${['create', 'update', 'create', 'update'][n]} ${id}`),
            );
          }
        }
      }
    });

    it('of updates refused behind creations leaves nothing of what came behind the failure', async () => {
      const serial = number(++made);
      done(await things.upsert(CODE, { [CODE]: string(fresh()), [SERIAL]: serial }));
      const [known, one, two] = [fresh(), fresh(), fresh()];
      done(await things.upsert(CODE, { [CODE]: string(known) }));
      const before = await count();
      const elements = [element(one), element(known, { [SERIAL]: serial }), element(two)];
      const params = refused(await things.upsertMany(CODE, elements), 400, 'DUPLICATED_VALUES');
      assert.equal(params.recordIndex, 1);
      assert.equal(params.upsertedRecords.length, 1);
      assert.equal(await count(), before + 1);
      assert.equal(done(await things.upsert(CODE, { [CODE]: string(one) })).id, params.upsertedRecords[0].id);
    });

    it('of creators takes them one by one', async () => {
      const [known, one] = [fresh(), fresh()];
      done(await things.upsert(CODE, { [CODE]: string(known) }));
      const elements = [
        { ...element(known), creatorId: NO_USER },
        { ...element(one), creatorId: other.id },
        { ...element(one), creatorId: NO_USER },
        { ...element(fresh()), creatorId: NO_USER },
      ];
      const params = refused(await things.upsertMany(CODE, elements), 400, 'INVALID_CREATOR');
      assert.equal(params.recordIndex, 3);
      assert.deepEqual(
        params.upsertedRecords.map((record: { createdBy: { id: string } }) => record.createdBy.id),
        [scene.app.admin.id, other.id, other.id],
      );
    });
  });
});
