// Long synchronous work, done in slices: between two of them the event loop serves everybody else. One slice at a time,
// and the next one goes to the application that has used the least of the event loop lately (docs/architecture.md, "Overload").

import { tooBusy } from '../faults.ts';
import { FairQueue } from './fair-queue.ts';
import type { LoopTime } from './loop-time.ts';
import type { RequestScope, Stopping } from './request-scope.ts';

/** Work that can be interrupted at each `yield`. Between two of them it should take well below a millisecond. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** The request that the work is done for. `heavy` is set once it has turned out to be. */
export type SliceOwner = Stopping & Pick<RequestScope, 'share' | 'heavy'>;

/**
 * Long enough that switching costs nothing, short enough that a request of another application, which comes to the event
 * loop a few times before it is answered, hardly notices one of these each time.
 */
const SLICE_MS = 3;
/** Each request waits here at most once, and has a place among those at work or is refused one (gate/admission). */
const WAITING = { eachMax: 1_000, allMax: 4_000 };

interface Waiter {
  readonly owner: SliceOwner;
  readonly since: number;
  readonly go: () => void;
  readonly stopped: () => void;
}

export interface SliceClock {
  now(): number;
  /** Calls back when the event loop has come round, and not before so many milliseconds. */
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
  /** Whether another application is being served at present. */
  readonly #besideOthers: (share: string) => boolean;
  readonly #clock: SliceClock;
  readonly #turns = new FairQueue<Waiter>(WAITING);
  readonly #cost = (share: string, { since }: Waiter): number => this.#loopTime.cost(share, since);
  /** A slice is under way, or the pause behind it. */
  #taken = false;

  constructor(loopTime: LoopTime, besideOthers: (share: string) => boolean, clock: SliceClock = CLOCK) {
    this.#loopTime = loopTime;
    this.#besideOthers = besideOthers;
    this.#clock = clock;
  }

  get waiting(): number {
    return this.#turns.size;
  }

  /** What is not known to be heavy begins at once: it is done before anybody would notice, or else waits for its turns. */
  async run<T>(owner: SliceOwner, steps: Steps<T>): Promise<T> {
    let granted = owner.heavy;
    if (granted && this.#taken) await this.#turn(owner, false);
    for (;;) {
      const done = this.#slice(owner, steps, granted);
      if (done !== undefined) return done.value;
      await this.#turn(owner, true);
      granted = true;
    }
  }

  /** Undefined when its time was over before the work was. */
  #slice<T>(owner: SliceOwner, steps: Steps<T>, granted: boolean): { value: T } | undefined {
    const from = this.#clock.now();
    try {
      if (owner.stopped !== undefined) throw owner.stopped;
      for (;;) {
        const { done, value } = steps.next();
        if (done === true) return { value };
        if (this.#clock.now() < from + SLICE_MS) continue;
        owner.heavy = true;
        return undefined;
      }
    } finally {
      if (owner.heavy) this.#end(owner.share, this.#clock.now() - from, granted);
    }
  }

  /** Whoever had the turn passes it on; what has just turned out to be heavy takes it first, unless somebody has it. */
  #end(share: string, usedMs: number, granted: boolean): void {
    this.#loopTime.charge(share, usedMs);
    if (!granted && this.#taken) return;
    this.#taken = true;
    this.#clock.after(this.#besideOthers(share) ? usedMs : 0, this.#passOn);
  }

  /** `begun`: goes on before what its application has not begun yet, so that little is held in memory half done. */
  #turn(owner: SliceOwner, begun: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const stopped = () => {
        this.#turns.remove(owner.share, waiter);
        reject(owner.stopped);
      };
      const go = () => {
        owner.takeBack(stopped);
        resolve();
      };
      const waiter: Waiter = { owner, since: this.#clock.now(), go, stopped };
      if (!this.#turns.add(owner.share, waiter, begun)) reject(tooBusy());
      else owner.whenStopped(stopped);
    });
  }

  readonly #passOn = (): void => {
    const next = this.#turns.next(undefined, this.#cost);
    if (next === undefined) this.#taken = false;
    else next.go();
  };
}
