// How many connections one application may borrow at once. Without a share one application whose writes wait, for a lock
// or for a slow disk, would keep every connection, and the writes of all others with it.

import { tooBusy } from '../faults.ts';
import type { Trip } from '../trip.ts';

const WAIT_MS = 5_000;

interface Share {
  held: number;
  readonly waiting: (() => void)[];
}

export interface ShareBounds {
  /** While no other asks for anything. */
  readonly alone: number;
  readonly besideOthers: number;
}

/** An application counts as active for a round or two behind what was last asked for it, as at admission. */
const ROUND_MS = 1_000;

/** Which applications the database is asked anything for, on whatever connection. */
export class Active {
  #seen = new Set<string>();
  #before = new Set<string>();
  #roundEndsAt = 0;

  note(name: string): void {
    if (!this.#seen.has(name)) this.#seen.add(name);
  }

  /** Whether there is another. */
  beside(name: string): boolean {
    const now = performance.now();
    if (now > this.#roundEndsAt) this.#turnRound(now);
    return hasAnother(this.#seen, name) || hasAnother(this.#before, name);
  }

  #turnRound(now: number): void {
    this.#before = this.#seen;
    this.#seen = new Set();
    this.#roundEndsAt = now + ROUND_MS;
  }
}

const hasAnother = (names: ReadonlySet<string>, name: string): boolean => names.size > (names.has(name) ? 1 : 0);

export class Shares {
  readonly #bounds: ShareBounds;
  readonly #active: Pick<Active, 'beside'>;
  readonly #shares = new Map<string, Share>();

  constructor(bounds: ShareBounds, active: Pick<Active, 'beside'>) {
    this.#bounds = bounds;
    this.#active = active;
  }

  get waiting(): number {
    let count = 0;
    for (const { waiting } of this.#shares.values()) count += waiting.length;
    return count;
  }

  /** Resolves when the application may borrow one more; undefined when it may at once. */
  take(name: string, trip: Trip | undefined): Promise<void> | undefined {
    const share = this.#shares.get(name) ?? { held: 0, waiting: [] };
    this.#shares.set(name, share);
    if (share.held < this.#maxOf(name)) {
      share.held += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(timer);
        trip?.takeBack(stop);
        resolve();
      };
      const stop = (why: Error) => {
        clearTimeout(timer);
        trip?.takeBack(stop);
        share.waiting.splice(share.waiting.indexOf(go), 1);
        reject(why);
      };
      const timer = setTimeout(() => stop(tooBusy()), WAIT_MS);
      trip?.whenStopped(stop);
      share.waiting.push(go);
    });
  }

  give(name: string): void {
    const share = this.#shares.get(name);
    if (share === undefined) return;
    share.held -= 1;
    if (share.waiting.length > 0) this.#passOn(share, this.#maxOf(name));
    if (share.held === 0) this.#shares.delete(name);
  }

  #maxOf(name: string): number {
    return this.#active.beside(name) ? this.#bounds.besideOthers : this.#bounds.alone;
  }

  #passOn(share: Share, max: number): void {
    for (const next of share.waiting.splice(0, Math.max(0, max - share.held))) {
      share.held += 1;
      next();
    }
  }
}
