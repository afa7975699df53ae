// Functions fit on a screen or two.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scan } from './scan.ts';
import { statementAt } from './statements.ts';
import { filesIn } from './tree.ts';

const LINES_MAX = 80;

const NAMED = [
  /^\s*(?:export )?(?:async )?function\*? *(\w+)/,
  /^\s*(?:export )?const (\w+)(?:: [^=]*)? = (?:async )?(?:<[^(]*>)?(?:\(|\w+ =>)/,
  /^\s*(\w+): (?:async )?(?:\(.*(?:\{|=>|\()$|\($)/,
  /^\s*(?:(?:private|static|async|get|set) )*\*?(#?\w+)(?:<[^(]*>)?\((?:.*\{)?$/,
];
const NO_NAMES = new Set(['if', 'for', 'while', 'switch', 'catch', 'return', 'await']);

function longFunctions(text: string): string[] {
  const lines = scan(text).code.split('\n');
  return lines.flatMap((line, index) => {
    const name = NAMED.map((pattern) => pattern.exec(line)?.[1]).find((found) => found !== undefined);
    if (name === undefined || NO_NAMES.has(name)) return [];
    return statementAt(lines, index).length > LINES_MAX ? [name] : [];
  });
}

test(`no function beyond ${LINES_MAX} lines`, () => {
  const body = (count: number) => '  a();\n'.repeat(count);
  const within = LINES_MAX - 2;
  for (const [top, end] of [
    ['export async function f(a: A) {', '}'],
    ['const f = async (a: A): Promise<B> => {', '};'],
    ['f: (a) => {', '},'],
    ['async #f(a: A) {', '}'],
  ] as const) {
    assert.deepEqual(longFunctions(`${top}\n${body(within)}${end}\n`), [], top);
    assert.equal(longFunctions(`${top}\n${body(within + 1)}${end}\n`).length, 1, top);
  }
  assert.deepEqual(longFunctions(`function f(\n  a: A,\n) {\n${body(within)}}\n`), ['f']);

  const found = filesIn(['src', 'client/src'], ['.ts']).flatMap(({ path, text }) =>
    longFunctions(text).map((name) => `${path} ${name}`),
  );
  assert.deepEqual(found, [], 'a function that does not fit on two screens does more than one thing');
});
