// Words that have one meaning in this project. "Behind" names a place in space, as in "behind a proxy"; what comes later
// is "after", and work that a reply does not wait for is in the background.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type File, filesIn } from './tree.ts';

const IN_SPACE = [
  /#behind-a-proxy/gi,
  /\bbehind (?:a|the|its) (?:proxy|pooler|balancer)\b/gi,
  /\bbehind which a whole office\b/gi,
  // A thing that is left where it was.
  /\b(?:leaves?|left|leaving)\b[^.;]{0,60}?\bbehind\b/gi,
  /\bahead of UTC or behind it\b/gi,
];

/** The page that says how the word is used. */
const EXPLAINED = 'docs/style.md';

function countIn(text: string): number {
  const rest = IN_SPACE.reduce((left, phrase) => left.replaceAll(phrase, ''), text);
  return rest.match(/\bbehind\b/gi)?.length ?? 0;
}

test('behind names a place in space', () => {
  assert.equal(countIn('Behind a proxy, all clients behind the proxy share what an earlier run left behind.'), 0);
  assert.equal(countIn('// Behind the reply.\nconst behind = 1;'), 2);

  const files: File[] = [...filesIn(['src'], ['.ts', '.sql']), ...filesIn(['docs'], ['.md'])];
  const found = files
    .filter(({ path }) => path !== EXPLAINED)
    .map(({ path, text }) => ({ path, count: countIn(text) }))
    .filter(({ count }) => count > 0)
    .map(({ path, count }) => `${path}: ${count}`);
  assert.deepEqual(
    found,
    [],
    'what comes later is "after" or "following", and what a reply does not wait for is "background"',
  );
});
