// How many requests are worked on at once, and whose. What is beyond it waits for its turn, which goes to the application that has
// used the least time lately; what has waited too long, or finds too many waiting, is refused (docs/architecture.md, "Overload").

import { tooBusy } from '../faults.ts';
import { FairQueue } from '../request/fair-queue.ts';
import { LoopTime } from '../request/loop-time.ts';
import type { RequestScope, Stopping } from '../request/request-scope.ts';

export interface AdmissionBounds {
  /** Worked on at once. */
  readonly atOnceMax: number;
  /** Waiting, of one application and of all. */
  readonly waitingEachMax: number;
  readonly waitingMax: number;
  readonly waitMs: number;
}

/** An application, or all those together that nobody knows. */
interface Share {
  atWork: number;
  /** In this round, and in the last one. */
  left: number;
  leftBefore: number;
  /** What those took of the event loop, about. */
  usedMs: number;
  usedMsBefore: number;
  seen: boolean;
}

interface Waiter {
  readonly scope: RequestScope;
  readonly since: number;
  readonly go: () => void;
  readonly refuse: (error: unknown) => void;
  readonly stopped: () => void;
}

/** An application counts as active for a round or two behind its last request. */
const ROUND_MS = 1_000;
const LOOK_MS = 100;
const RETRY_SECONDS_MAX = 10;
/**
 * What of all places one application may have: alone, and beside others. Alone it leaves some: what it has at work may wait
 * for a lock, and whoever comes then must not. Beside others it has no more than keeps the machine busy, since whatever
 * is at work makes all else that is take longer. With 24, 12, 8 and 6 of 48 places for one that sends ten times its share,
 * another's p99 grew 3.2, 1.4 to 2.4, 0.9 to 1.5 and 1.1 times, and 2.5 times without a bound (`npm run bench -- fairness`, on two
 * cores that had much other work; 24 and 6 were measured once, before store/database/shares had the same rule). Few places cost
 * some: with 6, 8, 12 and any number at work for 32 connections, a get took about 326, 314, 286 and 269 µs of the server's
 * time, as there is less to put together into one write; with lists and creates no difference stood out from the noise.
 */
const ALONE = 3 / 4;
const BESIDE_OTHERS = 1 / 6;
/**
 * Of that, beside others, one whose requests have kept the event loop busy lately: with long work, which keeps the database busy as
 * well, or with much of everyday's while the event loop has no rest. What is at work is taken up in one turn of the event
 * loop, which each of another's requests waits for a few times.
 */
const HEAVY = 1 / 4;
/** What a request takes of the event loop besides what was measured of it, about: an ordinary one, and a megabyte of its answer. */
const REQUEST_MS = 0.2;
const ANSWER_MB_MS = 10;

