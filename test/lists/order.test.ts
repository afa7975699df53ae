// The order of lists: every sortable type in both directions, ties and records without a value, long texts, and the
// names of creators and updaters. Attachments are in test/attachments, references in reference-order.test.ts.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, string } from '../support/application.ts';
import { by, createAll, DIRECTIONS, type Lister, listerOf, WALKS, walkAll } from '../support/lists.ts';
import { closeScene, done, openScene, operationsOn, type Scene } from '../support/records.ts';

const COLUMNS = {
  String: 'cstring0',
  Number: 'cnumber0',
  Boolean: 'cboolean',
  DateTime: 'cdatetim',
  Date: 'cdate000',
  Time: 'ctime000',
  User: 'cuser000',
} as const;
type TypeName = keyof typeof COLUMNS;

/** Values in ascending order; those in an inner array are equal. */
const ASCENDING: Record<Exclude<TypeName, 'User'>, readonly (readonly unknown[])[]> = {
  String: [
    ['', ''],
    ['\u0001'],
    ['\t'],
    ['\n', '\r\n', '\r'],
    [' '],
    ['  '],
    ['10'],
    ['9'],
    ['A'],
    ['B', 'B'],
    ['Z'],
    ['a'],
    ['a\u0001'],
    ['aa'],
    ['b'],
    ['e'],
    ['e\u0301', 'e\u0301'],
    ['f'],
    ['ß'],
    ['é'],
    ['あ'],
    ['日本'],
    ['\uff21'],
    ['\ufffd', '\ufffd'],
    ['\u{1f600}'],
    ['\u{1f600}a'],
    ['\u{10ffff}'],
  ],
  Number: [
    [-1.7976931348623157e308],
    [-1e21],
    [-10],
    [-9.5],
    [-5e-324],
    [0, -0, 0],
    [5e-324],
    [0.1],
    [0.3],
    [0.1 + 0.2],
    [2, 2],
    [10],
    [9007199254740991],
    [9007199254740992],
    [1e21],
    [1.7976931348623157e308],
  ],
  Boolean: [
    [false, false, false],
    [true, true],
  ],
  DateTime: [
    ['0001-01-01T00:00:00.000Z', '0001-01-01T01:00:00+01:00'],
    ['0099-12-31T23:59:59.999Z'],
    ['1969-12-31T23:59:59.999Z', -0.001],
    ['1970-01-01T00:00:00Z', 0],
    ['2023-12-31T15:00:00.000Z', '2024-01-01T00:00:00+09:00'],
    ['2023-12-31T15:00:00.001Z'],
    ['2023-12-31T15:00:00.01Z'],
    ['2024-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', 253402300799.999],
  ],
  Date: [['0001-01-01'], ['0100-01-01'], ['1999-12-31'], ['2000-02-29', '2000-02-29'], ['2000-03-01'], ['9999-12-31']],
  Time: [['00:00:00'], ['00:00:01'], ['09:59:59'], ['10:00:00', '10:00:00'], ['23:59:59']],
};
const NAMES = ['!', 'Zoe', 'adam', 'Ärger', 'あい', '\ufffdx', '\u{1f600}y'];

/** Ordered by what UTF-8 says, which is the order of code points. */
const compareTexts = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

interface Placed {
  readonly id: string;
  readonly rank: number;
}
const inOrder = (placed: readonly Placed[]): string[] =>
  [...placed].sort((a, b) => a.rank - b.rank || compareTexts(a.id, b.id)).map(({ id }) => id);

