// One server's part of one count: the lease that it has of an application's group in the present hour, who waits for the
// next lease, and whether there is one to be had. A request that finds something of the lease unused waits for nothing.

import { setTimeout as pause } from 'node:timers/promises';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import { HOUR_MS, hourOf, secondsUntil } from '../../domain/quota.ts';
import { type Fault, fault } from '../../faults.ts';
import type { Observe } from '../../observe/events.ts';
import { RequestScope } from '../../request/request-scope.ts';
import { onAbort } from '../../request/signal.ts';
import { giveBack, type Lease, takeLease } from '../../store/applications/quotas.ts';
import type { Database } from '../../store/database/database.ts';
import { announceRecall } from '../../store/nodes/messages.ts';
import type { QuotaGroup } from '../../wire/publish-document.ts';

export interface QuotaDependencies {
  readonly database: Database;
  /** Milliseconds since 1970 by the database's clock. */
  readonly now: () => number;
  readonly observe: Observe;
}

interface Waiter {
  readonly scope: RequestScope;
  readonly admit: () => void;
  readonly refuse: (error: unknown) => void;
  readonly unsubscribe: () => void;
}

/** For what is asked of the database for all who wait. What it does not answer by then is stopped; a lease may be lost by that. */
const QUERY_TIMEOUT_MS = 5_000;
/** Where nothing is left the other servers are asked for what they have unused, and the count is asked again so much later. */
const RECALL_PAUSES_MS = [30, 120];
/** That nothing is left is believed for so long; then one request asks again, for all. */
const EXHAUSTED_MS = 1_000;

export class QuotaCounter {
  readonly #dependencies: QuotaDependencies;
  readonly #applicationId: string;
  readonly #group: QuotaGroup;
  /** As published when the quota was read from it: with another the lease is given back, and the next one is of its quota. */
  #application: PreparedApplication | undefined;
  #quota = 0;
  #policy = '';
  /** Of which counting the lease is, and when that ends. */
  #since = 0;
  #endsAt = 0;
  /** Unused of the lease. */
  #held = 0;
  /** Takes back that a request was counted in the lease. */
  #uncount: ((scope: RequestScope) => void) | undefined;
  /** Behind the latest lease, for all servers. */
  #left = 0;
  readonly #waiting = new Set<Waiter>();
  #leasing: Promise<void> | undefined;
  #returning: Promise<void> | undefined;
  /** `performance.now()` until which nothing is asked for, in the hour that ends then. */
  #exhausted: { readonly until: number; readonly endsAt: number } | undefined;
  #recalled = false;
  #used = false;

  constructor(means: QuotaDependencies, applicationId: string, group: QuotaGroup) {
    this.#dependencies = means;
    this.#applicationId = applicationId;
    this.#group = group;
  }

