// The search box reads what the server reads, refuses what it refuses, and at the same place.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withBooleans } from '../../console/src/search/booleans.ts';
import { addCondition, chipsOf, relationsOf, replaceChip, writtenCondition } from '../../console/src/search/chips.ts';
import { problemOf } from '../../console/src/search/problems.ts';
import { codePointsBefore, readSearch } from '../../console/src/search/reading.ts';
import { spanOf, spansAt, writtenSpan } from '../../console/src/search/spans.ts';
import { findSubject, subjectsOf, writtenTerm, writtenWord } from '../../console/src/search/subjects.ts';
import { typingAt, withInserted } from '../../console/src/search/typing.ts';
import { parse } from '../../src/domain/search/parse.ts';
import { Fault } from '../../src/faults.ts';
import { ask, COLUMNS, read } from '../domain/search-setting.ts';

const RUNS = 4_000;

/** Where the server refuses it, in code points; undefined if it does not. */
function refusedAt(work: () => unknown): number | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'INVALID_SEARCH', String(error));
    return (error.params as { position: number }).position;
  }
}

const piece = fc.oneof(
  fc.constantFrom('Name', 'Temp', 'Open', 'Due', 'Owner', 'Box', 'Box.string', 'Rows."date"', '$id', '$createdBy'),
  fc.constantFrom('Hidden', 'Twice', '$c0000018', 'Nobody', '"Name"', '"Na.me"', '.', 'a.b'),
  fc.constantFrom(':', '=', '!=', '<', '<=', '>', '>=', '!', ':'),
  fc.constantFrom('x', '""', '"a b"', '5', '-5', 'true', 'me', 'today', '2024-03-10', '"10:30"', '1,2,3km', '屋根'),
  fc.constantFrom(
    ' ',
    ' ',
    ' ',
    ' ',
    '　',
    '(',
    ')',
    '-',
    'NOT ',
    ' AND ',
    ' OR ',
    'OR',
    '"',
    '\\',
    '😀',
    '\0',
    '\ud800',
  ),
);
const soup = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));
const anything = fc.oneof(soup, soup, fc.string({ unit: 'binary' }), fc.string());

test('what can be read, and where it cannot, is as the server says', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const { problem } = readSearch(text);
      const at = problem === undefined ? undefined : codePointsBefore(text, problem.at);
      assert.equal(
        at,
        refusedAt(() => parse(text)),
      );
    }),
    { numRuns: RUNS },
  );
  for (const text of ['('.repeat(33), `${'a '.repeat(64)}b`, '😀'.repeat(4097), '-'.repeat(40), '(a'.repeat(20)]) {
    const { problem } = readSearch(text);
    assert.equal(
      codePointsBefore(text, problem?.at ?? 0),
      refusedAt(() => parse(text)),
      text.slice(0, 20),
    );
  }
});

test('what is told of columns and values while typing, the server would say as well, there or earlier', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const problem = problemOf(text, readSearch(text), COLUMNS);
      if (problem === undefined) return;
      const at = refusedAt(() => read(text));
      assert.ok(at !== undefined && at <= codePointsBefore(text, problem.at), `${problem.kind} in ${text}: ${at}`);
    }),
    { numRuns: RUNS },
  );
});

test('what typing on can mend is not yet complained of', () => {
  const unfinished = (text: string) => problemOf(text, readSearch(text), COLUMNS)?.unfinished;
  for (const text of ['Name:', '"a', '(a', 'a OR', 'Name!', '"a\\', 'NOT', '-', 'Na:x', 'Temp>1e', 'a (', 'Open:tru']) {
    assert.equal(unfinished(text), true, text);
  }
  for (const text of ['Name: x', 'a)', 'Na:x b', 'Temp>abc b', '() a', 'a !b', '"a\\n" b', 'Hidden:x b', 'a "b"c']) {
    assert.equal(unfinished(text), false, text);
  }
  for (const text of ['', 'a', 'Name=', 'Temp>1 Open:true', '(a OR b) -Name:x'])
    assert.equal(unfinished(text), undefined);
});

