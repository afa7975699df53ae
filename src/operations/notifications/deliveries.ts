// Delivers what the queues hold. Any number of servers do, at the same time: whoever takes a delivery moves its time
// ahead first, and until then no other takes it. Which queues to look into say the notes (store/notifications/due).

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
import { ServiceHealth, SLOTS } from '../service-health.ts';
import { DeliveryMarks } from './delivery-marks.ts';
import { type StoredMessage, YOUNG_MS } from './notifications.ts';

/** Taken from one application before the next has its turn. */
const BATCH = 32;
const NOTES_AT_ONCE = 64;
/** For how long what is taken is one's own: one attempt, and writing down what became of it. */
const LEASE_MS = SEND_MS_MAX + 5_000;
/** With less of it left, an attempt is not begun. */
const LEASE_LEFT_MS_MIN = SEND_MS_MAX + 1_000;
/** How long what is taken may wait here for its service, while it keeps others from being taken. */
const HELD_MS_MAX = 1_000;
const LOOK_MS = 250;
const LOOKS_APART_MS_MAX = 15_000;
/** For what has to wait until the service takes something again. */
const FAILING_WAIT_MS = 30_000;
/** For an application whose queue cannot be read, until it is asked again. */
const BROKEN_WAIT_MS = 10_000;

export interface DeliveryContext extends Pick<OperatorContext, 'database' | 'now' | 'observe'> {
  readonly people: { readonly push: Pick<Push, 'send' | 'serviceOf'> };
}

interface Load extends Claimed {
  readonly applicationId: string;
  readonly until: number;
  /** Why it must not be sent although there is a device. */
  readonly refusal: string | undefined;
  /** Undefined when it is not sent at all. */
  readonly service: string | undefined;
}

/** So that what waits together does not come back together. */
const jittered = (ms: number): number => ms * (1 + Math.random());

export class Deliveries {
  readonly #context: DeliveryContext;
  readonly #marks: DeliveryMarks;
  readonly #health: ServiceHealth;
  /** Taken, and not begun yet. */
  #backlog: Load[] = [];
  readonly #underWay = new Set<Promise<void>>();

