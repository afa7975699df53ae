// What holds for values of every type: their shape, null, unknown columns, the order and length of reports, and the
// questions that the table answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readValues } from '../../src/domain/values/read-values.ts';
import { ValueProblem } from '../../src/domain/values/value-type.ts';
import { mayBeUnique, maySort, uniqueKey, VALUE_TYPE_TABLE } from '../../src/domain/values/value-types.ts';
import { VALUE_TYPES, type Value } from '../../src/wire/values.ts';
import { ATTACHMENT, assertRefused, RECORD, refusal, stored, USER } from './reading-values.ts';
import { COLUMNS, columnIdOf, REFERENCE_SCHEME } from './value-columns.ts';

test('the shape that every value has', () => {
  for (const type of VALUE_TYPES) {
    const label = type === 'Array' ? 'ArrayString' : type;
    for (const [sent, shown] of [
      ['x', 'a string'],
      [1, 'a number'],
      [true, 'a boolean'],
      [[], 'an array'],
      [[{ type, value: 'x' }], 'an array'],
    ] as const) {
      assertRefused(label, sent, new RegExp(`must be an object with "type": "${type}", not ${shown}`));
    }
    assertRefused(label, {}, /"type" is missing/);
    assertRefused(label, { type: null }, /not null/, '/type');
    assertRefused(label, { type: type.toLowerCase() }, new RegExp(`must be "${type}"`), '/type');
    assertRefused(label, { type: [type] }, /not an array/, '/type');
    const members = { type, zzz: 1 };
    assertRefused(
      label,
      members,
      new RegExp(`"zzz" is not a member of ${/^[AO]/.test(type) ? 'an' : 'a'} ${type} value, and "`),
    );
    assertRefused(label, JSON.parse(`{"type":"${type}","__proto__":{"value":"x"}}`), /"__proto__" is not a member/);
    assertRefused(label, { type, constructor: 1 }, /"constructor" is not a member/);
    // Only own members count.
    assertRefused(label, Object.create({ type, value: 'x' }), /"type" is missing/);
  }
  for (const [type, members, reason] of [
    [
      'Attachment',
      { attachmentId: ATTACHMENT },
      '"attachmentId" is not a member of an Attachment value, and "id" is missing',
    ],
    ['Attachment', { id: ATTACHMENT, url: 'x' }, '"url" is not a member of an Attachment value'],
    [
      'Location',
      { lat: 1, lon: 2 },
      '"lat" is not a member of a Location value, and "latitude" and "longitude" are missing',
    ],
  ] as const) {
    assertRefused(type, { type, ...members }, new RegExp(`^${reason}$`));
  }
  assertRefused('String', Object.assign(Object.create({ value: 'x' }), { type: 'String' }), /"value" is missing/);
});

test('columns that the collection does not have', () => {
  const string = { type: 'String', value: 'x' };
  for (const columnId of ['c9999999', 'string', '', 'constructor', 'toString', 'hasOwnProperty']) {
    const params = refusal(() => readValues(COLUMNS, { [columnId]: string }, { nullRemoves: false }));
    assert.deepEqual(params, { columnId, reason: 'the collection has no such column' });
  }
  for (const text of ['{"__proto__":{"type":"String","value":"x"}}', '{"__proto__":null}']) {
    const params = refusal(() => readValues(COLUMNS, JSON.parse(text), { nullRemoves: true }));
    assert.equal(params.columnId, '__proto__');
  }
  const huge = refusal(() => readValues(COLUMNS, { ['c'.repeat(1_000_000)]: string }, { nullRemoves: false }));
  assert.ok(huge.columnId.length < 200);
});

test('null as a whole entry', () => {
  const [string, number] = [columnIdOf('String'), columnIdOf('Number')];
  const input = { [number]: null, [string]: { type: 'String', value: 'x' } };
  assert.deepEqual(readValues(COLUMNS, input, { nullRemoves: true }), {
    values: { [string]: { type: 'String', value: 'x' } },
    removed: [number],
    targets: [],
  });
  const params = refusal(() => readValues(COLUMNS, input, { nullRemoves: false }));
  assert.equal(params.columnId, number);
  assert.match(params.reason, /only allowed with "replace": false/);
  assert.deepEqual(readValues(COLUMNS, {}, { nullRemoves: false }), { values: {}, removed: [], targets: [] });
});

