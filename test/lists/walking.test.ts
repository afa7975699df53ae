// Walking a list page by page: by skip, behind a record, and along the Link header. Each record comes exactly once, also
// while others write; what is no position is refused. A walk over many records is explain.test.ts.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import {
  by,
  createAll,
  DIRECTIONS,
  type Lister,
  listerOf,
  nextOf,
  type Parameters,
  WALKS,
  walkAll,
} from '../support/lists.ts';
import { closeScene, done, NO_RECORD, openScene, operationsOn, refused, type Scene } from '../support/records.ts';

const TITLE = 'ctitle00';
const SIZE = 'csize000';
const DAY = 'cday0000';
const FLAG = 'cflag000';
const SITE = 'csite000';
const COUNT = 157;

const ORDERS: readonly Parameters[] = [
  {},
  ...DIRECTIONS.flatMap((direction) => [
    by('createdAt', direction),
    by('updatedAt', direction),
    by('createdBy', direction),
    by('updatedBy', direction),
    ...[TITLE, SIZE, DAY, FLAG, SITE].map((columnId) => by('column', direction, columnId)),
  ]),
];

describe('walking a list', () => {
  let scene: Scene;
  let member: Person;
  let lister: Lister;
  let sites: string[];
  let ids: string[];

  /** Few different values, so that every order has ties, and none in every fifth record. */
  const valuesOf = (index: number) => {
    if (index % 5 === 0) return {};
    const day = { type: 'Date', value: `2024-0${1 + (index % 3)}-01` };
    const recordId = sites[index % sites.length];
    const site = { type: 'ReferenceString', collectionId: 'tsites00', columnId: 'cname000', recordId };
    return {
      [TITLE]: string(`Title ${index % 7}`),
      [SIZE]: number((index % 4) - 1.5),
      [DAY]: day,
      [FLAG]: { type: 'Boolean', value: index % 2 === 0 },
      [SITE]: site,
    };
  };

  before(async () => {
    const scheme = { collectionId: 'tsites00', columnId: 'cname000' };
    const flags = { sortable: true, searchable: true };
    const columns = [
      { id: TITLE, name: 'Title', type: 'String', ...flags },
      { id: SIZE, name: 'Size', type: 'Number', ...flags },
      { id: DAY, name: 'Day', type: 'Date', ...flags },
      { id: FLAG, name: 'Flag', type: 'Boolean', ...flags },
      { id: SITE, name: 'Site', type: 'ReferenceString', scheme, ...flags },
    ];
    scene = await openScene({
      collections: [
        { id: 'tsites00', name: 'Sites', columns: [{ id: 'cname000', name: 'Name', type: 'String' }] },
        { id: 'tlist000', name: 'Listed', columns },
        {
          id: 'town0000',
          name: 'Own',
          readAccessType: 'creatorOnly',
          columns: columns.map((column) => ({ ...column, id: column.id.replace('00', 'ow') })),
        },
      ],
    });
    member = await scene.app.addPerson('Member');
    lister = listerOf(scene, 'Listed');
    const names = ['Oslo', 'Rome', undefined, 'Oslo', 'Ulm'];
    sites = await createAll(
      scene,
      'Sites',
      names.map((name) => ({ values: name === undefined ? {} : { cname000: string(name) } })),
    );
    const creators = [scene.app.admin.id, member.id];
    ids = await createAll(
      scene,
      'Listed',
      Array.from({ length: COUNT }, (_, index) => ({ values: valuesOf(index), creatorId: creators[index % 2]! })),
    );
  });
  after(() => closeScene(scene));

  const nameOf = ({ sortKey = 'default', sortOrder = '', sortColumnId = '' }: Parameters) =>
    `${sortKey} ${sortColumnId} ${sortOrder}`;

  it('visits each record exactly once, in every order, by skip, after and Link', async () => {
    for (const order of ORDERS) {
      const whole = await walkAll(lister, order, { walk: 'skip', limit: 100 });
      assert.deepEqual([...whole].sort(), [...ids].sort(), nameOf(order));
      for (const walk of WALKS) {
        const limit = { skip: 52, after: 31, link: 13 }[walk];
        assert.deepEqual(await walkAll(lister, order, { walk, limit }), whole, `${nameOf(order)} ${limit} by ${walk}`);
      }
    }
  });

  it('visits each record that a search finds exactly once', async () => {
    for (const search of ['Title:3 OR Size<0', '-Title:3', 'Site=Oslo', 'Title!=', 'le']) {
      const found = new Set(await walkAll(lister, { search }, { walk: 'skip', limit: 100 }));
      assert.ok(found.size > 10 && found.size < COUNT, search);
      for (const order of ORDERS.filter((_, index) => index % 3 === search.length % 3)) {
        const whole = await walkAll(lister, { ...order, search }, { walk: 'skip', limit: 100 });
        assert.deepEqual(new Set(whole), found);
        for (const walk of WALKS) {
          const walked = await walkAll(lister, { ...order, search }, { walk, limit: 23 });
          assert.deepEqual(walked, whole, `${search}, ${nameOf(order)} by ${walk}`);
        }
      }
    }
  });

  it('links to the next page with the same parameters, and not from the last page', async () => {
    const parameters = { ...by('column', 'descending', SIZE), search: 'Size>-100 "title 3"', timezone: 'Asia/Tokyo' };
    const first = await lister.page({ ...parameters, limit: 3, skip: 2, other: 'x' });
    const { after: position, ...rest } = nextOf(first)!;
    assert.match(String(position), /^~[A-Za-z0-9_-]+$/);
    assert.deepEqual(rest, { ...parameters, limit: '3' });
    const all = await lister.ids(parameters);
    assert.deepEqual(await lister.ids(nextOf(first)), all.slice(5, 8));

    const exact = await lister.page({ ...parameters, limit: all.length });
    assert.equal(exact.body.length, all.length);
    const beyond = nextOf(exact);
    // A full page cannot know whether more follow; the one behind it does.
    if (beyond !== undefined) {
      const last = await lister.page(beyond);
      assert.deepEqual([last.body, last.headers.get('link')], [[], null]);
    }
    for (const wider of [{ limit: all.length + 1 }, { skip: 1, limit: all.length }, { skip: 1_000 }]) {
      assert.equal((await lister.page({ ...parameters, ...wider })).headers.get('link'), null);
    }
  });

  it('keeps its place while others insert and update elsewhere in the order', async () => {
    const operations = operationsOn(scene.app, 'Listed');
    for (const direction of DIRECTIONS) {
      for (const order of [by('column', direction, TITLE), by('column', direction, SIZE), by('createdAt', direction)]) {
        for (const walk of ['after', 'link'] as const) {
          const before = await walkAll(lister, order, { walk: 'skip', limit: 100 });
          const own = new Set(before);
          let turn = 0;
          const moved = new Set<string>();
          const between = async (seen: readonly string[]) => {
            turn += 1;
            // Else a walk towards where they are inserted would not end.
            if (turn > 8) return;
            // One at each end of the order, one without a value, and one that was seen moves to the front or back.
            const texts = ['', '\u{10ffff}'];
            await createAll(scene, 'Listed', [
              { values: { [TITLE]: string(texts[turn % 2]!), [SIZE]: number(turn % 2 === 0 ? -1e9 : 1e9) } },
              { values: {} },
            ]);
            const mover = seen[turn * 2];
            if (mover === undefined || mover === seen.at(-1) || !own.has(mover)) return;
            moved.add(mover);
            done(await operations.merge(mover, { [TITLE]: string(texts[turn % 2]!), [SIZE]: number(0) }));
          };
          const seen = await walkAll(lister, order, { walk, limit: 40, between });
          const calm = (list: readonly string[]) => list.filter((id) => own.has(id) && !moved.has(id));
          assert.deepEqual(calm(seen), calm(before), `${nameOf(order)} by ${walk}`);
          const table = `app_${scene.app.id}.tlist000`;
          await scene.server.database.sql(`delete from ${table} where not (id = any ($1))`, [ids]);
          for (const id of moved) done(await operations.replace(id, valuesOf(ids.indexOf(id))));
        }
      }
    }
  });

  it('goes on from a Link although its record was deleted or moved', async () => {
    const operations = operationsOn(scene.app, 'Listed');
    for (const order of ORDERS.filter(({ sortKey }) => sortKey === 'column')) {
      const added = await createAll(
        scene,
        'Listed',
        Array.from({ length: 12 }, (_, index) => ({ values: valuesOf(index) })),
      );
      const before = await walkAll(lister, order, { walk: 'skip', limit: 100 });
      const gone = new Set<string>();
      let turn = 0;
      const between = async (seen: readonly string[]) => {
        const last = seen.at(-1)!;
        turn += 1;
        if (gone.has(last)) return;
        // What holds the position goes, or changes its place.
        if (added.includes(last)) assert.equal((await operations.remove(last)).status, 204);
        else done(await operations.replace(last, turn % 2 === 0 ? {} : { [TITLE]: string('zzz'), [SIZE]: number(99) }));
        gone.add(last);
      };
      const seen = await walkAll(lister, order, { walk: 'link', limit: 5, between });
      const calm = (list: readonly string[]) => list.filter((id) => !gone.has(id));
      assert.deepEqual(calm(seen), calm(before), nameOf(order));
      for (const id of gone) {
        if (!added.includes(id)) done(await operations.replace(id, valuesOf(ids.indexOf(id))));
      }
      for (const id of added) if (!gone.has(id)) await operations.remove(id);
    }
  });

  describe('positions that are none', () => {
    const wrong = async (parameters: Parameters, list = lister) => {
      const params = refused(await list.page(parameters), 400, 'INVALID_PARAMETER');
      assert.deepEqual(Object.keys(params), ['parameter', 'reason']);
      assert.equal(params.parameter, 'after');
      return params.reason as string;
    };
    const token = (parts: unknown, start = '~') => start + Buffer.from(JSON.stringify(parts)).toString('base64url');

    it('come with skip, even 0', async () => {
      for (const skip of [0, 1]) await wrong({ after: ids[3]!, skip });
      const next = nextOf(await lister.page({ limit: 2 }))!;
      await wrong({ ...next, skip: 1 });
    });

    it('are malformed', async () => {
      const id = ids[3]!;
      for (const position of ['', 'x', id.slice(1), `${id}0`, id.toUpperCase(), ` ${id}`, '~', '~~', '~{}', `~${id}`]) {
        await wrong({ after: position });
      }
      const now = new Date().toISOString();
      for (const parts of [
        null,
        [],
        {},
        'x',
        ['updatedAt', now],
        ['updatedAt', now, id, 1],
        ['updatedAt', now, 'r1'],
        ['updatedAt', now, null],
        ['updatedAt', null, id],
        ['updatedAt', 5, id],
        ['updatedAt', 'now', id],
        ['updatedAt', '2024-02-30T00:00:00.000Z', id],
        ['updatedAt', '2024-01-01T24:00:00.000Z', id],
        ['updatedAt', '0000-01-01T00:00:00.000Z', id],
        ['updatedAt', `${now}'; drop table x`, id],
      ]) {
        await wrong({ after: token(parts) });
      }
      await wrong({ after: token(['updatedAt', now, id], '') });
      for (const [columnId, values] of [
        [TITLE, [5, true, {}, [], 'a\0b', '\ud800', '\udc00x']],
        [SIZE, ['5', true, {}, []]],
        [FLAG, ['true', 1, {}]],
        [DAY, [5, '2024-02-30', '2024-1-1', '2024-01-01T00:00:00.000Z', 'today', '0000-01-01']],
        [SITE, [5, true, 'a\0b']],
      ] as const) {
        for (const value of values) {
          await wrong({ ...by('column', 'ascending', columnId), after: token([columnId, value, id]) });
        }
      }
    });

    it('name an unknown record, or one of another collection', async () => {
      assert.equal(await wrong({ after: NO_RECORD }), await wrong({ after: sites[0]! }));
      const [gone = ''] = await createAll(scene, 'Listed', [{ values: {} }]);
      assert.equal((await operationsOn(scene.app, 'Listed').remove(gone)).status, 204);
      assert.equal(await wrong({ after: gone }), await wrong({ after: NO_RECORD }));
    });

    it('name a record that the caller may not read', async () => {
      const [hidden = ''] = await createAll(scene, 'Own', [{ values: {} }]);
      const own = listerOf(scene, 'Own', member.token);
      assert.equal(await wrong({ after: hidden }, own), await wrong({ after: NO_RECORD }, own));
      assert.deepEqual(await listerOf(scene, 'Own').ids({ after: hidden }), []);
    });

    it('are of another order', async () => {
      const positions = await Promise.all(
        ORDERS.map(async (order) => ({ order, after: nextOf(await lister.page({ ...order, limit: 2 }))!.after })),
      );
      const nameOfOrder = ({ sortKey = 'updatedAt', sortColumnId = '' }: Parameters) => `${sortKey} ${sortColumnId}`;
      for (const { order, after: position } of positions) {
        for (const other of ORDERS) {
          if (nameOfOrder(order) === nameOfOrder(other)) continue;
          await wrong({ ...other, after: position });
        }
      }
    });
  });
});
