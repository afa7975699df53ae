// Every row of the table of value types: what is accepted and how it is stored, what is refused, where and why.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ValueTypeName } from '../../src/wire/values.ts';
import { ATTACHMENT, assertRefused, RECORD, read, refusal, stored, USER } from './reading-values.ts';
import { columnIdOf, REFERENCE_SCHEME } from './value-columns.ts';

/** Rows for types whose only member is `value`. */
function assertStored(type: ValueTypeName, rows: readonly (readonly [sent: unknown, kept: unknown])[]): void {
  for (const [sent, kept] of rows) assert.deepEqual(stored(type, { type, value: sent }), { type, value: kept });
}
function assertValueRefused(type: ValueTypeName, rows: readonly (readonly [sent: unknown, reason: RegExp])[]): void {
  for (const [sent, reason] of rows) assertRefused(type, { type, value: sent }, reason, '/value');
}

test('String in a browser, which has no buffers', () => {
  const { Buffer: kept } = globalThis;
  Reflect.deleteProperty(globalThis, 'Buffer');
  try {
    for (const text of ['a\r\nb\r', 'é\r\n'.repeat(2_000), '字\r'.repeat(20_000)]) {
      assert.deepEqual(stored('String', { type: 'String', value: text }), {
        type: 'String',
        value: text.replace(/\r\n?/g, '\n'),
      });
    }
  } finally {
    globalThis.Buffer = kept;
  }
});

test('String', () => {
  const long = '字'.repeat(900_000);
  assertStored('String', [
    ['', ''],
    [' a ', ' a '],
    ['a\r\nb\rc\nd\r\r\n', 'a\nb\nc\nd\n\n'],
    ['\u0001\u007f\ufffe😀e\u0301', '\u0001\u007f\ufffe😀e\u0301'],
    [long, long],
    ...['a', 'é', '字', '😀'].map(
      (character) => [`${character}\r\n\r`.repeat(900), `${character}\n\n`.repeat(900)] as [string, string],
    ),
    ['\r'.repeat(3_000), '\n'.repeat(3_000)],
  ]);
  assertValueRefused('String', [
    ['ab\0', /U\+0000 .*position 2\)/],
    ['😀\r\n\0', /U\+0000 .*position 3\)/],
    ['a\ud800b', /U\+D800.*position 1\)/],
    ['😀\udc00', /U\+DC00.*position 1\)/],
    ['\ud83d', /U\+D83D.*position 0\)/],
    [1, /must be a string, not a number/],
    [true, /must be a string, not a boolean/],
    [['a'], /must be a string, not an array/],
    [{}, /must be a string, not an object/],
  ]);
});

test('Number', () => {
  assertStored('Number', [
    [0, 0],
    [-0, 0],
    [1.5, 1.5],
    [-1e308, -1e308],
    [5e-324, 5e-324],
    [JSON.parse('9007199254740993'), 2 ** 53],
  ]);
  assert.ok(Object.is((stored('Number', { type: 'Number', value: -0 }) as { value: number }).value, 0));
  assertValueRefused('Number', [
    [JSON.parse('1e400'), /finite/],
    [JSON.parse('-1e400'), /finite/],
    [Number.NaN, /finite/],
    ['1', /must be a number, not a string/],
    [true, /must be a number, not a boolean/],
    [[1], /must be a number, not an array/],
  ]);
});

test('Boolean', () => {
  assertStored('Boolean', [
    [true, true],
    [false, false],
  ]);
  assertValueRefused('Boolean', [
    [0, /true or false, not a number/],
    [1, /true or false/],
    ['true', /true or false, not a string/],
    [[], /true or false/],
  ]);
});

