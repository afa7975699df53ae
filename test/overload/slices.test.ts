// Long work in slices, by a clock that only the work itself moves.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as comeRound } from 'node:timers/promises';
import fc from 'fast-check';
import { fault } from '../../src/faults.ts';
import { LoopTime } from '../../src/load/loop-time.ts';
import { Slices, type Steps } from '../../src/load/slices.ts';
import { RequestScope } from '../../src/request/request-scope.ts';

const STEP_MS = 1;
/** So long a step never shares its slice with another. */
const LONG_STEP_MS = 10;

/** Slices, and a clock that stands still but for the work and the pauses. */
function bench(beside: { readonly besideOthers?: boolean; readonly shortBeside?: number } = {}) {
  let now = 0;
  const pauses: { readonly until: number; readonly callback: () => void }[] = [];
  const clock = {
    now: () => now,
    after: (milliseconds: number, callback: () => void) => {
      pauses.push({ until: now + milliseconds, callback });
    },
  };
  const loopTime = new LoopTime(clock.now);
  /** Requests in progress, by tenant. */
  const inProgress = new Map<string, number>();
  const others = {
    isBesideOthers: () => beside.besideOthers ?? true,
    shortBeside: () => beside.shortBeside ?? 0,
    inProgressBeside: (tenant: string) =>
      [...inProgress].reduce((sum, [name, count]) => (name === tenant ? sum : sum + count), 0),
  };
  const slices = new Slices(loopTime, others, clock);
  /** Whose steps were taken, in order. */
  const taken: string[] = [];
  function* work(name: string, steps: number, stepMs: number): Steps<string> {
    for (let step = 0; step < steps; step += 1) {
      if (step > 0) yield;
      taken.push(name);
      now += stepMs;
    }
    return name;
  }
  const scopeOf = (tenant: string, heavy: boolean): RequestScope => {
    const scope = new RequestScope(tenant, 30_000);
    scope.tenant = tenant;
    scope.heavy = heavy;
    return scope;
  };
  /** A request with one piece of work. */
  const run = async (name: string, steps: number, { stepMs = STEP_MS, heavy = true } = {}) => {
    const scope = scopeOf(name[0] ?? '', heavy);
    try {
      return await slices.run(scope, work(name, steps, stepMs));
    } finally {
      slices.end(scope);
    }
  };
  /** Lets the pauses pass, up to so many of them. */
  const pass = async (count: number) => {
    for (let passed = 0; passed < count; passed += 1) {
      await comeRound();
      const pause = pauses.shift();
      if (pause === undefined) return;
      now = Math.max(now, pause.until);
      pause.callback();
    }
    await comeRound();
  };
  const wait = (ms: number) => (now += ms);
  return { slices, loopTime, taken, scopeOf, work, run, pass, pauses, inProgress, wait, now: clock.now };
}

const runsOf = (taken: readonly string[]): string[] => taken.filter((name, index) => name !== taken[index - 1]);

