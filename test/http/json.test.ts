// Large bodies are parsed piece by piece, to the same value as JSON.parse gives, or refused by their form before.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Fault } from '../../src/faults.ts';
import { parseInSteps } from '../../src/http/requests/json.ts';
import { ELEMENTS_MAX, LEVELS_MAX, MEMBERS_MAX } from '../../src/http/requests/json-outline.ts';

const RECORDS_MAX = 100;
/** Longer than what is parsed at once. */
const LONG = 40_000;
/** Up to here the place of a mistake is told exactly, beyond it perhaps the one where it came to light. */
const EXACT = 128 * 1024;

type Outcome = { readonly value: unknown } | { readonly reason: string };

function parsed(text: string, elementsMax?: number): Outcome & { steps: number } {
  const steps = parseInSteps(text, elementsMax);
  for (let count = 0; ; count += 1) {
    try {
      const { done, value } = steps.next();
      if (done === true) return { value, steps: count };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const { reason = error.code } = error.params as { reason?: string };
      return { reason, steps: count };
    }
  }
}

function expected(text: string): Outcome {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    const position = /position (\d+)/.exec(String(error))?.[1];
    return { reason: position === undefined ? '' : `malformed at position ${position}` };
  }
}

/** The value as JSON, with `gap` where JSON may have white space. */
function write(value: unknown, gap: () => string): string {
  if (Array.isArray(value)) {
    return `[${gap()}${value.map((element) => write(element, gap) + gap()).join(`,${gap()}`)}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, held]) => `${JSON.stringify(key)}${gap()}:${gap()}${write(held, gap)}${gap()}`,
  );
  return `{${gap()}${members.join(`,${gap()}`)}}`;
}

/** JSON of all lengths at all levels: the gaps are mostly none, and sometimes long. */
const texts = fc
  .tuple(
    fc.oneof(
      fc.array(fc.jsonValue({ maxDepth: 4 })),
      fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue({ maxDepth: 4 })),
    ),
    fc.array(fc.constantFrom('', '', '', ' ', '\n\t', ' '.repeat(LONG)), { minLength: 1, maxLength: 20 }),
  )
  .map(([value, gaps]) => {
    let next = 0;
    return write(value, () => gaps[next++ % gaps.length] ?? '');
  });

const filled = (count: number, element: string): string => Array(count).fill(element).join(',');

describe('JSON in pieces', () => {
  it('can be interrupted in a long string, also between a backslash and what it escapes', () => {
    for (let length = EXACT - 5; length < EXACT + 5; length += 1) {
      const text = JSON.stringify([`${'x'.repeat(length)}"\\"${'\n'.repeat(2 * EXACT)}`, 'y']);
      const { steps, ...outcome } = parsed(text);
      assert.deepEqual(outcome, expected(text));
      assert.ok(steps >= text.length / EXACT, `only ${steps} steps`);
    }
    assert.match(JSON.stringify(parsed(`["${'x'.repeat(EXACT - 3)}\\`)), /not JSON/);
  });

  it('of one long string is parsed in parts, wherever its escapes stand, and refused as JSON.parse refuses it', () => {
    const pieces = fc.array(
      fc.constantFrom(
        'a',
        'é',
        '😀',
        '\\n',
        '\\\\',
        '\\"',
        '\\u3042',
        '\\ud83d\\ude00',
        '\\ud83d',
        '\\/',
        '\\\\'.repeat(50),
      ),
      { minLength: 1, maxLength: 12 },
    );
    const broken = fc.constantFrom('', '', '', '\\x', '\\u12', '\n', '"', '" "', '\\u');
    fc.assert(
      fc.property(pieces, broken, fc.nat(40), (made, mistake, offset) => {
        const part = made.join('');
        const half = part.repeat(Math.ceil(35_000 / part.length));
        const text = `{"a":"${'x'.repeat(offset)}${half}${mistake}${half}" ,"b":[1]}`;
        const { steps, ...outcome } = parsed(text);
        const wanted = expected(text);
        if ('value' in wanted) {
          assert.deepEqual(outcome, wanted);
          assert.ok(steps > 3, `${steps}`);
        } else {
          assert.ok('reason' in outcome, text.slice(0, 100));
          if (text.length < EXACT)
            assert.ok(outcome.reason.includes(wanted.reason), `${outcome.reason}: ${wanted.reason}`);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is what JSON.parse makes of it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const outcome = parsed(text);
        assert.ok('value' in outcome, 'reason' in outcome ? outcome.reason : '');
        assert.deepEqual(outcome.value, JSON.parse(text));
        assert.equal(JSON.stringify(outcome.value), JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 60 },
    );
  });

  it('is refused when JSON.parse refuses it, at the same position where both name one', () => {
    const damage = fc.record({
      place: fc.nat(),
      cut: fc.nat({ max: 2 }),
      put: fc.constantFrom('', ...'[]{},:"\\1 x-'),
    });
    fc.assert(
      fc.property(texts, damage, (text, { place, cut, put }) => {
        const solid = text.length - text.trimStart().length + (place % text.length);
        const broken = text.slice(0, solid) + put + text.slice(solid + cut);
        const [outcome, right] = [parsed(broken), expected(broken)];
        assert.equal('value' in outcome, 'value' in right, broken.slice(0, 200));
        if ('value' in outcome && 'value' in right) assert.deepEqual(outcome.value, right.value);
        if (!('reason' in outcome && 'reason' in right)) return;
        const [ours, theirs] = [outcome, right].map(({ reason }) => /at position \d+/.exec(reason)?.[0]);
        if (broken.length <= EXACT && ours !== undefined && theirs !== undefined) assert.equal(ours, theirs);
      }),
      { numRuns: 150 },
    );
  });

  it('can be interrupted between the elements of long arrays and objects, at every level', () => {
    const element = { values: { a: { type: 'String', value: 'x'.repeat(1_000) } } };
    const records = JSON.stringify(Array(80).fill(element));
    assert.ok(parsed(records).steps >= 79);
    const one = JSON.stringify({ values: { a: { type: 'Array', value: Array(80).fill(element) } } });
    assert.ok(parsed(one).steps >= 79);
  });

  it('accepts bodies at the limits of depth and number', () => {
    const within = [
      '['.repeat(LEVELS_MAX) + ' '.repeat(LONG) + ']'.repeat(LEVELS_MAX),
      `[${filled(ELEMENTS_MAX, '12345')}]`,
      `{${Array.from({ length: MEMBERS_MAX }, (_, index) => `"member ${index}":"${'x'.repeat(50)}"`).join(',')}}`,
      `[${filled(5_000, '{"type":"Object","value":{}}')}]`,
    ];
    for (const text of within) assert.deepEqual({ ...parsed(text), steps: 0 }, { value: JSON.parse(text), steps: 0 });
    const records = `[${filled(RECORDS_MAX, `{"values":{}${' '.repeat(1_000)}}`)}]`;
    assert.ok('value' in parsed(records, RECORDS_MAX));
  });

  it('refuses bodies beyond the limits before parsing', () => {
    const beyond: Record<string, string> = {
      'the body nests deeper than 32 levels': '['.repeat(1_000_000),
      'the body has an array of more than 10000 elements': `[${filled(ELEMENTS_MAX + 1, '12345')}]`,
      'the body has an object of more than 1000 members': `{${filled(MEMBERS_MAX + 1, '"abc":12')}}`,
      'the body has more objects and arrays than fit its length': `[${filled(9_000, '[]')}]`,
    };
    for (const [reason, text] of Object.entries(beyond)) {
      const outcome = parsed(text.padEnd(LONG, ' '));
      assert.equal('reason' in outcome && outcome.reason.replace(/ \(at position \d+\)$/, ''), reason);
    }
    assert.deepEqual(
      { ...parsed(`[${filled(RECORDS_MAX + 1, '{}')}`, RECORDS_MAX), steps: 0 },
      { reason: 'TOO_MANY_RECORDS', steps: 0 },
    );
  });
});
