// The one fair queue: tenants take turns, or the tenant with the lowest cost comes next, so that a tenant with many entries
// delays no other. Within a tenant, first in, first out, unless an entry overtakes. Bounded per tenant and in all.

/** How many tenants' costs are compared for one turn, from the one that has waited longest since its last turn. */
const COMPARED_MAX = 64;

export interface QueueBounds {
  /** Entries of one tenant. */
  readonly eachMax: number;
  readonly allMax: number;
}

export class FairQueue<Entry> {
  readonly #bounds: QueueBounds;
  /** By tenant, the next one first. No set is empty. */
  readonly #queues = new Map<string, Set<Entry>>();
  #size = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#size;
  }

  lengthOf(tenant: string): number {
    return this.#queues.get(tenant)?.size ?? 0;
  }

  /** False when the queue is full. `overtakes`: the tenant's entries that the new one goes ahead of, all at the end of its line. */
  add(tenant: string, entry: Entry, overtakes?: (other: Entry) => boolean): boolean {
    const queue = this.#queues.get(tenant);
    if ((queue?.size ?? 0) >= this.#bounds.eachMax || this.#size >= this.#bounds.allMax) return false;
    if (queue === undefined) this.#queues.set(tenant, new Set([entry]));
    else if (overtakes === undefined) queue.add(entry);
    else insert(queue, entry, overtakes);
    this.#size += 1;
    return true;
  }

  /**
   * Removes and returns the first entry of the next tenant that `may` go. With a cost, the next tenant is the one whose first
   * entry costs least.
   */
  next(
    may: (tenant: string, first: Entry) => boolean = () => true,
    cost?: (tenant: string, first: Entry) => number,
  ): Entry | undefined {
    let chosen: string | undefined;
    let leastCost = Number.POSITIVE_INFINITY;
    let compared = 0;
    for (const [tenant, queue] of this.#queues) {
      const first = firstOf(queue);
      if (!may(tenant, first)) continue;
      const tenantCost = cost === undefined ? 0 : cost(tenant, first);
      if (chosen === undefined || tenantCost < leastCost) {
        chosen = tenant;
        leastCost = tenantCost;
      }
      compared += 1;
      if (cost === undefined || compared === COMPARED_MAX) break;
    }
    return chosen === undefined ? undefined : this.#take(chosen);
  }

  #take(tenant: string): Entry | undefined {
    const queue = this.#queues.get(tenant);
    if (queue === undefined) return undefined;
    const entry = firstOf(queue);
    this.remove(tenant, entry);
    // The tenant goes to the end of the line.
    if (this.#queues.delete(tenant)) this.#queues.set(tenant, queue);
    return entry;
  }

  /** Whether the entry was still in the queue. */
  remove(tenant: string, entry: Entry): boolean {
    const queue = this.#queues.get(tenant);
    if (queue?.delete(entry) !== true) return false;
    this.#size -= 1;
    if (queue.size === 0) this.#queues.delete(tenant);
    return true;
  }

  /** Tenant by tenant, the oldest entry of each first. */
  *[Symbol.iterator](): Generator<Entry> {
    for (const queue of this.#queues.values()) yield* queue;
  }
}

function insert<Entry>(queue: Set<Entry>, entry: Entry, overtakes: (other: Entry) => boolean): void {
  const later = [...queue].filter(overtakes);
  for (const other of later) queue.delete(other);
  for (const other of [entry, ...later]) queue.add(other);
}

const firstOf = <Entry>(queue: Set<Entry>): Entry => queue.values().next().value as Entry;
