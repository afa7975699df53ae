// Unique columns: the database decides, also between requests that race; the refusal names what was sent and nothing of
// the record that was there before.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import {
  closeScene,
  done,
  type Operations,
  openScene,
  operationsOn,
  refused,
  type Scene,
  storedRows,
} from '../support/records.ts';
import type { Reply } from '../support/server.ts';
import { equalValues } from './equal-values.ts';

const CODE = 'ccode000';
const SERIAL = 'cserial0';
const NOTE = 'cnote000';

const DOCUMENT = {
  collections: [
    {
      id: 'tthings0',
      name: 'Things',
      columns: [
        { id: CODE, name: 'Code', type: 'String', unique: true, sortable: true, searchable: true },
        { id: SERIAL, name: 'Serial', type: 'Number', unique: true },
        { id: NOTE, name: 'Note', type: 'String' },
      ],
    },
    {
      id: 'ttypes00',
      name: 'Types',
      columns: [
        { id: 'cstring0', name: 'String', type: 'String', unique: true },
        { id: 'cnumber0', name: 'Number', type: 'Number', unique: true },
        { id: 'cdatetim', name: 'DateTime', type: 'DateTime', unique: true },
        { id: 'cdate000', name: 'Date', type: 'Date', unique: true },
        { id: 'ctime000', name: 'Time', type: 'Time', unique: true },
        { id: 'cuser000', name: 'User', type: 'User', unique: true },
        {
          id: 'crefsite',
          name: 'Site',
          type: 'ReferenceString',
          unique: true,
          scheme: { collectionId: 'tthings0', columnId: CODE },
        },
      ],
    },
    {
      id: 'tsingle0',
      name: 'Single',
      readAccessType: 'creatorOnly',
      columns: [{ id: 'csingle0', name: 'Single', type: 'String', unique: true, sortable: true, searchable: true }],
    },
  ],
};

