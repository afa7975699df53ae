// Delivers queued notifications. Any number of nodes do so at the same time: a node claims a delivery by moving its due
// time ahead, and no other node claims it before then. store/notifications/due lists the applications to look at.

import { setTimeout as pause } from 'node:timers/promises';
import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { ATTEMPTS_MAX, DELIVERY_MS_MAX, type Message, retryDelayMs } from '../../domain/notifications.ts';
import type { Push } from '../../push/push.ts';
import { type PushOutcome, SEND_TIMEOUT_MS, type Target } from '../../push/transport.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import { type DeviceValidity, mayReceive } from '../../store/notifications/devices.ts';
import { type DueApplication, dueApplications, postponeDue, unmarkDue } from '../../store/notifications/due.ts';
import { type Claimed, claimDeliveries, type Marking, nextDue } from '../../store/notifications/notifications.ts';
import { type Account, getAccounts } from '../../store/people/accounts.ts';
import { applicationExists } from '../every-application.ts';
import { type StoredMessage, WATCH_MS } from '../notifications/notifications.ts';
import { DeliveryMarks } from './delivery-marks.ts';
import { ServiceHealth, SLOTS } from './push-service-health.ts';

/** Claimed from one application before the next one is served. */
const BATCH = 32;
const APPLICATIONS_AT_ONCE = 64;
/** How long a claim lasts: one attempt and writing its outcome. */
const LEASE_MS = SEND_TIMEOUT_MS + 5_000;
/** An attempt is not started when less of the claim is left. */
const LEASE_LEFT_MS_MIN = SEND_TIMEOUT_MS + 1_000;
/** How long a claimed delivery may wait for its service: meanwhile it takes the slot of others. */
const HELD_MS_MAX = 1_000;
const POLL_MS = 250;
const POLL_MS_MAX = 15_000;
/** The delay of deliveries to a failing service. */
const FAILING_WAIT_MS = 30_000;
/** The delay after an application's queue could not be read. */
const BROKEN_WAIT_MS = 10_000;

export interface DeliveryContext extends Pick<OperatorContext, 'database' | 'now' | 'observe'> {
  readonly people: { readonly push: Pick<Push, 'send' | 'serviceOf'> };
}

interface ClaimedDelivery extends Claimed {
  readonly applicationId: string;
  readonly until: number;
  /** Why it must not be sent although the device exists. */
  readonly refusal: string | undefined;
  /** Undefined when it must not be sent. */
  readonly service: string | undefined;
}

/** Spreads deliveries that were delayed together. */
const jittered = (ms: number): number => ms * (1 + Math.random());

export class Deliveries {
  readonly #context: DeliveryContext;
  readonly #marks: DeliveryMarks;
  readonly #health: ServiceHealth;
  /** Claimed but not started. */
  #backlog: ClaimedDelivery[] = [];
  readonly #attempts = new Set<Promise<void>>();

