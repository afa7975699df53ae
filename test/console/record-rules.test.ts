// The rules of a record's page: keys, conflicts, problems at the right field, items of arrays, points on the map.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ColumnDefinition, RawRecord, RawValue } from '../../client/src/shapes.ts';
import { beginningSearch, nearestFirst } from '../../console/src/api/nearest.ts';
import { decided, differencesOf } from '../../console/src/record/conflict.ts';
import { recordKeyOf } from '../../console/src/record/key-meanings.ts';
import { fileOf } from '../../console/src/record/referrers.ts';
import { arrayOf, itemsOf, movedItem, storedIndex, withItems } from '../../console/src/values/edit/array-items.ts';
import { problemAt, problemOfPart, problemOfWhole, problemProps } from '../../console/src/values/edit/value-problem.ts';
import { degreesAt, pixelsOf, steppedBy } from '../../console/src/values/map/picked-place.ts';
import { sameValue } from '../../console/src/values/same-value.ts';
import { number, string } from '../support/application.ts';

const plain = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

describe('the keys of a record', () => {
  it('mean what they say, and letters nothing while somebody types', () => {
    const meaning = (key: string, typing = false, more = {}) => recordKeyOf({ key, ...plain, ...more }, typing);
    assert.equal(meaning('e'), 'onEdit');
    assert.equal(meaning('j'), 'onNext');
    assert.equal(meaning('ArrowLeft'), 'onPrevious');
    assert.equal(meaning('Escape', true), 'onLeave');
    assert.equal(meaning('s', true, { ctrlKey: true }), 'onSave');
    assert.equal(meaning('S', true, { metaKey: true }), 'onSave');
    for (const key of ['e', 'j', 'k', 'ArrowLeft']) assert.equal(meaning(key, true), undefined);
    for (const more of [{ ctrlKey: true }, { altKey: true }, { shiftKey: true }])
      assert.equal(meaning('e', false, more), undefined);
    assert.equal(meaning('s', false, { ctrlKey: true, shiftKey: true }), undefined);
  });
});

describe('values are the same', () => {
  const reference = (recordId: string, value: RawValue): RawValue =>
    ({ type: 'ReferenceString', collectionId: 't1', columnId: 'c1', recordId, value }) as RawValue;

  it('if they mean the same, whatever the server has filled in', () => {
    const alike: readonly (readonly [RawValue | undefined, RawValue | undefined])[] = [
      [undefined, undefined],
      [string('a') as RawValue, string('a') as RawValue],
      [
        { type: 'User', id: 'u1', name: 'Old' },
        { type: 'User', id: 'u1', name: 'New' },
      ],
      [reference('r1', string('Old') as RawValue), reference('r1', string('New') as RawValue)],
      [
        { type: 'Object', value: { a: number(1), b: number(2) } } as RawValue,
        { type: 'Object', value: { b: number(2), a: number(1) } } as RawValue,
      ],
    ];
    for (const [one, other] of alike) assert.equal(sameValue(one, other), true);
  });

  it('and not otherwise', () => {
    const different: readonly (readonly [RawValue | undefined, RawValue | undefined])[] = [
      [undefined, string('') as RawValue],
      [string('1') as RawValue, number(1) as RawValue],
      [reference('r1', string('x') as RawValue), reference('r2', string('x') as RawValue)],
      [
        { type: 'Location', latitude: 1, longitude: 2 },
        { type: 'Location', latitude: 1, longitude: 2, altitude: 0 },
      ],
      [
        { type: 'Array', value: [number(1), number(2)] } as RawValue,
        { type: 'Array', value: [number(2), number(1)] } as RawValue,
      ],
    ];
    for (const [one, other] of different) assert.equal(sameValue(one, other), false);
  });
});

describe('a conflict', () => {
  const column = (id: string): ColumnDefinition => ({
    id,
    name: id,
    type: 'String',
    unique: false,
    sortable: false,
    searchable: false,
  });
  const columns = ['a', 'b', 'c', 'd'].map(column);
  const text = (value: string) => string(value) as RawValue;
  const record = { values: { a: text('theirs'), b: text('old b'), c: text('same') } } as unknown as RawRecord;
  const draft = {
    changes: { a: text('mine'), b: null, c: text('same') },
    base: { hash: 'h', values: { a: text('old a'), b: text('old b') } },
  };

  it('is what both have changed; what one alone has changed is decided', () => {
    const differences = differencesOf(columns, draft, record);
    assert.deepEqual(
      differences.map(({ column: { id }, disputed }) => [id, disputed]),
      [
        ['a', true],
        ['b', false],
      ],
    );
  });

  it('keeps what is stored where nobody has chosen', () => {
    const differences = differencesOf(columns, draft, record);
    assert.deepEqual(decided(differences, {}), { b: null });
    assert.deepEqual(decided(differences, { a: 'mine', b: 'stored' }), { a: text('mine') });
  });
});

