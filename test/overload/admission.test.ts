// Who is worked on and who waits, without a server around it. 12 places: 9 for who is alone, 2 for each beside others.

import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { Fault, fault, refusalReason } from '../../src/faults.ts';
import { Admission, type AdmissionBounds } from '../../src/gate/admission.ts';
import { Deadlines } from '../../src/http/clients/deadlines.ts';
import { LoopTime } from '../../src/load/loop-time.ts';
import { RequestScope } from '../../src/request/request-scope.ts';
import { until } from '../support/until.ts';

const BOUNDS = { slots: 12, waitingEachMax: 10, waitingMax: 100, waitMs: 60_000 };
const ALONE = 9;
const BESIDE_OTHERS = 2;

let scopes = 0;
function scopeOf(tenant: string): RequestScope {
  scopes += 1;
  const scope = new RequestScope(String(scopes), 30_000);
  scope.tenant = tenant;
  return scope;
}

const isBusy = (error: unknown) =>
  error instanceof Fault && error.code === 'UNAVAILABLE' && (error.params as { reason: string }).reason === 'busy';

/** A server's front with those who came to it, and what became of each. */
function front(bounds: Partial<AdmissionBounds> = {}, loopTime = new LoopTime(), isLoopFull = () => false) {
  const admission = new Admission({ ...BOUNDS, ...bounds }, loopTime, isLoopFull);
  const enter = (tenant: string) => {
    const scope = scopeOf(tenant);
    const turn = admission.enter(scope);
    const came = { scope, turn, refused: undefined as unknown };
    turn?.catch((error: unknown) => {
      came.refused = error;
    });
    return came;
  };
  const many = (tenant: string, count: number) => Array.from({ length: count }, () => enter(tenant));
  return { admission, enter, many };
}

const admittedOf = (came: readonly { scope: RequestScope }[]): boolean[] => came.map(({ scope }) => scope.admitted);

