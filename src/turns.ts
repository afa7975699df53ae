// A queue in which turns go round among the applications: who has much waiting keeps nobody else back. Bounded for each
// application and in all.

export interface TurnBounds {
  /** Waiting, of one application. */
  readonly eachMax: number;
  /** Waiting, of all together. */
  readonly allMax: number;
}

export class Turns<Waiter> {
  readonly #bounds: TurnBounds;
  /** By application, the one whose turn is next first. Never empty. */
  readonly #queues = new Map<string, Set<Waiter>>();
  #size = 0;

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#size;
  }

  lengthOf(share: string): number {
    return this.#queues.get(share)?.size ?? 0;
  }

  /** False when too many wait already. */
  add(share: string, waiter: Waiter): boolean {
    const queue = this.#queues.get(share);
    if ((queue?.size ?? 0) >= this.#bounds.eachMax || this.#size >= this.#bounds.allMax) return false;
    if (queue === undefined) this.#queues.set(share, new Set([waiter]));
    else queue.add(waiter);
    this.#size += 1;
    return true;
  }

  /** Takes out who has waited longest of the application whose turn it is, among those that may have one. */
  next(may: (share: string, waiter: Waiter) => boolean = () => true): Waiter | undefined {
    for (const [share, queue] of this.#queues) {
      const waiter = queue.values().next().value as Waiter;
      if (!may(share, waiter)) continue;
      this.remove(share, waiter);
      // It is the last to have its turn again.
      if (this.#queues.delete(share)) this.#queues.set(share, queue);
      return waiter;
    }
    return undefined;
  }

  /** Whether it was still waiting. */
  remove(share: string, waiter: Waiter): boolean {
    const queue = this.#queues.get(share);
    if (queue?.delete(waiter) !== true) return false;
    this.#size -= 1;
    if (queue.size === 0) this.#queues.delete(share);
    return true;
  }

  /** Those of each application from the one that has waited longest. */
  *[Symbol.iterator](): Generator<Waiter> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}
