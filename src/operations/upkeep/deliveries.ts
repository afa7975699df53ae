// Delivers queued notifications. Nodes work at the same time: claiming a delivery moves its due time ahead, and no other
// node claims it before then. Due notes say which applications have deliveries (store/notifications/due).

import { setTimeout as pause } from 'node:timers/promises';
import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { ATTEMPTS_MAX, DELIVERY_MS_MAX, type Message, retryDelayMs } from '../../domain/notifications.ts';
import type { Push } from '../../push/push.ts';
import { type Outcome, SEND_MS_MAX, type Target } from '../../push/transport.ts';
import { StaleDefinition } from '../../store/database/sqlstate.ts';
import { counts, type Standing } from '../../store/notifications/devices.ts';
import { type DueNote, dueNotes, moveNote, removeNote } from '../../store/notifications/due.ts';
import { type Claimed, claimDeliveries, type Marking, nextDue } from '../../store/notifications/notifications.ts';
import { type Account, getAccounts } from '../../store/people/accounts.ts';
import { applicationExists } from '../every-application.ts';
import { type StoredMessage, YOUNG_MS } from '../notifications/notifications.ts';
import { DeliveryMarks } from './delivery-marks.ts';
import { ServiceHealth, SLOTS } from './service-health.ts';

/** Claimed from one application before the next application is served. */
const BATCH = 32;
const NOTES_AT_ONCE = 64;
/** How long a claim lasts: one attempt, and writing its outcome. */
const LEASE_MS = SEND_MS_MAX + 5_000;
/** No attempt begins with less of its claim left. */
const LEASE_LEFT_MS_MIN = SEND_MS_MAX + 1_000;
/** How long a claimed delivery may wait for a slot of its service: meanwhile it keeps others from being claimed. */
const HELD_MS_MAX = 1_000;
const LOOK_MS = 250;
const LOOKS_APART_MS_MAX = 15_000;
/** How long deliveries to a failing service are postponed. */
const FAILING_WAIT_MS = 30_000;
/** How long an application whose queue cannot be read is skipped. */
const BROKEN_WAIT_MS = 10_000;

export interface DeliveryContext extends Pick<OperatorContext, 'database' | 'now' | 'observe'> {
  readonly people: { readonly push: Pick<Push, 'send' | 'serviceOf'> };
}

interface ClaimedDelivery extends Claimed {
  readonly applicationId: string;
  readonly until: number;
  /** Why it must not be sent to its device. */
  readonly refusal: string | undefined;
  /** Undefined if it will not be sent. */
  readonly service: string | undefined;
}

/** Spreads deliveries that were postponed together. */
const jittered = (ms: number): number => ms * (1 + Math.random());

export class Deliveries {
  readonly #context: DeliveryContext;
  readonly #marks: DeliveryMarks;
  readonly #health: ServiceHealth;
  /** Claimed, not yet started. */
  #backlog: ClaimedDelivery[] = [];
  readonly #underWay = new Set<Promise<void>>();

