// Counts the requests of an application by group of operations and clock hour (docs/operating.md, "Quotas"). The count is
// in the database; a node takes leases of it and counts within them by itself (gate/quotas/quota-counter).

import type { PreparedApplication } from '../../domain/definition/application.ts';
import { quotaOf } from '../../domain/quota.ts';
import type { RequestScope } from '../../request/request-scope.ts';
import type { QuotaGroup } from '../../wire/publish-document.ts';
import { QuotaCounter, type QuotaDependencies } from './quota-counter.ts';

export interface QuotaGate {
  /**
   * Counts the request and sets its RateLimit headers, or throws 429. Undefined when there was no need to wait. Operations
   * that the plan does not include are not counted here: `permit` refuses them.
   */
  take(scope: RequestScope, application: PreparedApplication, group: QuotaGroup): Promise<void> | undefined;
}

/**
 * An unused lease is returned after this time, and at the latest after twice as long; to a node that finds nothing left, at once.
 * An application with a request now and then pays for the lease and its return each time: with 5 seconds, requests to 10,000
 * applications in turn took the database four times as long as requests to ten. With a minute, every fourth create to one of them
 * still took a lease.
 */
const IDLE_MS = 10 * 60_000;

type Counters = Map<QuotaGroup, QuotaCounter>;

export class Quotas implements QuotaGate {
  readonly #dependencies: QuotaDependencies;
  /** By application. */
  readonly #counters = new Map<string, Counters>();
  readonly #sweeping: NodeJS.Timeout;
  #swept: Promise<void> | undefined;
  #closed = false;

  constructor(dependencies: QuotaDependencies, idleMs = IDLE_MS) {
    this.#dependencies = dependencies;
    this.#sweeping = setInterval(() => {
      this.#swept ??= this.#sweep().finally(() => {
        this.#swept = undefined;
      });
    }, idleMs);
    this.#sweeping.unref();
  }

  take(scope: RequestScope, application: PreparedApplication, group: QuotaGroup): Promise<void> | undefined {
    const quota = quotaOf(application.definition, group);
    if (typeof quota !== 'number') return undefined;
    const counter = this.#counters.get(application.id)?.get(group) ?? this.#begin(application.id, group);
    return counter.take(scope, application, quota);
  }

  /** Another node has found the quota exhausted and asks for unused leases. */
  recall(applicationId: string, group: string): void {
    this.#counters
      .get(applicationId)
      ?.get(group as QuotaGroup)
      ?.recall();
  }

  /** Returns the unused leases. Nothing may be taken afterwards. */
  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    this.#closed = true;
    await this.#swept;
    const all = [...this.#counters.values()].flatMap((counters) => [...counters.values()]);
    await Promise.all(all.map((counter) => counter.close()));
  }

  #begin(applicationId: string, group: QuotaGroup): QuotaCounter {
    let counters = this.#counters.get(applicationId);
    if (counters === undefined) {
      counters = new Map();
      this.#counters.set(applicationId, counters);
    }
    const counter = new QuotaCounter(this.#dependencies, applicationId, group);
    counters.set(group, counter);
    return counter;
  }

  /** One lease after the other: thousands of applications may have become idle together, and requests need the connections. */
  async #sweep(): Promise<void> {
    for (const [applicationId, counters] of this.#counters) {
      for (const [group, counter] of counters) {
        if (this.#closed) return;
        if (!counter.isIdle()) continue;
        counters.delete(group);
        await counter.release();
      }
      if (counters.size === 0) this.#counters.delete(applicationId);
    }
  }
}