describe('slices', () => {
  it('run short work at once, and count no time for it', async () => {
    const { run, taken, loopTime, pauses } = bench();
    const first = run('a', 2, { heavy: false });
    assert.deepEqual(taken, ['a', 'a']);
    assert.equal(await first, 'a');
    assert.deepEqual([loopTime.usedMs('a'), pauses.length], [0, 0]);
  });

  it('yield to other requests when work turns out to be long', async () => {
    const { run, taken, pass } = bench();
    const both = [run('a', 8, { heavy: false }), run('b', 8, { heavy: false })];
    await pass(20);
    assert.deepEqual(await Promise.all(both), ['a', 'b']);
    assert.deepEqual(runsOf(taken), ['a', 'b', 'a', 'b', 'a', 'b', 'a', 'b', 'a', 'b', 'a', 'b']);
  });

  it('go to the application that has used the least, however many another has waiting', async () => {
    const { run, taken, pass, loopTime } = bench();
    loopTime.charge('a', 500);
    const loud = Array.from({ length: 5 }, (_, i) => run(`a${i}`, 6));
    await pass(2);
    const before = taken.length;
    const quiet = run('b', 6);
    await pass(6);
    assert.deepEqual(taken.slice(before), ['b', 'b', 'b', 'b', 'b', 'b']);
    await quiet;
    await pass(50);
    assert.equal((await Promise.all(loud)).length, 5);
  });

  it('finish what an application has begun before they begin more for it', async () => {
    const { run, taken, pass } = bench();
    const all = [run('a1', 9), run('a2', 9), run('a3', 9)];
    await pass(30);
    await Promise.all(all);
    assert.deepEqual(runsOf(taken), ['a1', 'a2', 'a3']);
  });

  it('go on with a request that has begun, also with its next piece of work', async () => {
    const { slices, scopeOf, work, taken, pass } = bench();
    const pieces = async (name: string) => {
      const scope = scopeOf('a', true);
      for (let piece = 0; piece < 3; piece += 1) await slices.run(scope, work(name, 4, STEP_MS));
    };
    const all = Promise.all(['a1', 'a2', 'a3'].map(pieces));
    await pass(50);
    await all;
    assert.deepEqual(runsOf(taken), ['a1', 'a2', 'a3']);
  });

  it('begin only so many requests of an application, and the next when one has ended', async () => {
    const { slices, scopeOf, work, run, taken, pass } = bench();
    const scopes = Array.from({ length: 10 }, () => scopeOf('a', true));
    const first = Promise.all(scopes.map((scope, i) => slices.run(scope, work(`a${i}`, 1, STEP_MS))));
    await pass(20);
    assert.deepEqual(taken, ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7']);
    assert.equal(slices.waiting, 2);
    // One that has begun goes on, and so does another application.
    await Promise.all([slices.run(scopes[3]!, work('a3', 1, STEP_MS)), run('b', 1), pass(5)]);
    assert.deepEqual(taken.slice(8).sort(), ['a3', 'b']);
    slices.end(scopes[0]!);
    slices.end(scopes[0]!);
    await pass(5);
    assert.equal(slices.waiting, 1);
    for (const scope of scopes) slices.end(scope);
    await pass(5);
    await first;
    assert.deepEqual(taken.slice(10), ['a8', 'a9']);
  });

  it('begin one request at a time of an application beside short requests of others', async () => {
    const { slices, scopeOf, work, taken, pass } = bench({ shortBeside: 10 });
    const scopes = Array.from({ length: 3 }, () => scopeOf('a', true));
    const all = scopes.map((scope, n) => slices.run(scope, work(`a${n}`, 1, STEP_MS)));
    await pass(3);
    assert.deepEqual([taken, slices.waiting], [['a0'], 2]);
    slices.end(scopes[0]!);
    await pass(3);
    assert.deepEqual([taken, slices.waiting], [['a0', 'a1'], 1]);
    slices.end(scopes[1]!);
    await pass(3);
    await Promise.all(all);
  });

  it('begin others beside a request that has had no slice for a second, as it waits for something else', async () => {
    const { slices, scopeOf, work, taken, pass, wait } = bench({ shortBeside: 10 });
    const all = ['a0', 'a1'].map((name) => slices.run(scopeOf('a', true), work(name, 1, STEP_MS)));
    await pass(3);
    assert.deepEqual(taken, ['a0']);
    wait(1_000);
    await pass(1);
    assert.deepEqual(taken, ['a0', 'a1']);
    await Promise.all(all);
  });

  it('begin a request that has waited for ten seconds, however often its others have slices', async () => {
    const { slices, scopeOf, work, run, taken, pass, wait, now } = bench({ shortBeside: 10 });
    const scope = scopeOf('a', true);
    await slices.run(scope, work('a0', 1, STEP_MS));
    void run('a1', 1);
    while (!taken.includes('a1') && now() < 30_000) {
      wait(500);
      await Promise.all([slices.run(scope, work('a0', 1, STEP_MS)), pass(4)]);
    }
    assert.ok(now() > 10_000 && now() < 13_000, `${now()}`);
    slices.end(scope);
    await pass(4);
  });

  it('do not keep an application waiting whose others have begun with turns', async () => {
    const { slices, scopeOf, run, pass } = bench({ shortBeside: 10 });
    const scope = scopeOf('a', false);
    await slices.turn(scope, 1);
    const done = run('a', 1);
    await pass(3);
    assert.equal(await done, 'a');
  });

  it('count no request as begun that goes on after it was stopped and has ended', async () => {
    const { slices, scopeOf, work, run, taken, pass } = bench({ shortBeside: 10 });
    const [scope, waiting] = [scopeOf('a', true), scopeOf('a', false)];
    await slices.run(scope, work('a0', 1, STEP_MS));
    const turn = assert.rejects(slices.turn(waiting, 1));
    // Stopped in the moment in which it gets its turn.
    const passing = pass(1);
    await Promise.resolve();
    waiting.cancel(fault('UNAVAILABLE', { reason: 'deadline' }));
    slices.end(waiting);
    await Promise.all([turn, passing]);
    scope.cancel(fault('UNAVAILABLE', { reason: 'deadline' }));
    slices.end(scope);
    await assert.rejects(slices.turn(scope, 1));
    await assert.rejects(slices.run(scope, work('a0', 1, STEP_MS)));
    const next = run('a1', 1);
    await pass(3);
    assert.equal(await next, 'a1');
    assert.deepEqual(taken, ['a0', 'a1']);
  });

  it('begin more again when the others have left', async () => {
    const others = { shortBeside: 10 };
    const { slices, scopeOf, work, taken, pass } = bench(others);
    const all = ['a0', 'a1'].map((name) => slices.run(scopeOf('a', true), work(name, 1, STEP_MS)));
    await pass(3);
    assert.deepEqual(taken, ['a0']);
    others.shortBeside = 0;
    await pass(2);
    assert.deepEqual(taken, ['a0', 'a1']);
    await Promise.all(all);
  });

  it('are shorter beside others', async () => {
    for (const [besideOthers, steps] of [
      [true, 1],
      [false, 3],
    ] as const) {
      const { run, taken, pass } = bench({ besideOthers });
      const done = run('a', 6);
      assert.equal(taken.length, steps);
      await pass(6);
      await done;
    }
  });

  it('pause as long as they took beside others, and alone only for one round of the event loop', async () => {
    for (const besideOthers of [true, false]) {
      const { run, pauses, pass } = bench({ besideOthers });
      const done = run('a', 2, { stepMs: LONG_STEP_MS });
      assert.deepEqual(
        pauses.map(({ until }) => until),
        [besideOthers ? 2 * LONG_STEP_MS : LONG_STEP_MS],
      );
      await pass(3);
      await done;
    }
  });

  it('pause longer the more short requests others send, up to seven times as long as they took', async () => {
    for (const [shortBeside, times] of [
      [5, 1.5],
      [20, 3],
      [1_000, 7],
    ] as const) {
      const { run, pauses, pass } = bench({ shortBeside });
      const done = run('a', 2, { stepMs: LONG_STEP_MS });
      assert.deepEqual(
        pauses.map(({ until }) => until),
        [(1 + times) * LONG_STEP_MS],
      );
      await pass(3);
      await done;
    }
  });

  it('give turns to work that is done elsewhere, and count what it costs', async () => {
    const { slices, scopeOf, loopTime, pass, now } = bench();
    const scope = scopeOf('a', false);
    await slices.turn(scope, 3);
    assert.deepEqual([scope.heavy, loopTime.usedMs('a'), now()], [true, 3, 0]);
    const second = slices.turn(scope, 3);
    assert.equal(slices.waiting, 1);
    await pass(1);
    await second;
    assert.equal(now(), 3);
  });

  it('go to the request of a tenant that began first, whichever asked last', async () => {
    const { slices, scopeOf, pass } = bench();
    const scopes = ['a1', 'a2', 'a3'].map(() => scopeOf('a', false));
    const order: number[] = [];
    const turn = (n: number) => slices.turn(scopes[n]!, 1).then(() => order.push(n));
    const first = Promise.all([0, 1, 2].map(turn));
    await pass(9);
    await first;
    const again = Promise.all([0, 2, 1].map(turn));
    await pass(9);
    await again;
    assert.deepEqual(order, [0, 1, 2, 0, 1, 2]);
  });

  it('pause no longer than they took once a request is near its deadline', async () => {
    const { slices, scopeOf, work, wait, pauses, pass, now } = bench({ shortBeside: 1_000 });
    const scope = Object.assign(scopeOf('a', true), { startedAt: 0 });
    wait(11_000);
    const done = slices.run(scope, work('a', 2, LONG_STEP_MS));
    assert.deepEqual(
      pauses.map(({ until }) => until - now()),
      [LONG_STEP_MS],
    );
    await pass(3);
    await done;
  });

  it('give such turns also while many requests have begun, and none to a request that was stopped', async () => {
    const { slices, scopeOf, work, pass } = bench();
    const begun = Array.from({ length: 8 }, () => scopeOf('a', true));
    await Promise.all([...begun.map((scope) => slices.run(scope, work('a', 1, STEP_MS))), pass(20)]);
    const [first, stopped, last] = [scopeOf('a', false), scopeOf('a', false), scopeOf('a', false)];
    const turns = [first, stopped, last].map((scope) => slices.turn(scope, 1));
    stopped.cancel(fault('UNAVAILABLE', { reason: 'deadline' }));
    await assert.rejects(turns[1]!, (error) => error === stopped.signal.reason);
    await pass(5);
    await Promise.all([turns[0], turns[2]]);
    assert.equal(slices.waiting, 0);
  });

  it('wait for the requests of others that are in progress, for four milliseconds at most', async () => {
    const { run, taken, pass, pauses, inProgress, now } = bench();
    inProgress.set('b', 1);
    const done = run('a', 3);
    assert.deepEqual(taken, ['a']);
    // The pause, and four looks at the request of the other.
    await pass(4);
    assert.deepEqual([taken, now()], [['a'], 5]);
    await pass(1);
    assert.deepEqual([taken, now()], [['a', 'a'], 7]);
    // The request ends during the second look.
    await pass(2);
    assert.equal(taken.length, 2);
    inProgress.delete('b');
    await pass(1);
    assert.deepEqual([taken.length, now()], [3, 11]);
    await pass(5);
    assert.equal(await done, 'a');
    assert.equal(pauses.length, 0);
  });

  it('do not wait for requests of their own tenant, nor for heavy ones of others', async () => {
    const { run, taken, pass, inProgress, now } = bench();
    const both = ['a', 'b'].map((name) => {
      inProgress.set(name, 1);
      return run(name, 2).finally(() => inProgress.delete(name));
    });
    await pass(20);
    assert.deepEqual(await Promise.all(both), ['a', 'b']);
    assert.deepEqual([taken, now()], [['a', 'b', 'a', 'b'], 8]);
  });

  it('forget what was used by and by', () => {
    const { loopTime, wait } = bench();
    loopTime.charge('a', 100);
    wait(1_000);
    assert.ok(Math.abs(loopTime.usedMs('a') - 50) < 1e-9);
    loopTime.charge('a', 50);
    wait(1_000);
    assert.ok(Math.abs(loopTime.usedMs('a') - 50) < 1e-9);
    assert.equal(loopTime.usedMs('b'), 0);
  });

  it('are left by a request that is stopped, and pass on to the next', async () => {
    const { slices, taken, scopeOf, work, run, pass } = bench();
    const first = run('a', 2, { stepMs: LONG_STEP_MS });
    const stopped = scopeOf('b', true);
    const second = slices.run(stopped, work('b', 2, STEP_MS));
    const third = run('c', 1);
    assert.equal(slices.waiting, 3);
    stopped.cancel(fault('UNAVAILABLE', { reason: 'deadline' }));
    await assert.rejects(second, (error) => error === stopped.signal.reason);
    await pass(10);
    assert.deepEqual(await Promise.all([first, third]), ['a', 'c']);
    assert.equal(taken.includes('b'), false);
    assert.equal(slices.waiting, 0);
  });

  it('pass on when work fails', async () => {
    const { slices, scopeOf, run, pass } = bench();
    // biome-ignore lint/correctness/useYield: it fails before it would
    const failing = (function* (): Steps<never> {
      throw new Error('failed');
    })();
    await assert.rejects(slices.run(scopeOf('a', true), failing), /failed/);
    const next = run('b', 1);
    await pass(3);
    assert.equal(await next, 'b');
  });

  it('let everybody finish, whatever others go on sending', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), steps: fc.integer({ min: 1, max: 30 }) }), {
          minLength: 1,
          maxLength: 12,
        }),
        async (works) => {
          const { run, taken, pass } = bench();
          let open = works.length;
          for (const { name, steps } of works) void run(name, steps).then(() => (open -= 1));
          const expected = works.reduce((sum, { steps }) => sum + steps, 0);
          // New light work of an application that has used nothing, before each slice.
          const turnsMax = 200 + 6 * expected;
          for (let turn = 0; open > 0 && turn < turnsMax; turn += 1) {
            void run(`x${turn}`, 1);
            await pass(1);
          }
          assert.equal(open, 0, 'all are done');
          assert.equal(taken.filter((name) => name[0] !== 'x').length, expected);
        },
      ),
      { numRuns: 20 },
    );
  });
});
