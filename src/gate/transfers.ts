// How many files are transferred at once, per tenant and in all. A transfer takes as long as its client needs, so it holds no
// admission slot and has no deadline; it holds a transfer slot until its last byte.

import { tooBusy } from '../faults.ts';

export interface TransferBounds {
  /** Of one tenant, and of all. */
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

  get active(): number {
    return this.#all;
  }

  /** Takes a slot. The function that it returns releases the slot, and does nothing when called again. */
  begin(tenant: string): () => void {
    const count = this.#counts.get(tenant) ?? 0;
    if (count >= this.#bounds.eachMax || this.#all >= this.#bounds.allMax) throw tooBusy();
    this.#counts.set(tenant, count + 1);
    this.#all += 1;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#all -= 1;
      const left = (this.#counts.get(tenant) ?? 1) - 1;
      if (left === 0) this.#counts.delete(tenant);
      else this.#counts.set(tenant, left);
    };
  }
}
