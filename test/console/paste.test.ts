// What pasted texts mean, type by type.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ColumnDefinition, RawRecord, RawValue } from '../../client/src/shapes.ts';
import { numberOf, numberText } from '../../console/src/values/number-text.ts';
import { referenceOf } from '../../console/src/values/paste/reference.ts';
import { readText, writeText } from '../../console/src/values/paste/text.ts';
import { personOf } from '../../console/src/values/paste/user.ts';

const EN = { locale: 'en-US', timeZone: 'UTC', yes: 'Yes', no: 'No' };
const GB = { ...EN, locale: 'en-GB' };
const DE = { ...EN, locale: 'de-DE' };
const JA = { locale: 'ja-JP', timeZone: 'Asia/Tokyo', yes: 'はい', no: 'いいえ' };
const plain = { id: 'c1', name: 'C', unique: false, sortable: false, searchable: false };
const column = (type: string, scheme?: object) => ({ ...plain, type, scheme }) as ColumnDefinition;

function readAs(text: string, type: string, writing = EN): unknown {
  const read = readText(text, column(type), writing);
  if (!('value' in read)) return 'problem' in read ? read.problem : read.seek;
  return 'value' in read.value ? read.value.value : read.value;
}

test('numbers follow the language, and what could be ten times as much is refused', () => {
  const cases: [string, typeof EN, unknown][] = [
    ['1234.5', EN, 1234.5],
    ['1,234.5', EN, 1234.5],
    ['1,5', EN, 'number'],
    ['12,34', EN, 'number'],
    ['1.234,5', DE, 1234.5],
    ['1.234', DE, 1234],
    ['1234.5', DE, 1234.5],
    ['1,5', DE, 1.5],
    ['1 234 567', DE, 1_234_567],
    ["1'234.50", EN, 1234.5],
    ['１２３', JA, 123],
    ['−5', EN, -5],
    ['(1,234)', EN, -1234],
    ['$ 12.50', EN, 12.5],
    ['￥1,200', JA, 1200],
    ['1,200円', JA, 1200],
    ['12%', EN, 0.12],
    ['7%', EN, 0.07],
    ['1e3', EN, 1000],
    ['.5', EN, 0.5],
    ['0x10', EN, 'number'],
    ['Infinity', EN, 'number'],
    ['many', EN, 'number'],
    ['=1+1', EN, 'number'],
    ['1.2.3', EN, 'number'],
  ];
  for (const [text, writing, expected] of cases)
    assert.equal(readAs(text, 'Number', writing), expected, `${text} in ${writing.locale}`);
});

test('a number that is written is read as the same number, in every language', () => {
  const some = fc.double({ noNaN: true, min: -1e15, max: 1e15 }).map((number) => Number(number.toFixed(6)) || 0);
  fc.assert(
    fc.property(some, fc.constantFrom('en-US', 'de-DE', 'fr-FR', 'ja-JP', 'de-CH', 'pt-BR'), (number, locale) =>
      assert.equal(numberOf(numberText(number, locale), locale), number),
    ),
  );
});

test('days follow the language where they could be two, and are days of the calendar', () => {
  const cases: [string, typeof EN, unknown][] = [
    ['2026-11-16', EN, '2026-11-16'],
    ['3/4/2026', EN, '2026-03-04'],
    ['3/4/2026', GB, '2026-04-03'],
    ['16/11/2026', EN, '2026-11-16'],
    ['3.4.2026', DE, '2026-04-03'],
    ['3/4/26', EN, '2026-03-04'],
    ['3/4/99', EN, '1999-03-04'],
    ['2026/11/16', JA, '2026-11-16'],
    ['2026年11月16日', JA, '2026-11-16'],
    ['令和8年11月16日', JA, '2026-11-16'],
    ['R8.11.16', JA, '2026-11-16'],
    ['平成元年1月8日', JA, '1989-01-08'],
    ['16 Nov 2026', GB, '2026-11-16'],
    ['November 16, 2026', EN, '2026-11-16'],
    ['16. März 2026', DE, '2026-03-16'],
    ['2026-02-30', EN, 'date'],
    ['13/13/2026', EN, 'date'],
    ['0000-01-01', EN, 'date'],
    ['tomorrow', EN, 'date'],
    ['12', EN, 'date'],
  ];
  for (const [text, writing, expected] of cases)
    assert.equal(readAs(text, 'Date', writing), expected, `${text} in ${writing.locale}`);
});