  constructor(context: DeliveryContext) {
    this.#context = context;
    this.#marks = new DeliveryMarks(context);
    this.#health = new ServiceHealth((service, problem) =>
      context.observe({ event: 'notifications.unreachable', service, problem }),
    );
  }

  /** Runs until nothing is due. If the server stops, attempts under way finish and the other claims are released. */
  async run(signal: AbortSignal): Promise<void> {
    const { database, now } = this.#context;
    while (!signal.aborted) {
      const notes = await dueNotes(database.system, isoTime(now()), NOTES_AT_ONCE);
      for (const note of notes) {
        while (this.#backlog.length >= SLOTS && !signal.aborted) await this.#progress();
        if (signal.aborted) break;
        await this.#serve(note);
      }
      if (notes.length > 0) continue;
      if (this.#underWay.size === 0 && this.#backlog.length === 0 && this.#marks.isIdle) return;
      await this.#progress();
    }
    for (const delivery of this.#backlog.splice(0)) this.#release(delivery, now());
    await Promise.all(this.#underWay);
    await this.#marks.written();
  }

  /** Waits until an attempt ends, at most LOOK_MS. */
  async #progress(): Promise<void> {
    await Promise.race([pause(LOOK_MS), ...this.#underWay]);
    this.#begin();
  }

  /** Errors in the schema of an application are reported and postpone it; errors in the system schema end the run. */
  async #serve(note: DueNote): Promise<void> {
    const { database, now, observe } = this.#context;
    const { applicationId } = note;
    let dueAt: number | undefined;
    try {
      dueAt = await this.#claim(note);
    } catch (error) {
      const stale = error instanceof StaleDefinition;
      // The application was removed, or is being published at this moment.
      if (!stale) observe({ event: 'job.failed', job: 'notifications', applicationId, error });
      if (!stale || (await applicationExists(this.#context, applicationId))) {
        dueAt = now() + (stale ? LOOK_MS : jittered(BROKEN_WAIT_MS));
      }
    }
    if (dueAt === undefined) await removeNote(database.system, note);
    else await moveNote(database.system, note, isoTime(dueAt));
  }

  /** Claims a batch. Returns when to look at the application again; undefined if its queue is empty. */
  async #claim(note: DueNote): Promise<number | undefined> {
    const { database, now, people } = this.#context;
    const { applicationId } = note;
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
    return claimed.length === BATCH ? now() : this.#nextLook(note);
  }

  /**
   * The queue holds nothing that is due. But the notification for which the note was written may not be committed yet, nor
   * others that found the note in place, so the queue of a young note is read again and again.
   */
  async #nextLook({ applicationId, notedAt }: DueNote): Promise<number | undefined> {
    const { database, now } = this.#context;
    const due = await nextDue(database.application(applicationId));
    const at = now();
    const age = at - notedAt.getTime();
    const looks = [
      ...(due === undefined ? [] : [Math.max(due.getTime(), at + LOOK_MS)]),
      ...(age < YOUNG_MS ? [at + Math.min(Math.max(age / 4, LOOK_MS), LOOKS_APART_MS_MAX)] : []),
    ];
    return looks.length === 0 ? undefined : Math.min(...looks);
  }

  /** Starts as many attempts as there are slots; releases claims that cannot start soon. */
  #begin(): void {
    const { now } = this.#context;
    const left: ClaimedDelivery[] = [];
    for (const delivery of this.#backlog) {
      const admission = delivery.service === undefined ? 'admitted' : this.#health.admits(delivery.service);
      const remaining = delivery.until - now();
      if (remaining < LEASE_LEFT_MS_MIN) this.#release(delivery, now());
      else if (admission === 'failing') this.#release(delivery, now() + jittered(FAILING_WAIT_MS));
      else if (admission === 'admitted' && this.#underWay.size < SLOTS) this.#start(delivery);
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
        this.#underWay.delete(attempt);
        this.#begin();
      });
    this.#underWay.add(attempt);
  }

  async #attempt(delivery: ClaimedDelivery): Promise<void> {
    const { device, service, refusal } = delivery;
    if (device === undefined || service === undefined) {
      const outcome: Outcome =
        refusal === undefined ? { kind: 'gone', problem: 'the device is gone' } : { kind: 'refused', problem: refusal };
      return this.#settle(delivery, outcome, false);
    }
    this.#health.begin(service);
    const outcome = await this.#send(delivery, device);
    const failing = this.#health.isFailing(service);
    this.#health.end(service, outcome.kind === 'later' ? outcome.problem : undefined);
    this.#settle(delivery, outcome, failing);
  }

  /** Never rejects: the count of attempts under way of the service depends on it. */
  async #send({ message, notificationId, createdAt }: ClaimedDelivery, device: Target): Promise<Outcome> {
    const { now, people } = this.#context;
    const made = createdAt.getTime();
    if (now() - made > DELIVERY_MS_MAX) return { kind: 'refused', problem: 'it is too old' };
    try {
      const whole: Message = { ...(JSON.parse(message) as StoredMessage), notificationId, createdAt: made };
      return await people.push.send(device, whole);
    } catch (error) {
      // Network errors are outcomes; an exception means that the message cannot be sent at all.
      return { kind: 'refused', problem: `cannot be sent: ${(error as Error).message}` };
    }
  }

  #settle(delivery: ClaimedDelivery, outcome: Outcome, serviceFailing: boolean): void {
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

  /** Does not count as an attempt. */
  #release(delivery: ClaimedDelivery, dueAt: number): void {
    this.#mark(delivery, { state: 'waiting', dueAt: isoTime(dueAt), counted: delivery.attempts - 1 });
  }

  #mark(delivery: ClaimedDelivery, marking: Pick<Marking, 'state' | 'dueAt'> & Partial<Marking>): void {
    const { applicationId, notificationId, deviceId, attempts, until } = delivery;
    const rest = { claimedUntil: isoTime(until), counted: attempts, problem: null, finishedAt: null };
    this.#marks.add(applicationId, { notificationId, deviceId, ...rest, ...marking });
  }
}

/** Checked again before sending: the user or device may have changed since the notification was queued. */
function refusalOf(device: Standing | undefined, account: Account | undefined): string | undefined {
  if (account === undefined || account.disabled) return 'the user may not enter';
  if (device !== undefined && !counts(device, account))
    return 'the sign-in by which the device was registered has ended';
  return undefined;
}
