// Range and If-Range: which bytes of a file are sent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ByteRange } from '../../src/domain/attachments/byte-range.ts';
import { rangeApplies, readRange } from '../../src/http/requests/ranges.ts';

const SEED = 9110;
const HUGE = '9'.repeat(100_000);

type Row = readonly [header: string | undefined, expected: ByteRange | 'all' | 'unsatisfiable'];
function assertRanges(size: number, rows: readonly Row[]): void {
  for (const [header, expected] of rows) {
    assert.deepEqual(readRange(header, size), expected, `${header?.slice(0, 40)} of ${size}`);
  }
}

test('one range', () => {
  assertRanges(1000, [
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=0-499', { start: 0, end: 499 }],
    ['bytes=500-999', { start: 500, end: 999 }],
    ['bytes=500-1000', { start: 500, end: 999 }],
    ['bytes=999-', { start: 999, end: 999 }],
    ['bytes=0-', { start: 0, end: 999 }],
    ['bytes=-1', { start: 999, end: 999 }],
    ['bytes=-1000', { start: 0, end: 999 }],
    ['bytes=-1001', { start: 0, end: 999 }],
    ['bytes=0007-008', { start: 7, end: 8 }],
    ['Bytes=1-2', { start: 1, end: 2 }],
    ['bytes= 1-2\t', { start: 1, end: 2 }],
    ['bytes=,1-2, ,', { start: 1, end: 2 }],
    [`bytes=1-${HUGE}`, { start: 1, end: 999 }],
    [`bytes=-${HUGE}`, { start: 0, end: 999 }],
    [`bytes=${'0'.repeat(100_000)}1-2`, { start: 1, end: 2 }],
  ]);
  const large = 2 ** 52;
  assertRanges(large, [
    [`bytes=${large - 1}-`, { start: large - 1, end: large - 1 }],
    [`bytes=-${large - 1}`, { start: 1, end: large - 1 }],
  ]);
});

test('nothing to send', () => {
  assertRanges(1000, [
    ['bytes=1000-', 'unsatisfiable'],
    ['bytes=1000-2000', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=-000', 'unsatisfiable'],
    [`bytes=${HUGE}-`, 'unsatisfiable'],
    [`bytes=${HUGE}-${HUGE}`, 'unsatisfiable'],
    [`bytes=9007199254740993-9007199254740993`, 'unsatisfiable'],
  ]);
});

test('an empty file', () => {
  assertRanges(0, [
    [undefined, 'all'],
    ['bytes=0-', 'unsatisfiable'],
    ['bytes=0-0', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=-5', 'all'],
    ['bytes=5-1', 'all'],
  ]);
});

test('what is no range of bytes is ignored', () => {
  assertRanges(
    1000,
    [
      undefined,
      '',
      'bytes',
      'bytes=',
      'bytes=,',
      'bytes=-',
      'bytes=1',
      'bytes=2-1',
      'bytes=1--2',
      'bytes=--1',
      'bytes=+1-2',
      'bytes=1.0-2',
      'bytes=1e2-200',
      'bytes=0x1-2',
      'bytes=1 -2',
      'bytes=a-b',
      'bytes=١-٢',
      'bytes =1-2',
      'bytes:1-2',
      'items=1-2',
      'xbytes=1-2',
      'bytes=1-2;3-4',
      'bytes=1-2,3-4',
      'bytes=1-2, bytes=3-4',
      'bytes=0-0,-1',
      'bytes=1-2,x',
      `bytes=${'0-,'.repeat(100_000)}`,
      `bytes=9007199254740993-9007199254740992`,
      `bytes=${HUGE}9-${HUGE}8`,
      `bytes=${HUGE}`,
      `bytes=${' '.repeat(1_000_000)}x`,
      `bytes=${', '.repeat(500_000)}`,
    ].map((header) => [header, 'all'] as const),
  );
});

test('any range lies in the file and is what a slice of the bytes gives', () => {
  const end = fc.oneof(fc.nat({ max: 40 }), fc.constant(''));
  fc.assert(
    fc.property(fc.nat({ max: 30 }), end, end, (size, first, last) => {
      const range = readRange(`bytes=${first}-${last}`, size);
      const bytes = Array.from({ length: size }, (_, index) => index);
      const wanted = first === '' ? bytes.slice(-last || size) : bytes.slice(first, last === '' ? size : last + 1);
      if (typeof range === 'object') {
        assert.ok(range.start >= 0 && range.start <= range.end && range.end < size);
        assert.deepEqual(bytes.slice(range.start, range.end + 1), wanted);
      } else if (range === 'unsatisfiable') {
        assert.ok(first === '' ? last === 0 : first >= size);
      } else {
        const isNone = first === '' && (last === '' || size === 0);
        assert.ok(isNone || (first !== '' && last !== '' && last < first));
      }
    }),
    { seed: SEED, numRuns: 10_000 },
  );
});

test('whatever is sent is read', () => {
  const piece = fc.constantFrom('bytes=', 'bytes', '=', '-', ',', ' ', '0', '9', '1-2', HUGE.slice(0, 30), 'x', '\n');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), fc.maxSafeNat(), (pieces, size) => {
      const range = readRange(pieces.join(''), size);
      if (typeof range === 'string') return;
      assert.ok(Number.isSafeInteger(range.start) && Number.isSafeInteger(range.end));
      assert.ok(range.start >= 0 && range.start <= range.end && range.end < size);
    }),
    { seed: SEED, numRuns: 10_000 },
  );
});

test('If-Range lets a range through for the same file only', () => {
  const lastModifiedMs = Date.UTC(1994, 10, 6, 8, 49, 37, 500);
  for (const [ifRange, applies] of [
    [undefined, true],
    ['"abc"', true],
    ['W/"abc"', false],
    ['"abd"', false],
    ['"ABC"', false],
    ['abc', false],
    ['"abc", "abd"', false],
    ['*', false],
    ['', false],
    ['Sun, 06 Nov 1994 08:49:37 GMT', true],
    ['Sunday, 06-Nov-94 08:49:37 GMT', true],
    ['Sun Nov  6 08:49:37 1994', true],
    ['Sun, 06 Nov 1994 08:49:36 GMT', false],
    ['Sun, 06 Nov 1994 08:49:38 GMT', false], // exact, unlike If-Modified-Since
    ['Mon, 06 Nov 1994 08:49:37 GMT', false],
    ['yesterday', false],
  ] as const) {
    assert.equal(rangeApplies(ifRange, { etag: '"abc"', lastModifiedMs }), applies, ifRange);
  }
  assert.equal(rangeApplies('W/"abc"', { etag: 'W/"abc"', lastModifiedMs }), false);
});