test('times of day are read with 12 and 24 hours', () => {
  const cases: [string, unknown][] = [
    ['9:30', '09:30:00'],
    ['09:30:15', '09:30:15'],
    ['9:30 PM', '21:30:00'],
    ['12:00 am', '00:00:00'],
    ['12:15 p.m.', '12:15:00'],
    ['3 pm', '15:00:00'],
    ['午後9:30', '21:30:00'],
    ['午前0時5分', '00:05:00'],
    ['9時', '09:00:00'],
    ['25:00', 'time'],
    ['9:75', 'time'],
    ['13 pm', 'time'],
    ['9', 'time'],
    ['noon', 'time'],
  ];
  for (const [text, expected] of cases) assert.equal(readAs(text, 'Time'), expected, text);
});

test('moments without a zone are in that of the application, and those with one are exact', () => {
  const cases: [string, typeof EN, unknown][] = [
    ['2026-11-16T09:30:00Z', EN, '2026-11-16T09:30:00.000Z'],
    ['2026-11-16 09:30+09:00', EN, '2026-11-16T00:30:00.000Z'],
    ['2026-11-16 09:30', EN, '2026-11-16T09:30:00.000Z'],
    ['11/16/2026 3:00 pm', EN, '2026-11-16T15:00:00.000Z'],
    ['16 Nov 2026, 09:30', GB, '2026-11-16T09:30:00.000Z'],
    ['2026年11月16日 9:30', JA, '2026-11-16T00:30:00.000Z'],
    ['2026年11月16日9時30分', JA, '2026-11-16T00:30:00.000Z'],
    ['2026-11-16', EN, '2026-11-16T00:00:00.000Z'],
    ['9:30', EN, 'dateTime'],
    ['soon', EN, 'dateTime'],
  ];
  for (const [text, writing, expected] of cases) assert.equal(readAs(text, 'DateTime', writing), expected, text);
});

test('yes and no are read in the words of the page, of spreadsheets and of lists on paper', () => {
  for (const text of ['TRUE', 'yes', ' Y ', '1', 'ｏｎ', '✓', '○']) assert.equal(readAs(text, 'Boolean'), true, text);
  for (const text of ['FALSE', 'no', '0', '☐', '×']) assert.equal(readAs(text, 'Boolean'), false, text);
  assert.equal(readAs('はい', 'Boolean', JA), true);
  assert.equal(readAs('perhaps', 'Boolean'), 'boolean');
});

test('places are read as numbers and as the grid shows them', () => {
  const place = (latitude: number, longitude: number, more = {}) => ({
    type: 'Location',
    latitude,
    longitude,
    ...more,
  });
  const cases: [string, unknown][] = [
    ['35.68, 139.77', place(35.68, 139.77)],
    ['(35.68 -139.77)', place(35.68, -139.77)],
    ['33.9° S, 18.4° E, 40 m', place(-33.9, 18.4, { altitude: 40 })],
    ['91, 0', 'location'],
    ['35.68', 'location'],
    ['Tokyo', 'location'],
  ];
  for (const [text, expected] of cases) assert.deepEqual(readAs(text, 'Location'), expected, text);
});

