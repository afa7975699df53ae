// The rules of the views other than the grid: what they search for, which lanes, points and clusters there are.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CollectionDefinition, ColumnDefinition, RawRecord, RawValue } from '../../client/src/shapes.ts';
import {
  groupOf,
  LANES_SHOWN,
  laneColumn,
  laneKey,
  lanesOf,
  laneValue,
  shownLanes,
} from '../../console/src/views/board/lanes.ts';
import { isIn, withMoves } from '../../console/src/views/board/moved-cards.ts';
import { movedCard } from '../../console/src/views/cards/keys.ts';
import { groupingOf, measureOf, measureText } from '../../console/src/views/chart/chart-choices.ts';
import { fittingUnit } from '../../console/src/views/chart/fitting-unit.ts';
import { layerGroups, layersOf, splitChoices, splitOf } from '../../console/src/views/chart/layers.ts';
import { BARS_MAX, drawn, seriesOf } from '../../console/src/views/chart/series.ts';
import { readGiven, writeGiven } from '../../console/src/views/given-value.ts';
import { areTogether, clustersOf, inSight } from '../../console/src/views/map/clusters.ts';
import {
  degreesOf,
  fitted,
  panned,
  placeOf,
  readLook,
  scaleBar,
  writeLook,
  zoomed,
} from '../../console/src/views/map/mercator.ts';
import { movedCount } from '../../console/src/views/pending-changes.ts';
import { both, groupCondition } from '../../console/src/views/search-terms.ts';

const column = (id: string, type: string, flags: Partial<ColumnDefinition> = {}): ColumnDefinition =>
  ({ id, name: id, type, unique: false, sortable: true, searchable: true, ...flags }) as ColumnDefinition;
const collectionOf = (...columns: readonly ColumnDefinition[]): CollectionDefinition => ({
  id: 't1234567',
  name: 'Visits',
  readAccessType: 'everyone',
  writeAccessType: 'everyone',
  columns,
});
const TITLE = column('ctitle00', 'String');
const STATUS = column('cstatus0', 'String');
const record = (id: string, values: Record<string, RawValue>) => ({ id, values }) as unknown as RawRecord;
const status = (id: string, value?: string) =>
  record(id, value === undefined ? {} : { [STATUS.id]: { type: 'String', value } });

describe('the search of a view', () => {
  it('holds together with that of the person', () => {
    assert.equal(both('', '$c=1'), '$c=1');
    assert.equal(both('a OR b', '$c=1'), '(a OR b) $c=1');
  });

  it('finds the records of a group', () => {
    const cases = [
      [null, undefined, '$c='],
      ['', undefined, '$c=""'],
      ['a "b" \\', undefined, '$c="a \\"b\\" \\\\"'],
      [false, undefined, '$c=false'],
      [-1.5, undefined, '$c=-1.5'],
      [{ id: 'u1234567', name: 'me' }, undefined, '$c="u1234567"'],
      ['2026-11-16', 'day', '$c=2026-11-16'],
      ['2026-W46', 'week', '$c>=2026-11-09 $c<2026-11-16'],
      ['2026-11', 'month', '$c=2026-11'],
      ['2026', 'year', '$c=2026'],
    ] as const;
    for (const [group, unit, condition] of cases) assert.equal(groupCondition('c', group, unit), condition);
  });
});

