// How many connections one application may borrow at once. Without a share one application whose writes wait, for a lock
// or for a slow disk, would keep every connection, and the writes of all others with it.

import { tooBusy } from '../faults.ts';

const WAIT_MS = 5_000;

interface Share {
  held: number;
  readonly waiting: (() => void)[];
}

export class Shares {
  readonly #max: number;
  readonly #shares = new Map<string, Share>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Resolves when the application may borrow one more; undefined when it may at once. */
  take(name: string): Promise<void> | undefined {
    const share = this.#shares.get(name) ?? { held: 0, waiting: [] };
    this.#shares.set(name, share);
    if (share.held < this.#max) {
      share.held += 1;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        share.waiting.splice(share.waiting.indexOf(go), 1);
        reject(tooBusy());
      }, WAIT_MS);
      share.waiting.push(go);
    });
  }

  give(name: string): void {
    const share = this.#shares.get(name);
    if (share === undefined) return;
    const next = share.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    share.held -= 1;
    if (share.held === 0) this.#shares.delete(name);
  }
}
