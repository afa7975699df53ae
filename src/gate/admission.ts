// Limits how many requests are handled at once, per tenant and in all. Further requests wait in a fair queue for a slot; the
// tenant that has used the least time lately comes next. A request that has waited too long, or finds the queue full, is
// refused (docs/architecture/overload.md).

import { tooBusy } from '../faults.ts';
import { FairQueue } from '../load/fair-queue.ts';
import { LoopTime } from '../load/loop-time.ts';
import type { RequestScope } from '../request/request-scope.ts';
import { onAbort, type Signal } from '../request/signal.ts';

export interface AdmissionBounds {
  readonly slots: number;
  /** Requests waiting, of one tenant and of all. */
  readonly waitingEachMax: number;
  readonly waitingMax: number;
  readonly waitMs: number;
}

/** An active tenant. */
interface Tenant {
  slots: number;
  /** Requests that left in this round, and in the previous one. */
  left: number;
  leftBefore: number;
  /** Those of them that were not heavy (load/slices). */
  short: number;
  shortBefore: number;
  /** Roughly the event loop time that those requests took. */
  usedMs: number;
  usedMsBefore: number;
  /** It has filled the event loop beside others, and goes on using much of it. */
  filling: boolean;
  /** Pauses that are too short for a timer. */
  owedMs: number;
  seen: boolean;
  /** On a cluster, once it is known where the tenant lies. */
  worker: WorkerSlots | undefined;
}

/** All tenants on one worker of a cluster. */
interface WorkerSlots {
  slots: number;
}

interface Waiter {
  readonly scope: RequestScope;
  readonly since: number;
  readonly go: () => void;
  readonly refuse: (error: unknown) => void;
  unsubscribe: () => void;
}

/** A tenant counts as active for a round or two after its last request. */
const ROUND_MS = 1_000;
const CHECK_MS = 100;
const RETRY_SECONDS_MAX = 10;
/**
 * The part of all slots that one tenant may hold: alone, and beside others. Alone it leaves some free: its own requests may
 * wait for a lock, and a tenant that arrives then must not. Beside others it holds no more than keeps the machine busy, since
 * every request being worked on slows down all others. With 24, 12, 8 and 6 of 48 slots for a tenant that sends ten times its
 * share, another's p99 grew 3.2, 1.4 to 2.4, 0.9 to 1.5 and 1.1 times, and 2.5 times without a bound (`npm run bench -- fairness`,
 * on two cores that had much other work; 24 and 6 were measured once, before the database connections had the same rule). Few
 * slots cost some throughput: with 6, 8, 12 and any number of slots for 32 connections, a get took about 326, 314, 286 and
 * 269 µs of the server's time, as fewer statements share one write; with lists and creates no difference stood out from the noise.
 */
const ALONE = 3 / 4;
const BESIDE_OTHERS = 1 / 6;
/**
 * The part of `BESIDE_OTHERS` for a tenant that has kept the event loop busy lately: with heavy work, which loads the database as
 * well, or with many ordinary requests while the event loop is full. All admitted requests run in one turn of the event
 * loop, and every request of another tenant waits for a few such turns.
 */
const HEAVY = 1 / 4;
/**
 * A tenant that has used so much of two rounds, a quarter of the event loop, while the loop was full is held to that part of the
 * slots until it uses an eighth. As long as only a full loop held it, the bound ended as soon as it had worked: another tenant's p99
 * beside 20 connections of pipelined lists was 12.5 ms, and 21.5 with half as many slots.
 */
const FILLING_MS = 500;
const FILLING_ENDS_MS = 125;
/**
 * Such a tenant keeps each slot for a while after the request, so many times as long as the request took the event loop, if others
 * send so many requests a second. With 0, 1, 2 and 3, the p99 of the other tenant was 8.7, 7.8, 5.9 and 5.9 ms (alone 3 to 4), and
 * 950, 910, 670 and 520 lists a second were sent (`npm run bench -- neighbours --only pipelines`).
 */
