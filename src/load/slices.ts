// Long synchronous work cut into slices; between two slices the event loop serves other requests. One slice runs at a time,
// and the next goes to the tenant that has used the least event loop time lately (docs/architecture/overload.md).

import { tooBusy } from '../faults.ts';
import type { RequestScope } from '../request/request-scope.ts';
import { onAbort } from '../request/signal.ts';
import { FairQueue } from './fair-queue.ts';
import { widenHeapGrowth } from './heap-growth.ts';
import type { LoopTime } from './loop-time.ts';

/** Work that can be interrupted at each `yield`. Between two yields it should take well below a millisecond. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** For work that is known to be short. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The request that the work is done for. `heavy` is set once its work has filled a whole slice. */
export type SliceOwner = Pick<RequestScope, 'signal' | 'tenant' | 'heavy' | 'startedAt'>;

/** Long enough that switching costs nothing, and that most work ends within one slice. */
const SLICE_MS = 3;
/**
 * Beside others: short enough that another tenant's request, which needs the event loop a few times before its reply, hardly
 * notices one slice each time. Steps that take longer are the exception.
 */
const SLICE_MS_BESIDE_OTHERS = 1;
/**
 * While a request of another tenant is in progress, the next slice waits for its end, at most so long. The request needs the event
 * loop several times, and met a slice each time: beside bodies of 1 MB its p50 was 3.5 to 4.4 ms, and is 2.2 to 2.5. The heavy
 * work took no longer, as it runs while the others are idle; where they never are, it still gets a twelfth of the event loop: a
 * slice, the pause and this wait.
 */
const OTHERS_WAIT_MS = 4;
/**
 * Beside others a pause follows each slice: as long as the slice, and up to seven times as long, the more short requests they send.
 * Heavy work costs them more than its slices: its garbage is collected while they wait, and its rows are written by a database
 * that they use. With four, their p99 beside batches of 1 MB was 10 to 11 ms instead of 16, and half as many batches were stored;
 * with seven instead of four, it was 5.9 and 7.5 ms beside 1 MB of objects instead of 8.4 and 7.6, and two thirds as many were
 * stored (`npm run bench -- neighbours`). Beside tenants that have only heavy work a pause is as long as its slice.
 */
const PAUSE_TIMES_MAX = 7;
/** After reads of 64 KB and pages of a publish, which are shorter and leave less garbage. */
const PAUSE_TIMES_MAX_ELSEWHERE = 4;
/** After this time a request pauses only as long as its slices took: it has a deadline. */
const PATIENT_MS = 10_000;
/** So many short requests a second make the pause longer by a slice. */
const SHORT_REQUESTS = 10;
const LOOK_AGAIN_MS = 1;
/** How often requests that may not begin look again: others may have left, or patience may be over, while one that has begun waits for a lock. */
const BEGIN_LOOK_MS = 250;
/** A request waits here at most once at a time, and gate/admission bounds the requests. */
const QUEUE = { eachMax: 1_000, allMax: 4_000 };

/**
 * Requests of one tenant that are worked on at once, from their first slice to their reply. Preparing a batch of 100 takes the
 * event loop 12 ms and writing it takes the database 25, so more would wait in memory; they wait here, with unparsed bodies.
 */
const BEGUN_MAX = 8;
/**
 * The same beside others that send `SHORT_REQUESTS` a second or more. Then the database does not write one batch while the event
 * loop prepares the next: on two cores the short requests found neither processor free. Beside batches of 1 MB their p99 was 7.7
 * and 8.8 ms instead of 11.4 and 16.9, and half to two thirds as many batches were stored (`npm run bench -- neighbours`).
 */
const BEGUN_MAX_BESIDE_SHORT = 1;
/**
 * A request without a slice for so long does not count there: it waits for a lock, a slot or bytes, and costs nobody a processor.
 * Preparing and writing a batch of 1 MB beside others takes less.
 */
const STALLED_MS = 1_000;
/** Nor does a tenant's request wait longer than this for its tenant's others: it has a deadline. */
const BEGIN_WAIT_MS = 10_000;

interface Waiter {
  readonly since: number;
  /** Undefined before the request has begun. */
  readonly begun: Begun | undefined;
  readonly go: () => void;
}

/** A request that has had a slice or a turn. */
interface Begun {
  readonly tenant: string;
  /** Requests are numbered in the order in which they began. */
  readonly number: number;
  /** Whether it waited until it might begin. Turns are given without, and so is a slice to work that is not known to be heavy. */
  readonly wasLetIn: boolean;
  /** When its latest slice or turn ended. */
  latestAt: number;
}

