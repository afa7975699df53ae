// The checker of histories against histories whose answer is known. A step is written as it happened: what was called, from
// when to when, and what was replied.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { rootPath } from '../support/markdown.ts';

interface Step {
  kind: string;
  called: number;
  returned: number;
  id?: string;
  value?: number;
  expected?: number;
  reply?: { status: number; id?: string; value?: number };
}
interface Checker {
  judgeHistory(history: readonly Step[], triesMax?: number): { verdict: string; tried: number };
}

const { judgeHistory }: Checker = await import(rootPath('torture/linearizability.mjs').href);
const { seeded } = await import(rootPath('torture/random.mjs').href);

type Span = readonly [called: number, returned: number];
const ok = (id: string, value: number) => ({ status: 200, id, value });
const during = ([called, returned]: Span) => ({ called, returned });
const upsert = (span: Span, value: number, id: string): Step => ({
  ...{ kind: 'upsert', value, reply: ok(id, value) },
  ...during(span),
});
const read = (span: Span, id?: string, value?: number): Step => ({
  ...{ kind: 'read', reply: id === undefined || value === undefined ? { status: 200 } : ok(id, value) },
  ...during(span),
});
const named = (kind: string, span: Span, id: string, status: number, value?: number): Step => ({
  ...{ kind, id, ...during(span), reply: { status, ...(status === 200 ? ok(id, value ?? 0) : {}) } },
  ...(kind === 'put' && value !== undefined ? { value } : {}),
});
const unanswered = (step: Step): Step => {
  const { reply: _reply, ...rest } = step;
  return { ...rest, returned: Number.POSITIVE_INFINITY };
};
const conditional = (step: Step, expected: number): Step => ({ ...step, expected });

const HISTORIES: Record<string, { right: boolean; steps: Step[] }> = {
  'nothing at all': { right: true, steps: [] },
  'one after the other': {
    right: true,
    steps: [upsert([0, 1], 1, 'ra'), read([2, 3], 'ra', 1), named('put', [4, 5], 'ra', 200, 2), read([6, 7], 'ra', 2)],
  },
  'a read of what was overwritten before it began': {
    right: false,
    steps: [upsert([0, 1], 1, 'ra'), named('put', [2, 3], 'ra', 200, 2), read([4, 5], 'ra', 1)],
  },
  'a read beside a write, of the old or the new value': {
    right: true,
    steps: [upsert([0, 1], 1, 'ra'), named('put', [2, 9], 'ra', 200, 2), read([3, 4], 'ra', 1), read([5, 6], 'ra', 2)],
  },
  'a new value and then the old one again, beside a write': {
    right: false,
    steps: [upsert([0, 1], 1, 'ra'), named('put', [2, 9], 'ra', 200, 2), read([3, 4], 'ra', 2), read([5, 6], 'ra', 1)],
  },
  'two conditional writes of which one wins': {
    right: true,
    steps: [
      upsert([0, 1], 1, 'ra'),
      conditional(named('put', [2, 6], 'ra', 200, 2), 1),
      conditional(named('put', [3, 7], 'ra', 412, 3), 1),
      read([8, 9], 'ra', 2),
    ],
  },
  'two conditional writes that both win': {
    right: false,
    steps: [
      upsert([0, 1], 1, 'ra'),
      conditional(named('put', [2, 6], 'ra', 200, 2), 1),
      conditional(named('put', [3, 7], 'ra', 200, 3), 1),
    ],
  },
  'a conditional write that is refused though nothing changed': {
    right: false,
    steps: [upsert([0, 1], 1, 'ra'), conditional(named('put', [2, 3], 'ra', 412, 2), 1)],
  },
  'a record that is deleted and made again with another ID': {
    right: true,
    steps: [
      upsert([0, 1], 1, 'ra'),
      named('delete', [2, 3], 'ra', 204),
      read([4, 5]),
      upsert([6, 7], 2, 'rb'),
      named('get', [8, 9], 'ra', 404),
      named('get', [8, 9], 'rb', 200, 2),
    ],
  },
  'a deleted record that comes back': {
    right: false,
    steps: [upsert([0, 1], 1, 'ra'), named('delete', [2, 3], 'ra', 204), named('get', [4, 5], 'ra', 200, 1)],
  },
  'a record that was deleted twice': {
    right: false,
    steps: [upsert([0, 1], 1, 'ra'), named('delete', [2, 6], 'ra', 204), named('delete', [3, 7], 'ra', 204)],
  },
  'two upserts that make two records of one key': {
    right: false,
    steps: [upsert([0, 5], 1, 'ra'), upsert([1, 6], 2, 'rb')],
  },
  'an acknowledged write that is lost': {
    right: false,
    steps: [upsert([0, 1], 1, 'ra'), named('put', [2, 3], 'ra', 200, 2), read([4, 5])],
  },
  'a write without a reply that was done': {
    right: true,
    steps: [upsert([0, 1], 1, 'ra'), unanswered(named('put', [2, 3], 'ra', 200, 2)), read([9, 10], 'ra', 2)],
  },
  'a write without a reply that was not done': {
    right: true,
    steps: [upsert([0, 1], 1, 'ra'), unanswered(named('put', [2, 3], 'ra', 200, 2)), read([9, 10], 'ra', 1)],
  },
  'a write without a reply that was done late': {
    right: true,
    steps: [
      upsert([0, 1], 1, 'ra'),
      unanswered(named('put', [2, 3], 'ra', 200, 2)),
      read([5, 6], 'ra', 1),
      read([9, 10], 'ra', 2),
    ],
  },
  'a write without a reply that was done twice': {
    right: false,
    steps: [
      upsert([0, 1], 1, 'ra'),
      unanswered(named('put', [2, 3], 'ra', 200, 2)),
      read([5, 6], 'ra', 2),
      named('put', [7, 8], 'ra', 200, 3),
      read([9, 10], 'ra', 2),
    ],
  },
  'a creation without a reply, whose ID a read shows': {
    right: true,
    steps: [unanswered(upsert([0, 1], 1, '')), read([5, 6], 'ra', 1), named('get', [7, 8], 'ra', 200, 1)],
  },
  'a creation without a reply, seen with two IDs': {
    right: false,
    steps: [unanswered(upsert([0, 1], 1, '')), read([5, 6], 'ra', 1), read([7, 8], 'rb', 1)],
  },
  'a write that is seen before it was called': {
    right: false,
    steps: [upsert([0, 1], 1, 'ra'), read([2, 3], 'ra', 2), unanswered(named('put', [4, 5], 'ra', 200, 2))],
  },
};