export class Admission {
  readonly #bounds: AdmissionBounds;
  readonly #shares = new Map<string, Share>();
  readonly #turns: FairQueue<Waiter>;
  readonly #loopTime: LoopTime;
  readonly #isLoopFull: () => boolean;
  readonly #hasRoom = (name: string) => this.#mayHaveMore(name, this.#shareOf(name));
  readonly #cost = (name: string, { since }: Waiter): number => {
    const { usedMs, usedMsBefore } = this.#shareOf(name);
    return this.#loopTime.cost(name, since) + usedMs + usedMsBefore;
  };
  #atWork = 0;
  /** Places that one application may have. */
  #part: number;
  readonly #heavyPart: number;
  #roundEndsAt = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(bounds: AdmissionBounds, loopTime = new LoopTime(), isLoopFull = () => false) {
    this.#bounds = bounds;
    this.#loopTime = loopTime;
    this.#isLoopFull = isLoopFull;
    this.#turns = new FairQueue({ eachMax: bounds.waitingEachMax, allMax: bounds.waitingMax });
    this.#part = this.#partOf(1);
    this.#heavyPart = Math.max(1, Math.floor(this.#partOf(2) * HEAVY));
  }

  get atWork(): number {
    return this.#atWork;
  }

  get waiting(): number {
    return this.#turns.size;
  }

  /** By when those of the application who wait now will have had their turn, going by how many had theirs in the last second. */
  secondsFor({ share }: RequestScope): number {
    const seconds = Math.ceil(this.#turns.lengthOf(share) / Math.max(1, this.#shares.get(share)?.leftBefore ?? 0));
    return Math.min(RETRY_SECONDS_MAX, Math.max(1, seconds));
  }

  /** Undefined when it may go on at once. Who finds no room to wait either is refused. */
  enter(scope: RequestScope): Promise<void> | undefined {
    if (scope.stopped !== undefined) throw scope.stopped;
    if (scope.startedAt > this.#roundEndsAt) this.#turnRound();
    const share = this.#shareOf(scope.share);
    share.seen = true;
    // While there is a place, those who wait have their part: nobody is overtaken but by who has less.
    if (this.#atWork < this.#bounds.atOnceMax && this.#mayHaveMore(scope.share, share)) {
      this.#admit(scope, share);
      return undefined;
    }
    return this.#wait(scope);
  }

  /** Nothing where it is not admitted, or no longer. `answerBytes`: of the body that it is answered with. */
  leave(scope: RequestScope, answerBytes = 0): void {
    if (!scope.admitted) return;
    scope.admitted = false;
    const share = this.#shareOf(scope.share);
    share.atWork -= 1;
    share.left += 1;
    share.usedMs += REQUEST_MS + (ANSWER_MB_MS * answerBytes) / 2 ** 20;
    this.#atWork -= 1;
    if (this.#turns.size > 0) this.#fill();
  }

  /** What waits for the client takes no place, and none of the request's time. */
  async aside<T>(scope: RequestScope, work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    const { deadlineAt } = scope;
    scope.deadlineAt = Number.POSITIVE_INFINITY;
    return this.withoutPlace(scope, async () => {
      try {
        return await work();
      } finally {
        scope.deadlineAt = deadlineAt + performance.now() - since;
      }
    });
  }

  /** What waits in a queue of its own takes no place; the request's time goes on. */
  async withoutPlace<T>(scope: RequestScope, work: (stopping: Stopping) => Promise<T>): Promise<T> {
    if (scope.stopped !== undefined) throw scope.stopped;
    const { admitted } = scope;
    this.leave(scope);
    const result = await work(scope);
    const turn = admitted ? this.enter(scope) : undefined;
    if (turn !== undefined) await turn;
    return result;
  }

  /** Whether another application is active too. */
  isBesideOthers(name: string): boolean {
    return this.#shares.size > (this.#shares.has(name) ? 1 : 0);
  }

  #mayHaveMore(name: string, { atWork, usedMs, usedMsBefore }: Share): boolean {
    if (atWork >= this.#part) return false;
    if (atWork < this.#heavyPart || this.#shares.size === 1) return true;
    return !this.#loopTime.isHeavy(name, this.#isLoopFull() ? usedMs + usedMsBefore : 0);
  }

  #shareOf(name: string): Share {
    let share = this.#shares.get(name);
    if (share === undefined) {
      share = { atWork: 0, left: 0, leftBefore: 0, usedMs: 0, usedMsBefore: 0, seen: true };
      this.#shares.set(name, share);
      this.#part = this.#partOf(this.#shares.size);
    }
    return share;
  }

  #partOf(active: number): number {
    return Math.max(1, Math.floor(this.#bounds.atOnceMax * (active > 1 ? BESIDE_OTHERS : ALONE)));
  }

  #admit(scope: RequestScope, share: Share): void {
    this.#atWork += 1;
    share.atWork += 1;
    scope.admitted = true;
  }

  #wait(scope: RequestScope): Promise<void> {
    return new Promise((go, refuse) => {
      const stopped = () => this.#drop(waiter, scope.stopped);
      const waiter: Waiter = { scope, since: performance.now(), go, refuse, stopped };
      if (!this.#turns.add(scope.share, waiter)) {
        refuse(tooBusy(this.secondsFor(scope)));
        return;
      }
      scope.waiting = true;
      scope.whenStopped(stopped);
      this.#watch ??= setInterval(() => this.#look(), LOOK_MS).unref();
    });
  }

  #fill(): void {
    while (this.#atWork < this.#bounds.atOnceMax) {
      const waiter = this.#turns.next(this.#hasRoom, this.#cost);
      if (waiter === undefined) return;
      const { scope, stopped, go } = waiter;
      scope.takeBack(stopped);
      scope.waiting = false;
      this.#admit(scope, this.#shareOf(scope.share));
      go();
    }
  }

  #drop(waiter: Waiter, why: unknown): void {
    const { scope, stopped, refuse } = waiter;
    this.#turns.remove(scope.share, waiter);
    scope.takeBack(stopped);
    scope.waiting = false;
    refuse(why);
  }

  /** Those who have waited too long leave. */
  #look(): void {
    const since = performance.now() - this.#bounds.waitMs;
    for (const waiter of this.#turns)
      if (waiter.since <= since) this.#drop(waiter, tooBusy(this.secondsFor(waiter.scope)));
    if (performance.now() > this.#roundEndsAt) this.#turnRound();
    if (this.#turns.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #turnRound(): void {
    this.#roundEndsAt = performance.now() + ROUND_MS;
    for (const [name, share] of this.#shares) {
      const active = share.seen || share.atWork > 0 || this.#turns.lengthOf(name) > 0;
      if (!active) this.#shares.delete(name);
      share.leftBefore = share.left;
      share.left = 0;
      share.usedMsBefore = share.usedMs;
      share.usedMs = 0;
      share.seen = false;
    }
    this.#part = this.#partOf(this.#shares.size);
    this.#fill();
  }
}
