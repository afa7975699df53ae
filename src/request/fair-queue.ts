// A queue in which turns go round among the applications, or go to the one that they cost the least: who has much waiting
// keeps nobody else back. Bounded for each application and in all.

/** Of how many applications the costs are compared, in the order in which they had their last turns. */
const COMPARED_MAX = 64;

export interface QueueBounds {
  /** Waiting, of one application. */
  readonly eachMax: number;
  /** Waiting, of all together. */
  readonly allMax: number;
}

export class FairQueue<Waiter> {
  readonly #bounds: QueueBounds;
  /** By application, the one whose turn is next first. Never empty. */
  readonly #queues = new Map<string, Set<Waiter>>();
  #size = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#size;
  }

  lengthOf(share: string): number {
    return this.#queues.get(share)?.size ?? 0;
  }

  /** False when too many wait already. `first`: before the others of its application. */
  add(share: string, waiter: Waiter, first = false): boolean {
    const queue = this.#queues.get(share);
    if ((queue?.size ?? 0) >= this.#bounds.eachMax || this.#size >= this.#bounds.allMax) return false;
    if (queue === undefined) this.#queues.set(share, new Set([waiter]));
    else if (first) this.#queues.set(share, new Set([waiter, ...queue]));
    else queue.add(waiter);
    this.#size += 1;
    return true;
  }

  /**
   * Takes out who is first of the application whose turn it is, among those that may have one. With a cost, that is the
   * application for whose first the cost is least.
   */
  next(
    may: (share: string, first: Waiter) => boolean = () => true,
    cost?: (share: string, first: Waiter) => number,
  ): Waiter | undefined {
    let chosen: string | undefined;
    let leastCost = Number.POSITIVE_INFINITY;
    let compared = 0;
    for (const [share, queue] of this.#queues) {
      const first = firstOf(queue);
      if (!may(share, first)) continue;
      const itsCost = cost === undefined ? 0 : cost(share, first);
      if (chosen === undefined || itsCost < leastCost) {
        chosen = share;
        leastCost = itsCost;
      }
      compared += 1;
      if (cost === undefined || compared === COMPARED_MAX) break;
    }
    return chosen === undefined ? undefined : this.#take(chosen);
  }

  #take(share: string): Waiter | undefined {
    const queue = this.#queues.get(share);
    if (queue === undefined) return undefined;
    const waiter = firstOf(queue);
    this.remove(share, waiter);
    // It is the last to have its turn again.
    if (this.#queues.delete(share)) this.#queues.set(share, queue);
    return waiter;
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

/** No queue is empty. */
const firstOf = <Waiter>(queue: Set<Waiter>): Waiter => queue.values().next().value as Waiter;
