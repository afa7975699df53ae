// Selecting many records, and doing the same to each of them once.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  EVERYTHING,
  isNothing,
  isSelected,
  NOTHING,
  selectedCount,
  withSelected,
} from '../../console/src/many/record-selection.ts';
import { runMany } from '../../console/src/many/run-many.ts';

describe('selected records', () => {
  it('are some by their IDs, or all but a few', () => {
    const some = withSelected(withSelected(NOTHING, ['a', 'b', 'c'], true), ['b'], false);
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((id) => isSelected(some, id)),
      [true, false, true, false],
    );
    assert.equal(selectedCount(some, undefined), 2);
    const most = withSelected(withSelected(EVERYTHING, ['a', 'b'], false), ['b'], true);
    assert.deepEqual(
      ['a', 'b', 'z'].map((id) => isSelected(most, id)),
      [false, true, true],
    );
    assert.deepEqual([selectedCount(most, 10), selectedCount(most, undefined)], [9, undefined]);
    assert.ok(isNothing(withSelected(some, ['a', 'c'], false)));
    assert.ok(!isNothing(EVERYTHING));
  });
});

describe('the same for many records', () => {
  const targets = Array.from({ length: 50 }, (_, index) => index);
  const options = { concurrency: 4, isRefusal: (error: unknown) => error === 'refused', onProgress: () => undefined };

  it('is tried once for each, a few at a time, and refusals are told', async () => {
    const tried: number[] = [];
    let [now, most] = [0, 0];
    const { signal } = new AbortController();
    const outcome = await runMany(
      targets,
      async (target) => {
        tried.push(target);
        now += 1;
        most = Math.max(most, now);
        await Promise.resolve();
        now -= 1;
        if (target % 10 === 3) throw 'refused';
      },
      { ...options, signal },
    );
    assert.deepEqual(tried, targets);
    assert.equal(most, 4);
    assert.deepEqual([outcome.done, outcome.left, outcome.halted], [45, [], undefined]);
    assert.deepEqual(
      outcome.refused.map(({ target }) => target),
      [3, 13, 23, 33, 43],
    );
  });

  it('ends when it is stopped, or the server cannot go on, and says what is left', async () => {
    const stop = new AbortController();
    const stopped = await runMany(
      targets,
      async (target) => {
        await Promise.resolve();
        if (target === 9) stop.abort();
      },
      { ...options, signal: stop.signal },
    );
    assert.equal(stopped.done + stopped.left.length, 50);
    assert.deepEqual(stopped.left, targets.slice(stopped.done), 'nothing is left out, nothing is twice');
    const halted = await runMany(
      targets,
      async (target) => {
        await Promise.resolve();
        if (target === 20) throw 'away';
      },
      { ...options, signal: new AbortController().signal },
    );
    assert.equal(halted.halted, 'away');
    assert.ok(halted.left.includes(20));
    assert.equal(halted.done + halted.left.length, 50);
  });
});