describe('the lanes of a board', () => {
  it('are by a column that is likely to have few values', () => {
    const passed = column('cpassed0', 'Boolean');
    const notes = column('cnotes00', 'String', { sortable: false });
    assert.equal(laneColumn(collectionOf(TITLE, notes, STATUS), undefined)?.id, STATUS.id);
    assert.equal(laneColumn(collectionOf(TITLE, passed), undefined)?.id, passed.id);
    assert.equal(laneColumn(collectionOf(TITLE, passed), TITLE.id)?.id, TITLE.id);
    assert.equal(laneColumn(collectionOf(column('ccode000', 'String', { unique: true })), undefined), undefined);
    assert.equal(laneColumn(collectionOf(column('chidden0', 'String', { searchable: false })), 'chidden0'), undefined);
  });

  it('stand by name, with those that were emptied, and no value last', () => {
    const figures = ['b10', 'b9', null].map((group, count) => ({ group, count, measured: null }));
    const lanes = lanesOf(figures, ['gone', 'b9'], 'String', 'en');
    assert.deepEqual(
      lanes.map(({ group, count }) => [group, count]),
      [
        ['b9', 1],
        ['b10', 0],
        ['gone', 0],
        [null, 2],
      ],
    );
    const booleans = lanesOf([], [], 'Boolean', 'en').map(({ group }) => group);
    assert.deepEqual(booleans, [false, true, null]);
  });

  it('are bounded to the largest, and those that were asked for', () => {
    const figures = Array.from({ length: 200 }, (_, count) => ({ group: `lane ${count}`, count, measured: null }));
    const lanes = lanesOf(figures, [], 'String', 'en');
    const shown = shownLanes(lanes, new Set([laneKey('lane 3')])).map(({ group }) => group);
    assert.equal(shown.length, LANES_SHOWN + 1);
    assert.ok(shown.includes('lane 3') && shown.includes('lane 199') && !shown.includes('lane 100'));
  });

  it('give and take the value of a record', () => {
    const user = { id: 'u1234567', name: 'Naomi' };
    assert.deepEqual(laneValue(user), { type: 'User', ...user });
    assert.deepEqual([laneValue(null), laneValue(true)], [null, { type: 'Boolean', value: true }]);
    assert.equal(groupOf(status('r1'), STATUS), null);
    assert.equal(laneKey(user), laneKey({ ...user, name: 'Naomi Sato' }), 'a user may be renamed');
  });

  it('show a moved card where it will be, and count it there', () => {
    const pending = new Map([['r1', { before: status('r1', 'open'), after: status('r1', 'done') }]]);
    const idsIn = (records: RawRecord[], lane: string | null) =>
      withMoves(records, pending, isIn(laneKey(lane), STATUS)).map(({ id }) => id);
    assert.deepEqual(idsIn([status('r1', 'open'), status('r2', 'open')], 'open'), ['r2']);
    assert.deepEqual(idsIn([status('r3', 'done')], 'done'), ['r1', 'r3']);
    assert.deepEqual(idsIn([status('r1', 'done'), status('r3', 'done')], 'done'), ['r1', 'r3'], 'not twice');
    assert.deepEqual(
      ['open', 'done', null].map((lane) => movedCount(pending, isIn(laneKey(lane), STATUS))),
      [-1, 1, 0],
    );
  });
});

describe('the value that a new record begins with', () => {
  const collection = collectionOf(TITLE, column('cday0000', 'Date'), column('cat00000', 'DateTime'));

  it('goes through the address', () => {
    for (const [id, value] of [
      ['ctitle00', { type: 'String', value: 'a:b\nc' }],
      ['cday0000', { type: 'Date', value: '2026-11-16' }],
      ['cat00000', { type: 'DateTime', value: '2026-11-16T09:00:00.000Z' }],
    ] as const) {
      assert.deepEqual(readGiven(writeGiven(id, value), collection), { [id]: value });
    }
  });

  it('is left out where it does not fit', () => {
    for (const given of [undefined, '', 'cother00:x', 'cday0000:tomorrow', 'cat00000:x', 'ctitle00']) {
      assert.deepEqual(readGiven(given, collection), {}, given);
    }
  });
});