describe('admission', () => {
  // Its own look at those who wait keeps no process alive; a server's connections do.
  const alive = setInterval(() => undefined, 1_000);
  after(() => clearInterval(alive));

  it('counts the short requests of other tenants that have ended lately', () => {
    const { admission, enter } = front();
    const came = [enter('a'), enter('a'), enter('b')];
    came[1]!.scope.heavy = true;
    for (const { scope } of came) admission.leave(scope);
    assert.deepEqual([admission.shortBeside('a'), admission.shortBeside('b'), admission.shortBeside('c')], [1, 1, 2]);
  });

  it('lets a request that has waited elsewhere go on at once where its slot may never come free', async () => {
    const { admission, many } = front();
    const came = many('a', ALONE + 1);
    const { scope } = came[0]!;
    const waited = admission.withoutSlot(scope, async () => scope.admitted, { atOnce: true });
    assert.equal(await waited, false);
    assert.deepEqual([scope.admitted, admission.slotsTaken], [true, ALONE + 1]);
    admission.leave(scope);
    assert.equal(admission.slotsTaken, ALONE);
  });

  describe('a tenant that has filled the event loop', () => {
    /** Slots beside others, and for the tenant that has filled the event loop. */
    const [EACH, HELD] = [8, 2];
    const MEGABYTE = 2 ** 20;

    function filled() {
      const loop = { full: true };
      const all = front({ slots: 48, waitingEachMax: 100 }, new LoopTime(), () => loop.full);
      const other = all.enter('b');
      // Half a second of the event loop, by the estimate for replies.
      all.admission.leave(all.enter('a').scope, 50 * MEGABYTE);
      const came = all.many('a', EACH);
      return { ...all, loop, other, came };
    }

    it('is held to few slots also while the loop is not full, until it uses little', ({ mock }) => {
      const { admission, many, loop, came } = filled();
      assert.equal(admittedOf(came).filter(Boolean).length, HELD);
      loop.full = false;
      const later = many('a', 1);
      assert.deepEqual(admittedOf(later), [false]);
      let now = performance.now();
      mock.method(performance, 'now', () => now);
      for (let round = 0; round < 2; round++) {
        now += 1_100;
        admission.isBesideOthers('a');
      }
      assert.equal(admittedOf([...came, ...later]).filter(Boolean).length, EACH);
    });

    it('keeps a slot for a while after each request, if others send requests', async ({ mock }) => {
      const { admission, enter, other, came } = filled();
      mock.timers.enable({ apis: ['setTimeout'] });
      const [first, second] = came.filter(({ scope }) => scope.admitted);
      const taken = admission.slotsTaken;
      admission.leave(first!.scope, MEGABYTE);
      assert.equal(admission.slotsTaken, taken, 'the next request has the slot: nobody else sends any');
      assert.equal(admittedOf(came).filter(Boolean).length, HELD);
      admission.leave(other.scope);
      for (let n = 0; n < 10; n++) admission.leave(enter('b').scope);
      admission.leave(second!.scope, MEGABYTE);
      assert.equal(admittedOf(came).filter(Boolean).length, HELD - 1);
      mock.timers.tick(30);
      assert.equal(admittedOf(came).filter(Boolean).length, HELD);
    });
  });

  it('forgets tenants that have left also when no request arrives', ({ mock }) => {
    const { admission, enter } = front();
    const [long, left] = [enter('a'), enter('b')];
    admission.leave(left.scope);
    assert.deepEqual([admission.isBesideOthers('a'), admission.shortBeside('a')], [true, 1]);
    const began = performance.now();
    for (const [seconds, beside] of [
      [1.1, true],
      [2.2, false],
    ] as const) {
      const clock = mock.method(performance, 'now', () => began + seconds * 1_000);
      assert.equal(admission.isBesideOthers('a'), beside);
      clock.mock.restore();
    }
    assert.equal(long.scope.admitted, true);
  });

  it('counts no request that only waits for its client', async () => {
    const { admission, enter } = front();
    const { scope } = enter('a');
    await admission.waitForClient(scope, async () => assert.equal(scope.admitted, false));
    assert.deepEqual([scope.admitted, admission.shortBeside('b')], [true, 0]);
  });

  it('lets requests pass at once while there is room, and leaves some to others', () => {
    const { admission, many, enter } = front();
    const came = many('a', ALONE + 2);
    assert.deepEqual(admittedOf(came), [...Array(ALONE).fill(true), false, false]);
    assert.equal(came[0]?.turn, undefined);
    assert.equal(enter('b').turn, undefined);
    assert.deepEqual([admission.slotsTaken, admission.waiting], [ALONE + 1, 2]);
  });

  it('leaves slots to the tenants of other workers while those of one hold theirs', () => {
    const workers: Record<string, object> = { c: {}, other: {} };
    const workerOf = (tenant: string) => workers[tenant.startsWith('other') ? 'other' : 'c'];
    const admission = new Admission(BOUNDS, new LoopTime(), () => false, workerOf);
    const enter = (tenant: string) => {
      const scope = scopeOf(tenant);
      admission.enter(scope)?.catch(() => undefined);
      return scope;
    };
    const hung = Array.from({ length: 12 }, (_, n) => [enter(`c${n}`), enter(`c${n}`)]).flat();
    const admitted = hung.filter((scope) => scope.admitted).length;
    assert.equal(admitted, 8);
    assert.deepEqual([enter('other1').admitted, enter('other2').admitted], [true, true]);
    for (const scope of hung.slice(0, 4)) admission.leave(scope);
    assert.ok(hung.filter((scope) => scope.admitted).length >= 6, 'slots that become free are used');
  });

  it('gives a free slot to the request that has waited longest', async () => {
    const { admission, many } = front();
    const came = many('a', ALONE + 2);
    admission.leave(came[0]!.scope);
    await came[ALONE]?.turn;
    assert.deepEqual(admittedOf(came.slice(ALONE)), [true, false]);
    admission.leave(came[0]!.scope);
    assert.deepEqual(admittedOf(came.slice(ALONE)), [true, false], 'who leaves twice leaves once');
  });

  it('takes no slot back, and gives a tenant beside others no more than its part', () => {
    const { admission, many, enter } = front();
    const loud = many('a', ALONE + 4);
    const quiet = enter('b');
    assert.equal(quiet.turn, undefined);
    for (const { scope } of loud.slice(0, ALONE - BESIDE_OTHERS)) admission.leave(scope);
    assert.deepEqual(admittedOf(loud.slice(ALONE)), [false, false, false, false]);
    admission.leave(loud[ALONE - BESIDE_OTHERS]!.scope);
    assert.deepEqual(admittedOf(loud.slice(ALONE)), [true, false, false, false]);
  });

  it('admits next the waiting tenant that has used the least, and alternates among equals', () => {
    const { admission, many } = front({ slots: 1 });
    const [first] = many('a', 1);
    const waiting = [...many('a', 3), ...many('b', 2), ...many('c', 1)];
    const order: string[] = [];
    for (let at: RequestScope | undefined = first?.scope; at !== undefined; ) {
      admission.leave(at);
      at = waiting.map(({ scope }) => scope).find(({ admitted }) => admitted);
      if (at !== undefined) order.push(at.tenant);
    }
    assert.deepEqual(order, ['b', 'c', 'a', 'b', 'a', 'a']);
    assert.equal(admission.slotsTaken, 0);
  });

  it('admits last the tenant that has used much of the event loop', () => {
    const loopTime = new LoopTime();
    const { admission, many } = front({ slots: 1 }, loopTime);
    const [first] = many('a', 1);
    const waiting = [...many('a', 1), ...many('b', 2), ...many('c', 1)];
    loopTime.charge('b', 10_000);
    const order: string[] = [];
    for (let at: RequestScope | undefined = first?.scope; at !== undefined; ) {
      admission.leave(at);
      at = waiting.map(({ scope }) => scope).find(({ admitted }) => admitted);
      if (at !== undefined) order.push(at.tenant);
    }
    assert.deepEqual(order, ['c', 'a', 'b', 'b']);
  });

  it('gives fewer slots to a tenant beside others that has used much of the event loop', () => {
    const loopTime = new LoopTime();
    const bounds = { slots: 48 };
    const places = (tenant: string) => admittedOf(many(tenant, 12)).filter(Boolean).length;
    const { many, enter } = front(bounds, loopTime);
    enter('c');
    loopTime.charge('a', 10_000);
    assert.deepEqual([places('a'), places('b')], [2, 8]);
    const alone = front(bounds, loopTime);
    assert.ok(alone.many('a', 12).every(({ turn }) => turn === undefined));
  });

  it('gives fewer slots to a tenant beside others with many ordinary requests while the event loop is full', () => {
    for (const [isFull, places] of [
      [true, 2],
      [false, 8],
    ] as const) {
      const { admission, many, enter } = front({ slots: 48 }, new LoopTime(), () => isFull);
      enter('b');
      for (let i = 0; i < 100; i++) admission.leave(enter('a').scope, 2 ** 20);
      assert.equal(admittedOf(many('a', 12)).filter(Boolean).length, places);
    }
  });

  it('gives more slots to a tenant that is alone again', async () => {
    const { admission, many, enter } = front();
    admission.leave(enter('b').scope);
    const loud = many('a', ALONE);
    assert.equal(admission.slotsTaken, BESIDE_OTHERS);
    await Promise.all(loud.map(({ turn }) => turn));
    assert.equal(admission.slotsTaken, ALONE);
    for (const { scope } of loud) admission.leave(scope);
  });

  it('refuses at once when too many of an application wait, or too many in all', async () => {
    const { many, enter } = front({ waitingEachMax: 2, waitingMax: 3 });
    many('a', ALONE + 2);
    await assert.rejects(enter('a').turn ?? Promise.resolve(), isBusy);
    const others = many('b', BESIDE_OTHERS + 2);
    await assert.rejects(others.at(-1)?.turn ?? Promise.resolve(), isBusy);
  });

  it('says when to come again by how fast it goes', async () => {
    const { admission, many, enter } = front({ waitingEachMax: 25 });
    const retryAfter = async () => {
      const refused: unknown = await enter('a').turn?.catch((error: unknown) => error);
      assert.ok(refused instanceof Fault);
      return Number(refused.headers['retry-after']);
    };
    many('a', ALONE + 25);
    assert.equal(await retryAfter(), 10, 'while nothing is finished');
    assert.equal(admission.waiting, 25);
    const quick = front({ waitingEachMax: 1 });
    quick.many('a', ALONE + 1);
    const refused: unknown = await quick.enter('a').turn?.catch((error: unknown) => error);
    assert.equal((refused as Fault).headers['retry-after'], '1');
  });

  it('refuses requests that have waited too long, and no others', async () => {
    const { admission, many, enter } = front({ waitMs: 150 });
    const held = many('a', ALONE);
    const late = enter('a');
    await assert.rejects(late.turn ?? Promise.resolve(), isBusy);
    admission.leave(held[0]!.scope);
    assert.equal(late.scope.admitted, false);
    assert.equal(enter('a').turn, undefined);
    assert.deepEqual([admission.slotsTaken, admission.waiting], [ALONE, 0]);
  });

  it('says of a deadline that passes whether anything was begun, and when to come again', async () => {
    const { admission, many } = front();
    const came = many('a', ALONE + 8);
    const deadlines = new Deadlines(0, admission);
    for (const { scope } of came) {
      scope.deadlineAt = 0;
      deadlines.watch(scope, { method: 'POST' } as IncomingMessage);
    }
    await until('them to be stopped', () => came.every(({ scope }) => scope.signal.reason !== undefined));
    deadlines.close();
    const told = came.map(({ scope }) => scope.signal.reason && refusalReason(scope.signal.reason));
    assert.deepEqual(told, [...Array(ALONE).fill('deadline'), ...Array(8).fill('busy')]);
    assert.equal(came[0]?.scope.signal.reason?.headers['retry-after'], '8', 'those who wait come first');
    assert.equal(admission.waiting, 0);
  });

  it('removes a request that is cancelled while it waits', async () => {
    const { admission, many, enter } = front();
    const held = many('a', ALONE);
    const [stopped, next] = [enter('a'), enter('a')];
    const why = fault('UNAVAILABLE', { reason: 'deadline' });
    stopped.scope.cancel(why);
    await assert.rejects(stopped.turn ?? Promise.resolve(), (error) => error === why);
    admission.leave(held[0]!.scope);
    assert.deepEqual(admittedOf([stopped, next]), [false, true]);
    next.scope.cancel(why);
    assert.equal(admission.slotsTaken, ALONE, 'what is stopped at work has its place until it has ended');
    assert.throws(
      () => admission.enter(stopped.scope),
      (error) => error === why,
    );
  });

  it('gives a request that waits for its client neither a slot nor a running deadline', async () => {
    const { admission, many } = front();
    const [one, ...others] = many('a', ALONE + 1);
    const { scope } = one!;
    const { deadlineAt } = scope;
    let finish: (value: string) => void = () => undefined;
    const aside = admission.waitForClient(scope, () => new Promise<string>((resolve) => (finish = resolve)));
    assert.equal(scope.deadlineAt, Number.POSITIVE_INFINITY);
    assert.deepEqual(admittedOf(others), Array(ALONE).fill(true), 'the place is passed on');
    finish('done');
    await new Promise((resolve) => setImmediate(resolve));
    assert.ok(scope.deadlineAt >= deadlineAt && scope.deadlineAt < deadlineAt + 10_000);
    assert.equal(scope.admitted, false);
    admission.leave(others[0]!.scope);
    assert.equal(await aside, 'done');
    assert.equal(scope.admitted, true);
    const lost = admission.waitForClient(scope, () => Promise.reject(new Error('the client has gone')));
    await assert.rejects(lost, /has gone/);
    assert.equal(scope.admitted, false);
    assert.equal(admission.slotsTaken, ALONE - 1);
  });

  it('keeps its limits whichever requests come, leave and are cancelled', async () => {
    const step = fc.record({
      what: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'leave', 'stop'),
      tenant: fc.constantFrom('a', 'a', 'a', 'b', 'c', 'd', 'e'),
      which: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 120 }), async (steps) => {
        const { admission, enter } = front({ waitingEachMax: 5, waitingMax: 12 });
        let here: ReturnType<typeof enter>[] = [];
        const all: typeof here = [];
        const atWork = () => here.filter(({ scope }) => scope.admitted);
        const waiting = () => here.filter(({ scope, turn }) => turn !== undefined && !scope.admitted);
        const of = (list: typeof here, tenant: string) => list.filter(({ scope }) => scope.tenant === tenant);
        for (const { what, tenant, which } of steps) {
          if (what === 'enter') {
            const came = enter(tenant);
            all.push(came);
            here.push(came);
          } else {
            const some = what === 'leave' ? atWork() : waiting();
            const one = some[which % Math.max(1, some.length)];
            if (one === undefined) continue;
            if (what === 'leave') admission.leave(one.scope);
            else one.scope.cancel(fault('UNAVAILABLE', { reason: 'left' }));
            here = here.filter((other) => other !== one);
          }
          // Refusals arrive by promise.
          await Promise.resolve();
          await Promise.resolve();
          here = here.filter(({ refused }) => refused === undefined);
          assert.equal(admission.slotsTaken, atWork().length);
          assert.equal(admission.waiting, waiting().length);
          assert.ok(admission.slotsTaken <= BOUNDS.slots && admission.waiting <= 12);
          for (const name of 'abcde') {
            const [working, queued] = [of(atWork(), name), of(waiting(), name)];
            assert.ok(working.length <= ALONE && queued.length <= 5);
            const idle = queued.length > 0 && working.length < BESIDE_OTHERS && admission.slotsTaken < BOUNDS.slots;
            assert.ok(!idle, 'somebody waits although there is room');
            const lastIn = Math.max(
              -1,
              ...working.filter(({ turn }) => turn !== undefined).map((one) => all.indexOf(one)),
            );
            assert.ok(
              queued.every((one) => all.indexOf(one) > lastIn || working.length === 0),
              'overtaken by its own',
            );
          }
        }
        for (let left = 0; here.length > 0; left++) {
          const [one] = atWork();
          assert.ok(one !== undefined && left <= all.length, 'somebody waits for ever');
          admission.leave(one.scope);
          here = here.filter((other) => other !== one);
        }
        assert.deepEqual([admission.slotsTaken, admission.waiting], [0, 0]);
        const answers = await Promise.allSettled(all.map(({ turn }) => turn));
        assert.equal(answers.length, all.length);
      }),
      { numRuns: 200 },
    );
  });
});
