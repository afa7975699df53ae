// Identifiers: their form, their order under any clock, and how evenly the random ones are spread.

import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { createIdSource } from '../../src/domain/ids.ts';
import { isIdentifier } from '../../src/wire/identifiers.ts';

const random = (bytes: Uint8Array): void => {
  randomFillSync(bytes);
};
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The 128 bits of a long identifier, as one number read digit by digit. */
function bitsOf(long: string): bigint {
  let number = 0n;
  for (const digit of long.slice(1)) number = number * 32n + BigInt(Number.parseInt(digit, 32));
  assert.equal(number % 4n, 0n, 'the two bits behind the 128 are zero');
  return number / 4n;
}

const uuidBits = (uuid: string): bigint => BigInt(`0x${uuid.replaceAll('-', '')}`);

function assertIncreasing(texts: readonly string[]): void {
  for (let index = 1; index < texts.length; index += 1) {
    if (!(texts[index - 1]! < texts[index]!)) assert.fail(`${texts[index]} does not follow ${texts[index - 1]}`);
  }
}

test('long identifiers have the form of the interface and hold a UUIDv7 of the clock', () => {
  const ids = createIdSource(() => 1_700_000_000_123.9, random);
  for (const [prefix, name] of [
    ['p', 'applicationId'],
    ['r', 'recordId'],
    ['a', 'attachmentId'],
    ['u', 'sharedUserId'],
  ] as const) {
    const id = ids.long(prefix);
    assert.ok(isIdentifier(name, id), id);
    assert.match(id, /^.[0-9a-v]{26}$/);
    const bits = bitsOf(id);
    assert.equal(bits >> 80n, 1_700_000_000_123n);
    assert.equal((bits >> 76n) & 0xfn, 7n);
    assert.equal((bits >> 62n) & 0x3n, 2n);
  }
});

test('uuid is UUIDv7 text of the same sequence', () => {
  const ids = createIdSource(() => 1_700_000_000_123, random);
  let last = -1n;
  for (let index = 0; index < 100; index += 1) {
    const uuid = ids.uuid();
    assert.match(uuid, UUID_V7);
    assert.equal(uuidBits(uuid) >> 80n, 1_700_000_000_123n);
    const long = bitsOf(ids.long('r'));
    assert.ok(uuidBits(uuid) > last && long > uuidBits(uuid));
    last = long;
  }
});

test('long identifiers increase strictly under any clock and any randomness', () => {
  const clock = fc.oneof(
    fc.integer({ min: 0, max: 20 }),
    fc.integer({ min: -5, max: 2 ** 48 - 10 }),
    fc.double({ min: 0, max: 1e6, noNaN: true }),
    fc.constant(Number.NaN),
  );
  fc.assert(
    fc.property(fc.array(clock, { minLength: 2, maxLength: 200 }), fc.nat({ max: 255 }), (times, byte) => {
      let call = 0;
      const ids = createIdSource(
        () => times[call++]!,
        (bytes) => bytes.fill(byte),
      );
      assertIncreasing(times.map(() => ids.long('r')));
    }),
  );
});

test('a clock that stands still borrows the next millisecond when the counter is full', () => {
  const ids = createIdSource(
    () => 1_000,
    (bytes) => bytes.fill(0xff),
  );
  // Seeded with all ones, which leaves 2^17 more in the first millisecond.
  const first = Array.from({ length: 2 ** 17 + 1 }, () => ids.long('r'));
  const next = Array.from({ length: 10 }, () => ids.long('r'));
  assertIncreasing([...first, ...next]);
  assert.equal(bitsOf(first.at(-1)!) >> 80n, 1_000n);
  assert.equal(bitsOf(next[0]!) >> 80n, 1_001n);
});

test('a clock beyond 48 bits is an error, not an identifier out of order', () => {
  const ids = createIdSource(() => 2 ** 48, random);
  assert.throws(() => ids.long('r'), /48 bits/);
});

test('two sources with the same clock do not meet', () => {
  const sources = [createIdSource(() => 5, random), createIdSource(() => 5, random)];
  const made = sources.flatMap((ids) => Array.from({ length: 20_000 }, () => ids.long('r')));
  assert.equal(new Set(made).size, made.length);
});

test('short identifiers have the form of the interface', () => {
  const ids = createIdSource(() => 0, random);
  for (let index = 0; index < 1000; index += 1) {
    assert.ok(isIdentifier('collectionId', ids.short('t')));
    assert.ok(isIdentifier('columnId', ids.short('c')));
    assert.ok(isIdentifier('userId', ids.short('u')));
  }
});

test('short identifiers use each character equally often when each byte is equally likely', () => {
  let byte = 0;
  const ids = createIdSource(
    () => 0,
    (bytes) => {
      for (let index = 0; index < bytes.length; index += 1) bytes[index] = byte++ % 256;
    },
  );
  // 36 identifiers have 252 characters: one round of the bytes without those that must be refused.
  const text = Array.from({ length: 36 * 40 }, () => ids.short('t').slice(1)).join('');
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  assert.equal(counts.size, 36);
  assert.deepEqual(new Set(counts.values()), new Set([7 * 40]));
});

test('randomness that only repeats refused bytes ends in an error instead of a loop', () => {
  const ids = createIdSource(
    () => 0,
    (bytes) => bytes.fill(255),
  );
  assert.throws(() => ids.short('t'), /randomness/);
});