  constructor(context: DeliveryContext) {
    this.#context = context;
    this.#marks = new DeliveryMarks(context);
    this.#health = new ServiceHealth((service, problem) =>
      context.observe({ event: 'notifications.unreachable', service, problem }),
    );
  }

  /** Runs until nothing is due. When the server stops, attempts in progress finish and the backlog is released. */
  async run(signal: AbortSignal): Promise<void> {
    const { database, now } = this.#context;
    while (!signal.aborted) {
      const applications = await dueApplications(database.system, isoTime(now()), APPLICATIONS_AT_ONCE);
      for (const application of applications) {
        while (this.#backlog.length >= SLOTS && !signal.aborted) await this.#waitForProgress();
        if (signal.aborted) break;
        await this.#serve(application);
      }
      if (applications.length > 0) continue;
      if (this.#attempts.size === 0 && this.#backlog.length === 0 && this.#marks.isIdle) return;
      await this.#waitForProgress();
    }
    for (const delivery of this.#backlog.splice(0)) this.#release(delivery, now());
    await Promise.all(this.#attempts);
    await this.#marks.written();
  }

  /** Waits until an attempt has ended or POLL_MS have passed. */
  async #waitForProgress(): Promise<void> {
    await Promise.race([pause(POLL_MS), ...this.#attempts]);
    this.#begin();
  }

  /** An error in an application's schema delays that application only; an error in the system schema ends the run. */
  async #serve(application: DueApplication): Promise<void> {
    const { database, now, observe } = this.#context;
    const { applicationId } = application;
    let dueAt: number | undefined;
    try {
      dueAt = await this.#claim(application);
    } catch (error) {
      const stale = error instanceof StaleDefinition;
      // A stale definition: the application was removed, or was published at this moment.
      if (!stale) observe({ event: 'job.failed', job: 'notifications', applicationId, error });
      if (!stale || (await applicationExists(this.#context, applicationId))) {
        dueAt = now() + (stale ? POLL_MS : jittered(BROKEN_WAIT_MS));
      }
    }
    if (dueAt === undefined) await unmarkDue(database.system, application);
    else await postponeDue(database.system, application, isoTime(dueAt));
  }

  /** Returns when to look at the application again; undefined when its queue is empty. */
  async #claim(application: DueApplication): Promise<number | undefined> {
    const { database, now, people } = this.#context;
    const { applicationId } = application;
    const at = now();
    const until = at + LEASE_MS;
    const writer = database.application(applicationId);
    const claimed = await claimDeliveries(writer, { now: isoTime(at), until: isoTime(until), limit: BATCH });
    if (claimed.length > 0) {
      const users = await getAccounts(database, applicationId, [...new Set(claimed.map(({ userId }) => userId))]);
      for (const delivery of claimed) {
        const { device, userId } = delivery;
        const refusal = refusalOf(device, users.get(userId));
        const service = device && refusal === undefined ? people.push.serviceOf(device) : undefined;
        this.#backlog.push({ ...delivery, applicationId, until, refusal, service });
      }
      this.#begin();
    }
    return claimed.length === BATCH ? now() : this.#nextPoll(application);
  }

  /**
   * Nothing more is due, but transactions that marked the application, or found it marked, may not have committed their
   * notifications yet. So the queue is polled until the mark is WATCH_MS old.
   */
  async #nextPoll({ applicationId, notedAt }: DueApplication): Promise<number | undefined> {
    const { database, now } = this.#context;
    const due = await nextDue(database.application(applicationId));
    const at = now();
    const age = at - notedAt.getTime();
    const polls = [
      ...(due === undefined ? [] : [Math.max(due.getTime(), at + POLL_MS)]),
      ...(age < WATCH_MS ? [at + Math.min(Math.max(age / 4, POLL_MS), POLL_MS_MAX)] : []),
    ];
    return polls.length === 0 ? undefined : Math.min(...polls);
  }

  /** Starts as many deliveries as there are slots for, and releases those that cannot start soon. */
  #begin(): void {
    const { now } = this.#context;
    const left: ClaimedDelivery[] = [];
    for (const delivery of this.#backlog) {
      const admission = delivery.service === undefined ? 'admitted' : this.#health.admits(delivery.service);
      const remaining = delivery.until - now();
      if (remaining < LEASE_LEFT_MS_MIN) this.#release(delivery, now());
      else if (admission === 'failing') this.#release(delivery, now() + jittered(FAILING_WAIT_MS));
      else if (admission === 'admitted' && this.#attempts.size < SLOTS) this.#start(delivery);
      else if (admission === 'busy' && remaining < LEASE_MS - HELD_MS_MAX)
        this.#release(delivery, now() + jittered(HELD_MS_MAX));
      else left.push(delivery);
    }
    this.#backlog = left;
  }

  #start(delivery: ClaimedDelivery): void {
    const { observe } = this.#context;
    const attempt = this.#attempt(delivery)
      .catch((error: unknown) => observe({ event: 'job.failed', job: 'notifications', error }))
      .finally(() => {
        this.#attempts.delete(attempt);
        this.#begin();
      });
    this.#attempts.add(attempt);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { device, service, refusal } = delivery;
    if (device === undefined || service === undefined) {
      const outcome: PushOutcome =
        refusal === undefined ? { kind: 'gone', problem: 'the device is gone' } : { kind: 'refused', problem: refusal };
      return this.#settle(delivery, outcome, false);
    }
    this.#health.begin(service);
    const outcome = await this.#send(delivery, device);
    const failing = this.#health.isFailing(service);
    this.#health.end(service, outcome.kind === 'later' ? outcome.problem : undefined);
    this.#settle(delivery, outcome, failing);
  }

  /** Never rejects: the count of the service's attempts depends on it. */
  async #send({ message, notificationId, createdAt }: ClaimedDelivery, device: Target): Promise<PushOutcome> {
    const { now, people } = this.#context;
    const made = createdAt.getTime();
    if (now() - made > DELIVERY_MS_MAX) return { kind: 'refused', problem: 'it is too old' };
    try {
      const whole: Message = { ...(JSON.parse(message) as StoredMessage), notificationId, createdAt: made };
      return await people.push.send(device, whole);
    } catch (error) {
      // Network failures are outcomes, so this message can never be sent.
      return { kind: 'refused', problem: `cannot be sent: ${(error as Error).message}` };
    }
  }

  #settle(delivery: ClaimedDelivery, outcome: PushOutcome, serviceFailing: boolean): void {
    const { now, observe } = this.#context;
    const { applicationId, notificationId, deviceId, attempts, createdAt } = delivery;
    const at = now();
    const settled = outcome.kind === 'refused' ? 'failed' : outcome.kind;
    observe({ event: 'notification.settled', outcome: settled });
    if (outcome.kind === 'later') {
      const delay = Math.max(retryDelayMs({ attempts, serviceFailing, chance: Math.random() }), outcome.afterMs ?? 0);
      if (attempts < ATTEMPTS_MAX && at + delay <= createdAt.getTime() + DELIVERY_MS_MAX) {
        this.#mark(delivery, { state: 'waiting', dueAt: isoTime(at + delay), problem: outcome.problem });
        return;
      }
    }
    const problem = outcome.kind === 'delivered' ? null : outcome.problem;
    const state = outcome.kind === 'delivered' || outcome.kind === 'gone' ? outcome.kind : 'failed';
    this.#mark(delivery, { state, dueAt: isoTime(at), problem, finishedAt: isoTime(at) });
    if (state === 'failed') {
      observe({ event: 'notification.failed', applicationId, notificationId, deviceId, problem: problem ?? '' });
    }
  }

  /** Ends the claim without counting an attempt. */
  #release(delivery: ClaimedDelivery, dueAt: number): void {
    this.#mark(delivery, { state: 'waiting', dueAt: isoTime(dueAt), counted: delivery.attempts - 1 });
  }

  #mark(delivery: ClaimedDelivery, marking: Pick<Marking, 'state' | 'dueAt'> & Partial<Marking>): void {
    const { applicationId, notificationId, deviceId, attempts, until } = delivery;
    const rest = { claimedUntil: isoTime(until), counted: attempts, problem: null, finishedAt: null };
    this.#marks.add(applicationId, { notificationId, deviceId, ...rest, ...marking });
  }
}

/** Checked again before sending: the user or the device may have changed since the notification was queued. */
function refusalOf(device: DeviceValidity | undefined, account: Account | undefined): string | undefined {
  if (account === undefined || account.disabled) return 'the user is disabled or no longer exists';
  if (device !== undefined && !mayReceive(device, account))
    return 'the sign-in by which the device was registered has ended';
  return undefined;
}
