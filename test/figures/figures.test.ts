// Figures over records, each compared with the oracle, which adds up the records that a list shows.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { number, type Person, string } from '../support/application.ts';
import { createAll, listerOf, type Parameters, queryOf, type Shown } from '../support/lists.ts';
import { closeScene, done, openScene, type Scene, tableOf } from '../support/records.ts';
import type { Reply } from '../support/server.ts';
import { figuresOver, type ShownFigure } from './oracle.ts';

const both = { sortable: true, searchable: true };
const [TITLE, NOTE, SIZE, RATE, PLAIN] = ['ctitle00', 'cnote000', 'csize000', 'crate000', 'cplain00'] as const;
const [FLAG, DAY, WHEN, WHO] = ['cflag000', 'cday0000', 'cwhen000', 'cwho0000'] as const;

const COLUMNS = [
  { id: TITLE, name: 'Title', type: 'String', ...both },
  { id: NOTE, name: 'Note', type: 'String', searchable: true },
  { id: SIZE, name: 'Size', type: 'Number', ...both },
  { id: RATE, name: 'Rate', type: 'Number', sortable: true },
  { id: PLAIN, name: 'Plain', type: 'Number' },
  { id: FLAG, name: 'Flag', type: 'Boolean', ...both },
  { id: DAY, name: 'Day', type: 'Date', ...both },
  { id: WHEN, name: 'When', type: 'DateTime', ...both },
  { id: WHO, name: 'Who', type: 'User', searchable: true },
];

const TITLES = ['', 'a', 'A', 'b', 'é', 'e\u0301', '東京', '\uffee', '😀', ' a', 'a\nb', `${'x'.repeat(600)}1`];
const LONG_TITLES = ['"}}}', '"},"', '\\', '"'].map((end) => `${'x'.repeat(600)}${end}`);
const LONG = 'y'.repeat(31);
const NOTES = [LONG, `${LONG}z`, `${LONG}zz`, `${LONG}zy`, `${'語'.repeat(40)}1`, `${'語'.repeat(40)}2`, '"\\ \u0001'];
/** What ends a value in the text of a record, and what begins one. */
const SHARP_NOTES = [
  '"},"',
  '"}}}',
  '\\',
  '\\"',
  '\u2028\n\u0007',
  '"}',
  `"${PLAIN}":{"type":"Number","value":7}`,
].flatMap((end) => [`${LONG}zz${end}`, `${end}${LONG}zz`]);
const FORGED = `"${NOTE}":{"type":"String","value":"a text that is long enough to be cut"},"`;
const NUMBERS = [
  ...[0, 1, -1, 0.1, 0.2, 0.3, 1.005, -0.7, 1 / 3, 2 / 3, 1e21, 1e-7, 123456789.987654, 2 ** 53 + 2, 2 ** 53 - 1],
  ...[5e-324, 2.2250738585072014e-308, Number.MAX_VALUE, -Number.MAX_VALUE, 1e308, Number.EPSILON, 1 + Number.EPSILON],
];
// Week 53, week 1 in the old year, leap days, the ends of what a Date can be.
const DAYS = [
  '2020-12-31',
  '2021-01-01',
  '2021-01-03',
  '2021-01-04',
  '2024-12-29',
  '2024-12-30',
  '2025-01-01',
  '2027-01-01',
];
const MORE_DAYS = ['2024-02-29', '0001-01-01', '0004-02-29', '0999-12-31', '9999-12-31', '1900-03-01', '2026-11-15'];
/** Around the changes of clocks, midnights and new years of the zones below. */
const INSTANTS = [
  ...['2026-03-29T00:59:59.999Z', '2026-03-29T01:00:00.000Z', '2026-03-28T22:59:59.999Z', '2026-03-28T23:00:00.000Z'],
  ...['2026-03-29T21:59:59.999Z', '2026-03-29T22:00:00.000Z', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'],
  ...['2026-10-25T23:00:00.000Z', '2026-11-15T14:59:59.999Z', '2026-11-15T15:00:00.000Z', '2025-12-31T15:00:00.000Z'],
  ...['2020-12-31T23:30:00.000Z', '2021-01-03T23:59:59.999Z', '2021-01-04T00:00:00.000Z', '2026-03-08T05:00:00.000Z'],
  ...['2026-03-08T06:59:59.999Z', '2026-11-01T04:00:00.000Z', '2026-11-02T04:59:59.999Z', '1969-12-31T23:59:59.999Z'],
  ...['2011-12-30T09:59:59.999Z', '2011-12-30T10:00:00.000Z', '2011-12-31T10:00:00.000Z', '2095-07-01T00:00:00.000Z'],
];
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Tokyo', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia'];
const MORE_ZONES = [
  'America/Santiago',
  'Australia/Lord_Howe',
  'CET',
  'eet',
  'EST',
  'Asia/Calcutta',
  'GMT',
  'Etc/GMT+5',
];

