// Delivers what the queues hold. Any number of servers do, at the same time: whoever takes a delivery moves its time
// ahead first, and until then no other takes it. Which queues to look into say the notes (store/due-notifications).

import { setTimeout as pause } from 'node:timers/promises';
import type { OperatorContext } from '../context.ts';
import { ATTEMPTS_MAX, DELIVERY_MS_MAX, type Message, retryDelayMs } from '../domain/notifications.ts';
import type { Push } from '../push/push.ts';
import { type Outcome, SEND_MS_MAX } from '../push/transport.ts';
import { type DueNote, dueNotes, moveNote, removeNote } from '../store/due-notifications.ts';
import { type Claimed, claimDeliveries, type Marking, nextDue } from '../store/notifications.ts';
import { StaleDefinition } from '../store/sqlstate.ts';
import { DeliveryMarks } from './delivery-marks.ts';
import { type StoredMessage, YOUNG_MS } from './notifications.ts';
import { isoTime } from './record-drafts.ts';
import { ServiceHealth } from './service-health.ts';
import { applicationExists } from './upkeep.ts';

/** At a time, of one server. */
const SLOTS = 16;
/** Taken from one application before the next has its turn. */
const BATCH = 32;
const NOTES_AT_ONCE = 64;
/** For how long what is taken is one's own: one attempt, and writing down what became of it. */
const LEASE_MS = SEND_MS_MAX + 5_000;
/** With less of it left, an attempt is not begun. */
const LEASE_LEFT_MS_MIN = SEND_MS_MAX + 1_000;
const LOOK_MS = 250;
const LOOKS_APART_MS_MAX = 15_000;
/** For what has to wait until the service takes something again. */
const FAILING_WAIT_MS = 30_000;

export interface DeliveryContext extends Pick<OperatorContext, 'database' | 'now' | 'observe'> {
  readonly people: { readonly push: Pick<Push, 'send' | 'serviceOf'> };
}

interface Load extends Claimed {
  readonly applicationId: string;
  readonly until: number;
}

export class Deliveries {
  readonly #context: DeliveryContext;
  readonly #marks: DeliveryMarks;
  readonly #health: ServiceHealth;
  /** Taken, and not begun yet. */
  readonly #backlog: Load[] = [];
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
        while (this.#backlog.length >= SLOTS && !signal.aborted) await this.#oneEnded();
        if (signal.aborted) break;
        await this.#take(note);
      }
      if (notes.length > 0) continue;
      if (this.#underWay.size === 0 && this.#backlog.length === 0 && this.#marks.isIdle) return;
      await Promise.race([this.#oneEnded(), pause(LOOK_MS)]);
    }
    for (const load of this.#backlog.splice(0)) this.#giveBack(load, now());
    await Promise.all(this.#underWay);
    await this.#marks.written();
  }

  async #oneEnded(): Promise<void> {
    await (this.#underWay.size === 0 ? pause(LOOK_MS) : Promise.race(this.#underWay));
  }

  /** One turn of an application. */
  async #take(note: DueNote): Promise<void> {
    const { database, now } = this.#context;
    const { applicationId } = note;
    const at = now();
    const until = at + LEASE_MS;
    try {
      const writer = database.application(applicationId);
      const claimed = await claimDeliveries(writer, { now: isoTime(at), until: isoTime(until), limit: BATCH });
      this.#backlog.push(...claimed.map((delivery) => ({ ...delivery, applicationId, until })));
      this.#begin();
      if (claimed.length === BATCH) await moveNote(database.system, note, isoTime(now()));
      else await this.#lookLater(note);
    } catch (error) {
      if (!(error instanceof StaleDefinition)) throw error;
      // Removed with all that it had; or published anew at this moment.
      if (await applicationExists(this.#context, applicationId)) {
        await moveNote(database.system, note, isoTime(now() + LOOK_MS));
      } else await removeNote(database.system, note);
    }
  }

  /**
   * The queue holds no more that is due. But the notification that the note was written for may still be on its way into
   * it, and so may others that found the note there: as long as it is young, it is looked at again and again.
   */
  async #lookLater(note: DueNote): Promise<void> {
    const { database, now } = this.#context;
    const age = now() - note.notedAt.getTime();
    if (age < YOUNG_MS) {
      const apart = Math.min(Math.max(age / 4, LOOK_MS), LOOKS_APART_MS_MAX);
      await moveNote(database.system, note, isoTime(now() + apart));
      return;
    }
    const due = await nextDue(database.application(note.applicationId));
    if (due === undefined) await removeNote(database.system, note);
    else await moveNote(database.system, note, isoTime(Math.max(due.getTime(), now() + LOOK_MS)));
  }

  #begin(): void {
    const { now, people } = this.#context;
    while (this.#underWay.size < SLOTS) {
      const load = this.#backlog.shift();
      if (load === undefined) return;
      const service = load.device === undefined ? undefined : people.push.serviceOf(load.device);
      if (load.until - now() < LEASE_LEFT_MS_MIN) this.#giveBack(load, now());
      else if (service !== undefined && !this.#health.admits(service)) {
        this.#giveBack(load, now() + FAILING_WAIT_MS * (1 + Math.random()));
      } else {
        const attempt = this.#attempt(load, service).then(() => {
          this.#underWay.delete(attempt);
          this.#begin();
        });
        this.#underWay.add(attempt);
      }
    }
  }

  async #attempt(load: Load, service: string | undefined): Promise<void> {
    if (service === undefined) return this.#settle(load, { kind: 'gone', problem: 'the device is gone' }, false);
    this.#health.begin(service);
    const outcome = await this.#send(load);
    const failing = this.#health.isFailing(service);
    this.#health.end(service, outcome.kind === 'later' ? outcome.problem : undefined);
    this.#settle(load, outcome, failing);
  }

  async #send({ device, message, notificationId, createdAt }: Load): Promise<Outcome> {
    const { now, people } = this.#context;
    const made = createdAt.getTime();
    if (device === undefined || now() - made > DELIVERY_MS_MAX) return { kind: 'refused', problem: 'it is too old' };
    const whole: Message = { ...(JSON.parse(message) as StoredMessage), notificationId, createdAt: made };
    try {
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
    const { applicationId, notificationId, deviceId, attempts } = load;
    const rest = { counted: attempts, problem: null, finishedAt: null };
    this.#marks.add(applicationId, { notificationId, deviceId, attempts, ...rest, ...marking });
  }
}