/** What is known of other tenants' requests (gate/admission). */
export interface OtherTenants {
  /** Whether another tenant is active too. */
  isBesideOthers(tenant: string): boolean;
  /** How many requests of other tenants are in progress. */
  inProgressBeside(tenant: string): number;
  /** How many requests of other tenants that were not heavy have ended lately, in a second. */
  shortBeside(tenant: string): number;
}

export interface SliceClock {
  now(): number;
  /** Calls back after a full turn of the event loop, and not before `milliseconds` have passed. */
  after(milliseconds: number, callback: () => void): void;
}

const CLOCK: SliceClock = {
  now: () => performance.now(),
  after(milliseconds, callback) {
    if (milliseconds < 1) setImmediate(callback);
    else setTimeout(callback, milliseconds);
  },
};

export class Slices {
  readonly #loopTime: LoopTime;
  readonly #others: OtherTenants;
  readonly #clock: SliceClock;
  readonly #queue = new FairQueue<Waiter>(QUEUE);
  /** Most requests have several pieces of work: the body, its values, the rows. */
  readonly #begun = new Map<SliceOwner, Begun>();
  readonly #begunOf = new Map<string, Set<Begun>>();
  readonly #mayGo = (tenant: string, { begun, since }: Waiter): boolean =>
    begun !== undefined || this.#mayBegin(tenant, since);
  readonly #mayGoNow = (tenant: string, waiter: Waiter): boolean =>
    this.#mayGo(tenant, waiter) && !this.#disturbs(tenant);
  readonly #cost = (tenant: string, { since }: Waiter): number => this.#loopTime.cost(tenant, since);
  #number = 0;
  /** A slice is running, or the pause after it. */
  #taken = false;
  /** Until then the next slice waits for requests of other tenants. */
  #othersFirstUntil = 0;
  #looksAgain = false;