const RECORDS = 400;
/** As the only and so the last value of their records. */
const LAST = [...NOTES, ...SHARP_NOTES, FORGED].map((text) => ({ values: { [NOTE]: string(text) } }));
const UNITS = ['day', 'week', 'month', 'year'];
const ALL = [
  'count',
  ...[SIZE, RATE, PLAIN].flatMap((id) => ['sum', 'average', 'minimum', 'maximum'].map((m) => `${m}:${id}`)),
];

/** The same in every run: a linear congruential generator. */
function chooser(seed: number) {
  let state = seed;
  const below = (bound: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  return { below, of: <T>(choices: readonly T[]): T => choices[below(choices.length)]! };
}

describe('figures over records', () => {
  let scene: Scene;
  let records: Shown[];
  let people: Person[];

  const path = (parameters: Parameters, collection = 'Things') =>
    `${scene.app.records(collection)}/figures${queryOf(parameters)}`;
  const ask = (parameters: Parameters, token = scene.app.admin.token): Promise<Reply> =>
    scene.app.send('GET', path(parameters), { token });

  before(async () => {
    scene = await openScene({
      timeZone: 'Asia/Tokyo',
      collections: [{ id: 'tthings0', name: 'Things', columns: COLUMNS }],
    });
    const { app, server } = scene;
    // Of two users of the same name one is deleted.
    people = [await app.addPerson('Ben'), await app.addPerson('Ann'), await app.addPerson('ann')];
    const choose = chooser(20261116);
    const maybe = (columnId: string, value: () => unknown) => (choose.below(5) === 0 ? {} : { [columnId]: value() });
    const elements = Array.from({ length: RECORDS }, () => ({
      creatorId: choose.of([app.admin, ...people]).id,
      values: {
        ...maybe(TITLE, () => string(choose.of([...TITLES, ...LONG_TITLES]))),
        ...maybe(NOTE, () => string(choose.of([...NOTES, ...SHARP_NOTES, FORGED]))),
        ...maybe(SIZE, () => number(choose.of(NUMBERS))),
        ...maybe(RATE, () => number((choose.below(2_000_000) - 1_000_000) / 10 ** choose.below(8))),
        ...maybe(PLAIN, () => number(choose.of(NUMBERS))),
        ...maybe(FLAG, () => ({ type: 'Boolean', value: choose.below(2) === 0 })),
        ...maybe(DAY, () => ({ type: 'Date', value: choose.of([...DAYS, ...MORE_DAYS]) })),
        ...maybe(WHEN, () => ({ type: 'DateTime', value: choose.of(INSTANTS) })),
        ...maybe(WHO, () => ({ type: 'User', id: choose.of(people).id })),
      },
    }));
    const ids = await createAll(scene, 'Things', elements);
    assert.equal((await app.send('DELETE', `/management/users/${people[0]!.id}`)).status, 204);
    people.push(await app.addPerson('Ben'));
    await createAll(scene, 'Things', [...LAST, { values: { [WHO]: { type: 'User', id: people[3]!.id } } }]);
    // Records are created at all those instants: the text and the column say the same.
    const times = ids.map(() => choose.of(INSTANTS));
    await server.database.sql(
      `update ${tableOf(scene, 'Things')} t set created_at = r.time, updated_at = r.time,
         rec = regexp_replace(rec, '"(createdAt|updatedAt)":"[^"]+"', '"\\1":"' || r.at || '"', 'g')
       from unnest($1::text[], $2::text[], $3::timestamptz[]) as r(id, at, time) where t.id = r.id`,
      [ids, times, times],
    );
    const lister = listerOf(scene, 'Things');
    records = [];
    for (let skip = 0; skip <= RECORDS; skip += 100)
      records.push(...(await lister.all({ skip, sortKey: 'createdAt' })));
    assert.equal(records.length, RECORDS + LAST.length + 1);
  });
  after(() => closeScene(scene));

  const assertAsOracle = async (parameters: Parameters & { groupBy?: string; measure?: string; timezone?: string }) => {
    const { groupBy, measure, timezone: zone = 'Asia/Tokyo', search } = parameters;
    const reply = await ask(parameters);
    const question = {
      zone,
      ...(groupBy === undefined ? {} : { groupBy }),
      ...(measure === undefined ? {} : { measure }),
    };
    const among = search === undefined ? records : await found(String(search), zone);
    assert.deepEqual(done(reply), figuresOver(among, question), JSON.stringify(parameters));
    assert.equal(reply.headers.get('cartulary-more'), null);
  };

  /** What a list finds with the same search. */
  const found = async (search: string, timezone: string): Promise<Shown[]> => {
    const lister = listerOf(scene, 'Things');
    const pages: Shown[] = [];
    for (let skip = 0; skip <= RECORDS; skip += 100) pages.push(...(await lister.all({ search, timezone, skip })));
    return pages;
  };

  it('without a group are one element without `group`, and by default its count', async () => {
    assert.deepEqual(done(await ask({})), [{ count: RECORDS + LAST.length + 1 }]);
    await assertAsOracle({ measure: ALL.join(',') });
    for (const measure of ALL) await assertAsOracle({ measure });
  });

  const VALUES = [TITLE, NOTE, SIZE, RATE, FLAG, WHO, DAY, 'createdBy', 'updatedBy'];

  for (const groupBy of VALUES) {
    it(`by ${groupBy} are those of the oracle, in ascending order, with null for records without a value`, async () => {
      await assertAsOracle({ groupBy });
      await assertAsOracle({ groupBy, measure: ALL.join(',') });
      await assertAsOracle({ groupBy, measure: `average:${RATE},count`, search: 'Flag=true OR Size>0' });
    });
  }

  it('by a Date are the same in every time zone', async () => {
    for (const unit of UNITS) {
      for (const timezone of ['UTC', 'Pacific/Apia', undefined]) {
        const { body } = await ask({ groupBy: `${DAY}:${unit}`, timezone });
        assert.deepEqual(body, figuresOver(records, { groupBy: `${DAY}:${unit}`, zone: 'UTC' }));
      }
    }
  });

  it('by times are those of the clocks of the time zone, by default the application’s', async () => {
    for (const name of [WHEN, 'createdAt', 'updatedAt']) {
      for (const unit of UNITS) {
        await assertAsOracle({ groupBy: `${name}:${unit}` });
        for (const timezone of ZONES) await assertAsOracle({ groupBy: `${name}:${unit}`, timezone });
      }
      for (const timezone of MORE_ZONES) await assertAsOracle({ groupBy: `${name}:day`, timezone });
    }
  });

  it('write days, ISO weeks, months and years', async () => {
    const [monday] = done(await ask({ groupBy: `${DAY}:week`, search: 'Day=2024-12-30' })) as ShownFigure[];
    assert.equal(monday!.group, '2025-W01');
    const groups = async (unit: string, search: string) =>
      (done(await ask({ groupBy: `${DAY}${unit}`, search })) as ShownFigure[]).map(({ group }) => group);
    assert.deepEqual(await groups(':week', 'Day>=2020-12-31 Day<=2021-01-04'), ['2020-W53', '2021-W01']);
    assert.deepEqual(await groups('', 'Day=2026-11-15'), ['2026-11-15']);
    assert.deepEqual(await groups(':week', 'Day=2026-11-15'), ['2026-W46']);
    assert.deepEqual(await groups(':month', 'Day=2026-11-15'), ['2026-11']);
    assert.deepEqual(await groups(':year', 'Day=2026-11-15 OR Day<0002-01-01'), ['0001', '2026']);
  });

  it('go by what a search finds, in the request’s time zone', async () => {
    for (const search of [
      'Title:a',
      'Who=Ann',
      '-Flag=true',
      'When>=2026-03-29',
      'x',
      'Size=',
      'Note!=',
      '$createdBy=me',
    ]) {
      for (const timezone of ['Europe/Berlin', 'America/New_York']) {
        await assertAsOracle({ search, timezone, measure: `count,sum:${SIZE}`, groupBy: `${WHEN}:day` });
        await assertAsOracle({ search, timezone });
      }
    }
  });

  it('over nothing are a count of 0 and null for the rest, and no group', async () => {
    const search = 'Title="there is none"';
    const [figure] = done(await ask({ search, measure: ALL.join(',') })) as ShownFigure[];
    assert.deepEqual(figure, Object.fromEntries(ALL.map((measure) => [measure, measure === 'count' ? 0 : null])));
    assert.deepEqual(done(await ask({ search, groupBy: TITLE })), []);
    // Records without a number, too.
    await assertAsOracle({
      search: 'Size=',
      measure: `count,sum:${SIZE},average:${SIZE},minimum:${SIZE},maximum:${SIZE}`,
    });
  });

  it('name a deleted user as its records do, and keep apart who had the same name', async () => {
    const figures = done(await ask({ groupBy: WHO })) as ShownFigure[];
    const bens = figures.filter(({ group }) => (group as { name?: string } | null)?.name === 'Ben');
    assert.deepEqual(
      bens.map(({ group }) => (group as { id: string }).id).sort(),
      [people[0]!.id, people[3]!.id].sort(),
    );
  });

  it('measure a column twice as once, in the order that was asked for', async () => {
    const { text } = await ask({ measure: `maximum:${SIZE},count,maximum:${SIZE}` });
    assert.deepEqual(Object.keys(JSON.parse(text)[0]), [`maximum:${SIZE}`, 'count']);
  });

  it('answer HEAD like GET', async () => {
    const reply = await scene.app.send('HEAD', path({ groupBy: TITLE }));
    assert.deepEqual([reply.status, reply.text], [200, '']);
  });
});