/** The same shuffle in every run. */
const shuffled = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item, index) => ({ item, key: ((index * 7919 + 13) % 10007) % 101 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);

describe('order of lists', () => {
  let scene: Scene;
  let lister: Lister;
  const people: Person[] = [];
  /** Of each column: the rank of every record's value; 0 where it has none. */
  const placed = {} as Record<TypeName, Placed[]>;

  const assertOrder = async (
    list: Lister,
    order: (direction: 'ascending' | 'descending') => object,
    expected: string[],
  ) => {
    for (const direction of DIRECTIONS) {
      const wanted = direction === 'ascending' ? expected : [...expected].reverse();
      const found = await walkAll(list, { ...order(direction) }, { walk: 'skip', limit: 100 });
      assert.deepEqual(found, wanted, direction);
    }
  };

  before(async () => {
    scene = await openScene({
      collections: [
        {
          id: 'tthings0',
          name: 'Things',
          columns: Object.entries(COLUMNS).map(([type, id]) => ({ id, name: type, type, sortable: true })),
        },
        { id: 'tpeople0', name: 'People', columns: [] },
        {
          id: 'tlong000',
          name: 'Long',
          columns: [
            { id: 'clong000', name: 'Text', type: 'String', sortable: true },
            { id: 'cuniq000', name: 'Key', type: 'String', sortable: true, unique: true, searchable: true },
          ],
        },
      ],
    });
    lister = listerOf(scene, 'Things');
    for (const name of shuffled(NAMES)) people.push(await scene.app.addPerson(name));
    const named = NAMES.map((name) => people.find((person) => person.name === name)!);
    const users = named.map(({ id }, index) => Array.from({ length: 1 + (index % 3) }, () => ({ type: 'User', id })));
    const groups: [TypeName, readonly (readonly unknown[])[]][] = [
      ...Object.entries(ASCENDING).map(
        ([type, ranks]) =>
          [type as TypeName, ranks.map((equal) => equal.map((value) => ({ type, value })))] satisfies [
            TypeName,
            unknown[][],
          ],
      ),
      ['User', users],
    ];
    const all = shuffled(
      groups.flatMap(([type, ranks]) =>
        ranks.flatMap((equal, rank) => equal.map((value) => ({ type, rank: rank + 1, value }))),
      ),
    );
    const ids = await createAll(scene, 'Things', [
      ...all.map(({ type, value }) => ({ values: { [COLUMNS[type]]: value } })),
      { values: {} },
      { values: {} },
    ]);
    for (const type of Object.keys(COLUMNS) as TypeName[]) {
      placed[type] = ids.map((id, index) => ({ id, rank: all[index]?.type === type ? all[index].rank : 0 }));
    }
  });
  after(() => closeScene(scene));

  for (const type of Object.keys(COLUMNS) as TypeName[]) {
    it(`is by value for ${type}, records without one first, ties by identifier, and the reverse when descending`, async () => {
      const expected = inOrder(placed[type]);
      assert.equal(new Set(expected).size, expected.length);
      await assertOrder(lister, (direction) => by('column', direction, COLUMNS[type]), expected);
    });
  }

  it('is by the names of creator and last updater, ties by identifier', async () => {
    const { app } = scene;
    const creators = shuffled([...people, ...people, ...people]);
    const ids = await createAll(
      scene,
      'People',
      creators.map(({ id }) => ({ values: {}, creatorId: id })),
    );
    const updaters = shuffled(creators);
    for (const [index, id] of ids.entries()) {
      if (index % 4 !== 0) done(await operationsOn(app, 'People', updaters[index]!.token).merge(id, {}));
    }
    const names = [...new Set([...NAMES, 'Admin'])].sort(compareTexts);
    const rankOf = (name: string) => names.indexOf(name);
    const list = listerOf(scene, 'People');
    const created = ids.map((id, index) => ({ id, rank: rankOf(creators[index]!.name) }));
    const updated = ids.map((id, index) => ({ id, rank: rankOf(index % 4 === 0 ? 'Admin' : updaters[index]!.name) }));
    await assertOrder(list, (direction) => by('createdBy', direction), inOrder(created));
    await assertOrder(list, (direction) => by('updatedBy', direction), inOrder(updated));
  });

  it('is by the times of creation and of the last update, ties by identifier', async () => {
    const records = await listerOf(scene, 'People').all();
    for (const key of ['createdAt', 'updatedAt'] as const) {
      const times = [...new Set(records.map((record) => record[key]))].sort();
      const expected = inOrder(records.map((record) => ({ id: record.id, rank: times.indexOf(record[key]) })));
      await assertOrder(listerOf(scene, 'People'), (direction) => by(key, direction), expected);
    }
    // The updates went over the records in another rhythm than their creation.
    assert.notDeepEqual(
      await listerOf(scene, 'People').ids(by('createdAt', 'ascending')),
      await listerOf(scene, 'People').ids(by('updatedAt', 'ascending')),
    );
  });

  it('looks at the whole of long texts', async () => {
    const pad = (start: string, length: number, filler: string) =>
      start + filler.repeat(Math.max(0, length - Array.from(start).length));
    const texts = ['x', 'あ', '\u{1f600}', '\ufffd'].flatMap((letter) => [
      ...[149, 150, 151, 199, 200, 201, 599, 600, 601, 650, 2000].map((length) => letter.repeat(length)),
      ...['a', 'b', '\ufffd', '\u{1f600}'].flatMap((next) => [
        pad(letter.repeat(650) + next, 700, 'm'),
        pad(letter.repeat(2000) + next, 5000, 'm'),
        pad(letter.repeat(2000) + next, 5000, 'n'),
      ]),
      // Equal ones.
      pad(`${letter.repeat(650)}b`, 700, 'm'),
      pad(`${letter.repeat(2000)}b`, 5000, 'm'),
    ]);
    const made = shuffled(texts);
    const elements = made.map((text, index) => ({
      values: { clong000: string(text), cuniq000: string(`${text}${String(index).padStart(3, '0')}`) },
    }));
    const ids: string[] = [];
    // A body has at most 1 MB.
    for (let start = 0; start < elements.length; start += 20) {
      ids.push(...(await createAll(scene, 'Long', elements.slice(start, start + 20))));
    }
    const ranked = (of: readonly string[]) => {
      const distinct = [...new Set(of)].sort(compareTexts);
      return inOrder(ids.map((id, index) => ({ id, rank: distinct.indexOf(of[index]!) })));
    };
    const list = listerOf(scene, 'Long');
    for (const [columnId, expected] of [
      ['clong000', ranked(made)],
      ['cuniq000', ranked(made.map((text, index) => `${text}${String(index).padStart(3, '0')}`))],
    ] as const) {
      for (const direction of DIRECTIONS) {
        const wanted = direction === 'ascending' ? expected : [...expected].reverse();
        for (const walk of WALKS) {
          const limit = walk === 'link' ? 3 : 17;
          const found = await walkAll(list, by('column', direction, columnId), { walk, limit });
          assert.deepEqual(found, wanted, `${columnId} ${direction}, ${limit} by ${walk}`);
        }
      }
    }
  });

  it('goes on among long texts although the record of the position has gone', async () => {
    const texts = ['a', 'b', 'c', 'd'].map((last) => `${'y'.repeat(2000)}${last}`);
    for (const direction of DIRECTIONS) {
      const ids = await createAll(
        scene,
        'Long',
        texts.map((text) => ({ values: { clong000: string(text) } })),
      );
      const list = listerOf(scene, 'Long');
      const order = { ...by('column', direction, 'clong000'), search: `$id>=${ids[0]} $id<=${ids[3]}` };
      const between = async (seen: readonly string[]) => {
        // 404 when it has gone already.
        await operationsOn(scene.app, 'Long').remove(seen.at(-1)!);
      };
      const seen = await walkAll(list, order, { walk: 'link', limit: 1, between });
      assert.deepEqual(seen, direction === 'ascending' ? ids : [...ids].reverse());
    }
  });

  it('is the same with a search', async () => {
    const ids = await createAll(
      scene,
      'Long',
      [3, 1, 2].map((n) => ({ values: { cuniq000: string(`needle ${n}`) } })),
    );
    const list = listerOf(scene, 'Long');
    const expected = [ids[1], ids[2], ids[0]];
    for (const search of ['needle', 'Key:"eedle "', 'Key>=needle Key<needlf', '-(-needle)', 'ee']) {
      assert.deepEqual(await list.ids({ ...by('column', 'ascending', 'cuniq000'), search }), expected, search);
      const reversed = await list.ids({ ...by('column', 'descending', 'cuniq000'), search });
      assert.deepEqual(reversed, [...expected].reverse(), search);
    }
  });
});
