// hash, timestamp and updatedAt: when they change, when they stay, and that no road of writing ever turns them back.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import {
  assertConsistent,
  closeScene,
  done,
  expectedHash,
  type Operations,
  openScene,
  operationsOn,
  type Scene,
  storedRow,
  tableOf,
} from '../support/records.ts';

const TITLE = 'ctitle00';
const SIZE = 'csize000';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const FUTURE = '2999-12-31T23:59:59.998Z';

/** Names that could be taken for parts of a record's text if they were not escaped. */
const TRICKY_NAMES = [
  'a","timestamp":"b',
  ',"timestamp":"2000-01-01T00:00:00.000Z","hash":"x"',
  '\\',
  '\\",\\"timestamp\\":\\"',
  '","hash":"00000000000000000000000000","updatedAt":"',
  '"},"values":{}}',
  '💥 $1 \\1 %s \u2028 ‮',
];

type Write = (things: Operations, id: string, values: Record<string, unknown>) => Promise<unknown>;

/** The roads on which a whole record can be written, each answering the record. */
const ROADS: [string, Write][] = [
  ['replace', async (things, id, values) => done(await things.replace(id, values))],
  ['merge', async (things, id, values) => done(await things.merge(id, values))],
  ['update many', async (things, id, values) => done(await things.updateMany([{ id, values }]))[0]],
  [
    'update many, merging twice',
    async (things, id, values) => {
      const element = { id, values, replace: false };
      return done(await things.updateMany([element, element]))[1];
    },
  ],
];

