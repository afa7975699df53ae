// What of a stored value survives a change of its column.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { carryValue } from '../../src/domain/definition/carry.ts';
import type { Column } from '../../src/wire/applications.ts';
import type { ObjectValue, SimpleTypeName, Value } from '../../src/wire/values.ts';

const BASE = { id: 'c0000001', name: 'A', unique: false, sortable: false, searchable: false };
const simple = (type: SimpleTypeName): Column => ({ ...BASE, type });
const keysOf = (keys: Record<string, SimpleTypeName>) => ({
  keys: Object.entries(keys).map(([name, type]) => ({ name, type })),
});
const object = (keys: Record<string, SimpleTypeName>): Column => ({ ...BASE, type: 'Object', scheme: keysOf(keys) });
const list = (type: SimpleTypeName): Column => ({ ...BASE, type: 'Array', scheme: { element: { type } } });
const objects = (keys: Record<string, SimpleTypeName>): Column => ({
  ...BASE,
  type: 'Array',
  scheme: { element: { type: 'Object', scheme: keysOf(keys) } },
});
const reference = (columnId: string, collectionId = 't0000001'): Column => ({
  ...BASE,
  type: 'ReferenceString',
  scheme: { collectionId, columnId },
});

const text = { type: 'String', value: 'x' } as const;
const number = { type: 'Number', value: 1 } as const;
const referring: Value = { type: 'ReferenceString', collectionId: 't0000001', columnId: 'c0000009', recordId: 'r1' };
const objectValue = (value: ObjectValue['value']): ObjectValue => ({ type: 'Object', value });
const array = (...value: (typeof text | typeof number | ObjectValue)[]): Value => ({ type: 'Array', value });

const BOTH = objectValue({ a: text, b: number });
const ROWS: [what: string, from: Column, to: Column, value: Value, left: Value | undefined][] = [
  ['the same type', simple('String'), { ...simple('String'), name: 'B', unique: true }, text, text],
  ['another type', simple('String'), simple('Number'), text, undefined],
  ['Object to Array of Object', object({ a: 'String' }), objects({ a: 'String' }), BOTH, undefined],
  ['the same keys', object({ a: 'String', b: 'Number' }), object({ b: 'Number', a: 'String' }), BOTH, BOTH],
  ['more keys', object({ a: 'String', b: 'Number' }), object({ a: 'String', b: 'Number', c: 'Date' }), BOTH, BOTH],
  ['a key goes', object({ a: 'String', b: 'Number' }), object({ b: 'Number' }), BOTH, objectValue({ b: number })],
  [
    'a key changes its type',
    object({ a: 'String', b: 'Number' }),
    object({ a: 'String', b: 'Date' }),
    BOTH,
    objectValue({ a: text }),
  ],
  ['all keys go', object({ a: 'String', b: 'Number' }), object({ c: 'Date' }), BOTH, objectValue({})],
  ['the same elements', list('String'), list('String'), array(text), array(text)],
  ['other elements', list('String'), list('Number'), array(text), undefined],
  ['simple elements to Objects', list('String'), objects({ a: 'String' }), array(text), undefined],
  [
    'keys of elements go',
    objects({ a: 'String', b: 'Number' }),
    objects({ a: 'String', c: 'Date' }),
    array(BOTH, objectValue({ b: number }), objectValue({})),
    array(objectValue({ a: text }), objectValue({}), objectValue({})),
  ],
  ['the same target', reference('c0000009'), { ...reference('c0000009'), name: 'B' }, referring, referring],
  ['another column', reference('c0000009'), reference('c0000008'), referring, undefined],
  ['another collection', reference('c0000009'), reference('c0000009', 't0000002'), referring, undefined],
];

for (const [what, from, to, value, left] of ROWS) {
  test(what, () => {
    const before = structuredClone(value);
    assert.deepEqual(carryValue(from, to, value), left);
    assert.deepEqual(value, before, 'the stored value itself is left alone');
  });
}

test('a value that does not belong to its column is an error of ours', () => {
  assert.throws(() => carryValue(object({ a: 'String' }), object({ b: 'String' }), text), /String value/);
});
