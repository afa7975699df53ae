// The order by references: by the referred value as the caller sees it now. It follows every change of the referred
// record, and a reference that resolves to nothing sorts like no value.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import { by, createAll, DIRECTIONS, listerOf, WALKS, walkAll } from '../support/lists.ts';
import { closeScene, done, openScene, operationsOn, type Scene } from '../support/records.ts';

const TARGETS = 'ttarget0';
const SECRETS = 'tsecret0';
/** Of the holders: type, identifier, and the column of the targets that it refers to. */
const REFERENCES = [
  ['ReferenceString', 'crtext00', 'cttext00'],
  ['ReferenceNumber', 'crnumb00', 'ctnumb00'],
  ['ReferenceUser', 'cruser00', 'ctuser00'],
] as const;

const targetColumns = (letter: string) => [
  { id: `c${letter}text00`, name: 'Text', type: 'String' },
  { id: `c${letter}numb00`, name: 'Number', type: 'Number' },
  { id: `c${letter}user00`, name: 'User', type: 'User' },
];

describe('order by references', () => {
  let scene: Scene;
  let people: Person[];
  let member: Person;
  /** Six targets whose values ascend; the last two have none, or are gone. */
  let targets: string[];
  let holders: { id: string; target: number | undefined }[];

  const refer = (target: string, collectionId = TARGETS, letter = 't') =>
    Object.fromEntries(
      REFERENCES.map(([type, id, columnId]) => [
        id,
        { type, collectionId, columnId: columnId.replace('ct', `c${letter}`), recordId: target },
      ]),
    );

  /** What is listed must be the holders by the rank of their targets; those without a rank lowest. */
  const assertOrder = async (ranks: readonly (number | undefined)[], token = scene.app.admin.token) => {
    const rank = ({ target }: (typeof holders)[number]) => (target === undefined ? -1 : (ranks[target] ?? -1));
    const expected = [...holders].sort((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
    const lister = listerOf(scene, 'Holders', token);
    for (const [type, columnId] of REFERENCES) {
      for (const direction of DIRECTIONS) {
        const wanted = direction === 'ascending' ? expected : [...expected].reverse();
        for (const [walk, limit] of [['skip', 100], ...WALKS.map((one) => [one, 4] as const)] as const) {
          const found = await walkAll(lister, by('column', direction, columnId), { walk, limit });
          assert.deepEqual(found, wanted, `${type} ${direction}, ${limit} by ${walk}`);
        }
      }
    }
  };

  const setTarget = async (index: number, rank: number) =>
    done(await operationsOn(scene.app, 'Targets').replace(targets[index]!, valuesOf('t', rank)));

  const valuesOf = (letter: string, rank: number) => ({
    [`c${letter}text00`]: string(['A', 'a', 'b', '\ufffd', '\u{1f600}'][rank]!),
    [`c${letter}numb00`]: number([-1e9, -2.5, 0, 9, 10][rank]!),
    [`c${letter}user00`]: { type: 'User', id: people[rank]!.id },
  });

  before(async () => {
    scene = await openScene({
      collections: [
        { id: TARGETS, name: 'Targets', columns: targetColumns('t') },
        { id: SECRETS, name: 'Secrets', readAccessType: 'creatorOnly', columns: targetColumns('s') },
        {
          id: 'tholder0',
          name: 'Holders',
          columns: REFERENCES.map(([type, id, columnId]) => {
            return { id, name: type, type, sortable: true, scheme: { collectionId: TARGETS, columnId } };
          }),
        },
        {
          id: 'tlinks00',
          name: 'Links',
          columns: REFERENCES.map(([type, id, columnId]) => {
            const scheme = { collectionId: SECRETS, columnId: columnId.replace('ct', 'cs') };
            return { id: id.replace('cr', 'cl'), name: type, type, sortable: true, scheme };
          }),
        },
        {
          id: 'tlongref',
          name: 'LongRefs',
          columns: [
            {
              id: 'clongref',
              name: 'Text',
              type: 'ReferenceString',
              sortable: true,
              scheme: { collectionId: TARGETS, columnId: 'cttext00' },
            },
          ],
        },
      ],
    });
    people = [];
    for (const name of ['Z', 'a', 'ä', '\ufffd', '\u{1f600}']) people.push(await scene.app.addPerson(name));
    member = people[2]!;
    targets = await createAll(
      scene,
      'Targets',
      [0, 1, 2, 3, 4].map((rank) => ({ values: valuesOf('t', rank) })),
    );
    const [empty = ''] = await createAll(scene, 'Targets', [{ values: {} }]);
    targets.push(empty);
    const chosen = [3, 0, undefined, 4, 5, 1, 0, 2, undefined, 3, 3, 5, 1, 0];
    const ids = await createAll(
      scene,
      'Holders',
      chosen.map((target) => ({ values: target === undefined ? {} : refer(targets[target]!) })),
    );
    holders = ids.map((id, index) => ({ id, target: chosen[index] }));
  });
  after(() => closeScene(scene));

  it('is by the referred value, in all three types; a target without a value counts as none', async () => {
    await assertOrder([0, 1, 2, 3, 4, undefined]);
    await assertOrder([0, 1, 2, 3, 4, undefined], member.token);
  });

  it('follows changes of the referred records', async () => {
    await setTarget(0, 4);
    await setTarget(4, 0);
    await assertOrder([4, 1, 2, 3, 0, undefined]);
    // Two targets with the same value: the identifiers of the holders break the tie, not those of the targets.
    await setTarget(1, 3);
    await assertOrder([4, 3, 2, 3, 0, undefined]);
    // A target loses its values, another gets its first.
    done(await operationsOn(scene.app, 'Targets').replace(targets[2]!, {}));
    await setTarget(5, 2);
    await assertOrder([4, 3, undefined, 3, 0, 2]);
  });

  it('takes references to deleted records for no value', async () => {
    assert.equal((await operationsOn(scene.app, 'Targets').remove(targets[3]!)).status, 204);
    await assertOrder([4, 3, undefined, undefined, 0, 2]);
  });

  it('takes references to records that the caller may not read for no value', async () => {
    const { app } = scene;
    const [mine, others] = [member, people[0]!].map(({ id }) => ({ creatorId: id }));
    const secrets = await createAll(scene, 'Secrets', [
      { values: valuesOf('s', 0), ...mine },
      { values: valuesOf('s', 1), ...others },
      { values: valuesOf('s', 2), ...mine },
      { values: valuesOf('s', 3), ...others },
    ]);
    const chosen = [3, 2, 1, 0, 0, 1, 2, 3];
    const links = await createAll(
      scene,
      'Links',
      chosen.map((secret) => {
        const values = Object.entries(refer(secrets[secret]!, SECRETS, 's'));
        return { values: Object.fromEntries(values.map(([id, value]) => [id.replace('cr', 'cl'), value])) };
      }),
    );
    const at = (...indexes: number[]) => indexes.map((index) => links[index]);
    for (const [, columnId] of REFERENCES) {
      const order = (direction: (typeof DIRECTIONS)[number]) => by('column', direction, columnId.replace('cr', 'cl'));
      const asMember = listerOf(scene, 'Links', member.token);
      assert.deepEqual(await asMember.ids(order('ascending')), at(0, 2, 5, 7, 3, 4, 1, 6));
      assert.deepEqual(await asMember.ids(order('descending')), at(6, 1, 4, 3, 7, 5, 2, 0));
      const asAdmin = listerOf(scene, 'Links', app.admin.token);
      assert.deepEqual(await asAdmin.ids(order('ascending')), at(3, 4, 2, 5, 1, 6, 0, 7));
      assert.deepEqual(await asAdmin.ids(order('descending')), at(7, 0, 6, 1, 5, 2, 4, 3));
    }
  });

  it('looks at the whole of long referred texts', async () => {
    const texts = ['x', '\u{1f600}'].flatMap((letter) =>
      [650, 2000].flatMap((length) => ['a', 'c', 'b'].map((next) => letter.repeat(length) + next.repeat(50))),
    );
    const long = await createAll(
      scene,
      'Targets',
      texts.map((text) => ({ values: { cttext00: string(text) } })),
    );
    const values = long.flatMap((recordId, index) => {
      const value = { type: 'ReferenceString', collectionId: TARGETS, columnId: 'cttext00', recordId };
      return [0, 1].map(() => ({ index, element: { values: { clongref: value } } }));
    });
    const ids = await createAll(
      scene,
      'LongRefs',
      values.map(({ element }) => element),
    );
    const expected = ids
      .map((id, place) => ({ id, text: texts[values[place]!.index]! }))
      .sort((a, b) => Buffer.compare(Buffer.from(a.text), Buffer.from(b.text)) || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id);
    const lister = listerOf(scene, 'LongRefs');
    for (const direction of DIRECTIONS) {
      const wanted = direction === 'ascending' ? expected : [...expected].reverse();
      for (const walk of WALKS) {
        const found = await walkAll(lister, by('column', direction, 'clongref'), { walk, limit: 5 });
        assert.deepEqual(found, wanted, `${direction} by ${walk}`);
      }
    }
  });
});