describe('what the server refuses', () => {
  it('is said at the part that it names, at any depth', () => {
    const problem = problemAt('must be a number', '/value/2/value/a~1b/value');
    const item = problemOfPart(problem, 2);
    assert.deepEqual(item, { reason: 'must be a number', path: ['value', 'a/b', 'value'] });
    assert.equal(problemOfPart(problem, 1), undefined);
    const key = problemOfPart(item, 'a/b');
    assert.deepEqual(problemProps('Number', key), { problem: 'must be a number', part: undefined });
    assert.equal(problemOfWhole(problem, [0, 1, 2]), undefined);
    assert.equal(problemOfWhole(problem, [0, 1]), 'must be a number');
  });

  it('is said of the whole where it names no part', () => {
    assert.deepEqual(problemProps('Array', problemAt('too many')), { problem: 'too many', part: undefined });
    assert.deepEqual(problemProps('String', problemAt('no', '/value')), { problem: 'no', part: undefined });
  });
});

describe('the items of an array', () => {
  it('are those of the value, except the ones that are not filled in', () => {
    const one = number(1) as RawValue;
    const items = withItems(itemsOf({ type: 'Array', value: [one] } as RawValue), [undefined, number(2) as RawValue]);
    assert.deepEqual(arrayOf(items), { type: 'Array', value: [number(1), number(2)] });
    assert.deepEqual(
      [0, 1, 2].map((index) => storedIndex(items, index)),
      [0, undefined, 1],
    );
    assert.equal(arrayOf([]), undefined);
  });

  it('keep their keys wherever they move', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.nat(8), fc.integer({ min: 1, max: 8 }), (from, to, count) => {
        const items = withItems([], Array(count).fill(undefined));
        const moved = movedItem(items, from, to);
        assert.deepEqual(new Set(moved), new Set(items));
        if (from < count && to < count) assert.equal(moved[to], items[from]);
      }),
    );
  });
});

describe('a point on the map', () => {
  const look = { x: 0.5, y: 0.5, zoom: 6 };
  const size = { width: 600, height: 300 };

  it('is where it was put', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 600 }), fc.integer({ min: 0, max: 300 }), (x, y) => {
        const back = pixelsOf(degreesAt({ x, y }, look, size), look, size);
        assert.ok(Math.hypot(back.x - x, back.y - y) < 0.1);
      }),
    );
  });

  it('is moved by the arrow keys, and by a pixel with Shift', () => {
    assert.deepEqual(steppedBy({ key: 'ArrowUp', shiftKey: false }, { x: 50, y: 50 }), { x: 50, y: 40 });
    assert.deepEqual(steppedBy({ key: 'ArrowRight', shiftKey: true }, { x: 50, y: 50 }), { x: 51, y: 50 });
    assert.equal(steppedBy({ key: 'a', shiftKey: false }, { x: 0, y: 0 }), undefined);
  });
});

describe('what is found by typing', () => {
  const named = (...names: string[]) => names.map((name) => ({ name }));
  const order = (names: string[], typed: string) => nearestFirst(named(...names), typed).map(({ name }) => name);

  it('has the whole name first, then those that begin with it, words of them, parts, and the rest', () => {
    const found = ['Other', 'Backtower', 'The tower', 'Tower 12', 'tower', 'Tower 1', 'North-Tower'];
    assert.deepEqual(order(found, 'Tower'), [
      'tower',
      'Tower 12',
      'Tower 1',
      'The tower',
      'North-Tower',
      'Backtower',
      'Other',
    ]);
    assert.deepEqual(order(['Visit 11', 'Visit 1'], 'visit 1'), ['Visit 1', 'Visit 11']);
    assert.deepEqual(order(['東京第二', '第二東京', '第二'], '第二'), ['第二', '第二東京', '東京第二']);
    assert.deepEqual(order(['b', 'a'], ' '), ['b', 'a']);
  });

  it('is looked for by its beginning where its column can be searched', () => {
    const column = (type: 'String' | 'Number' | 'Boolean', searchable = true): ColumnDefinition =>
      ({ id: 'c1', name: 'C', type, unique: false, sortable: false, searchable }) as ColumnDefinition;
    assert.equal(beginningSearch(column('String'), 'a"b'), '$c1>="a\\"b" $c1<"a\\"b\u{10FFFD}"');
    assert.equal(beginningSearch(column('Number'), '-12.5'), '$c1=-12.5');
    for (const [of, typed] of [
      [column('Number'), '12 or'],
      [column('Boolean'), 'true'],
      [column('String', false), 'a'],
      [column('String'), ''],
      [undefined, 'a'],
    ] as const)
      assert.equal(beginningSearch(of, typed), undefined);
  });

  it('has a file by which photos are told apart', () => {
    const file = { type: 'Attachment', id: 'f1', name: 'a.jpg' } as unknown as RawValue;
    const columns = [{ id: 'c1' }, { id: 'c2' }] as unknown as ColumnDefinition[];
    assert.equal(fileOf({ columns }, { values: { c1: string('x') as RawValue, c2: file } }), file);
    assert.equal(fileOf({ columns }, { values: { c2: { type: 'Array', value: [file] } as RawValue } }), file);
    assert.equal(fileOf({ columns }, { values: {} }), undefined);
  });
});