describe('the series of a chart', () => {
  const figures = (...groups: (string | null)[]) => groups.map((group) => ({ group, count: 2, measured: 5 }));

  it('has zero for times without records, and nothing for other measures', () => {
    const cases = [
      ['day', ['2026-02-27', '2026-03-02'], 4],
      ['week', ['2026-W52', '2027-W01'], 3],
      ['month', ['2025-11', '2026-02'], 4],
      ['year', ['2023', '2026'], 4],
    ] as const;
    for (const [unit, groups, length] of cases) {
      const counted = seriesOf(figures(...groups), unit, true, 'en');
      assert.equal(counted.length, length, unit);
      assert.equal(counted[1]?.value, 0);
      assert.equal(seriesOf(figures(...groups), unit, false, 'en')[1]?.value, null);
    }
  });

  it('has a unit that fits the span of the records, whatever single ones are far away', () => {
    const over = (...groups: string[]) => fittingUnit(groups.map((group) => ({ group, count: 500, measured: null })));
    assert.equal(over('2026-11'), 'day');
    assert.equal(over('2025-12', '2026-01'), 'day');
    assert.equal(over('2025-11', '2026-07'), 'week');
    assert.equal(over('2019-01', '2026-11'), 'month');
    assert.equal(over('1976-01', '2026-11'), 'year');
    assert.equal(over(), 'month');
    const stray = { group: '0001-01', count: 1, measured: null };
    const most = ['2026-10', '2026-11'].map((group) => ({ group, count: 500, measured: null }));
    assert.equal(fittingUnit([stray, ...most, { ...stray, group: null }]), 'day');
  });

  it('is made up of the largest values of a second column, and the others together', () => {
    const title = column('ctitle01', 'String');
    const passed = column('cpassed0', 'Boolean');
    const collection = collectionOf(title, passed, column('ccode000', 'String', { unique: true }));
    assert.deepEqual(splitChoices(collection, title.id), [passed.id, 'createdBy', 'updatedBy']);
    const chosen = { split: passed.id, key: title.id };
    assert.equal(splitOf(collection, { ...chosen, measure: measureOf(collection, undefined) }), passed.id);
    assert.equal(splitOf(collection, { ...chosen, measure: { kind: 'average', column: undefined } }), undefined);
    const figure = (group: string, count: number) => ({ group, count, measured: null });
    const groups = Array.from({ length: 9 }, (_, index) => figure(`v${index}`, index));
    const largest = layerGroups({ groupBy: title.id, groups, more: false });
    assert.deepEqual(largest, ['v3', 'v4', 'v5', 'v6', 'v7', 'v8']);
    const points = seriesOf([figure('a', 10), figure('b', 5)], undefined, true, 'en');
    const figured = { groups: ['x'], figures: [[figure('a', 4)]], isCount: true };
    const values = (hasOthers: boolean) =>
      layersOf(points, { ...figured, hasOthers }).map((layer) => points.map(({ key }) => layer.values.get(key) ?? 0));
    assert.deepEqual(values(false), [[4, 0]]);
    assert.deepEqual(values(true), [
      [4, 0],
      [6, 5],
    ]);
  });

  it('leaves gaps that would be endless, and draws times alone', () => {
    const far = figures('0001-01-01', '9999-12-31', null);
    assert.equal(seriesOf(far, 'day', true, 'en').length, 3);
    assert.equal(drawn(seriesOf(far, 'day', true, 'en'), 'day').length, 2);
  });

  it('draws the largest of many groups in the order of all', () => {
    const many = Array.from({ length: 100 }, (_, count) => ({ group: count, count, measured: null }));
    const shown = drawn(seriesOf(many, undefined, true, 'en'), undefined).map(({ group }) => group);
    assert.deepEqual([shown.length, shown[0], shown.at(-1)], [BARS_MAX, 100 - BARS_MAX, 99]);
  });

  it('is of what the address says, as far as the collection has it', () => {
    const day = column('cday0000', 'Date');
    const hours = column('chours00', 'Number', { searchable: false, sortable: false });
    const collection = collectionOf(TITLE, STATUS, day, hours);
    const isTime = { isTime: true, searchable: true };
    assert.deepEqual(groupingOf(collection, undefined), { key: day.id, unit: undefined, ...isTime });
    assert.deepEqual(groupingOf(collection, 'cstatus0:week'), {
      ...{ key: STATUS.id, unit: undefined, isTime: false, searchable: true },
    });
    assert.deepEqual(groupingOf(collection, 'createdAt:day'), { key: 'createdAt', unit: 'day', ...isTime });
    assert.equal(groupingOf(collectionOf(), 'cgone000').key, 'createdAt');
    assert.equal(measureText(measureOf(collection, 'sum:chours00')), 'sum:chours00');
    for (const text of [undefined, 'sum:ctitle00', 'median:chours00'])
      assert.equal(measureOf(collection, text).kind, 'count');
  });
});