describe('hash and times', () => {
  let scene: Scene;
  let things: Operations;

  before(async () => {
    scene = await openScene({
      collections: [
        {
          id: 'tthings0',
          name: 'Things',
          columns: [
            { id: TITLE, name: 'Title', type: 'String' },
            { id: SIZE, name: 'Size', type: 'Number' },
          ],
        },
      ],
    });
    things = operationsOn(scene.app, 'Things');
  });
  after(() => closeScene(scene));

  /** Until the database's clock shows a later millisecond than this. */
  async function laterThan(time: string): Promise<void> {
    for (;;) {
      const probe = done(await things.create({}));
      if (probe.createdAt > time) return;
    }
  }

  it('the hash is that of the identifier and the canonical values', async () => {
    for (const values of [{}, { [SIZE]: number(1e21), [TITLE]: string('ü\u0001\ud83d\ude00"') }]) {
      const created = done(await things.create(values));
      assert.equal(created.hash, expectedHash(created));
      assertConsistent(await storedRow(scene, 'Things', created.id));
    }
    const [one, other] = [
      { [TITLE]: string('x'), [SIZE]: number(1) },
      { [SIZE]: number(1), [TITLE]: string('x') },
    ];
    const created = done(await things.create(one));
    assert.equal(done(await things.replace(created.id, other)).hash, created.hash, 'the order of members is nothing');
  });

  it('on creation the three times are equal', async () => {
    const [first, second] = done(await things.createMany([{ values: {} }, { values: {} }]));
    for (const record of [first, second]) {
      assert.match(record.createdAt, ISO);
      assert.equal(record.timestamp, record.createdAt);
      assert.equal(record.updatedAt, record.createdAt);
    }
  });

  for (const [road, write] of ROADS) {
    it(`${road}: an update without a change keeps hash and timestamp, one with a change moves both`, async () => {
      const values = { [TITLE]: string('one'), [SIZE]: number(1) };
      const created = done(await things.create(values));
      await laterThan(created.createdAt);
      const same = (await write(things, created.id, values)) as typeof created;
      assert.equal(same.hash, created.hash);
      assert.equal(same.timestamp, created.timestamp);
      assert.equal(same.createdAt, created.createdAt);
      assert.ok(same.updatedAt > created.updatedAt);
      await laterThan(same.updatedAt);
      const changed = (await write(things, created.id, { ...values, [SIZE]: number(2) })) as typeof created;
      assert.notEqual(changed.hash, created.hash);
      assert.equal(changed.hash, expectedHash(changed));
      assert.ok(changed.updatedAt > same.updatedAt);
      assert.equal(changed.timestamp, changed.updatedAt);
      await laterThan(changed.updatedAt);
      const back = (await write(things, created.id, values)) as typeof created;
      assert.equal(back.hash, created.hash, 'the same values give the same hash');
      assert.ok(back.timestamp > changed.timestamp, 'but they got it later');
      assert.equal(back.createdAt, created.createdAt);
      assert.deepEqual(done(await things.get(created.id)), back);
      assertConsistent(await storedRow(scene, 'Things', created.id));
    });

    it(`${road}: no time goes backwards when the stored one is ahead of the clock`, async () => {
      const values = { [TITLE]: string('one'), [SIZE]: number(1) };
      const created = done(await things.create(values));
      await scene.server.database.sql(
        `update ${tableOf(scene, 'Things')} set updated_at = $2::timestamptz,
           rec = regexp_replace(rec, '"updatedAt":"[^"]*"', '"updatedAt":"' || $3 || '"') where id = $1`,
        [created.id, FUTURE, FUTURE],
      );
      const same = (await write(things, created.id, values)) as typeof created;
      assert.equal(same.updatedAt, FUTURE);
      assert.equal(same.timestamp, created.timestamp);
      const changed = (await write(things, created.id, { ...values, [SIZE]: number(2) })) as typeof created;
      assert.equal(changed.updatedAt, FUTURE);
      assert.equal(changed.timestamp, FUTURE, 'when the values got their hash cannot be before the last update');
      const again = (await write(things, created.id, values)) as typeof created;
      assert.equal(again.timestamp, FUTURE);
      assert.equal(again.createdAt, created.createdAt);
      assertConsistent(await storedRow(scene, 'Things', created.id));
    });
  }

  it('identifiers sort by creation, within a batch and from one to the next', async () => {
    const elements = Array.from({ length: 100 }, (_, index) => ({ values: { [SIZE]: number(index) } }));
    const batches = [done(await things.createMany(elements)), done(await things.createMany(elements))];
    const ids = batches.flat().map((record) => record.id);
    assert.deepEqual(ids, [...ids].sort());
    assert.equal(new Set(ids).size, 200);
    assert.deepEqual(
      batches[1].map((record: { values: object }) => record.values),
      elements.map((element) => element.values),
    );
  });

  it('any name of a creator or updater leaves the record whole on every road', async () => {
    const people: Person[] = [];
    for (const name of TRICKY_NAMES) people.push(await scene.app.addPerson(name));
    for (const [index, creator] of people.entries()) {
      const updater = people[(index + 1) % people.length] ?? creator;
      for (const [road, write] of ROADS) {
        const values = { [TITLE]: string(creator.name), [SIZE]: number(index) };
        const created = done(await operationsOn(scene.app, 'Things', creator.token).create(values));
        assert.deepEqual(created.createdBy, { id: creator.id, name: creator.name });
        await write(operationsOn(scene.app, 'Things', updater.token), created.id, { ...values, [SIZE]: number(-1) });
        const updated = (await write(operationsOn(scene.app, 'Things', updater.token), created.id, values)) as object;
        const expected = { ...created, updatedBy: { id: updater.id, name: updater.name } };
        const read = done(await things.get(created.id));
        assert.deepEqual(read, { ...expected, timestamp: read.timestamp, updatedAt: read.updatedAt }, road);
        assert.deepEqual(updated, read);
        assertConsistent(await storedRow(scene, 'Things', created.id));
      }
    }
  });

  it('the stored text is the same whichever road wrote it', async () => {
    const values = { [TITLE]: string('text'), [SIZE]: number(2) };
    const forms = new Set<string>();
    for (const [, write] of ROADS) {
      const { id } = done(await things.create({ [TITLE]: string('before') }));
      await write(things, id, values);
      const { rec } = await storedRow(scene, 'Things', id);
      const { hash } = JSON.parse(rec);
      forms.add(
        rec
          .replaceAll(id, 'ID')
          .replaceAll(hash, 'HASH')
          .replaceAll(/"\d{4}-[^"]*Z"/g, 'TIME'),
      );
    }
    assert.equal(forms.size, 1, [...forms].join('\n'));
  });
});
