// The password rule at its edges.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passwordWeakness } from '../../src/domain/people/passwords.ts';

test('accepts what keeps the rule', () => {
  for (const password of [
    'Abcdefg1',
    '1aB     ',
    'Ññññññ1ñ',
    'Жжжжжжж٣', // Cyrillic letters and an Arabic-Indic digit
    'aB1😀😀😀😀😀',
    `aB1${'x'.repeat(997)}`,
    `aB1${'😀'.repeat(997)}`,
  ]) {
    assert.equal(passwordWeakness(password), undefined, password.slice(0, 20));
  }
});

test('names the rule that is broken', () => {
  for (const [password, rule] of [
    ['', /at least 8 characters/],
    ['Abcdef1', /at least 8 characters/],
    ['aB1😀😀😀😀', /at least 8 characters/], // 11 UTF-16 units, 7 characters
    [`aB1${'x'.repeat(998)}`, /at most 1000 characters/],
    [`aB1${'😀'.repeat(998)}`, /at most 1000 characters/],
    [`aB1${'x'.repeat(1_000_000)}`, /at most 1000 characters/],
    ['ABCDEFG1', /lowercase/],
    ['abcdefg1', /uppercase/],
    ['Abcdefgh', /digit/],
    ['Abcdefg½', /digit/], // a number, but no digit
    ['日本語日本語日本1', /lowercase/],
    // The hash would take either for the same U+FFFD.
    ['Abcdefg1\ud800', /surrogate/],
    ['\udc00Abcdefg1', /surrogate/],
  ] as const) {
    assert.match(passwordWeakness(password) ?? 'accepted', rule, password.slice(0, 20));
  }
});