describe('the map', () => {
  const SIZE = { width: 800, height: 600 };
  const point = (id: string, latitude: number, longitude: number) => ({
    id,
    title: id,
    ...placeOf(latitude, longitude),
  });
  const tokyo = point('tokyo', 35.68, 139.76);
  const shinjuku = point('shinjuku', 35.69, 139.7);
  const lima = point('lima', -12.05, -77.04);

  it('knows where a place is, and back', () => {
    for (const [latitude, longitude] of [
      [0, 0],
      [35.68, 139.76],
      [-84, -179],
    ] as const) {
      const back = degreesOf(placeOf(latitude, longitude));
      assert.ok(Math.abs(back.latitude - latitude) < 1e-9 && Math.abs(back.longitude - longitude) < 1e-9);
    }
    assert.ok(placeOf(90, 0).y >= -1e-9 && placeOf(-90, 0).y <= 1 + 1e-9, 'the poles are at the edges');
  });

  it('shows all places at first', () => {
    const look = fitted([tokyo, lima], SIZE);
    const shown = inSight(clustersOf([tokyo, lima], look.zoom), look, SIZE);
    assert.equal(shown.length, 2);
    assert.ok(shown.every(({ left, top }) => left > 0 && left < 800 && top > 0 && top < 600));
    assert.ok(fitted([tokyo], SIZE).zoom < 12 && fitted([], SIZE).zoom > 0);
  });

  it('zooms around a point, and stays in the world', () => {
    const look = fitted([tokyo], SIZE);
    const closer = zoomed(look, 1, { x: 100, y: 50 }, SIZE);
    const under = (at: typeof look) => at.x + 100 / (256 * 2 ** at.zoom);
    assert.ok(Math.abs(under(look) - under(closer)) < 1e-12);
    assert.equal(panned(look, { x: 1e9, y: 1e9 }, SIZE).x, 0);
    assert.ok(zoomed(look, 99, { x: 0, y: 0 }, SIZE).zoom <= 15);
  });

  it('joins points that would cover each other, and lists those that always do', () => {
    const far = clustersOf([tokyo, shinjuku, lima], 3).map(({ points }) => points.length);
    assert.deepEqual(far.sort(), [1, 2]);
    assert.equal(clustersOf([tokyo, shinjuku, lima], 14).length, 3);
    const [cluster] = clustersOf([tokyo, { ...tokyo, id: 'too' }], 15);
    assert.ok(cluster !== undefined && areTogether(cluster));
  });

  it('has an address', () => {
    const look = { ...placeOf(35.68, 139.76), zoom: 7.5 };
    assert.equal(writeLook(look), '35.6800,139.7600,7.5');
    assert.equal(writeLook(readLook('35.6800,139.7600,7.5')!), '35.6800,139.7600,7.5');
    for (const text of [undefined, '', '1,2', 'a,b,c', '1,2,3,4']) assert.equal(readLook(text), undefined);
  });

  it('has a scale of a round length', () => {
    const { metres, pixels } = scaleBar({ ...placeOf(0, 0), zoom: 0 }, 120);
    assert.equal(metres, 10_000_000);
    assert.ok(pixels > 60 && pixels <= 120);
  });
});

describe('the cards', () => {
  it('are gone through by the keys of a grid', () => {
    const bounds = { count: 10, perRow: 4, pageRows: 2 };
    const to = (at: number, key: string) => movedCard(at, { key }, bounds);
    assert.deepEqual(
      ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'PageDown', 'Home', 'End', 'x'].map((key) => to(5, key)),
      [4, 6, 1, 9, 9, 0, 9, undefined],
    );
  });
});
