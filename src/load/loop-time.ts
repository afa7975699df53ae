// How much event loop time each tenant has used lately. Only heavy work counts (load/slices.ts), with the time of its slices and
// what its turns cost others: an ordinary request takes a fraction of a millisecond, and gate/admission counts those.

const HALF_LIFE_MS = 1_000;
/** A tenant below this is treated as having used nothing. */
const FORGOTTEN_MS = 0.1;
/** With more tenants than this at once, each of them would have used next to nothing. */
const TENANTS_MAX = 1_000;
/** After this wait a tenant's cost falls with every further millisecond, so that no tenant is passed over for good. */
const UNCHANGED_WAIT_MS = 100;
/** What a tenant that uses a sixth of the event loop all the time arrives at. */
const HEAVY_MS = 250;

interface Usage {
  usedMs: number;
  /** When `usedMs` was current. */
  at: number;
}

export class LoopTime {
  readonly #usages = new Map<string, Usage>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  charge(tenant: string, milliseconds: number): void {
    const at = this.#now();
    const usage = this.#usages.get(tenant);
    if (usage !== undefined) {
      usage.usedMs = decayed(usage, at) + milliseconds;
      usage.at = at;
      return;
    }
    if (this.#usages.size >= TENANTS_MAX) this.#evict(at);
    this.#usages.set(tenant, { usedMs: milliseconds, at });
  }

  usedMs(tenant: string): number {
    const usage = this.#usages.get(tenant);
    return usage === undefined ? 0 : decayed(usage, this.#now());
  }

  /** For `FairQueue.next`: the tenant with the lowest cost goes first. */
  cost(tenant: string, waitingSince: number): number {
    return this.usedMs(tenant) - Math.max(0, this.#now() - waitingSince - UNCHANGED_WAIT_MS);
  }

  /** `unchargedMs`: time the tenant has used that was never charged here. */
  isHeavy(tenant: string, unchargedMs = 0): boolean {
    return this.usedMs(tenant) + unchargedMs >= HEAVY_MS;
  }

  /** Tenants that have used next to nothing; if there are none, the oldest. */
  #evict(at: number): void {
    for (const [tenant, usage] of this.#usages) if (decayed(usage, at) < FORGOTTEN_MS) this.#usages.delete(tenant);
    if (this.#usages.size < TENANTS_MAX) return;
    const [oldest] = this.#usages.keys();
    if (oldest !== undefined) this.#usages.delete(oldest);
  }
}

const decayed = ({ usedMs, at }: Usage, now: number): number => usedMs * 2 ** ((at - now) / HALF_LIFE_MS);

/** The span over which utilization is measured. */
const MEASURED_MS = 50;
const FULL = 0.9;

/** Whether the event loop has been busy almost without pause lately. */
export class LoopLoad {
  #from = performance.eventLoopUtilization();
  #nextMeasureAt = 0;
  #full = false;

  isFull(): boolean {
    const now = performance.now();
    if (now < this.#nextMeasureAt) return this.#full;
    this.#nextMeasureAt = now + MEASURED_MS;
    const to = performance.eventLoopUtilization();
    this.#full = performance.eventLoopUtilization(to, this.#from).utilization > FULL;
    this.#from = to;
    return this.#full;
  }
}