test('the first problem in input order is reported', () => {
  const wrong = { type: 'Number', value: 'x' };
  const columnIds = ['Number', 'String', 'Boolean'].map(columnIdOf);
  for (const first of columnIds) {
    const input = Object.fromEntries([first, ...columnIds].map((columnId) => [columnId, wrong]));
    assert.equal(refusal(() => readValues(COLUMNS, input, { nullRemoves: false })).columnId, first);
  }
});

test('reasons stay short, however much was sent', () => {
  const long = '😀'.repeat(200_000);
  for (const [label, input] of [
    ['Date', { type: 'Date', value: long }],
    ['DateTime', { type: 'DateTime', value: long }],
    ['DateTime', { type: 'DateTime', value: `2024-05-01T10:30:00.${'1'.repeat(100_000)}Z` }],
    ['Time', { type: 'Time', value: long }],
    ['String', { type: long }],
    ['String', { type: 'String', [long]: 1 }],
    ['Object', { type: 'Object', value: { [long]: 1 } }],
    ['ReferenceUser', { type: 'ReferenceUser', collectionId: long }],
    ['User', { type: 'User', id: long }],
  ] as const) {
    const params = refusal(() => stored(label, input));
    assert.ok(JSON.stringify(params).length < 600, label);
    assert.ok(!/\p{Surrogate}/u.test(params.reason), 'no character is cut in half');
  }
});

test('which types may be unique, sorted and searched', () => {
  const unique = [
    'String',
    'Number',
    'DateTime',
    'Date',
    'Time',
    'User',
    'ReferenceString',
    'ReferenceNumber',
    'ReferenceUser',
  ];
  assert.deepEqual(VALUE_TYPES.filter(mayBeUnique), unique);
  assert.deepEqual(
    VALUE_TYPES.filter((type) => !maySort(type)),
    ['Location', 'Object', 'Array'],
  );
  for (const type of VALUE_TYPES) assert.equal(VALUE_TYPE_TABLE[type].name, type);
});

test('unique keys', () => {
  const reference = { type: 'ReferenceUser', ...REFERENCE_SCHEME, recordId: RECORD } as const;
  for (const [value, key] of [
    [{ type: 'String', value: '' }, '='],
    [{ type: 'String', value: 'a=#b' }, '=a=#b'],
    [{ type: 'String', value: 'x'.repeat(400) }, `=${'x'.repeat(400)}`],
    [{ type: 'String', value: '字'.repeat(133) }, `=${'字'.repeat(133)}`],
    [{ type: 'Number', value: 1e21 }, '=1e+21'],
    [{ type: 'Number', value: -0 }, '=0'],
    [{ type: 'DateTime', value: '2024-05-01T10:30:00.000Z' }, '=2024-05-01T10:30:00.000Z'],
    [{ type: 'Date', value: '2024-05-01' }, '=2024-05-01'],
    [{ type: 'Time', value: '10:30:00' }, '=10:30:00'],
    [{ type: 'User', id: USER, name: 'Ann' }, `=${USER}`],
    [reference, `=${RECORD}`],
  ] as const) {
    assert.equal(uniqueKey(value), key);
  }
  for (const value of ['x'.repeat(401), '字'.repeat(134), 'x'.repeat(900_000)]) {
    assert.match(uniqueKey({ type: 'String', value }), /^#[0-9a-f]{64}$/);
  }
  for (const value of [
    { type: 'Boolean', value: true },
    { type: 'Location', latitude: 0, longitude: 0 },
    { type: 'Attachment', id: ATTACHMENT, name: '', contentType: '', size: 0 },
    { type: 'Object', value: {} },
    { type: 'Array', value: [] },
  ] as const) {
    assert.throws(() => uniqueKey(value as Value), /cannot be unique/);
  }
});

test('an error of our own is not softened into a fault', () => {
  const broken = new Map(COLUMNS);
  const getter = Object.defineProperty({ type: 'String' }, 'value', {
    enumerable: true,
    get: () => {
      throw new TypeError('ours');
    },
  });
  assert.throws(() => readValues(broken, { [columnIdOf('String')]: getter }, { nullRemoves: false }), TypeError);
  assert.ok(new ValueProblem('reason', '/path') instanceof Error);
});
