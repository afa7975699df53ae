// The record hash: which digest it is, and that it depends on the identifier and the values and on nothing else.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { recordHash, recordHashInSlices, sha256Hex, sha256HexInSlices } from '../../src/domain/hash.ts';
import { canonicalJson } from '../../src/domain/records/canonical-json.ts';
import { PIECE_LENGTH } from '../../src/domain/text-pieces.ts';
import type { Steps } from '../../src/load/slices.ts';

const recordId = fc.stringMatching(/^r[a-z0-9]{26}$/);
const values = fc.dictionary(
  fc.stringMatching(/^c[a-z0-9]{7}$/),
  fc.record({ type: fc.constant('String'), value: fc.string({ unit: 'grapheme' }) }),
);

test('is the first 130 bits of SHA-256 over identifier and values in UTF-8', () => {
  fc.assert(
    fc.property(recordId, values, (id, map) => {
      const text = canonicalJson(map);
      const digest = createHash('sha256').update(id, 'utf8').update(text, 'utf8').digest('hex');
      const expected = (BigInt(`0x${digest}`) >> 126n).toString(32).padStart(26, '0');
      assert.equal(recordHash(id, text), expected);
    }),
  );
});

test('a fixed example, so that no release changes the hashes that clients hold', () => {
  const text = canonicalJson({ c0000001: { value: 'Tōkyō', type: 'String' } });
  assert.equal(text, '{"c0000001":{"type":"String","value":"Tōkyō"}}');
  assert.equal(recordHash('r00000000000000000000000000', text), '5k39dr66j2iuh8tosvu698ivb3');
});

test('differs with the identifier and with the values, and not with the order of the columns', () => {
  fc.assert(
    fc.property(recordId, recordId, values, values, (id, otherId, map, otherMap) => {
      const [text, otherText] = [canonicalJson(map), canonicalJson(otherMap)];
      assert.equal(recordHash(id, text) === recordHash(otherId, text), id === otherId);
      assert.equal(recordHash(id, text) === recordHash(id, otherText), text === otherText);
      const reversed = Object.fromEntries(Object.entries(map).reverse());
      assert.equal(recordHash(id, canonicalJson(reversed)), recordHash(id, text));
    }),
  );
});

test('sha256Hex is SHA-256 of the UTF-8 text', () => {
  assert.equal(sha256Hex('é'), createHash('sha256').update('é', 'utf8').digest('hex'));
});

test('is the same in slices, none of which is long', () => {
  const pieces = (steps: Steps<string>) => {
    for (let count = 0; ; count++) {
      const { done, value } = steps.next();
      if (done === true) return { count, value };
    }
  };
  const lengths = fc.constantFrom(0, 1, PIECE_LENGTH - 30, PIECE_LENGTH - 1, PIECE_LENGTH, 3 * PIECE_LENGTH + 1);
  fc.assert(
    fc.property(recordId, lengths, fc.string({ unit: 'binary', maxLength: 40 }), (id, length, end) => {
      // A character of two units lies across each border, or beside it.
      const text = `${'a'.repeat(length)}${end}${'𝒳'.repeat(PIECE_LENGTH)}`;
      const hashed = pieces(recordHashInSlices(id, text));
      assert.equal(hashed.value, recordHash(id, text));
      assert.ok(hashed.count >= Math.floor(text.length / (PIECE_LENGTH + 1)));
      assert.equal(pieces(sha256HexInSlices(text)).value, sha256Hex(text));
      assert.equal(pieces(sha256HexInSlices(Buffer.from(text))).value, sha256Hex(text));
    }),
    { numRuns: 30 },
  );
});
