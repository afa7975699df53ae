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
  /** While no other has any. */
  readonly alone: number;
  /** Beside others: with more, one that asks for much left the others a quarter, and their p99 doubled. */
  readonly besideOthers: number;
}

export class Shares {
  readonly #bounds: ShareBounds;
  readonly #shares = new Map<string, Share>();

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
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
    if (share.held < this.#max) {
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
    if (share.waiting.length > 0) this.#passOn(share);
    if (share.held > 0) return;
    this.#shares.delete(name);
    // Who is alone now may have more.
    if (this.#shares.size === 1) for (const other of this.#shares.values()) this.#passOn(other);
  }

  get #max(): number {
    return this.#shares.size > 1 ? this.#bounds.besideOthers : this.#bounds.alone;
  }

  #passOn(share: Share): void {
    for (const next of share.waiting.splice(0, Math.max(0, this.#max - share.held))) {
      share.held += 1;
      next();
    }
  }
}
