// Whatever is sent as a search is either read or refused with a position inside it, and what it asks keeps its promises.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Condition } from '../../src/domain/search/condition.ts';
import { Fault } from '../../src/faults.ts';
import { ask, COLUMNS, read } from './search-setting.ts';

const ZONES = ['UTC', 'Asia/Tokyo', 'America/New_York', 'Pacific/Apia'];

/** undefined where the query is refused. */
function tryRead(query: string, zone: string): Condition | undefined {
  try {
    return read(query, { zone });
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'INVALID_SEARCH', String(error));
    const { message, position } = error.params as { message: string; position: number };
    assert.ok(Number.isInteger(position) && position >= 0 && position <= [...query].length, `${position} in ${query}`);
    assert.match(message, /^.{10,600}$/su);
    return undefined;
  }
}

function* leavesOf(condition: Condition): Generator<Condition> {
  if (condition.kind === 'and' || condition.kind === 'or') for (const part of condition.parts) yield* leavesOf(part);
  else if (condition.kind === 'not') yield* leavesOf(condition.part);
  else yield condition;
}

const STORED = /^(?:\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z|\d{4}-\d{2}-\d{2}|\d{2}:\d{2}:\d{2})$/;

function assertSound(condition: Condition): void {
  for (const leaf of leavesOf(condition)) {
    const fields = leaf.kind === 'contains' ? leaf.fields : 'field' in leaf ? [leaf.field] : [];
    for (const field of fields) assert.ok(field.kind === 'metadata' || field.column.searchable);
    if (leaf.kind === 'contains') assert.ok(leaf.fields.length > 0 && !/[\0\p{Surrogate}]/u.test(leaf.term));
    if (leaf.kind === 'text') assert.doesNotMatch(leaf.value, /[\0\p{Surrogate}]/u);
    if (leaf.kind === 'number') assert.ok(Number.isFinite(leaf.value) && !Object.is(leaf.value, -0));
    if (leaf.kind === 'near') assert.ok(Number.isFinite(leaf.metres) && leaf.metres >= 0);
    if (leaf.kind === 'range') {
      const ends = [leaf.from, leaf.before].filter((end) => end !== undefined);
      assert.ok(ends.length > 0);
      for (const end of ends) assert.match(end, STORED);
      if (ends.length === 2) assert.ok(ends[0]! < ends[1]!, ends.join(' '));
    }
  }
}

const name = fc.oneof(
  fc.constantFrom(...COLUMNS.map((column) => column.name), ...COLUMNS.map((column) => `$${column.id}`)),
  fc.constantFrom(
    '$id',
    '$createdAt',
    '$updatedBy',
    '$x',
    'Box.string',
    'Rows.date',
    '"Box"."number"',
    'Rows.datetime',
  ),
);
const operator = fc.constantFrom(':', '=', '!=', '<', '<=', '>', '>=');
const term = fc.oneof(
  fc.constantFrom('x', '""', '"a b"', '5', '-5', '1e3', 'true', 'false', 'me', 'u1234567', '2024-03-10', '2011-12-30'),
  fc.constantFrom('"10:30"', '"2024-11-03T01:30"', '"2024-03-10T02:30:00.5Z"', '1,2,3km', '0001-01-01', '9999-12-31'),
  fc
    .tuple(
      fc.constantFrom('today', 'yesterday', 'tomorrow', 'now'),
      fc.constantFrom('+', '-'),
      fc.oneof(fc.nat(50), fc.nat(9_999_999)),
      fc.constantFrom('m', 'h', 'd', 'w', 'mo', 'y'),
    )
    .map((parts) => parts.join('')),
);
const criterion = fc.tuple(name, operator, term).map((parts) => parts.join(''));
const soup = fc
  .array(
    fc.oneof(
      criterion,
      criterion,
      name,
      operator,
      term,
      fc.constantFrom(' ', ' ', ' ', '(', ')', '-', 'NOT ', ' AND ', ' OR ', '"', '\\', '.', '!', '😀', '\0', '\ud800'),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(''));

test('any text is read or refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.string()), (query) => {
      const condition = tryRead(query, 'UTC');
      if (condition !== undefined) assertSound(condition);
    }),
    { numRuns: 3000 },
  );
});

test('any soup of what the language is made of is read or refused', () => {
  fc.assert(
    fc.property(soup, fc.constantFrom(...ZONES), (query, zone) => {
      const condition = tryRead(query, zone);
      if (condition !== undefined) assertSound(condition);
    }),
    { numRuns: 5000 },
  );
});

test('a criterion asks the same alone, in parentheses and twice negated', () => {
  let asked = 0;
  fc.assert(
    fc.property(criterion, (query) => {
      const condition = tryRead(query, 'UTC');
      if (condition === undefined) return;
      asked += 1;
      assertSound(condition);
      assert.deepEqual(read(`( ${query} )`), condition);
      assert.deepEqual(read(`NOT -(${query})`), { kind: 'not', part: { kind: 'not', part: condition } });
      const complement = query.replace(/^([^=:<>!]+)=/, '$1!=');
      if (complement !== query && !query.endsWith('='))
        assert.deepEqual(read(complement), { kind: 'not', part: condition });
    }),
    { numRuns: 3000 },
  );
  assert.ok(asked > 300, `${asked} were read`);
});

test('what is quoted comes back as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
      fc.pre(!text.includes('\0'));
      const quoted = `"${text.replace(/["\\]/g, '\\$&')}"`;
      assert.equal(ask(`Name=${quoted}`), `Name=${JSON.stringify(text)}`);
    }),
    { numRuns: 2000 },
  );
});