  /** Undefined when the lease at hand had one left; throws when it is known that there are none. */
  take(scope: RequestScope, application: PreparedApplication, quota: number): Promise<void> | undefined {
    const now = this.#dependencies.now();
    this.#used = true;
    if (application !== this.#application) this.#adopt(application, quota);
    if (this.#held > 0 && now < this.#endsAt) {
      this.#admit(scope, now);
      return undefined;
    }
    if (quota === 0 || this.#isExhausted(now)) throw this.#refusal(scope, now);
    scope.signal.throwIfAborted();
    return new Promise((admit, refuse) => {
      const unsubscribe = onAbort(scope.signal, (reason) => {
        this.#waiting.delete(waiter);
        refuse(reason);
      });
      const waiter: Waiter = { scope, admit, refuse, unsubscribe };
      this.#waiting.add(waiter);
      this.#leasing ??= this.#leaseForWaiting();
    });
  }

  recall(): void {
    // What a lease under way brings beyond what is waited for goes back when it is there.
    if (this.#leasing !== undefined) this.#recalled = true;
    else this.#returnUnused();
  }

  /** Called from time to time: gives back what nothing was taken of since. True when there is nothing to remember. */
  releaseIfIdle(): boolean {
    if (this.#used || this.#leasing !== undefined) {
      this.#used = false;
      return false;
    }
    this.#returnUnused();
    return true;
  }

  async close(): Promise<void> {
    await this.#leasing;
    this.#returnUnused();
    await this.#returning;
  }

  #adopt(application: PreparedApplication, quota: number): void {
    this.#returnUnused();
    this.#application = application;
    this.#quota = quota;
    this.#policy = `"${this.#group}";q=${quota};w=${HOUR_MS / 1000}`;
    this.#exhausted = undefined;
  }

  /** Also while the one request that asks again waits for its answer. */
  #isExhausted(now: number): boolean {
    if (this.#exhausted === undefined) return false;
    const { until, endsAt } = this.#exhausted;
    return now < endsAt && (this.#leasing !== undefined || performance.now() < until);
  }

  /** One lease after the other until nobody waits. */
  async #leaseForWaiting(): Promise<void> {
    // Behind what began it: whoever waits is on the list, and the promise of this is kept.
    await this.#returning;
    try {
      while (this.#waiting.size > 0) await this.#leaseOnce();
    } catch (error) {
      this.#refuseAll(() => error);
    }
    this.#leasing = undefined;
    if (this.#recalled) this.#returnUnused();
  }

  async #leaseOnce(): Promise<void> {
    const application = this.#application;
    const lease = (await this.#lease()) ?? (await this.#leaseAfterRecall());
    // Published anew meanwhile: what there is of the former quota is not used.
    if (application !== this.#application) {
      if (lease !== undefined) this.#keep(lease);
      this.#returnUnused();
      await this.#returning;
      return;
    }
    const now = this.#dependencies.now();
    if (lease === undefined) {
      if (this.#exhausted === undefined) this.#report({ event: 'quota.exhausted', quota: this.#quota });
      this.#exhausted = { until: performance.now() + EXHAUSTED_MS, endsAt: hourOf(now) + HOUR_MS };
      this.#refuseAll(({ scope }) => this.#refusal(scope, now));
      return;
    }
    this.#exhausted = undefined;
    this.#keep(lease);
    this.#report({ event: 'quota.leased', granted: lease.granted, left: this.#left });
    // Of an hour that has ended since: those who wait are counted in the next.
    if (now >= this.#endsAt) return;
    for (const waiter of this.#waiting) {
      if (this.#held === 0) return;
      this.#dismiss(waiter);
      this.#admit(waiter.scope, now);
      waiter.admit();
    }
  }

  #lease(): Promise<Lease | undefined> {
    this.#recalled = false;
    const asked = Math.max(1, this.#waiting.size);
    const request = { group: this.#group, quota: this.#quota, asked, now: this.#dependencies.now() };
    return this.#query((database) => takeLease(database.application(this.#applicationId), request));
  }

  /** Bound to none of the requests that wait: those leave when they are stopped, and the others still want it. */
  async #query<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const scope = new RequestScope('', QUERY_TIMEOUT_MS);
    const late = setTimeout(
      () => scope.cancel(fault('UNAVAILABLE', { reason: 'database' }, { 'retry-after': '1' })),
      QUERY_TIMEOUT_MS,
    );
    try {
      return await work(this.#dependencies.database.forRequest(scope));
    } finally {
      clearTimeout(late);
    }
  }

  async #leaseAfterRecall(): Promise<Lease | undefined> {
    const application = this.#application;
    await this.#query(({ system }) => announceRecall(system, this.#applicationId, this.#group));
    for (const milliseconds of RECALL_PAUSES_MS) {
      await pause(milliseconds);
      if (application !== this.#application) return undefined;
      const lease = await this.#lease();
      if (lease !== undefined) return lease;
    }
    return undefined;
  }

  #keep({ since, granted, taken }: Lease): void {
    if (since !== this.#since || this.#uncount === undefined) this.#begin(since);
    // Who was not counted after all may have left one meanwhile.
    this.#held += granted;
    this.#left = Math.max(0, this.#quota - taken);
  }

  #begin(since: number): void {
    this.#since = since;
    this.#endsAt = hourOf(since) + HOUR_MS;
    this.#held = 0;
    const uncount = (scope: RequestScope) => {
      scope.group = undefined;
      scope.returnQuota = undefined;
      if (this.#uncount === uncount) this.#held += 1;
      else this.#return(since, 1);
      if (this.#since === since) this.#setHeadersOfRest(scope, this.#dependencies.now());
    };
    this.#uncount = uncount;
  }

  /** At once nothing is at hand any more; `#returning` is done when the database knows. */
  #returnUnused(): void {
    const unused = this.#held;
    this.#held = 0;
    this.#uncount = undefined;
    if (unused > 0) this.#return(this.#since, unused);
  }

  #return(since: number, unused: number): void {
    if (this.#dependencies.now() >= hourOf(since) + HOUR_MS) return;
    const given = { group: this.#group, since, unused };
    const returning = this.#query((database) => giveBack(database.application(this.#applicationId), given));
    // As if this server had been killed: what it had taken is gone for the hour.
    const settled = Promise.all([this.#returning, returning.catch(() => undefined)]).then(() => {
      if (this.#returning === settled) this.#returning = undefined;
    });
    this.#returning = settled;
  }

  #admit(scope: RequestScope, now: number): void {
    this.#held -= 1;
    scope.group = this.#group;
    scope.returnQuota = this.#uncount;
    this.#setHeadersOfRest(scope, now);
  }

  #setHeadersOfRest(scope: RequestScope, now: number): void {
    this.#setHeaders(scope, this.#left + this.#held, secondsUntil(this.#endsAt, now));
  }

  #refusal(scope: RequestScope, now: number): Fault {
    const seconds = secondsUntil(hourOf(now) + HOUR_MS, now);
    this.#setHeaders(scope, 0, seconds);
    return fault('TOO_MANY_REQUESTS', { group: this.#group }, { 'retry-after': String(seconds) });
  }

  #setHeaders({ headers }: RequestScope, left: number, seconds: number): void {
    headers['ratelimit-policy'] = this.#policy;
    headers.ratelimit = `"${this.#group}";r=${left};t=${seconds}`;
  }

  #report(
    what: { event: 'quota.leased'; granted: number; left: number } | { event: 'quota.exhausted'; quota: number },
  ): void {
    this.#dependencies.observe({ ...what, applicationId: this.#applicationId, group: this.#group });
  }

  #refuseAll(why: (waiter: Waiter) => unknown): void {
    for (const waiter of this.#waiting) {
      this.#dismiss(waiter);
      waiter.refuse(why(waiter));
    }
  }

  #dismiss(waiter: Waiter): void {
    this.#waiting.delete(waiter);
    waiter.unsubscribe();
  }
}