test('objects and arrays are JSON, and simple arrays also lines or a list with semicolons', () => {
  const scheme = {
    keys: [
      { name: 'City', type: 'String' },
      { name: 'Floor', type: 'Number' },
    ],
  };
  const object = (text: string) => readText(text, column('Object', scheme), EN);
  assert.deepEqual(object('{"City":"京都","Floor":"3"}'), {
    value: { type: 'Object', value: { City: { type: 'String', value: '京都' }, Floor: { type: 'Number', value: 3 } } },
  });
  for (const text of ['{"Other":1}', '{', '[]', 'null', '{"Floor":"x"}'])
    assert.deepEqual(object(text), { problem: 'structure' }, text);
  const numbers = column('Array', { element: { type: 'Number' } });
  const list = { value: { type: 'Array', value: [1, 2].map((value) => ({ type: 'Number', value })) } };
  for (const text of ['[1, 2]', '1; 2', '1\n2\n']) assert.deepEqual(readText(text, numbers, EN), list, text);
  assert.deepEqual(readText('1; x', numbers, EN), { problem: 'structure' });
});

test('a value that is copied as text is read as the same value', () => {
  const values: [RawValue, ColumnDefinition][] = [
    [{ type: 'String', value: '=1+1\n"><img src=x onerror=alert(1)>' }, column('String')],
    [{ type: 'Number', value: -1234.5 }, column('Number')],
    [{ type: 'Boolean', value: false }, column('Boolean')],
    [{ type: 'Date', value: '2026-02-28' }, column('Date')],
    [{ type: 'Time', value: '23:59:01' }, column('Time')],
    [{ type: 'DateTime', value: '2026-11-16T09:30:05.000Z' }, column('DateTime')],
    [{ type: 'Location', latitude: -1.5, longitude: 2, altitude: 3 }, column('Location')],
    [
      {
        type: 'Object',
        value: { A: { type: 'Location', latitude: 1, longitude: 2 }, B: { type: 'User', id: 'u', name: 'N' } },
      },
      column('Object', {
        keys: [
          { name: 'A', type: 'Location' },
          { name: 'B', type: 'User' },
        ],
      }),
    ],
    [
      { type: 'Array', value: [{ type: 'Object', value: { __proto__x: { type: 'Date', value: '2026-01-01' } } }] },
      column('Array', { element: { type: 'Object', scheme: { keys: [{ name: '__proto__x', type: 'Date' }] } } }),
    ],
  ];
  for (const writing of [EN, GB, DE, JA])
    for (const [value, of] of values)
      assert.deepEqual(readText(writeText(value, writing), of, writing), { value }, `${value.type} ${writing.locale}`);
});

test('a person is the only one of that name or address', () => {
  const people = [
    { id: 'u1', name: 'Hana Mori', email: 'hana@example.com' },
    { id: 'u2', name: 'Hana Morita' },
    { id: 'u3', name: 'Ken', email: 'a@example.com' },
    { id: 'u4', name: 'Ken' },
  ];
  assert.deepEqual(personOf('hana mori', people), { found: { id: 'u1', name: 'Hana Mori' } });
  assert.deepEqual(personOf('A@example.com', people), { found: { id: 'u3', name: 'Ken' } });
  assert.deepEqual(personOf('u4', people), { found: { id: 'u4', name: 'Ken' } });
  assert.deepEqual(personOf('Ken', people), { problem: 'severalPeople' });
  assert.deepEqual(personOf('Han', people), { problem: 'nobody' });
});

test('a reference is the only record with that value', () => {
  const record = (id: string, value: string) =>
    ({ id, values: { c9: { type: 'String', value } } }) as unknown as RawRecord;
  const scheme = { collectionId: 't1', columnId: 'c9' };
  const find = (text: string) =>
    referenceOf({ text, type: 'ReferenceString', scheme }, [
      record('r1', 'Gate'),
      record('r2', 'Gate 2'),
      record('r3', 'X'),
      record('r4', 'X'),
    ]);
  assert.deepEqual(find('Gate'), {
    found: { type: 'ReferenceString', ...scheme, recordId: 'r1', value: { type: 'String', value: 'Gate' } },
  });
  assert.deepEqual(find('X'), { problem: 'severalRecords' });
  assert.deepEqual(find('Y'), { problem: 'noRecord' });
});
