// Long synchronous work cut into slices; between two slices the event loop serves other requests. One slice runs at a time,
// and the next goes to the tenant that has used the least event loop time lately (docs/architecture/overload.md).

import { tooBusy } from '../faults.ts';
import type { RequestScope } from '../request/request-scope.ts';
import { onAbort } from '../request/signal.ts';
import { FairQueue } from './fair-queue.ts';
import type { LoopTime } from './loop-time.ts';

/** Work that can be interrupted at each `yield`. Between two yields it should take well below a millisecond. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** The request that the work is done for. `heavy` is set once its work has filled a whole slice. */
export type SliceOwner = Pick<RequestScope, 'signal' | 'tenant' | 'heavy'>;

/**
 * Long enough that switching costs nothing; short enough that another tenant's request, which needs the event loop a few
 * times before its reply, hardly notices one slice each time.
 */
const SLICE_MS = 3;
/** A request waits here at most once at a time, and gate/admission bounds the requests. */
const QUEUE = { eachMax: 1_000, allMax: 4_000 };

interface Waiter {
  readonly since: number;
  readonly go: () => void;
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
  /** Whether another tenant is being served at present. */
  readonly #besideOthers: (tenant: string) => boolean;
  readonly #clock: SliceClock;
  readonly #queue = new FairQueue<Waiter>(QUEUE);
  readonly #cost = (tenant: string, { since }: Waiter): number => this.#loopTime.cost(tenant, since);
  /** A slice is running, or the pause after it. */
  #taken = false;

  constructor(loopTime: LoopTime, besideOthers: (tenant: string) => boolean, clock: SliceClock = CLOCK) {
    this.#loopTime = loopTime;
    this.#besideOthers = besideOthers;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Work that is not known to be heavy starts at once: most of it ends within one slice. */
  async run<T>(owner: SliceOwner, steps: Steps<T>): Promise<T> {
    let granted = owner.heavy;
    if (granted && this.#taken) await this.#wait(owner, false);
    for (;;) {
      const done = this.#slice(owner, steps, granted);
      if (done !== undefined) return done.value;
      await this.#wait(owner, true);
      granted = true;
    }
  }

  /** Undefined when the slice was over before the work was. */
  #slice<T>(owner: SliceOwner, steps: Steps<T>, granted: boolean): { value: T } | undefined {
    const from = this.#clock.now();
    try {
      owner.signal.throwIfAborted();
      for (;;) {
        const { done, value } = steps.next();
        if (done === true) return { value };
        if (this.#clock.now() < from + SLICE_MS) continue;
        owner.heavy = true;
        return undefined;
      }
    } finally {
      if (owner.heavy) this.#end(owner.tenant, this.#clock.now() - from, granted);
    }
  }

  /** Schedules the next slice. Work that started ungranted and turned out heavy does so only if no slice is running. */
  #end(tenant: string, usedMs: number, granted: boolean): void {
    this.#loopTime.charge(tenant, usedMs);
    if (!granted && this.#taken) return;
    this.#taken = true;
    this.#clock.after(this.#besideOthers(tenant) ? usedMs : 0, this.#next);
  }

  /** Work that has `begun` goes ahead of its tenant's other work, so that little is held in memory half done. */
  #wait(owner: SliceOwner, begun: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = () => {
        unsubscribe();
        resolve();
      };
      const waiter: Waiter = { since: this.#clock.now(), go };
      if (!this.#queue.add(owner.tenant, waiter, begun)) {
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
    const next = this.#queue.next(undefined, this.#cost);
    if (next === undefined) this.#taken = false;
    else next.go();
  };
}
