// The activity log of records: one entry for each record that was changed, whatever the operation, and none for what
// was refused.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, publishApplication, string } from '../support/application.ts';
import {
  closeScene,
  done,
  NO_RECORD,
  type Operations,
  openScene,
  operationsOn,
  recordActivities,
  refused,
  type Scene,
} from '../support/records.ts';

const CODE = 'ccode000';
const SIZE = 'csize000';
const COLLECTIONS = [
  {
    id: 'tthings0',
    name: 'Things "quoted" \\',
    writeAccessType: 'creatorOnly',
    columns: [
      { id: CODE, name: 'Code', type: 'String', unique: true },
      { id: SIZE, name: 'Size', type: 'Number' },
    ],
  },
];
const THINGS = COLLECTIONS[0]!.name;

describe('record activities', () => {
  let scene: Scene;
  let things: Operations;
  let other: Person;

  before(async () => {
    scene = await openScene({ name: 'Log "test"', collections: COLLECTIONS });
    things = operationsOn(scene.app, THINGS);
    other = await scene.app.addPerson('Other "quoted" \\');
  });
  after(() => closeScene(scene));

  /** What `work` leaves in the log, as `subType recordId`. */
  async function logged(work: () => Promise<unknown>): Promise<string[]> {
    const before = (await recordActivities(scene)).length;
    await work();
    return (await recordActivities(scene))
      .slice(before)
      .map(({ subType, extra }: { subType: string; extra: { recordId: string } }) => `${subType} ${extra.recordId}`);
  }

  it('say when, what, who, where and which record', async () => {
    const asOther = operationsOn(scene.app, THINGS, other.token);
    const before = (await recordActivities(scene)).length;
    const created = done(await asOther.create({ [SIZE]: number(1) }));
    const updated = done(await things.replace(created.id, { [SIZE]: number(2) }));
    const merged = done(await asOther.merge(created.id, { [SIZE]: number(3) }));
    assert.equal((await things.remove(created.id)).status, 204);
    const entries = (await recordActivities(scene)).slice(before);
    const people = { other: { id: other.id, name: other.name }, admin: { id: scene.app.admin.id, name: 'Admin' } };
    const entry = (date: string, subType: string, user: object) => ({
      date,
      type: 'record',
      subType,
      user,
      application: { id: scene.app.id, name: 'Log "test"', version: 1 },
      collection: { id: 'tthings0', name: THINGS },
      source: { context: 'api', ip: '127.0.0.1' },
      extra: { recordId: created.id },
    });
    const dates = entries.map(({ date }: { date: string }) => date);
    assert.deepEqual(entries, [
      entry(dates[0]!, 'create', people.other),
      entry(dates[1]!, 'update', people.admin),
      entry(dates[2]!, 'update', people.other),
      entry(dates[3]!, 'delete', people.admin),
    ]);
    assert.deepEqual(dates, [...dates].sort());
    for (const date of dates) assert.match(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(dates[0]! >= created.createdAt && dates[1]! >= updated.updatedAt && dates[2]! >= merged.updatedAt);
  });

  it('are one for each record of a batch, in order', async () => {
    let ids: string[] = [];
    const elements = Array.from({ length: 30 }, (_, n) => ({ values: { [SIZE]: number(n) } }));
    const creations = await logged(async () => {
      ids = done(await things.createMany(elements)).map((record: { id: string }) => record.id);
    });
    assert.deepEqual(
      creations,
      ids.map((id) => `create ${id}`),
    );
    const backwards = [...ids].reverse();
    const updates = await logged(async () =>
      done(await things.updateMany(backwards.map((id) => ({ id, values: {}, replace: false })))),
    );
    assert.deepEqual(
      updates,
      backwards.map((id) => `update ${id}`),
    );
    const id = ids[0]!;
    const repeated = await logged(async () =>
      done(await things.updateMany(Array.from({ length: 3 }, (_, n) => ({ id, values: { [SIZE]: number(-n) } })))),
    );
    assert.deepEqual(repeated, Array(3).fill(`update ${id}`));
  });

  it('of a batch that fails are those of the records before the failure', async () => {
    const taken = done(await things.create({ [CODE]: string('taken') }));
    for (const failing of [{ [CODE]: string('taken') }, { [SIZE]: string('x') }]) {
      let ids: string[] = [];
      const creations = await logged(async () => {
        const reply = await things.createMany([{ values: {} }, { values: {} }, { values: failing }, { values: {} }]);
        assert.equal(reply.status, 400);
        ids = reply.body.params.insertedRecords.map((record: { id: string }) => record.id);
      });
      assert.equal(ids.length, 2);
      assert.deepEqual(
        creations,
        ids.map((id) => `create ${id}`),
      );
      const [first, second] = ids;
      for (const applied of [[], [first], [second, first], [first, first, second]]) {
        const updates = await logged(async () => {
          const elements = applied.map((id, n) => ({ id, values: { [SIZE]: number(n) } }));
          const reply = await things.updateMany([
            ...elements,
            { id: second, values: failing },
            { id: taken.id, values: {} },
          ]);
          assert.equal(reply.status, 400);
          assert.equal(reply.body.params.recordIndex, applied.length);
        });
        assert.deepEqual(
          updates,
          applied.map((id) => `update ${id}`),
        );
      }
    }
  });

  it('are none for what was refused or only read', async () => {
    const asOther = operationsOn(scene.app, THINGS, other.token);
    const { id, hash } = done(await things.create({ [CODE]: string('refusals') }));
    const spare = done(await things.create({}));
    const stale = { 'if-match': '"stale"' };
    const nothing = await logged(async () => {
      assert.equal((await things.get(id)).status, 200);
      for (const road of [things.replace, things.merge]) {
        refused(await road(id, {}, stale), 412, 'PRECONDITION_FAILED');
        refused(await road(NO_RECORD, {}), 404, 'RECORD_NOT_FOUND');
        refused(await road(spare.id, { [CODE]: string('refusals') }), 400, 'DUPLICATED_VALUES');
        refused(await road(id, { [SIZE]: string('x') }), 400, 'INVALID_VALUE');
      }
      refused(await asOther.replace(id, {}), 403, 'FORBIDDEN');
      refused(await asOther.merge(id, {}), 403, 'FORBIDDEN');
      refused(await asOther.remove(id), 403, 'FORBIDDEN');
      refused(await asOther.create({}, { creatorId: other.id }), 403, 'ADMIN_REQUIRED');
      refused(await things.remove(id, stale), 412, 'PRECONDITION_FAILED');
      refused(await things.remove(NO_RECORD), 404, 'RECORD_NOT_FOUND');
      refused(await things.create({ [CODE]: string('refusals') }), 400, 'DUPLICATED_VALUES');
      refused(await things.createMany([{ values: { [CODE]: string('refusals') } }]), 400, 'DUPLICATED_VALUES');
      refused(await things.updateMany([{ id: NO_RECORD, values: {} }]), 404, 'RECORD_NOT_FOUND');
      refused(
        await things.updateMany([{ id: spare.id, values: { [CODE]: string('refusals') } }]),
        400,
        'DUPLICATED_VALUES',
      );
      assert.deepEqual(done(await things.createMany([])), []);
    });
    assert.deepEqual(nothing, []);
    assert.equal(done(await things.get(id)).hash, hash);
  });

  it('match what happened when many race', async () => {
    const { id } = done(await things.create({}));
    const log = await logged(async () => {
      const replies = await Promise.all(
        Array.from({ length: 24 }, (_, n) => {
          const values = { [CODE]: string('raced'), [SIZE]: number(n) };
          if (n % 3 === 0) return things.create(values);
          return n % 3 === 1 ? things.replace(id, { [SIZE]: number(n) }) : things.merge(id, { [SIZE]: number(n) });
        }),
      );
      assert.equal(replies.filter(({ status }) => status === 200).length, 17);
    });
    assert.equal(log.filter((line) => line === `update ${id}`).length, 16);
    assert.equal(log.filter((line) => line.startsWith('create ')).length, 1);
    assert.equal(log.length, 17);
  });

  it('are not written while the application does not log', async () => {
    const app = await publishApplication(scene.server, { activityLogEnabled: false, collections: COLLECTIONS });
    const quiet: Scene = { server: scene.server, app };
    const all = operationsOn(app, THINGS);
    const { id } = done(await all.create({}));
    const [second] = done(await all.createMany([{ values: {} }, { values: {} }]));
    done(await all.replace(id, { [SIZE]: number(1) }));
    done(await all.merge(id, { [SIZE]: number(2) }));
    done(
      await all.updateMany([
        { id, values: {} },
        { id: second.id, values: {} },
      ]),
    );
    refused(await all.createMany([{ values: {} }, { values: { [SIZE]: null } }]), 400, 'INVALID_VALUE');
    const twins = [{ values: { [CODE]: string('twin') } }, { values: { [CODE]: string('twin') } }];
    refused(await all.createMany(twins), 400, 'DUPLICATED_VALUES');
    assert.equal((await all.remove(id)).status, 204);
    assert.deepEqual(await recordActivities(quiet), []);
  });
});
