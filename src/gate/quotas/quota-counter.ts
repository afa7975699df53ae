// One node's share of a quota: its lease on one group of one application in the current hour, the requests that wait for
// the next lease, and whether the quota is exhausted. A request that the lease still covers does not wait.

import { setTimeout as pause } from 'node:timers/promises';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import { HOUR_MS, hourOf, secondsUntil } from '../../domain/quota.ts';
import type { Observe } from '../../events/events.ts';
import { type Fault, fault } from '../../faults.ts';
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

/** Limits a query made for all waiting requests. A query that is cancelled may lose the lease it was taking. */
const QUERY_TIMEOUT_MS = 5_000;
/** When nothing is left, the other nodes are asked to return unused leases; these are the pauses before the next attempts. */
const RECALL_PAUSES_MS = [30, 120];
/** How long an exhausted quota is refused without a query; after it one request queries again for all. */
const EXHAUSTED_MS = 1_000;

export class QuotaCounter {
  readonly #dependencies: QuotaDependencies;
  readonly #applicationId: string;
  readonly #group: QuotaGroup;
  /** The published version that the quota was read from. With another version the lease is returned and taken anew. */
  #application: PreparedApplication | undefined;
  #quota = 0;
  #policy = '';
  /** When the counting that the lease belongs to began, and when its hour ends. */
  #since = 0;
  #endsAt = 0;
  /** The unused part of the lease. */
  #held = 0;
  /** Undoes the counting of a request in the current lease. */
  #returnOne: ((scope: RequestScope) => void) | undefined;
  /** What the quota still held, for all nodes, after the latest lease. */
  #left = 0;
  readonly #waiting = new Set<Waiter>();
  #leasing: Promise<void> | undefined;
  #returning: Promise<void> | undefined;
  /** No lease is tried before `until` (`performance.now()`) while the hour that ends at `endsAt` lasts. */
  #exhausted: { readonly until: number; readonly endsAt: number } | undefined;
  #recalled = false;
  #used = false;

  constructor(dependencies: QuotaDependencies, applicationId: string, group: QuotaGroup) {
    this.#dependencies = dependencies;
    this.#applicationId = applicationId;
    this.#group = group;
  }

  /** Undefined when the lease covers the request; throws when the quota is known to be exhausted. */
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
    // A lease under way is returned when it arrives, except for what the waiting requests use.
    if (this.#leasing !== undefined) this.#recalled = true;
    else this.#returnUnused();
  }

  /** Called regularly: whether nothing was taken since the last call. */
  isIdle(): boolean {
    const isIdle = !this.#used && this.#leasing === undefined;
    this.#used = false;
    return isIdle;
  }

  /** Returns what is unused of the lease; resolves when the database has it back. */
  async release(): Promise<void> {
    this.#returnUnused();
    await this.#returning;
  }

  async close(): Promise<void> {
    await this.#leasing;
    await this.release();
  }

  #adopt(application: PreparedApplication, quota: number): void {
    this.#returnUnused();
    this.#application = application;
    this.#quota = quota;
    this.#policy = `"${this.#group}";q=${quota};w=${HOUR_MS / 1000}`;
    this.#exhausted = undefined;
  }

  /** Also true while the one request that queries again waits for its result. */
  #isExhausted(now: number): boolean {
    if (this.#exhausted === undefined) return false;
    const { until, endsAt } = this.#exhausted;
    return now < endsAt && (this.#leasing !== undefined || performance.now() < until);
  }

  /** Takes one lease after the other until no request waits. */
  async #leaseForWaiting(): Promise<void> {
    // This await also lets `take` add its waiter and store this promise before the loop begins.
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
    // The application was published meanwhile: a lease on the former quota is not used.
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
    // The lease's hour has ended meanwhile: the waiting requests are counted in the next one.
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

  /** Has a scope of its own: cancelling one waiting request must not cancel the lease that the others wait for. */
  async #query<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const scope = new RequestScope('', QUERY_TIMEOUT_MS);
    const timeout = setTimeout(
      () => scope.cancel(fault('UNAVAILABLE', { reason: 'database' }, { 'retry-after': '1' })),
      QUERY_TIMEOUT_MS,
    );
    try {
      return await work(this.#dependencies.database.forRequest(scope));
    } finally {
      clearTimeout(timeout);
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
    if (since !== this.#since || this.#returnOne === undefined) this.#begin(since);
    // Added, not set: a request that was uncounted meanwhile has returned one.
    this.#held += granted;
    this.#left = Math.max(0, this.#quota - taken);
  }

  #begin(since: number): void {
    this.#since = since;
    this.#endsAt = hourOf(since) + HOUR_MS;
    this.#held = 0;
    const returnOne = (scope: RequestScope) => {
      scope.group = undefined;
      scope.returnQuota = undefined;
      if (this.#returnOne === returnOne) this.#held += 1;
      else this.#return(since, 1);
      if (this.#since === since) this.#setRemainingHeaders(scope, this.#dependencies.now());
    };
    this.#returnOne = returnOne;
  }

  /** Empties the lease at once; `#returning` resolves when the database has the rest back. */
  #returnUnused(): void {
    const unused = this.#held;
    this.#held = 0;
    this.#returnOne = undefined;
    if (unused > 0) this.#return(this.#since, unused);
  }

  #return(since: number, unused: number): void {
    if (this.#dependencies.now() >= hourOf(since) + HOUR_MS) return;
    const given = { group: this.#group, since, unused };
    const returning = this.#query((database) => giveBack(database.application(this.#applicationId), given));
    // After a failure the rest stays counted for this hour, as if this node had been killed.
    const settled = Promise.all([this.#returning, returning.catch(() => undefined)]).then(() => {
      if (this.#returning === settled) this.#returning = undefined;
    });
    this.#returning = settled;
  }

  #admit(scope: RequestScope, now: number): void {
    this.#held -= 1;
    scope.group = this.#group;
    scope.returnQuota = this.#returnOne;
    this.#setRemainingHeaders(scope, now);
  }

  #setRemainingHeaders(scope: RequestScope, now: number): void {
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
