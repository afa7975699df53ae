// The text by which records are found: a term is in a section exactly when it is in the text, and what a term is said to
// imply is in every text that contains it.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldText } from '../../src/domain/search/fold.ts';
import {
  searchTerm,
  searchText,
  searchTextInSlices,
  sectionMark,
  sectionsOf,
} from '../../src/domain/search/search-text.ts';
import { SECTION_START } from '../../src/domain/search/search-text-writer.ts';
import { atOnce } from '../../src/load/slices.ts';
import type { Column } from '../../src/wire/applications.ts';
import type { Values } from '../../src/wire/values.ts';

const flags = { unique: false, sortable: false, searchable: true };
const TITLE: Column = { id: 'ctitle00', name: 'Title', type: 'String', ...flags };
const TAGS: Column = { id: 'ctags000', name: 'Tags', type: 'Array', scheme: { element: { type: 'String' } }, ...flags };
const SECTIONS = [TITLE, TAGS].flatMap(sectionsOf);

const valuesOf = (title: string, tags: readonly string[] = []): Values => ({
  ctitle00: { type: 'String', value: title },
  ...(tags.length === 0
    ? {}
    : { ctags000: { type: 'Array', value: tags.map((value) => ({ type: 'String', value })) } }),
});

/** As the compiler of searches cuts it out (store/records/search). */
const sectionIn = (text: string, columnId: string): string | undefined =>
  text.split(sectionMark(columnId))[1]?.split(SECTION_START)[0];

const implied = (text: string, { implies }: ReturnType<typeof searchTerm>): boolean => {
  if (implies === undefined) return true;
  return 'every' in implies
    ? implies.every.every((part) => text.includes(part))
    : implies.some.some((part) => text.includes(part));
};

const CHARACTERS = [...'aAbBzq09 -_.%\\"éßöя京東都カー한국😀\u0001\u0002\u0003\u0004\u0010\u001f\u02d0\n\te\u0301'];
const texts = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 24 });
const terms = fc.string({ unit: fc.constantFrom(...CHARACTERS), minLength: 1, maxLength: 4 });

// What is stored is decided by these, written as expressions here, which take too long for texts of a megabyte.
const IDEOGRAPH =
  '[\\u1100-\\u11ff\\u2e80-\\u2fdf\\u3005-\\u3007\\u3021-\\u3029\\u3031-\\u3035\\u3038-\\u303b\\u3041-\\u318f\\u31a0-\\u31ff' +
  '\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97f\\uac00-\\ud7ff\\uf900-\\ufaff\\uff66-\\uffdc\\u{1aff0}-\\u{1b16f}\\u{20000}-\\u{3ffff}]';
const NEIGHBOURS = new RegExp(`(${IDEOGRAPH})(?=${IDEOGRAPH})`, 'gu');
const PAIRS = /(?<![a-z0-9])[a-z0-9]{2}(?![a-z0-9])/g;