test('every column and key has a name that means it, whatever it is called', () => {
  const name = fc.oneof(
    fc.constantFrom('a', 'a.b', 'AND', '-x', '$id', 'a "b"', 'b', '\\', 'x y', 'a:b', '屋根'),
    fc.string(),
  );
  const flags = { unique: false, sortable: false, searchable: true };
  fc.assert(
    fc.property(
      fc.uniqueArray(
        name.filter((text) => text !== '' && !/[\0\p{Surrogate}]/u.test(text)),
        { minLength: 3 },
      ),
      (names) => {
        const keys = names.slice(0, 2).map((each) => ({ name: each, type: 'Number' as const }));
        const columns = names.map((each, index) => ({
          id: `c000000${index}`,
          name: index === 2 ? names[0]! : each,
          ...flags,
          ...(index === 1 ? { type: 'Object' as const, scheme: { keys } } : { type: 'String' as const }),
        }));
        for (const { written, column, key, metadata } of subjectsOf(columns)) {
          const { syntax } = readSearch(`${written}!=`);
          assert.ok(syntax?.kind === 'criterion', written);
          const found = findSubject(columns, syntax.name);
          assert.ok(typeof found !== 'string' && found.written === written, written);
          const asked = JSON.stringify(read(`${written}!=`, { columns }));
          if (metadata === undefined) assert.ok(asked.includes(`"id":"${column!.id}"`), asked);
          if (key !== undefined) assert.ok(asked.includes(`"key":${JSON.stringify(key)}`), asked);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('chips and text are the same query', () => {
  fc.assert(
    fc.property(soup, (text) => {
      if (refusedAt(() => read(text)) !== undefined) return;
      const chips = chipsOf(text, COLUMNS);
      assert.equal(ask(chips.map(writtenCondition).join(' ')), ask(text), text);
      for (const chip of chips) {
        const without = replaceChip(text, chip, undefined);
        assert.equal(
          refusedAt(() => read(without)),
          undefined,
          `${text} → ${without}`,
        );
        const others = chips.filter((other) => other !== chip).map(writtenCondition);
        assert.equal(ask(without), ask(others.join(' ')), `${text} → ${without}`);
        assert.equal(ask(replaceChip(text, chip, chip)), ask(text), text);
      }
    }),
    { numRuns: RUNS },
  );
});

test('what chips cannot express is one chip with its text', () => {
  const kinds = (text: string) => chipsOf(text, COLUMNS).map((chip) => (chip.kind === 'text' ? chip.text : chip.kind));
  assert.deepEqual(kinds('a OR b'), ['a OR b']);
  assert.deepEqual(kinds('Name:x (a OR b) -Due:today'), ['criterion', '(a OR b)', 'criterion']);
  assert.deepEqual(kinds(' -Temp>5 "roof" '), ['-Temp>5', 'word']);
  assert.deepEqual(kinds('Name: '), ['Name:']);
  assert.deepEqual(kinds('  '), []);
});

test('a condition is added to the whole of a query, in every relation that a column has', () => {
  const word = { kind: 'word', text: '-b c', negated: true } as const;
  assert.equal(addCondition('a OR b', word), '(a OR b) -"-b c"');
  assert.equal(addCondition('a', word), 'a -"-b c"');
  const TERMS = { Number: '5', Boolean: 'true', DateTime: '2024', Date: 'today', Time: '10:30', Location: '1,2,3km' };
  for (const subject of subjectsOf(COLUMNS)) {
    for (const relation of relationsOf(subject)) {
      const term = { text: (TERMS as Record<string, string>)[subject.type] ?? 'a "b"', quoted: false };
      const text = addCondition('', { kind: 'criterion', subject, relation, term });
      assert.equal(
        refusedAt(() => read(text)),
        undefined,
        text,
      );
      const [chip] = chipsOf(text, COLUMNS);
      assert.ok(
        chip?.kind === 'criterion' && chip.relation === relation && chip.subject.written === subject.written,
        text,
      );
    }
  }
});

test('any text can be looked for', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.constantFrom('AND', '-', 'me', '', '"', '\\', '-a', '$x')), (text) => {
      for (const written of [writtenTerm(text), writtenWord(text)]) {
        const syntax = parse(`Name=${written}`);
        assert.ok(syntax?.kind === 'criterion' && syntax.term?.text === text, written);
      }
      const bare = parse(writtenWord(text));
      assert.ok(bare?.kind === 'term' && bare.term.text === text);
    }),
  );
});

test('what is typed at the caret is told', () => {
  const typing = (marked: string) => {
    const caret = marked.indexOf('|');
    const text = marked.replace('|', '');
    const at = typingAt(text, caret, COLUMNS);
    if (at === undefined) return undefined;
    const span = `${at.from}-${at.to} ${at.typed}`;
    return at.kind === 'name' ? `name ${span}` : `${at.subject.written} ${at.operator} ${span}`;
  };
  const cases: [string, string | undefined][] = [
    ['|', 'name 0-0 '],
    ['Na|', 'name 0-2 Na'],
    ['N|ame', 'name 0-4 N'],
    ['a Na| b', 'name 2-4 Na'],
    ['(|', 'name 1-1 '],
    ['-Du|', 'name 1-3 Du'],
    ['(a) |', 'name 4-4 '],
    ['(a)|', undefined],
    ['a OR|', undefined],
    ['Name:|', 'Name : 5-5 '],
    ['Name:ro|of', 'Name : 5-9 ro'],
    ['Name:"a b|', 'Name : 5-9 a b'],
    ['Name:"a| b" c', 'Name : 5-10 a'],
    ['-Open=t|', 'Open = 6-7 t'],
    ['Box.str|', 'name 0-7 Box.str'],
    ['Box."string"!=|', 'Box.string != 14-14 '],
    ['Nobody:|', undefined],
    ['Name:"10:3|', 'Name : 5-10 10:3'],
    ['Name:a:b|', undefined],
    ['$createdBy=m|', '$createdBy = 11-12 m'],
    ['Temp>-|', 'Temp > 5-6 -'],
  ];
  for (const [marked, told] of cases) assert.equal(typing(marked), told, marked);
  fc.assert(
    fc.property(anything, fc.nat(60), (text, caret) => {
      const at = typingAt(text, Math.min(caret, text.length), COLUMNS);
      if (at === undefined) return;
      const { text: after, caret: next } = withInserted(text, at, 'x', true);
      assert.ok(next <= after.length && at.from <= at.to && at.to <= text.length);
    }),
    { numRuns: RUNS },
  );
});

test('spans of days are named, written and read again', () => {
  const spans = spansAt('2026-03-01', 1);
  const written = Object.fromEntries(spans.map((span) => [span.name, writtenSpan('Due', span)]));
  assert.deepEqual(written, {
    today: 'Due=today',
    yesterday: 'Due=yesterday',
    tomorrow: 'Due=tomorrow',
    last7: 'Due>=today-6d Due<=today',
    last30: 'Due>=today-29d Due<=today',
    next7: 'Due>=today Due<=today+6d',
    thisWeek: 'Due>=2026-02-23 Due<=2026-03-01',
    lastWeek: 'Due>=2026-02-16 Due<=2026-02-22',
    nextWeek: 'Due>=2026-03-02 Due<=2026-03-08',
    thisMonth: 'Due=2026-03',
    lastMonth: 'Due=2026-02',
    nextMonth: 'Due=2026-04',
    thisYear: 'Due=2026',
    lastYear: 'Due=2025',
    ago7: 'Due=today-7d',
    ago30: 'Due=today-30d',
  });
  assert.equal(
    writtenSpan('Due', spansAt('2026-03-01', 0).find(({ name }) => name === 'thisWeek')!),
    'Due>=2026-03-01 Due<=2026-03-07',
  );
  for (const span of spans) {
    const [chip, ...others] = chipsOf(writtenSpan('Due', span), COLUMNS);
    assert.deepEqual(others, [], span.name);
    assert.ok(chip?.kind === 'criterion' && chip.relation === '=');
    assert.equal(spanOf(spans, chip.term)?.name, span.name);
    assert.equal(writtenCondition(chip), writtenSpan('Due', span));
    assert.equal(
      refusedAt(() => read(writtenCondition(chip))),
      undefined,
    );
    assert.equal(span.isFixed, !/today|yesterday|tomorrow/.test(span.text), span.name);
  }
  const kinds = (text: string) => chipsOf(text, COLUMNS).length;
  assert.deepEqual(
    [kinds('Due>=today Started<=today'), kinds('Temp>=1 Temp<=2'), kinds('Due<=today Due>=today')],
    [2, 2, 2],
  );
  assert.equal(kinds('Name:a Due>=2026-01-01 AND Due<=2026-02-01 Due!='), 3);
});

test('yes and no are read as the page writes them', () => {
  for (const [typed, written] of [
    ['Open=no', 'Open=false'],
    ['Open:Yes Name=no', 'Open:true Name=no'],
    ['(Open=はい OR -Open="いいえ") Temp>1', '(Open=true OR -Open=false) Temp>1'],
    ['Open=TRUE', 'Open=true'],
    ['Open=maybe', 'Open=maybe'],
    ['Open= Open!=', 'Open= Open!='],
    ['Open=no (', 'Open=no ('],
  ] as const) {
    assert.equal(withBooleans(typed, COLUMNS), written);
  }
  const kind = (text: string) => problemOf(text, readSearch(text), COLUMNS)?.kind;
  assert.deepEqual([kind('Open=No'), kind('Open=maybe')], [undefined, 'boolean']);
});