describe('the checker of histories', () => {
  for (const [name, { right, steps }] of Object.entries(HISTORIES)) {
    it(`finds ${name} ${right ? 'possible' : 'impossible'}`, () => {
      assert.equal(judgeHistory(steps).verdict, right ? 'linearizable' : 'violation');
      assert.equal(judgeHistory([...steps].reverse()).verdict, right ? 'linearizable' : 'violation', 'in any order');
    });
  }

  /** Of a register that is one: each step takes effect at a moment of its own within its span. */
  function trueHistory(seed: number, length: number): Step[] {
    const random = seeded(seed);
    let state: { id: string; value: number } | undefined;
    const steps: Step[] = [];
    for (let moment = 10; moment < length * 10; moment += 10) {
      const span: Span = [moment - random.between(0, 30), moment + 1 + random.between(0, 30)];
      const before = state;
      if (before === undefined || random.chance(0.3)) {
        state = { id: before?.id ?? `r${moment}`, value: moment };
        const step = upsert(span, moment, state.id);
        // Of a creation without a reply nobody knows the ID, which the steps below name.
        steps.push(before !== undefined && random.chance(0.2) ? unanswered(step) : step);
      } else if (random.chance(0.15)) {
        state = undefined;
        steps.push(named('delete', span, before.id, 204));
      } else if (random.chance(0.5)) {
        state = { id: before.id, value: moment };
        steps.push(conditional(named('put', span, before.id, 200, moment), before.value));
      } else steps.push(read(span, before.id, before.value));
    }
    return steps;
  }

  it('accepts what a single register has done, and refuses one value that it never had', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const steps = trueHistory(seed, 120);
      assert.equal(judgeHistory(steps).verdict, 'linearizable', `seed ${seed}`);
      const reads = steps.filter(({ kind, reply }) => kind === 'read' && reply?.value !== undefined);
      const wrong = reads[seed % reads.length];
      assert.ok(wrong?.reply?.value !== undefined);
      wrong.reply.value = -1;
      assert.equal(judgeHistory(steps).verdict, 'violation', `seed ${seed}`);
    }
  });

  it('gives up when there is too much to try, and says so', () => {
    const { steps } = HISTORIES['two conditional writes that both win'] ?? { steps: [] };
    assert.equal(judgeHistory(steps, 2).verdict, 'undecided');
  });
});
