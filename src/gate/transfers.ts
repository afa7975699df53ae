// How many files are on their way at once, and whose. They take as long as their clients need, so that they have neither
// a place nor a deadline among the requests that are worked on; a place here they have until their last byte.

import { tooBusy } from '../faults.ts';

export interface TransferBounds {
  /** Of one application, and of all. */
  readonly eachMax: number;
  readonly allMax: number;
}

export class Transfers {
  readonly #bounds: TransferBounds;
  readonly #counts = new Map<string, number>();
  #all = 0;

  constructor(bounds: TransferBounds) {
    this.#bounds = bounds;
  }

  get underWay(): number {
    return this.#all;
  }

  /** Gives what ends it, also when it is called again. */
  begin(share: string): () => void {
    const count = this.#counts.get(share) ?? 0;
    if (count >= this.#bounds.eachMax || this.#all >= this.#bounds.allMax) throw tooBusy();
    this.#counts.set(share, count + 1);
    this.#all += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#all -= 1;
      const left = (this.#counts.get(share) ?? 1) - 1;
      if (left === 0) this.#counts.delete(share);
      else this.#counts.set(share, left);
    };
  }
}