test('DateTime as RFC 3339', () => {
  assertStored('DateTime', [
    ['2024-05-01T10:30:00.000Z', '2024-05-01T10:30:00.000Z'],
    ['2024-05-01T10:30:00Z', '2024-05-01T10:30:00.000Z'],
    ['2024-05-01t10:30:00z', '2024-05-01T10:30:00.000Z'],
    ['2024-05-01t10:30:00.000Z', '2024-05-01T10:30:00.000Z'],
    ['2024-05-01T10:30:00.000z', '2024-05-01T10:30:00.000Z'],
    ['2024-05-01T10:30:00.5Z', '2024-05-01T10:30:00.500Z'],
    ['2024-05-01T10:30:00.07Z', '2024-05-01T10:30:00.070Z'],
    ['2024-05-01T10:30:00.123+09:00', '2024-05-01T01:30:00.123Z'],
    ['2024-12-31T23:30:00-01:00', '2025-01-01T00:30:00.000Z'],
    ['2024-05-01T10:30:00-00:00', '2024-05-01T10:30:00.000Z'],
    ['2024-05-01T10:30:00+23:59', '2024-04-30T10:31:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0099-03-01T00:00:00Z', '0099-03-01T00:00:00.000Z'],
    ['0000-12-31T23:30:00-01:00', '0001-01-01T00:30:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ]);
  assertValueRefused('DateTime', [
    ['2023-02-29T00:00:00Z', /2023-02-29 is not a day/],
    ['1900-02-29T00:00:00Z', /not a day/],
    ['2024-04-31T00:00:00Z', /not a day/],
    ['2024-13-01T00:00:00Z', /not a day/],
    ['2024-00-01T00:00:00Z', /not a day/],
    ['2024-01-00T00:00:00Z', /not a day/],
    ['2024-05-01T24:00:00Z', /24:00:00 is not a time/],
    ['2024-05-01T10:60:00Z', /not a time/],
    ['2016-12-31T23:59:60Z', /leap second/],
    ['2024-05-01T10:30:61Z', /not a time/],
    ['2024-05-01T10:30:00.1234Z', /at most 3 decimals/],
    ['2024-05-01T10:30:00.Z', /RFC 3339/],
    ['2024-05-01T10:30:00,5Z', /RFC 3339/],
    ['2024-05-01T10:30:00', /Z or an offset/],
    ['2024-05-01T10:30Z', /RFC 3339/],
    ['2024-05-01 10:30:00Z', /RFC 3339/],
    ['2024-05-01T10:30:00+0900', /RFC 3339/],
    ['2024-05-01T10:30:00+24:00', /\+24:00 is not an offset/],
    ['2024-05-01T10:30:00-01:60', /-01:60 is not an offset/],
    ['2024-05-01', /RFC 3339/],
    ['2024-05-01T10:30:00Z\n', /RFC 3339/],
    [' 2024-05-01T10:30:00Z', /RFC 3339/],
    ['+002024-05-01T10:30:00Z', /RFC 3339/],
    ['２０24-05-01T10:30:00Z', /RFC 3339/],
    ['1714559400', /RFC 3339/],
    ['', /RFC 3339/],
    ['0000-12-31T23:59:59Z', /outside the years 0001 to 9999/],
    ['0001-01-01T00:00:00+00:01', /outside the years 0001 to 9999/],
    ['9999-12-31T23:59:59-00:01', /outside the years 0001 to 9999/],
    [true, /RFC 3339 string or a POSIX time in seconds, not a boolean/],
    [{}, /not an object/],
  ]);
});

test('DateTime as POSIX seconds', () => {
  assertStored('DateTime', [
    [0, '1970-01-01T00:00:00.000Z'],
    [-0, '1970-01-01T00:00:00.000Z'],
    [1714559400, '2024-05-01T10:30:00.000Z'],
    [1714559400.123, '2024-05-01T10:30:00.123Z'],
    [1714559400.1236, '2024-05-01T10:30:00.124Z'],
    [1714559400.1234, '2024-05-01T10:30:00.123Z'],
    [-0.5, '1969-12-31T23:59:59.500Z'],
    [-62135596800, '0001-01-01T00:00:00.000Z'],
    [253402300799.999, '9999-12-31T23:59:59.999Z'],
  ]);
  assertValueRefused('DateTime', [
    [1714559400123, /1714559400123 looks like milliseconds, but seconds are expected/],
    [-62135596800001 + 1, /milliseconds/],
    [253402300800, /milliseconds/],
    [253402300799999, /milliseconds/],
    [-62135596800.001, /milliseconds/],
  ]);
  for (const value of [253402300800000, -62135596800001, 1714559400123000, JSON.parse('1e400'), Number.NaN]) {
    const { reason } = refusal(() => stored('DateTime', { type: 'DateTime', value }));
    assert.match(reason, /outside the years 0001 to 9999/);
    assert.doesNotMatch(reason, /milliseconds/);
  }
});

test('Date', () => {
  assertStored(
    'Date',
    ['2024-05-01', '2024-02-29', '2000-02-29', '0001-01-01', '9999-12-31'].map((date) => [date, date] as const),
  );
  assertValueRefused('Date', [
    ['2023-02-29', /2023-02-29 is not a day/],
    ['1900-02-29', /not a day/],
    ['2024-06-31', /not a day/],
    ['2024-13-01', /not a day/],
    ['2024-01-32', /not a day/],
    ['2024-01-00', /not a day/],
    ['0000-01-01', /0001 to 9999/],
    ['10000-01-01', /YYYY-MM-DD/],
    ['2024-5-1', /YYYY-MM-DD/],
    ['20240501', /YYYY-MM-DD/],
    ['2024-05-01T00:00:00Z', /YYYY-MM-DD/],
    ['2024-05-01\n', /YYYY-MM-DD/],
    ['', /YYYY-MM-DD/],
    [20240501, /YYYY-MM-DD, not a number/],
  ]);
});

test('Time', () => {
  assertStored(
    'Time',
    ['00:00:00', '23:59:59', '09:05:07', '19:00:00'].map((time) => [time, time] as const),
  );
  assertValueRefused('Time', [
    ['24:00:00', /hh:mm:ss/],
    ['23:60:00', /hh:mm:ss/],
    ['23:59:60', /hh:mm:ss/],
    ['9:00:00', /hh:mm:ss/],
    ['09:00', /hh:mm:ss/],
    ['09:00:00.5', /hh:mm:ss/],
    ['09:00:00Z', /hh:mm:ss/],
    ['09:00:00\n', /hh:mm:ss/],
    [32400, /hh:mm:ss, not a number/],
  ]);
});

test('Location', () => {
  const at = (members: object) => ({ type: 'Location', ...members });
  for (const members of [
    { latitude: 35.68, longitude: 139.76 },
    { latitude: -90, longitude: -180, altitude: -430.5 },
    { latitude: 90, longitude: 180, altitude: 0 },
  ]) {
    assert.deepEqual(stored('Location', at(members)), at(members));
  }
  const zero = stored('Location', at({ latitude: -0, longitude: -0, altitude: -0 }));
  assert.deepEqual(zero, { type: 'Location', latitude: 0, longitude: 0, altitude: 0 });
  for (const [members, reason, path] of [
    [{ latitude: 90.0001, longitude: 0 }, /from -90 to 90/, '/latitude'],
    [{ latitude: -91, longitude: 0 }, /from -90 to 90/, '/latitude'],
    [{ latitude: 0, longitude: 180.5 }, /from -180 to 180/, '/longitude'],
    [{ latitude: 0, longitude: -181 }, /from -180 to 180/, '/longitude'],
    [{ latitude: 0, longitude: 0, altitude: JSON.parse('1e400') }, /finite/, '/altitude'],
    [{ latitude: '1', longitude: 0 }, /must be a number, not a string/, '/latitude'],
    [{ latitude: 0, longitude: 0, altitude: null }, /"altitude" must not be null/, '/altitude'],
    [{ longitude: 0 }, /"latitude" is missing/, undefined],
    [{ latitude: 0 }, /"longitude" is missing/, undefined],
    [{ latitude: 0, longitude: 0, accuracy: 5 }, /"accuracy" is not a member/, undefined],
    [{ latitude: 0, longitude: 0, value: {} }, /"value" is not a member/, undefined],
  ] as const) {
    assertRefused('Location', at(members), reason, path);
  }
});

test('User', () => {
  for (const sent of [{ id: USER }, { id: USER, name: 'someone' }, { name: 5, id: USER }]) {
    const { values, targets } = read('User', { type: 'User', ...sent });
    const value = { type: 'User', id: USER, name: '' };
    assert.deepEqual(values, { [columnIdOf('User')]: value });
    assert.deepEqual(targets, [{ kind: 'user', columnId: columnIdOf('User'), path: '/id', id: USER, value }]);
    assert.equal(targets[0]?.value, values[columnIdOf('User')], 'the target is the object that will be stored');
  }
  assertRefused('User', { type: 'User', name: 'x' }, /"id" is missing/);
  assertRefused('User', { type: 'User', id: 'U1234567' }, /identifier of a user/, '/id');
  assertRefused('User', { type: 'User', id: `u${'0'.repeat(26)}` }, /identifier of a user/, '/id');
  assertRefused('User', { type: 'User', id: `${USER}\n` }, /identifier of a user/, '/id');
  assertRefused('User', { type: 'User', id: 5 }, /identifier of a user/, '/id');
  assertRefused('User', { type: 'User', id: USER, name: null }, /"name" must not be null/, '/name');
  assertRefused('User', { type: 'User', id: USER, email: 'a@b.c' }, /"email" is not a member/);
});

test('Attachment', () => {
  const full = { id: ATTACHMENT, name: 'a.png', contentType: 'image/png', size: 5 };
  for (const sent of [{ id: ATTACHMENT }, full, { ...full, size: 'many' }]) {
    const { values, targets } = read('Attachment', { type: 'Attachment', ...sent });
    const value = { type: 'Attachment', id: ATTACHMENT, name: '', contentType: '', size: 0 };
    const columnId = columnIdOf('Attachment');
    assert.deepEqual(values, { [columnId]: value });
    assert.deepEqual(targets, [{ kind: 'attachment', columnId, path: '/id', id: ATTACHMENT, value }]);
    assert.equal(targets[0]?.value, values[columnId]);
  }
  for (const name of ['name', 'contentType', 'size']) {
    const reason = new RegExp(`"${name}" must not be null`);
    assertRefused('Attachment', { type: 'Attachment', ...full, [name]: null }, reason, `/${name}`);
  }
  assertRefused('Attachment', { type: 'Attachment', name: 'x' }, /"id" is missing/);
  assertRefused('Attachment', { type: 'Attachment', id: RECORD }, /identifier of an attachment/, '/id');
  assertRefused('Attachment', { type: 'Attachment', ...full, url: 'x' }, /"url" is not a member/);
});

test('Object', () => {
  const of = (value: unknown) => ({ type: 'Object', value });
  const sent = JSON.parse(
    '{"string":{"type":"String","value":"a\\r\\n"},"__proto__":{"type":"String","value":"p"},' +
      '"a/b~c":{"type":"Number","value":-0},"datetime":{"type":"DateTime","value":0},"user":{"type":"User","id":"u1234567"}}',
  );
  const { values, targets } = read('Object', of(sent));
  assert.equal(
    JSON.stringify(values[columnIdOf('Object')]),
    '{"type":"Object","value":{"string":{"type":"String","value":"a\\n"},"__proto__":{"type":"String","value":"p"},' +
      '"a/b~c":{"type":"Number","value":0},"datetime":{"type":"DateTime","value":"1970-01-01T00:00:00.000Z"},' +
      '"user":{"type":"User","id":"u1234567","name":""}}}',
  );
  assert.deepEqual(
    targets.map(({ kind, path }) => [kind, path]),
    [['user', '/value/user/id']],
  );
  assert.deepEqual(stored('Object', of({})), of({}));

  const string = { type: 'String', value: 'x' };
  for (const [value, reason, path] of [
    [[], /must be an object of values by key, not an array/, '/value'],
    ['x', /must be an object of values by key, not a string/, '/value'],
    [null, /"value" must not be null/, '/value'],
    [{ other: string }, /"other" is not a key/, '/value'],
    [{ constructor: string }, /"constructor" is not a key/, '/value'],
    [{ toString: string }, /"toString" is not a key/, '/value'],
    [{ string: 'x' }, /must be an object with "type": "String", not a string/, '/value/string'],
    [{ string: null }, /not null/, '/value/string'],
    [{ string: { type: 'Number', value: 1 } }, /must be "String", not "Number"/, '/value/string/type'],
    [{ string: { type: 'Object', value: {} } }, /must be "String", not "Object"/, '/value/string/type'],
    [{ string: { type: 'Array', value: [] } }, /must be "String", not "Array"/, '/value/string/type'],
    [{ string: { value: 'x' } }, /"type" is missing/, '/value/string'],
    [{ 'a/b~c': { type: 'Number', value: '1' } }, /must be a number/, '/value/a~1b~0c/value'],
    [{ string, location: { type: 'Location', latitude: 99, longitude: 0 } }, /-90 to 90/, '/value/location/latitude'],
    [{ user: { type: 'User', id: 'x' } }, /identifier/, '/value/user/id'],
  ] as const) {
    assertRefused('Object', of(value), reason, path);
  }
  assertRefused('Object', { type: 'Object' }, /"value" is missing/);
});

test('Array', () => {
  const of = (value: unknown) => ({ type: 'Array', value });
  const string = { type: 'String', value: 'x' };
  assert.deepEqual(stored('ArrayString', of([])), of([]));
  assert.deepEqual(stored('ArrayString', of([string, { type: 'String', value: '\r' }])), {
    type: 'Array',
    value: [string, { type: 'String', value: '\n' }],
  });
  const full = of(Array.from({ length: 1000 }, () => string));
  assert.deepEqual(stored('ArrayString', full), full);
  const { values, targets } = read('ArrayObject', of([1, 2].map(() => ({ type: 'Object', value: {} }))));
  assert.deepEqual(values[columnIdOf('ArrayObject')], of([1, 2].map(() => ({ type: 'Object', value: {} }))));
  assert.deepEqual(targets, []);
  const users = read(
    'ArrayObject',
    of([
      { type: 'Object', value: {} },
      { type: 'Object', value: { user: { type: 'User', id: USER } } },
    ]),
  );
  assert.deepEqual(
    users.targets.map(({ kind, path, id }) => [kind, path, id]),
    [['user', '/value/1/value/user/id', USER]],
  );

  for (const [label, value, reason, path] of [
    ['ArrayString', { 0: string, length: 1 }, /must be an array of values, not an object/, '/value'],
    ['ArrayString', 'x', /must be an array/, '/value'],
    ['ArrayString', null, /"value" must not be null/, '/value'],
    ['ArrayString', Array.from({ length: 1001 }, () => string), /at most 1000 elements, not 1001/, '/value'],
    ['ArrayString', [string, { type: 'Number', value: 1 }], /must be "String", not "Number"/, '/value/1/type'],
    ['ArrayString', [string, string, 'x'], /must be an object/, '/value/2'],
    ['ArrayString', [null], /not null/, '/value/0'],
    ['ArrayString', [[string]], /not an array/, '/value/0'],
    [
      'ArrayLocation',
      [0, 1, 2].map(() => ({ type: 'Location', latitude: 91, longitude: 0 })),
      /90/,
      '/value/0/latitude',
    ],
    ['ArrayObject', [string], /must be "Object", not "String"/, '/value/0/type'],
    ['ArrayObject', [{ type: 'Object', value: { no: string } }], /"no" is not a key/, '/value/0/value'],
    [
      'ArrayObject',
      [{ type: 'Object', value: { string: { type: 'String' } } }],
      /"value" is missing/,
      '/value/0/value/string',
    ],
  ] as const) {
    assertRefused(label, of(value), reason, path);
  }
});

test('References', () => {
  for (const type of ['ReferenceString', 'ReferenceNumber', 'ReferenceUser'] as const) {
    const kept = { type, ...REFERENCE_SCHEME, recordId: RECORD };
    const columnId = columnIdOf(type);
    for (const filled of [
      {},
      { recordHash: 'x', value: { type: 'String', value: 'x' } },
      { recordHash: 5, value: [] },
    ]) {
      const { values, targets } = read(type, { ...kept, ...filled });
      assert.deepEqual(values, { [columnId]: kept });
      const { collectionId, columnId: referredColumnId } = REFERENCE_SCHEME;
      assert.deepEqual(targets, [
        { kind: 'record', columnId, path: '/recordId', id: RECORD, collectionId, referredColumnId, value: kept },
      ]);
      assert.equal(targets[0]?.value, values[columnId]);
    }
    for (const [change, reason, path] of [
      [{ collectionId: 't0000002' }, /must be "t0000001", as in the column's scheme, not "t0000002"/, '/collectionId'],
      [{ columnId: 'c0000001' }, /must be "c0000099"/, '/columnId'],
      [{ columnId: 7 }, /must be "c0000099".*not a number/, '/columnId'],
      [{ recordId: 'r1' }, /identifier of a record/, '/recordId'],
      [{ recordId: ATTACHMENT }, /identifier of a record/, '/recordId'],
      [{ recordId: null }, /"recordId" must not be null/, '/recordId'],
      [{ recordHash: null }, /"recordHash" must not be null/, '/recordHash'],
      [{ value: null }, /"value" must not be null/, '/value'],
      [{ value: { type: 'String', value: null } }, /"value" must not be null/, '/value'],
      [{ extra: 1 }, /"extra" is not a member/, undefined],
    ] as const) {
      assertRefused(type, { ...kept, ...change }, reason, path);
    }
    for (const name of ['collectionId', 'columnId', 'recordId']) {
      const sent = Object.fromEntries(Object.entries(kept).filter(([key]) => key !== name));
      assertRefused(type, sent, new RegExp(`"${name}" is missing`));
    }
  }
});