  constructor(loopTime: LoopTime, others: OtherTenants, clock: SliceClock = CLOCK) {
    this.#loopTime = loopTime;
    this.#others = others;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Work that is not known to be heavy starts at once: most of it ends within one slice. */
  async run<T>(owner: SliceOwner, steps: Steps<T>): Promise<T> {
    let granted = owner.heavy;
    const mayGo = () => this.#begun.has(owner) || this.#mayBegin(owner.tenant, this.#clock.now());
    if (granted && (this.#taken || !mayGo())) await this.#wait(owner);
    for (;;) {
      const done = this.#slice(owner, steps, granted);
      if (done !== undefined) return done.value;
      await this.#wait(owner);
      granted = true;
    }
  }

  /** Whether the work of the tenant is done in parts, so that other tenants are served between two of them. */
  isBesideOthers(tenant: string): boolean {
    return this.#others.isBesideOthers(tenant);
  }

  /**
   * For work in parts that is done elsewhere and costs others about so long, such as bytes that the database sends:
   * resolves when the next part may begin. It may hold a connection, so it does not wait for requests that need one to end.
   */
  async turn(owner: SliceOwner, costMs: number): Promise<void> {
    owner.signal.throwIfAborted();
    owner.heavy = true;
    this.#begin(owner, false);
    if (this.#taken) {
      await this.#wait(owner);
      this.#passOnIfStopped(owner);
    }
    this.#end(owner, costMs, true);
  }

  /** Must be called when the request has ended, however it did. */
  end(owner: SliceOwner): void {
    const begun = this.#begun.get(owner);
    if (begun === undefined) return;
    this.#begun.delete(owner);
    const all = this.#begunOf.get(begun.tenant);
    all?.delete(begun);
    if (all?.size === 0) this.#begunOf.delete(begun.tenant);
    this.#resume();
  }

  #resume(): void {
    if (this.#taken || this.#queue.size === 0) return;
    this.#taken = true;
    this.#next();
  }

  /** `since`: when the request began to wait for it. */
  #mayBegin(tenant: string, since: number): boolean {
    const all = this.#begunOf.get(tenant);
    if (all === undefined) return true;
    if (all.size >= BEGUN_MAX) return false;
    // Operators and visitors have no tenant of their own, and a publish takes minutes.
    if (tenant === '' || this.#others.shortBeside(tenant) < SHORT_REQUESTS) return true;
    const now = this.#clock.now();
    if (now - since > BEGIN_WAIT_MS) return true;
    let working = 0;
    for (const { wasLetIn, latestAt } of all) if (wasLetIn && now - latestAt < STALLED_MS) working += 1;
    return working < BEGUN_MAX_BESIDE_SHORT;
  }

  /**
   * Whether other tenants have requests in progress that are not heavy: heavy ones would wait for each other. One that has begun and
   * waits here is counted twice, so with several heavy tenants a slice may come too early.
   */
  #disturbs(tenant: string): boolean {
    const begun = this.#begun.size - (this.#begunOf.get(tenant)?.size ?? 0);
    const waiting = this.#queue.size - this.#queue.lengthOf(tenant);
    return this.#others.inProgressBeside(tenant) > begun + waiting;
  }

  /** Undefined when the slice was over before the work was. */
  #slice<T>(owner: SliceOwner, steps: Steps<T>, granted: boolean): { value: T } | undefined {
    if (granted) this.#passOnIfStopped(owner);
    else owner.signal.throwIfAborted();
    const from = this.#clock.now();
    const until = from + (granted && this.#others.isBesideOthers(owner.tenant) ? SLICE_MS_BESIDE_OTHERS : SLICE_MS);
    try {
      for (;;) {
        const { done, value } = steps.next();
        if (done === true) return { value };
        if (this.#clock.now() < until) continue;
        owner.heavy = true;
        return undefined;
      }
    } finally {
      if (owner.heavy) this.#end(owner, this.#clock.now() - from, granted);
    }
  }

  /**
   * What a request has under way may go on for a moment after its end. It must not begin then, since nobody would call `end` again:
   * it would count as begun for good.
   */
  #passOnIfStopped(owner: SliceOwner): void {
    if (!owner.signal.aborted) return;
    this.#taken = false;
    this.#resume();
    owner.signal.throwIfAborted();
  }

  /** Schedules the next slice. Work that started ungranted and turned out heavy does so only if no slice is running. */
  #end(owner: SliceOwner, usedMs: number, granted: boolean): void {
    const { tenant } = owner;
    this.#loopTime.charge(tenant, usedMs);
    this.#begin(owner, granted);
    if (!granted && this.#taken) return;
    this.#taken = true;
    const isPatient = this.#clock.now() - owner.startedAt <= PATIENT_MS;
    const pauseMs = this.#pauseTimes(tenant, isPatient ? PAUSE_TIMES_MAX : 1) * usedMs;
    this.#othersFirstUntil = this.#clock.now() + pauseMs + OTHERS_WAIT_MS;
    this.#clock.after(pauseMs, this.#next);
  }

  #begin(owner: SliceOwner, wasLetIn: boolean): void {
    const latestAt = this.#clock.now();
    const begun = this.#begun.get(owner);
    if (begun !== undefined) {
      begun.latestAt = latestAt;
      return;
    }
    const { tenant } = owner;
    if (this.#others.isBesideOthers(tenant)) widenHeapGrowth();
    this.#number += 1;
    const beginning = { tenant, number: this.#number, wasLetIn, latestAt };
    this.#begun.set(owner, beginning);
    const all = this.#begunOf.get(tenant);
    if (all === undefined) this.#begunOf.set(tenant, new Set([beginning]));
    else all.add(beginning);
  }

  /** How many times as long as a piece of the tenant's heavy work that is not done in slices the pause after it is to be. */
  pauseTimes(tenant: string): number {
    return this.#pauseTimes(tenant, PAUSE_TIMES_MAX_ELSEWHERE);
  }

  #pauseTimes(tenant: string, most: number): number {
    if (!this.#others.isBesideOthers(tenant)) return 0;
    return Math.min(most, 1 + this.#others.shortBeside(tenant) / SHORT_REQUESTS);
  }

  /**
   * A request that has begun goes ahead of its tenant's others, and the oldest of those first, so that little is held in memory half
   * done. With 32 batches at once, all were read before the first was written.
   */
  #wait(owner: SliceOwner): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        unsubscribe();
        resolve();
      };
      const begun = this.#begun.get(owner);
      const waiter: Waiter = { since: this.#clock.now(), begun, go };
      const overtakes = begun && ((other: Waiter) => other.begun === undefined || other.begun.number > begun.number);
      if (!this.#queue.add(owner.tenant, waiter, overtakes)) {
        reject(tooBusy());
        return;
      }
      const unsubscribe = onAbort(owner.signal, (reason) => {
        this.#queue.remove(owner.tenant, waiter);
        reject(reason);
      });
    });
  }

  readonly #next = (): void => {
    const othersFirst = this.#clock.now() < this.#othersFirstUntil;
    const next = this.#queue.next(othersFirst ? this.#mayGoNow : this.#mayGo, this.#cost);
    if (next !== undefined) next.go();
    else if (othersFirst && this.#queue.size > 0) this.#clock.after(LOOK_AGAIN_MS, this.#next);
    else this.#rest();
  };

  #rest(): void {
    this.#taken = false;
    if (this.#queue.size === 0 || this.#looksAgain) return;
    this.#looksAgain = true;
    this.#clock.after(BEGIN_LOOK_MS, () => {
      this.#looksAgain = false;
      this.#resume();
    });
  }
}
