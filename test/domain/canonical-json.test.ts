// Canonical JSON against a naive serializer, and against itself with the keys in another order.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, canonicalValues, canonicalValuesInSlices } from '../../src/domain/records/canonical-json.ts';
import type { Values } from '../../src/wire/values.ts';

/** Slow and plain: compares UTF-16 units one by one and lets JSON.stringify write every scalar. */
function oracle(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oracle).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([left], [right]) => compareUnits(left, right));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${oracle(member)}`).join(',')}}`;
}

function compareUnits(left: string, right: string): number {
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    if (left.charCodeAt(index) !== right.charCodeAt(index)) return left.charCodeAt(index) - right.charCodeAt(index);
  }
  return left.length - right.length;
}

function withKeysReversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withKeysReversed);
  if (typeof value !== 'object' || value === null) return value;
  const reversed = {};
  for (const key of Object.keys(value).reverse()) {
    const member = withKeysReversed(Reflect.get(value, key));
    Object.defineProperty(reversed, key, { value: member, enumerable: true });
  }
  return reversed;
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 100 }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\u0000', '\u007f', '\u2028', '\ud800', '😀', 'é', 'x'),
    maxLength: 8,
  }),
  fc.constantFrom('__proto__', 'constructor', '10', '9', '\ufb01', '😀'),
);
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(text, tie('json'), { maxKeys: 8 }),
  ),
}));

test('equals the naive serializer, whatever the order of the keys', () => {
  fc.assert(
    fc.property(json, (value) => {
      const canonical = canonicalJson(value);
      assert.equal(canonical, oracle(value));
      assert.equal(canonicalJson(withKeysReversed(value)), canonical);
      assert.equal(canonicalJson(JSON.parse(canonical)), canonical);
    }),
    { numRuns: 2000 },
  );
});

test('long arrays are written like short ones', () => {
  fc.assert(
    fc.property(fc.array(json, { minLength: 33, maxLength: 40 }), (value) => {
      assert.equal(canonicalJson(value), oracle(value));
      assert.equal(canonicalJson(withKeysReversed(value)), canonicalJson(value));
    }),
    { numRuns: 100 },
  );
  assert.throws(() => canonicalJson([...Array(40).fill(0), Number.NaN]), /no JSON form/);
  assert.throws(() => canonicalJson([...Array(40).fill(0), { a: undefined }]), /no JSON form/);
});

test('the values of a record are written as any JSON is, at once and in slices', () => {
  const simple = fc.oneof(
    fc.record({ type: fc.constant('String' as const), value: fc.oneof(text, fc.string({ maxLength: 200 })) }),
    fc.record({
      type: fc.constant('Number' as const),
      value: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
    }),
    fc.record({ type: fc.constant('Boolean' as const), value: fc.boolean() }),
    fc.record({ type: fc.constant('Date' as const), value: fc.constant('2024-05-01') }),
    fc.record({ type: fc.constant('DateTime' as const), value: fc.constant('2024-05-01T10:30:00.000Z') }),
    fc.record({ type: fc.constant('Time' as const), value: fc.constant('10:30:00') }),
    fc.record({ type: fc.constant('User' as const), id: fc.constant('u0000000'), name: text }),
    fc.record({ type: fc.constant('Location' as const), longitude: fc.integer(), latitude: fc.integer() }),
  );
  const object = fc.record({
    type: fc.constant('Object' as const),
    value: fc.dictionary(text, simple, { maxKeys: 4 }),
  });
  const array = fc.record({
    type: fc.constant('Array' as const),
    value: fc.oneof(fc.array(simple, { maxLength: 80 }), fc.array(object, { maxLength: 40 })),
  });
  const columnId = fc.stringMatching(/^c[a-z0-9]{7}$/);
  fc.assert(
    fc.property(fc.dictionary(columnId, fc.oneof(simple, object, array), { maxKeys: 8 }), (values) => {
      const expected = oracle(values);
      assert.equal(canonicalValues(values as Values), expected);
      assert.equal(canonicalValues(withKeysReversed(values) as Values), expected);
      const slices = canonicalValuesInSlices(values as Values);
      let next = slices.next();
      while (next.done !== true) next = slices.next();
      assert.equal(next.value, expected);
    }),
    { numRuns: 500 },
  );
});

test('keys sort by code unit, not by number and not by code point', () => {
  assert.equal(canonicalJson({ 9: 1, 10: 2, b: 3, B: 4 }), '{"10":2,"9":1,"B":4,"b":3}');
  // RFC 8785 section 3.2.3: the surrogates of 😀 come before U+FB01, though its code point is larger.
  assert.equal(canonicalJson({ '\ufb01': 1, '😀': 2 }), '{"😀":2,"\ufb01":1}');
});

test('long texts are written as short ones, whatever has to be escaped and wherever', () => {
  const plain = 'ä京 x/'.repeat(500);
  for (const odd of ['', '"', '\\', '\n', '\u0000', '\u001f', '\u007f', '\u2028', '\ud800', '\udfff', '😀']) {
    for (const long of [odd + plain, plain + odd, plain + odd + plain])
      assert.equal(canonicalJson(long), JSON.stringify(long));
  }
});

test('a key called __proto__ is a key', () => {
  const value: unknown = JSON.parse('{"b":1,"__proto__":{"x":2}}');
  assert.equal(canonicalJson(value), '{"__proto__":{"x":2},"b":1}');
  assert.equal(canonicalJson(Object.assign(Object.create({ inherited: 1 }), { own: 2 })), '{"own":2}');
});

test('numbers as ECMAScript writes them', () => {
  for (const [number, written] of [
    [-0, '0'],
    [1e21, '1e+21'],
    [JSON.parse('333333333.33333329'), '333333333.3333333'],
    [5e-324, '5e-324'],
    [1.5, '1.5'],
  ] as const) {
    assert.equal(canonicalJson(number), written);
  }
});

test('what JSON cannot hold is an error', () => {
  for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol('s')]) {
    assert.throws(() => canonicalJson({ value }), /no JSON form/);
  }
});
