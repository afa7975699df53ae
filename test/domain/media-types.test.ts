// Content-Type of an upload: all of the grammar, and nothing beside it.

import assert from 'node:assert/strict';
import { validateHeaderValue } from 'node:http';
import { test } from 'node:test';
import fc from 'fast-check';
import { readMediaType } from '../../src/domain/attachments/media-types.ts';
import { Fault } from '../../src/faults.ts';

const SEED = 9110;

function refusal(header: string): string | undefined {
  try {
    readMediaType(header);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'INVALID_CONTENT_TYPE', String(error));
    return (error.params as { reason: string }).reason;
  }
}

test('without a type it is a stream of bytes', () => {
  for (const header of [undefined, '', ' ', '\t ']) assert.equal(readMediaType(header), 'application/octet-stream');
});

test('what is valid is kept as it is given', () => {
  for (const header of [
    'text/plain',
    'TEXT/Plain',
    'image/svg+xml',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'x-unknown/y',
    "!#$%&'*+.^_`|~-/0",
    '*/*',
    'text/plain;charset=utf-8',
    'text/plain ;\tcharset=UTF-8',
    'text/plain; charset="utf-8"; format=flowed',
    'text/plain; a=1; a=2',
    'text/plain;',
    'text/plain; ;; \t;a=b;',
    'text/plain; a=""',
    'text/plain; a="; b=\\"\\\\, c \t"',
    'multipart/form-data; boundary=----x',
    `a/${'b'.repeat(253)}`,
  ]) {
    assert.equal(readMediaType(header), header);
    validateHeaderValue('content-type', readMediaType(header));
  }
  assert.equal(readMediaType(' \ttext/plain; a=b\t '), 'text/plain; a=b');
});

test('what is malformed is refused', () => {
  for (const header of [
    'text',
    '/',
    'text/',
    '/plain',
    'text/plain/x',
    'text /plain',
    'text/ plain',
    'te xt/plain',
    'text/plain charset=utf-8',
    'text/plain, text/html',
    'text/plain; charset',
    'text/plain; charset=',
    'text/plain; =utf-8',
    'text/plain; charset =utf-8',
    'text/plain; charset= utf-8',
    'text/plain; charset=utf 8',
    'text/plain; charset=a=b',
    'text/plain; charset="utf-8',
    'text/plain; charset="utf-8\\"',
    'text/plain; charset="utf-8"x',
    'text/plain; charset="a"b"',
    'text/plain; a="\x7f"',
    'text/plain; a="\\\x01"',
    'text/plain\r\nx: y',
    'text/plain\n',
    '\ntext/plain',
    'text/plain\0',
    ';',
    '; charset=utf-8',
    '"text/plain"',
    '<text/plain>',
  ]) {
    assert.match(refusal(header) ?? 'accepted', /such as image\/png/, JSON.stringify(header));
  }
});

test('what is too long or beyond ASCII is refused', () => {
  assert.match(refusal(`a/${'b'.repeat(254)}`) ?? 'accepted', /at most 255 characters/);
  assert.match(refusal(' '.repeat(256)) ?? 'accepted', /at most 255 characters/);
  for (const header of [
    'text/plaïn',
    'text/plain; a="é"',
    '\u00a0text/plain',
    'text/plain\ufeff',
    'text/plain; a="\\\xe9"',
  ]) {
    assert.match(refusal(header) ?? 'accepted', /ASCII/, header);
  }
});

const charactersOf = (characters: string, minLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength: 12 });
const token = charactersOf("!#$%&'*+.^_`|~-09azAZ", 1);
const blanks = charactersOf(' \t', 0);
const quoted = fc
  .array(fc.oneof(charactersOf(' \t!#;=,/[]~az', 1), fc.constantFrom('\\"', '\\\\', '\\a', '\\ ')), { maxLength: 6 })
  .map((parts) => `"${parts.join('')}"`);
const parameter = fc
  .tuple(blanks, blanks, fc.option(fc.tuple(token, fc.oneof(token, quoted))))
  .map(([before, behind, pair]) => `${before};${pair === null ? '' : `${behind}${pair.join('=')}`}`);
const mediaType = fc
  .tuple(token, token, fc.array(parameter, { maxLength: 8 }))
  .map(([type, subtype, parameters]) => `${type}/${subtype}${parameters.join('')}`)
  .filter((text) => text.length <= 255);

test('everything that the grammar makes is accepted', () => {
  fc.assert(
    fc.property(mediaType, blanks, (text, around) => {
      fc.pre(text.length + 2 * around.length <= 255);
      assert.equal(readMediaType(around + text + around), text);
    }),
    { seed: SEED, numRuns: 5000 },
  );
});

/** The grammar once more, read character by character and never looking back. */
function isMediaType(text: string): boolean {
  let at = 0;
  const take = (isWanted: (character: string) => boolean): number => {
    const from = at;
    while (at < text.length && isWanted(text[at]!)) at += 1;
    return at - from;
  };
  const takeOne = (character: string): boolean => {
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };
  const takeToken = (): boolean => take((character) => /[!#$%&'*+.^_`|~0-9A-Za-z-]/.test(character)) > 0;
  const takeQuoted = (): boolean => {
    while (at < text.length && text[at] !== '"') {
      if (text[at] === '\\') at += 1;
      if (at === text.length || !/[\t -~]/.test(text[at]!)) return false;
      at += 1;
    }
    return takeOne('"');
  };
  const takeBlanks = () => take((character) => character === ' ' || character === '\t');

  if (!takeToken() || !takeOne('/') || !takeToken()) return false;
  while (at < text.length) {
    takeBlanks();
    if (!takeOne(';')) return false;
    takeBlanks();
    if (at === text.length || text[at] === ';') continue;
    if (!takeToken() || !takeOne('=')) return false;
    if (!(takeOne('"') ? takeQuoted() : takeToken())) return false;
  }
  return true;
}

test('whatever is sent is accepted or refused as the grammar says', () => {
  const trimmed = (text: string): string => text.replaceAll(/^[ \t]+|[ \t]+$/g, '');
  const piece = fc.constantFrom('a', 'b/c', '/', ';', '; d=e', '=', '"', '\\', ' ', '\t', ',', '\n', 'é', '"x y"');
  const noise = fc.oneof(
    fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 14 }).map((pieces) => `a/b;${pieces.join('')}`),
    fc.tuple(mediaType, fc.nat(), piece).map(([text, at, put]) => {
      const cut = at % (text.length + 1);
      return text.slice(0, cut) + put + text.slice(cut + 1);
    }),
  );
  fc.assert(
    fc.property(noise, (text) => {
      fc.pre(text.length <= 255 && trimmed(text) !== '');
      assert.equal(refusal(text) === undefined, isMediaType(trimmed(text)), JSON.stringify(text));
    }),
    { seed: SEED, numRuns: 20_000 },
  );
});

test('a refusal tries nothing twice', () => {
  // 255 characters are enough for an ambiguous expression to need years.
  for (const piece of [
    'a',
    ' ',
    '\t',
    '; ',
    ';  ',
    ' ; ',
    ';a=b ',
    '; a=b',
    ';a="',
    ';a=""',
    '"',
    '\\',
    '\\"',
    '=',
    '/',
  ]) {
    for (const start of ['', 'a/b', 'a/b;a="', 'a/b; a=']) {
      const long = (start + piece.repeat(255)).slice(0, 254);
      assert.notEqual(refusal(`${long}\x01`), undefined);
      assert.match(refusal(long.repeat(10_000)) ?? 'accepted', /at most/);
    }
  }
});
