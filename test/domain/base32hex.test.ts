// base32hex against arithmetic on one big number.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { base32hex } from '../../src/domain/base32hex.ts';

/** All bytes as one number, widened or cut to the bits asked for and written in base 32. */
function oracle(bytes: Uint8Array, characters: number): string {
  let number = 0n;
  for (const byte of bytes) number = number * 256n + BigInt(byte);
  const surplus = bytes.length * 8 - characters * 5;
  number = surplus >= 0 ? number / 2n ** BigInt(surplus) : number * 2n ** BigInt(-surplus);
  return characters === 0 ? '' : number.toString(32).padStart(characters, '0');
}

test('encodes the first bits of any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat({ max: 70 }), (bytes, characters) => {
      assert.equal(base32hex(bytes, characters), oracle(bytes, characters));
    }),
    { numRuns: 2000 },
  );
});

test('the test vectors of RFC 4648 section 10, lower-case and without padding', () => {
  const vectors = {
    '': '',
    f: 'co',
    fo: 'cpng',
    foo: 'cpnmu',
    foob: 'cpnmuog',
    fooba: 'cpnmuoj1',
    foobar: 'cpnmuoj1e8',
  };
  for (const [text, expected] of Object.entries(vectors)) {
    assert.equal(base32hex(new TextEncoder().encode(text), expected.length), expected);
  }
});

test('sorts as the bytes do', () => {
  const sixteen = fc.uint8Array({ minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(sixteen, sixteen, (left, right) => {
      const texts = [base32hex(left, 26), base32hex(right, 26)];
      const compared = Buffer.compare(Uint8Array.from(left), Uint8Array.from(right));
      assert.equal(Math.sign(compared), texts[0]! < texts[1]! ? -1 : texts[0]! > texts[1]! ? 1 : 0);
    }),
  );
});