  constructor(context: DeliveryContext) {
    this.#context = context;
    this.#marks = new DeliveryMarks(context);
    this.#health = new ServiceHealth((service, problem) =>
      context.observe({ event: 'notifications.unreachable', service, problem }),
    );
  }

  /** Until nothing is due, or the server stops: then what is under way ends, and the rest is given back. */
  async run(signal: AbortSignal): Promise<void> {
    const { database, now } = this.#context;
    while (!signal.aborted) {
      const notes = await dueNotes(database.system, isoTime(now()), NOTES_AT_ONCE);
      for (const note of notes) {
        while (this.#backlog.length >= SLOTS && !signal.aborted) await this.#progress();
        if (signal.aborted) break;
        await this.#turn(note);
      }
      if (notes.length > 0) continue;
      if (this.#underWay.size === 0 && this.#backlog.length === 0 && this.#marks.isIdle) return;
      await this.#progress();
    }
    for (const load of this.#backlog.splice(0)) this.#giveBack(load, now());
    await Promise.all(this.#underWay);
    await this.#marks.written();
  }

  /** Waits until something has ended, or for a moment. */
  async #progress(): Promise<void> {
    await Promise.race([pause(LOOK_MS), ...this.#underWay]);
    this.#begin();
  }

  /** Of an application. What is wrong in its schema is its own affair; without the system schema nothing can be done. */
  async #turn(note: DueNote): Promise<void> {
    const { database, now, observe } = this.#context;
    const { applicationId } = note;
    let dueAt: number | undefined;
    try {
      dueAt = await this.#take(note);
    } catch (error) {
      const stale = error instanceof StaleDefinition;
      // Removed with all that it had; or published anew at this moment.
      if (!stale) observe({ event: 'job.failed', job: 'notifications', applicationId, error });
      if (!stale || (await applicationExists(this.#context, applicationId))) {
        dueAt = now() + (stale ? LOOK_MS : jittered(BROKEN_WAIT_MS));
      }
    }
    if (dueAt === undefined) await removeNote(database.system, note);
    else await moveNote(database.system, note, isoTime(dueAt));
  }

  /** When the application has its next turn; undefined when there is nothing left. */
  async #take(note: DueNote): Promise<number | undefined> {
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
   * The queue holds no more that is due. But the notification that the note was written for may still be on its way into
   * it, and so may others that found the note there: as long as it is young, it is looked at again and again.
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

  /** As many as there is room for; what cannot begin soon is given back. */
  #begin(): void {
    const { now } = this.#context;
    const left: Load[] = [];
    for (const load of this.#backlog) {
      const admission = load.service === undefined ? 'admitted' : this.#health.admits(load.service);
      const remaining = load.until - now();
      if (remaining < LEASE_LEFT_MS_MIN) this.#giveBack(load, now());
      else if (admission === 'failing') this.#giveBack(load, now() + jittered(FAILING_WAIT_MS));
      else if (admission === 'admitted' && this.#underWay.size < SLOTS) this.#start(load);
      else if (admission === 'busy' && remaining < LEASE_MS - HELD_MS_MAX)
        this.#giveBack(load, now() + jittered(HELD_MS_MAX));
      else left.push(load);
    }
    this.#backlog = left;
  }

  #start(load: Load): void {
    const { observe } = this.#context;
    const attempt = this.#attempt(load)
      .catch((error: unknown) => observe({ event: 'job.failed', job: 'notifications', error }))
      .finally(() => {
        this.#underWay.delete(attempt);
        this.#begin();
      });
    this.#underWay.add(attempt);
  }

  async #attempt(load: Load): Promise<void> {
    const { device, service, refusal } = load;
    if (device === undefined || service === undefined) {
      const outcome: Outcome =
        refusal === undefined ? { kind: 'gone', problem: 'the device is gone' } : { kind: 'refused', problem: refusal };
      return this.#settle(load, outcome, false);
    }
    this.#health.begin(service);
    const outcome = await this.#send(load, device);
    const failing = this.#health.isFailing(service);
    this.#health.end(service, outcome.kind === 'later' ? outcome.problem : undefined);
    this.#settle(load, outcome, failing);
  }

  /** Never rejects: the service's count of what is under way depends on it. */
  async #send({ message, notificationId, createdAt }: Load, device: Target): Promise<Outcome> {
    const { now, people } = this.#context;
    const made = createdAt.getTime();
    if (now() - made > DELIVERY_MS_MAX) return { kind: 'refused', problem: 'it is too old' };
    try {
      const whole: Message = { ...(JSON.parse(message) as StoredMessage), notificationId, createdAt: made };
      return await people.push.send(device, whole);
    } catch (error) {
      // What the network does is an outcome: this cannot be sent at all.
      return { kind: 'refused', problem: `cannot be sent: ${(error as Error).message}` };
    }
  }

  #settle(load: Load, outcome: Outcome, serviceFailing: boolean): void {
    const { now, observe } = this.#context;
    const { applicationId, notificationId, deviceId, attempts, createdAt } = load;
    const at = now();
    const settled = outcome.kind === 'refused' ? 'failed' : outcome.kind;
    observe({ event: 'notification.settled', outcome: settled });
    if (outcome.kind === 'later') {
      const delay = Math.max(retryDelayMs({ attempts, serviceFailing, chance: Math.random() }), outcome.afterMs ?? 0);
      if (attempts < ATTEMPTS_MAX && at + delay <= createdAt.getTime() + DELIVERY_MS_MAX) {
        this.#mark(load, { state: 'waiting', dueAt: isoTime(at + delay), problem: outcome.problem });
        return;
      }
    }
    const problem = outcome.kind === 'delivered' ? null : outcome.problem;
    const state = outcome.kind === 'delivered' || outcome.kind === 'gone' ? outcome.kind : 'failed';
    this.#mark(load, { state, dueAt: isoTime(at), problem, finishedAt: isoTime(at) });
    if (state === 'failed') {
      observe({ event: 'notification.failed', applicationId, notificationId, deviceId, problem: problem ?? '' });
    }
  }

  /** Without an attempt. */
  #giveBack(load: Load, dueAt: number): void {
    this.#mark(load, { state: 'waiting', dueAt: isoTime(dueAt), counted: load.attempts - 1 });
  }

  #mark(load: Load, marking: Pick<Marking, 'state' | 'dueAt'> & Partial<Marking>): void {
    const { applicationId, notificationId, deviceId, attempts, until } = load;
    const rest = { claimedUntil: isoTime(until), counted: attempts, problem: null, finishedAt: null };
    this.#marks.add(applicationId, { notificationId, deviceId, ...rest, ...marking });
  }
}

/** Asked again when it is sent, because much may have happened since it was queued. */
function refusalOf(device: Standing | undefined, account: Account | undefined): string | undefined {
  if (account === undefined || account.disabled) return 'the user may not enter';
  if (device !== undefined && !counts(device, account))
    return 'the sign-in by which the device was registered has ended';
  return undefined;
}
