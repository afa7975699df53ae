// Queries that are suggested in hints and errors: people copy them, also into a deletion.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hintFor } from '../../src/domain/search/hints.ts';
import { parse, type Syntax } from '../../src/domain/search/parse.ts';
import { Fault } from '../../src/faults.ts';
import type { Column } from '../../src/wire/applications.ts';
import { COLUMNS, read } from './search-setting.ts';

const flags = { unique: false, sortable: false, searchable: true };
const columns: readonly Column[] = [
  ...COLUMNS,
  ...['Due date', 'Not before', '-x', 'AND', 'a.b', 'NOT'].map((name, at) => ({
    id: `c200000${at}`,
    name,
    type: 'String' as const,
    ...flags,
  })),
];

const piece = fc.oneof(
  fc.constantFrom('*', '-', ',', '|', '~', '%', ' ', ' ', ' ', '(', ')', '"', '.'),
  fc.constantFrom(
    ':',
    '=',
    '!=',
    '<',
    '>=',
    'Name:',
    'Name=',
    'Tags:',
    'Temp=',
    'Due',
    'Due date',
    'Not before',
    'Nam',
  ),
  fc.constantFrom('AND', 'OR', 'NOT', 'and', 'or', 'not', 'is', 'null', 'between', ' AND ', ' OR ', ' NOT ', ' and '),
  fc.constantFrom('x', '001', '2024', 'red', '-x', '-001', '"-x"', '"a b"', 'Hidden', 'Twice', 'Name', 'Temp', '$id'),
);
const soup = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
/** Mostly with a name that lacks its quotation marks or is mistyped. */
const misnamed = fc
  .tuple(
    fc.constantFrom('', '', '-', 'NOT ', 'x ', '(', '"a ', 'x-'),
    fc.constantFrom('Due date', 'not before', 'Nam', 'Nto', '-x', "'Not before'"),
    fc.constantFrom(':', '=', '!=', '<', '>=', ': ', ' : ', ' = ', '= '),
    soup,
  )
  .map((pieces) => pieces.join(''));
/** Mostly a query that can be read. */
const words = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '', 'Name:', 'Name=', '"Not before":', 'Tags='),
      fc.array(
        fc.constantFrom('*', '-', ',', '|', '~', 'x', 'AND', 'NOT', 'OR', '001', 'Name', 'Temp', 'Hidden', '%'),
        {
          minLength: 1,
          maxLength: 5,
        },
      ),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((terms) => terms.map(([name, pieces]) => `${name}${pieces.join('')}`).join(' '));

function hasNot(syntax: Syntax): boolean {
  if (syntax.kind === 'not') return true;
  return (syntax.kind === 'and' || syntax.kind === 'or') && syntax.parts.some(hasNot);
}

/** The error of the query; undefined if it can be read. */
function errorOf(query: string): string | undefined {
  try {
    read(query, { columns });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'INVALID_SEARCH', String(error));
    return (error.params as { message: string }).message;
  }
}

test('every query that a hint suggests can be read, and negates nothing', () => {
  let suggested = 0;
  fc.assert(
    fc.property(fc.oneof(words, soup), (query) => {
      if (errorOf(query) !== undefined) return;
      const hint = hintFor(query, columns) ?? '';
      const [, meant] = /(?:write|found by) (.*?)(?: with nothing after it)?$/.exec(hint) ?? [];
      if (meant === undefined) return;
      suggested += 1;
      assert.equal(errorOf(meant), undefined, `${query} → ${hint}`);
      assert.ok(!hasNot(parse(meant)!), `${query} → ${hint}`);
    }),
    { numRuns: 5000 },
  );
  assert.ok(suggested > 200, `${suggested} were suggested`);
});

test('every query that an error suggests can be parsed, and negates only what was negated', () => {
  let suggested = 0;
  fc.assert(
    fc.property(fc.oneof(misnamed, soup), (query) => {
      const message = errorOf(query) ?? '';
      const [, meant] = /(?:has to be quoted|is meant): (.*)$/.exec(message) ?? [];
      if (meant === undefined) return;
      suggested += 1;
      const syntax = parse(meant);
      assert.ok(syntax !== undefined, `${query} → ${message}`);
      assert.ok(!hasNot(syntax) || /-|NOT/.test(query), `${query} → ${message}`);
    }),
    { numRuns: 5000 },
  );
  assert.ok(suggested > 200, `${suggested} were suggested`);
});
