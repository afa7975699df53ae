// The scanner that the other tidy tests see through.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scan } from './scan.ts';

const texts = (source: string): string[] => scan(source).literals.map(({ text }) => text);

test('the scanner tells code, comments and literals apart and keeps every position', () => {
  const source = "const a = 'x // y'; // z 'w'\n/* `q` */ const b = 1;";
  const { code, comments, literals } = scan(source);
  assert.equal(code, "const a = '      ';         \n          const b = 1;");
  assert.equal(comments.trim(), "// z 'w'\n/* `q` */");
  assert.deepEqual(literals, [{ kind: 'string', text: 'x // y', line: 1 }]);
});

test('the scanner follows templates into their placeholders', () => {
  const [inner, outer] = [`c \${d}`, (text: string) => `a \${g({ b: \`${text}\` })} e`];
  assert.deepEqual(texts(`f(\`${outer(inner)}\`, "h")`), [outer(inner), inner, 'h']);
});

test('the scanner joins literals that are added', () => {
  assert.deepEqual(texts("q('select a ' +\n 'from b', 'c')"), ['select a from b', 'c']);
});

test('the scanner is not deceived by regular expressions and divisions', () => {
  assert.deepEqual(texts("x.replace(/['\"`]/g, 'a'); const y = b / c / d; const z = /[/']/.test('e');"), ['a', 'e']);
  assert.deepEqual(texts("const half = (a + b) / 2; const s = 'f'; const t = 1 / 3;"), ['f']);
});