describe('the search text', () => {
  it('of long values is the same in slices, whatever stands where they are cut', () => {
    // Letters with marks that join them, jamo that make syllables, pairs, and what has a folded form of another length.
    const units = [
      ...'aAzZ9 \u0301\u0327e京カ\u3099한\u1100\u1161\u11a8ΑΣς\u0345אب\u0653\u0654ก\u0e33\u02d0\u0001',
      '😀',
      '👩🏽',
      '𐐀',
      '𠀀',
      '\u{1d15e}',
      '\u212b',
      'ẞ',
      'ǰ',
    ];
    const pieces = fc.array(fc.constantFrom(...units), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(pieces, pieces, fc.nat(200), (repeated, other, offset) => {
        const long = 'x'.repeat(offset) + repeated.join('').repeat(Math.ceil(40_000 / repeated.join('').length));
        const values = valuesOf(long, [other.join(''), long, 'ab']);
        assert.equal(atOnce(searchTextInSlices(SECTIONS, values)), searchText(SECTIONS, values));
      }),
      { numRuns: 60 },
    );
    assert.equal(atOnce(searchTextInSlices(SECTIONS, {})), null);
  });

  it('of long values is not disturbed by others that are written meanwhile', () => {
    const values = valuesOf('京都 ab '.repeat(10_000));
    const steps = searchTextInSlices(SECTIONS, values);
    let slices = 0;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) {
        assert.equal(step.value, searchText(SECTIONS, values));
        break;
      }
      slices += 1;
      searchText(SECTIONS, valuesOf('something else'));
    }
    assert.ok(slices > 2, `${slices}`);
  });

  it('of several long values is the same if they are written in turn', () => {
    const all = ['plain text ', 'ÄÖÿ ', 'Āb ', '京都 ', 'ab '].map((text) => valuesOf(text.repeat(5_000)));
    for (let round = 0; round < 2; round += 1) {
      const writing = all.map((values) => ({ values, steps: searchTextInSlices(SECTIONS, values) }));
      const written = new Map<Values, string | null>();
      while (written.size < all.length) {
        for (const { values, steps } of writing) {
          const step = steps.next();
          if (step.done === true && !written.has(values)) written.set(values, step.value);
        }
      }
      for (const values of all) assert.equal(written.get(values), searchText(SECTIONS, values));
    }
  });

  it('has a letter between ideographs, and every word of two letters once, as expressions would find them', () => {
    const characters = fc.oneof(
      fc.constantFrom(...'ab9 京都かカ한ㄅ\u{20000}\u{2ffff}\u{1b000}\u1100\u11ff\ud7ff\uf900\uffdc\uffdd\ud800\udc00'),
      fc.integer({ min: 0x20, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    );
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 40 }), (title) => {
        const folded = foldText(title);
        fc.pre(!folded.includes('\u02d0'));
        const text = searchText(SECTIONS, valuesOf(title)) ?? '';
        const written = sectionIn(text, 'ctitle00') ?? '';
        assert.equal(written, folded.replace(NEIGHBOURS, '$1\u02d0'));
        const letters = text.split(`${SECTION_START}\u0004`)[1] ?? '';
        const pairs = [...new Set(written.match(PAIRS))].sort();
        const words = letters.split('\u0005').filter((entry) => entry.length === 2);
        assert.deepEqual(words, pairs);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has a term in a section exactly when the text has it', () => {
    fc.assert(
      fc.property(texts, texts, terms, (title, tag, term) => {
        const text = searchText(SECTIONS, valuesOf(title, [tag, 'other'])) ?? '';
        const sought = searchTerm(foldText(term));
        const inTitle = foldText(title).includes(foldText(term));
        const inTags = [tag, 'other'].some((one) => foldText(one).includes(foldText(term)));
        assert.equal(sectionIn(text, 'ctitle00')?.includes(sought.text), inTitle);
        assert.equal(sectionIn(text, 'ctags000')?.includes(sought.text), inTags);
        if (inTitle || inTags) assert.ok(implied(text, sought), JSON.stringify({ title, tag, term, text }));
      }),
      { numRuns: 5_000 },
    );
  });

  it('is not there without a text, and tells an empty text from none', () => {
    assert.equal(searchText(SECTIONS, {}), null);
    assert.equal(searchText(SECTIONS, valuesOf('')), sectionMark('ctitle00'));
  });

  it('puts a letter between neighbouring ideographs, in texts and in terms', () => {
    assert.equal(searchTerm(foldText('東京都')).text, '東ː京ː都');
    assert.deepEqual(searchTerm(foldText('東京')).implies, { every: ['東ː京'] });
    assert.equal(searchTerm(foldText('駅')).implies, undefined);
  });

  it('finds one letter, and two, by what stands behind the sections', () => {
    const text = searchText(SECTIONS, valuesOf('Go to B7')) ?? '';
    assert.equal(
      text.split(SECTION_START).at(-1),
      '\u0004\u00057\u0005b\u0005g\u0005o\u0005t\u0005b7\u0005go\u0005to\u0005',
    );
    assert.deepEqual(searchTerm('q').implies, { every: ['\u0005q\u0005'] });
    assert.deepEqual(searchTerm('öß').implies, { every: ['\u0005ö\u0005', '\u0005ß\u0005'] });
    const pair = searchTerm('zq').implies;
    assert.ok(pair !== undefined && 'some' in pair && pair.some.length === 73);
  });
});