const FILLING_PAUSE_TIMES = 2;
const FILLING_PAUSE_FOR = 10;
/**
 * The tenants of one worker of a cluster together hold at most so many times the slots that are free. If the worker hangs, they
 * keep two thirds of all slots until their deadlines, and the tenants of other workers share the rest by the same rule.
 */
const WORKER_TIMES_FREE = 2;
/** Estimates of event loop time that is not measured: for an ordinary request, and for a megabyte of reply. */
const REQUEST_MS = 0.2;
const REPLY_MB_MS = 10;

export class Admission {
  readonly #bounds: AdmissionBounds;
  readonly #tenants = new Map<string, Tenant>();
  readonly #queue: FairQueue<Waiter>;
  readonly #loopTime: LoopTime;
  readonly #isLoopFull: () => boolean;
  readonly #workerOf: (tenant: string) => object | undefined;
  readonly #workers = new Map<object, WorkerSlots>();
  readonly #mayGo = (name: string) => this.#mayHaveMore(name, this.#tenantOf(name));
  readonly #cost = (name: string, { since }: Waiter): number => {
    const { usedMs, usedMsBefore } = this.#tenantOf(name);
    return this.#loopTime.cost(name, since) + usedMs + usedMsBefore;
  };
  #slotsTaken = 0;
  /** How many slots one tenant may hold at present. */
  #slotsEach: number;
  readonly #slotsHeavy: number;
  /** Of all tenants, in this round and in the previous one. */
  #short = 0;
  #shortBefore = 0;
  #roundEndsAt = 0;
  #checking: NodeJS.Timeout | undefined;

  /** `workerOf`: which tenants share a worker of a cluster; undefined on plain PostgreSQL, or while it is not known. */
  constructor(
    bounds: AdmissionBounds,
    loopTime = new LoopTime(),
    isLoopFull = () => false,
    workerOf: (tenant: string) => object | undefined = () => undefined,
  ) {
    this.#workerOf = workerOf;
    this.#bounds = bounds;
    this.#loopTime = loopTime;
    this.#isLoopFull = isLoopFull;
    this.#queue = new FairQueue({ eachMax: bounds.waitingEachMax, allMax: bounds.waitingMax });
    this.#slotsEach = this.#slotsFor(1);
    this.#slotsHeavy = Math.max(1, Math.floor(this.#slotsFor(2) * HEAVY));
  }

  get slotsTaken(): number {
    return this.#slotsTaken;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** When the tenant's requests that wait now will have got slots, judging by how many left in the previous round. */
  secondsFor({ tenant }: RequestScope): number {
    const seconds = Math.ceil(this.#queue.lengthOf(tenant) / Math.max(1, this.#tenants.get(tenant)?.leftBefore ?? 0));
    return Math.min(RETRY_SECONDS_MAX, Math.max(1, seconds));
  }

  /** Undefined when there is a slot at once. Rejects when the queue is full. */
  enter(scope: RequestScope): Promise<void> | undefined {
    scope.signal.throwIfAborted();
    if (scope.startedAt > this.#roundEndsAt) this.#nextRound();
    const tenant = this.#tenantOf(scope.tenant);
    tenant.seen = true;
    // While a slot is free, every waiting tenant holds its part already: only a tenant with fewer slots overtakes.
    if (this.#slotsTaken < this.#bounds.slots && this.#mayHaveMore(scope.tenant, tenant)) {
      this.#admit(scope, tenant);
      return undefined;
    }
    return this.#wait(scope);
  }

  /** The request has ended, or goes on without a slot: releases it, if it holds one. `replyBytes`: of the reply's body. */
  leave(scope: RequestScope, replyBytes = 0): void {
    if (!scope.admitted) return;
    const tenant = this.#tenantOf(scope.tenant);
    const replyMs = (REPLY_MB_MS * replyBytes) / 2 ** 20;
    tenant.usedMs += replyMs;
    if (!scope.heavy) {
      tenant.short += 1;
      this.#short += 1;
    }
    if (!tenant.filling || !this.#mustPause(scope.tenant)) {
      this.#release(scope, tenant);
      return;
    }
    tenant.owedMs += FILLING_PAUSE_TIMES * (REQUEST_MS + replyMs);
    scope.admitted = false;
    if (tenant.owedMs < 1) {
      this.#free(tenant);
      return;
    }
    setTimeout(() => this.#free(tenant), tenant.owedMs);
    tenant.owedMs = 0;
  }

  #mustPause(name: string): boolean {
    return this.#tenants.size > 1 && this.shortBeside(name) >= FILLING_PAUSE_FOR;
  }

  #release(scope: RequestScope, tenant: Tenant): void {
    scope.admitted = false;
    this.#free(tenant);
  }

  #free(tenant: Tenant): void {
    tenant.slots -= 1;
    if (tenant.worker !== undefined) tenant.worker.slots -= 1;
    tenant.left += 1;
    tenant.usedMs += REQUEST_MS;
    this.#slotsTaken -= 1;
    if (this.#queue.size > 0) this.#fill();
  }

  /** For waits on the client: they hold no slot and do not count against the request's deadline. */
  async waitForClient<T>(scope: RequestScope, work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    const { deadlineAt } = scope;
    scope.deadlineAt = Number.POSITIVE_INFINITY;
    return this.withoutSlot(scope, async () => {
      try {
        return await work();
      } finally {
        scope.deadlineAt = deadlineAt + performance.now() - since;
      }
    });
  }

  /**
   * For waits in another queue: they hold no slot, but count against the deadline. `atOnce`: afterwards the request goes on whether
   * or not a slot is free, because those that have the slots may be waiting for it (load/slices).
   */
  async withoutSlot<T>(
    scope: RequestScope,
    work: (signal: Signal) => Promise<T>,
    { atOnce = false }: { readonly atOnce?: boolean } = {},
  ): Promise<T> {
    scope.signal.throwIfAborted();
    const { admitted } = scope;
    if (admitted) this.#release(scope, this.#tenantOf(scope.tenant));
    const result = await work(scope.signal);
    if (!admitted) return result;
    if (atOnce) this.#admit(scope, this.#tenantOf(scope.tenant));
    else await this.enter(scope);
    return result;
  }

  /** Whether another tenant is active too. */
  isBesideOthers(name: string): boolean {
    this.#renewRound();
    return this.#tenants.size > (this.#tenants.has(name) ? 1 : 0);
  }

  /** How many requests of other tenants have a slot. */
  inProgressBeside(name: string): number {
    return this.#slotsTaken - (this.#tenants.get(name)?.slots ?? 0);
  }

  /** In the current round or the previous one, whichever had more: the current one may have just begun. */
  shortBeside(name: string): number {
    this.#renewRound();
    const own = this.#tenants.get(name);
    return Math.max(this.#short - (own?.short ?? 0), this.#shortBefore - (own?.shortBefore ?? 0));
  }

  #mayHaveMore(name: string, tenant: Tenant): boolean {
    const { slots, usedMs, usedMsBefore, worker } = tenant;
    if (slots >= this.#slotsEach) return false;
    const free = this.#bounds.slots - this.#slotsTaken;
    if (worker !== undefined && worker.slots >= WORKER_TIMES_FREE * free) return false;
    if (slots < this.#slotsHeavy || this.#tenants.size === 1) return true;
    const isLoopFull = this.#isLoopFull();
    if (isLoopFull && usedMs + usedMsBefore >= FILLING_MS) tenant.filling = true;
    return !tenant.filling && !this.#loopTime.isHeavy(name, isLoopFull ? usedMs + usedMsBefore : 0);
  }

  #tenantOf(name: string): Tenant {
    let tenant = this.#tenants.get(name);
    if (tenant === undefined) {
      const worker = this.#slotsOfWorker(name);
      tenant = {
        slots: 0,
        left: 0,
        leftBefore: 0,
        short: 0,
        shortBefore: 0,
        usedMs: 0,
        usedMsBefore: 0,
        filling: false,
        owedMs: 0,
        seen: true,
        worker,
      };
      this.#tenants.set(name, tenant);
      this.#slotsEach = this.#slotsFor(this.#tenants.size);
    }
    return tenant;
  }

  #slotsOfWorker(name: string): WorkerSlots | undefined {
    const worker = this.#workerOf(name);
    if (worker === undefined) return undefined;
    let slots = this.#workers.get(worker);
    if (slots === undefined) {
      slots = { slots: 0 };
      this.#workers.set(worker, slots);
    }
    return slots;
  }

  /** The tenant was located, or has moved. */
  #follow(name: string, tenant: Tenant): void {
    const worker = this.#slotsOfWorker(name);
    if (worker === tenant.worker) return;
    if (tenant.worker !== undefined) tenant.worker.slots -= tenant.slots;
    if (worker !== undefined) worker.slots += tenant.slots;
    tenant.worker = worker;
  }

  #slotsFor(activeTenants: number): number {
    return Math.max(1, Math.floor(this.#bounds.slots * (activeTenants > 1 ? BESIDE_OTHERS : ALONE)));
  }

  #admit(scope: RequestScope, tenant: Tenant): void {
    this.#slotsTaken += 1;
    tenant.slots += 1;
    if (tenant.worker !== undefined) tenant.worker.slots += 1;
    scope.admitted = true;
  }

  #wait(scope: RequestScope): Promise<void> {
    return new Promise((go, refuse) => {
      const waiter: Waiter = { scope, since: performance.now(), go, refuse, unsubscribe: () => undefined };
      if (!this.#queue.add(scope.tenant, waiter)) {
        refuse(tooBusy(this.secondsFor(scope)));
        return;
      }
      scope.waiting = true;
      waiter.unsubscribe = onAbort(scope.signal, (reason) => this.#drop(waiter, reason));
      this.#checking ??= setInterval(() => this.#check(), CHECK_MS).unref();
    });
  }

  #fill(): void {
    while (this.#slotsTaken < this.#bounds.slots) {
      const waiter = this.#queue.next(this.#mayGo, this.#cost);
      if (waiter === undefined) return;
      const { scope, unsubscribe, go } = waiter;
      unsubscribe();
      scope.waiting = false;
      this.#admit(scope, this.#tenantOf(scope.tenant));
      go();
    }
  }

  #drop(waiter: Waiter, reason: unknown): void {
    const { scope, unsubscribe, refuse } = waiter;
    this.#queue.remove(scope.tenant, waiter);
    unsubscribe();
    scope.waiting = false;
    refuse(reason);
  }

  /** Refuses requests that have waited too long. */
  #check(): void {
    const since = performance.now() - this.#bounds.waitMs;
    for (const waiter of this.#queue)
      if (waiter.since <= since) this.#drop(waiter, tooBusy(this.secondsFor(waiter.scope)));
    this.#renewRound();
    if (this.#queue.size > 0) return;
    clearInterval(this.#checking);
    this.#checking = undefined;
  }

  /** No request may arrive for a while: one that takes long would go on beside tenants that have left. */
  #renewRound(): void {
    if (performance.now() > this.#roundEndsAt) this.#nextRound();
  }

  #nextRound(): void {
    this.#roundEndsAt = performance.now() + ROUND_MS;
    this.#shortBefore = this.#short;
    this.#short = 0;
    for (const [name, tenant] of this.#tenants) {
      const active = tenant.seen || tenant.slots > 0 || this.#queue.lengthOf(name) > 0;
      if (!active) this.#tenants.delete(name);
      this.#follow(name, tenant);
      tenant.leftBefore = tenant.left;
      tenant.left = 0;
      tenant.shortBefore = tenant.short;
      tenant.short = 0;
      tenant.usedMsBefore = tenant.usedMs;
      tenant.usedMs = 0;
      if (tenant.usedMsBefore < FILLING_ENDS_MS) tenant.filling = false;
      tenant.seen = false;
    }
    this.#slotsEach = this.#slotsFor(this.#tenants.size);
    this.#fill();
  }
}