describe('unique columns', () => {
  let scene: Scene;
  let things: Operations;
  let single: Operations;
  let other: Person;

  before(async () => {
    scene = await openScene(DOCUMENT);
    things = operationsOn(scene.app, 'Things');
    single = operationsOn(scene.app, 'Single');
    other = await scene.app.addPerson('Other');
  });
  after(() => closeScene(scene));

  const duplicated = (reply: Reply) => refused(reply, 400, 'DUPLICATED_VALUES').duplicatedValues;

  it('of 50 parallel creates with one value exactly one wins', async () => {
    const values = { [CODE]: string('contended'), [NOTE]: string('x') };
    const replies = await Promise.all(Array.from({ length: 50 }, () => things.create(values)));
    assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
    for (const reply of replies) {
      if (reply.status === 200) continue;
      assert.deepEqual(refused(reply, 400, 'DUPLICATED_VALUES'), {
        duplicatedValues: [{ columnId: CODE, value: string('contended') }],
      });
    }
  });

  it('of parallel batches, updates and merges to one value exactly one wins', async () => {
    const targets = done(await things.createMany(Array.from({ length: 20 }, () => ({ values: {} }))));
    const values = { [CODE]: string('wanted by all') };
    const replies = await Promise.all(
      targets.map(({ id }: { id: string }, n: number) => {
        if (n % 4 === 0) return things.replace(id, values);
        if (n % 4 === 1) return things.merge(id, values);
        return n % 4 === 2 ? things.updateMany([{ id, values }]) : things.createMany([{ values }]);
      }),
    );
    assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
    for (const reply of replies) if (reply.status !== 200) duplicated(reply);
    const holders = (await storedRows(scene, 'Things')).filter(({ rec }) => rec.includes('wanted by all'));
    assert.equal(holders.length, 1);
  });

  it('batches that want the same values in opposite order never fail otherwise', async () => {
    const codes = Array.from({ length: 30 }, (_, n) => `opposite ${n}`);
    const elements = codes.map((code) => ({ values: { [CODE]: string(code) } }));
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, n) => things.createMany(n % 2 === 0 ? elements : [...elements].reverse())),
    );
    for (const reply of replies) if (reply.status !== 200) duplicated(reply);
    const stored = (await storedRows(scene, 'Things')).filter(({ rec }) => rec.includes('"opposite '));
    assert.equal(stored.length, 30, 'each value came to be once, by whichever batch');
  });

  it('every type that may be unique is, by its value', async () => {
    const types = operationsOn(scene.app, 'Types');
    const thing = done(await things.create({ [CODE]: string('referred') }));
    const another = done(await things.create({ [CODE]: string('referred too') }));
    const refer = (recordId: string) => ({
      type: 'ReferenceString',
      collectionId: 'tthings0',
      columnId: CODE,
      recordId,
    });
    const cases = equalValues(refer, { records: [thing.id, another.id], users: [other.id, scene.app.admin.id] });
    for (const [columnId, value, same, different] of cases) {
      const first = done(await types.create({ [columnId]: value }));
      const [collision] = duplicated(await types.create({ [columnId]: same }));
      assert.equal(collision.columnId, columnId);
      assert.equal(collision.value.type, value.type);
      const second = done(await types.create({ [columnId]: different }));
      for (const road of [types.replace, types.merge]) {
        assert.equal(duplicated(await road(second.id, { [columnId]: same }))[0].columnId, columnId);
        assert.equal(done(await road(first.id, { [columnId]: same })).hash, first.hash, 'its own value is fine');
      }
      assert.equal((await types.remove(first.id)).status, 204);
      done(await types.replace(second.id, { [columnId]: same }));
    }
  });

  it('two columns that collide at once are both told, on every road', async () => {
    done(await things.create({ [CODE]: string('both'), [SERIAL]: number(1) }));
    done(await things.create({ [CODE]: string('code only'), [SERIAL]: number(2) }));
    const { id } = done(await things.create({ [NOTE]: string('third') }));
    const roads = [
      (values: object) => things.create({ ...values }),
      (values: object) => things.createMany([{ values }]),
      (values: object) => things.replace(id, { ...values }),
      (values: object) => things.merge(id, { ...values }),
      (values: object) => things.updateMany([{ id, values }]),
      (values: object) =>
        things.updateMany([
          { id, values: {} },
          { id, values },
        ]),
    ];
    for (const road of roads) {
      // In the order of the collection's columns, whatever the order in the body.
      assert.deepEqual(duplicated(await road({ [SERIAL]: number(1), [CODE]: string('both') })), [
        { columnId: CODE, value: string('both') },
        { columnId: SERIAL, value: number(1) },
      ]);
      assert.deepEqual(duplicated(await road({ [SERIAL]: number(2), [CODE]: string('both') })).length, 2);
      assert.deepEqual(duplicated(await road({ [SERIAL]: number(3), [CODE]: string('both') })), [
        { columnId: CODE, value: string('both') },
      ]);
      assert.deepEqual(duplicated(await road({ [SERIAL]: number(1) })), [{ columnId: SERIAL, value: number(1) }]);
    }
    const own = done(await things.get(id)).values;
    assert.ok(own[CODE] === undefined && own[SERIAL] === undefined);
  });

  it('records without a value never collide', async () => {
    const [first, second] = done(
      await things.createMany([{ values: {} }, { values: {} }, { values: { [NOTE]: string('x') } }]),
    );
    done(await things.replace(first.id, {}));
    done(await things.merge(second.id, { [CODE]: null, [SERIAL]: null }));
    const empty = done(await things.create({ [CODE]: string('') }));
    assert.deepEqual(duplicated(await things.create({ [CODE]: string('') })), [{ columnId: CODE, value: string('') }]);
    assert.equal((await things.remove(empty.id)).status, 204);
  });

  it('text is compared exactly', async () => {
    // Case, composition, white space at the end, a prefix that is long, and what could be taken for a digest.
    const texts = ['É', 'é', 'e\u0301', 'é ', ' é', 'x'.repeat(400), 'x'.repeat(401), 'x'.repeat(402)];
    for (const text of texts) {
      done(await single.create({ csingle0: string(text) }));
      assert.deepEqual(duplicated(await single.create({ csingle0: string(text) })), [
        { columnId: 'csingle0', value: string(text) },
      ]);
    }
  });

  it('900,000 characters work in a column that is unique, sortable and searchable', async () => {
    // Text that does not compress to nothing, and ends in the character that makes the difference.
    const random = Array.from({ length: 899_999 }, (_, n) => String.fromCharCode(97 + (((n * 7919) % 251) % 26))).join(
      '',
    );
    const long = string(`${random}1`);
    const created = done(await single.create({ csingle0: long }));
    assert.deepEqual(created.values, { csingle0: long });
    assert.deepEqual(done(await single.get(created.id)), created);
    for (const road of [single.replace, single.merge]) {
      const again = done(await road(created.id, { csingle0: long }));
      assert.equal(again.hash, created.hash);
      assert.deepEqual(again.values, { csingle0: long });
    }
    assert.deepEqual(duplicated(await single.create({ csingle0: long })), [{ columnId: 'csingle0', value: long }]);
    const second = done(await single.create({ csingle0: string(`${random}2`) }));
    assert.deepEqual(duplicated(await single.merge(second.id, { csingle0: long }))[0].value, long);
  });

  it('a collision tells the value that was sent and nothing of the other record', async () => {
    const hidden = done(await single.create({ csingle0: string('hidden') }));
    const asOther = operationsOn(scene.app, 'Single', other.token);
    refused(await asOther.get(hidden.id), 404, 'RECORD_NOT_FOUND');
    const reply = await asOther.create({ csingle0: string('hidden') });
    assert.deepEqual(refused(reply, 400, 'DUPLICATED_VALUES'), {
      duplicatedValues: [{ columnId: 'csingle0', value: string('hidden') }],
    });
    assert.ok(!reply.text.includes(hidden.id) && !reply.text.includes('Admin'));
  });

  for (const replace of [true, false]) {
    it(`a batch of updates${replace ? '' : ', merging,'} meets its own values in order`, async () => {
      // The other run has the same codes without it.
      const end = replace ? '' : ' merged';
      const make = async (tag: string) =>
        done(
          await things.createMany(
            ['A', 'B', 'C'].map((letter) => ({ values: { [CODE]: string(tag + letter + end), [NOTE]: string('x') } })),
          ),
        ).map((record: { id: string }) => record.id);
      const to = (id: string, code: string) => ({ id, values: { [CODE]: string(code + end) }, replace });
      const codes = async (ids: string[]) =>
        Promise.all(ids.map(async (id) => done(await things.get(id)).values[CODE]?.value.replace(end, '')));

      const swap = await make('swap ');
      const swapped = refused(
        await things.updateMany([to(swap[0], 'swap B'), to(swap[1], 'swap A')]),
        400,
        'DUPLICATED_VALUES',
      );
      assert.equal(swapped.recordIndex, 0);
      assert.deepEqual(swapped.updatedRecords, []);
      assert.deepEqual(await codes(swap), ['swap A', 'swap B', 'swap C']);

      // What a later element would set free is not free yet, whichever of the two records is the older one.
      const early = await make('early ');
      for (const [taker, holder, code] of [
        [early[1], early[0], 'early A'],
        [early[0], early[1], 'early B'],
        [early[2], early[0], 'early A'],
      ]) {
        const params = refused(
          await things.updateMany([to(taker, code), to(holder, 'early D')]),
          400,
          'DUPLICATED_VALUES',
        );
        assert.equal(params.recordIndex, 0);
        assert.deepEqual(await codes(early), ['early A', 'early B', 'early C']);
      }

      const chain = await make('chain ');
      const moved = done(
        await things.updateMany([to(chain[0], 'chain D'), to(chain[1], 'chain A'), to(chain[2], 'chain B')]),
      );
      assert.deepEqual(
        moved.map((record: { values: Record<string, { value: string }> }) => record.values[CODE]?.value),
        ['chain D', 'chain A', 'chain B'].map((code) => code + end),
      );
      assert.deepEqual(await codes(chain), ['chain D', 'chain A', 'chain B']);

      const through = await make('through ');
      done(
        await things.updateMany([
          to(through[0], 'through X'),
          to(through[1], 'through A'),
          to(through[0], 'through B'),
        ]),
      );
      assert.deepEqual(await codes(through), ['through B', 'through A', 'through C']);

      const clash = await make('clash ');
      const clashed = refused(
        await things.updateMany([to(clash[2], 'clash D'), to(clash[0], 'clash E'), to(clash[1], 'clash E')]),
        400,
        'DUPLICATED_VALUES',
      );
      assert.equal(clashed.recordIndex, 2);
      assert.equal(clashed.updatedRecords.length, 2);
      assert.deepEqual(clashed.duplicatedValues, [{ columnId: CODE, value: string(`clash E${end}`) }]);
      assert.deepEqual(await codes(clash), ['clash E', 'clash B', 'clash D']);
    });
  }

  it('one record several times in a batch passes through every state', async () => {
    const { id } = done(await things.create({ [CODE]: string('state 0'), [SERIAL]: number(100) }));
    const steps = [
      { id, values: { [NOTE]: string('one') }, replace: false },
      { id, values: { [CODE]: string('state 2') } },
      { id, values: { [CODE]: null, [SERIAL]: number(101) }, replace: false },
      { id, values: { [CODE]: string('state 0') }, replace: false },
    ];
    const states = done(await things.updateMany(steps));
    assert.deepEqual(
      states.map((record: { values: object }) => record.values),
      [
        { [CODE]: string('state 0'), [SERIAL]: number(100), [NOTE]: string('one') },
        { [CODE]: string('state 2') },
        { [SERIAL]: number(101) },
        { [CODE]: string('state 0'), [SERIAL]: number(101) },
      ],
    );
    assert.equal(new Set(states.map((record: { hash: string }) => record.hash)).size, 4);
    assert.deepEqual(done(await things.get(id)), states[3]);
    // What a record let go of on its way is free for others.
    done(await things.create({ [CODE]: string('state 2'), [SERIAL]: number(100) }));
  });
});
