// Folding: the table against the engine's own simple folding, and what it does to texts.

import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { CASE_FOLDING, CASE_FOLDING_VERSION } from '../../src/domain/search/case-folding.ts';
import { foldText, foldUnit, isNormalized } from '../../src/domain/search/fold.ts';

const TABLE = new Map<number, number>();
for (let row = 0; row < CASE_FOLDING.length; row += 4) {
  const [first, last, step, added] = CASE_FOLDING.slice(row, row + 4) as [number, number, number, number];
  for (let codePoint = first; codePoint <= last; codePoint += step) TABLE.set(codePoint, codePoint + added);
}
const folded = (codePoint: number) => TABLE.get(codePoint) ?? codePoint;
const character = (codePoint: number) => String.fromCodePoint(codePoint);
const isSurrogate = (codePoint: number) => codePoint >= 0xd800 && codePoint <= 0xdfff;

describe('the table', () => {
  // Regular expressions with `iu` compare by simple folding (ECMA-262, Canonicalize).
  const equal = (a: number, b: number) => new RegExp(`^\\u{${a.toString(16)}}$`, 'iu').test(character(b));

  it('folds what the engine takes for the same letter', () => {
    for (const [from, to] of TABLE) {
      // An engine with an older Unicode does not know all letters.
      if (/\p{Cn}/u.test(character(from)) || /\p{Cn}/u.test(character(to))) continue;
      assert.ok(equal(from, to), `U+${from.toString(16)}`);
      assert.equal(folded(to), to, 'what comes out does not fold again');
    }
  });

  it('folds every letter for which the engine knows another', () => {
    // With a newer Unicode the engine has letters that did not exist when the table was made.
    const [engine, table] = [process.versions.unicode!, CASE_FOLDING_VERSION].map(Number.parseFloat) as [
      number,
      number,
    ];
    if (engine > table) return;
    const changes = /[\p{Changes_When_Casefolded}\p{Changes_When_Uppercased}\p{Changes_When_Lowercased}]/u;
    const classes = new Map<number, number[]>();
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
      if (isSurrogate(codePoint) || (!changes.test(character(codePoint)) && !TABLE.has(codePoint))) continue;
      const mates = classes.get(folded(codePoint)) ?? [];
      classes.set(folded(codePoint), [...mates, codePoint]);
    }
    // Two classes that the engine takes for one would be a folding that the table misses.
    const letters = [...classes.keys()];
    const all = letters.map((letter) => character(letter)).join('');
    for (const letter of letters) {
      const found = all.match(new RegExp(`\\u{${letter.toString(16)}}`, 'giu')) ?? [];
      assert.deepEqual(found, [character(letter)], `U+${letter.toString(16)}`);
    }
  });

  it('keeps the length of characters, and the first half of pairs', () => {
    for (const [from, to] of TABLE) {
      assert.equal(character(from).length, character(to).length);
      if (from > 0xffff) assert.equal(character(from)[0], character(to)[0]);
    }
  });

  it('is what foldText does to every single character', () => {
    const all = Array.from({ length: 0x110000 }, (_, codePoint) => character(codePoint));
    // The dots keep them from being composed with one another.
    const found = foldText(all.join('.')).split('.');
    const dots = all.indexOf('.');
    assert.deepEqual(found.splice(dots, 2), ['', '']);
    all.splice(dots, 1);
    found.forEach((text, index) => {
      const alone = [...all[index]!.normalize('NFC')].map((c) => character(folded(c.codePointAt(0)!))).join('');
      if (text !== alone.normalize('NFC')) assert.fail(`${JSON.stringify(all[index])} becomes ${JSON.stringify(text)}`);
    });
    assert.equal(found.length, all.length);
  });
});

test('texts that count as normalized are, in whatever order their characters stand, and folding leaves them so', () => {
  const units = Array.from({ length: 0x10000 }, (_, unit) => unit).filter((unit) =>
    isNormalized(String.fromCharCode(unit)),
  );
  assert.ok(units.length > 28_000);
  const sequences = fc.array(fc.constantFrom(...units), { minLength: 1_000, maxLength: 1_000 });
  fc.assert(
    fc.property(sequences, (sequence) => {
      const text = String.fromCharCode(...sequence);
      assert.equal(text.normalize('NFC'), text);
      const result = String.fromCharCode(...sequence.map(foldUnit));
      assert.equal(result.normalize('NFC'), result);
      assert.equal(result, foldText(text));
    }),
    { numRuns: 200 },
  );
});

describe('texts', () => {
  const cases: [text: string, expected: string][] = [
    ['', ''],
    ['Hello World 123', 'hello world 123'],
    ['ÄÖÜ ß ẞ', 'äöü ß ß'],
    ['A\u0308', 'ä'],
    ['ΣΑΣ ς', 'σασ σ'],
    // Simple folding leaves these alone or apart, unlike lower-casing.
    ['İ I ı', 'İ i ı'],
    ['STRASSE Straße', 'strasse straße'],
    ['ﬁ', 'ﬁ'],
    ['ſ K Å µ', 's k å μ'],
    ['Ꭰ ꭰ', 'Ꭰ Ꭰ'],
    ['𐐀𐐨 😀', '𐐨𐐨 😀'],
    ['東京タワー', '東京タワー'],
    ['\u1112\u1161\u11ab', '한'],
    ['é\ud801', 'é\ud801'],
    ['\ud801\ud801\udc00É', '\ud801\ud801\udc28é'],
    ['É\udc00\ud801', 'é\udc00\ud801'],
  ];
  for (const [text, expected] of cases) it(JSON.stringify(text), () => assert.equal(foldText(text), expected));
});

test('the case in which a text is written does not matter, nor its normalization', () => {
  const unit = fc.oneof(
    fc.constantFrom(...'aÄßéΣςσИй한😀𐐀\u0301\u0308'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 20 }), (text) => {
      assert.equal(foldText(text.normalize('NFD')), foldText(text));
      assert.equal(foldText(text), foldText(text).normalize('NFC'));
      const simpleUpper = text.normalize('NFC').replace(/./gsu, (c) => {
        const upper = c.toUpperCase();
        return [...upper].length === 1 && foldText(upper) === foldText(c) ? upper : c;
      });
      assert.equal(foldText(simpleUpper), foldText(text));
    }),
    { numRuns: 3000 },
  );
});

test('folding long texts', () => {
  for (const text of ['Abc d', 'Äbçdé', '東京カバン', 'A\u0308bcd', '😀𐐀A']) {
    const long = text.repeat(Math.ceil(900_000 / text.length));
    assert.equal(foldText(long), foldText(text).repeat(Math.ceil(900_000 / text.length)));
  }
});
