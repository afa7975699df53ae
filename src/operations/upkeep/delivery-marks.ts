// Writes the outcomes of deliveries to the queue in small groups. Outcomes that a killed server had not written yet are
// lost, and another node sends those notifications once more.

import { setTimeout as pause } from 'node:timers/promises';
import type { OperatorContext } from '../../context.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import { deleteDevices } from '../../store/notifications/devices.ts';
import { bringDueForward } from '../../store/notifications/due.ts';
import { type Marking, markDeliveries } from '../../store/notifications/notifications.ts';
import { applicationExists } from '../every-application.ts';

const GROUP_MAX = 16;
const GROUP_MS = 10;
/** Retries span the time that a claim lasts; after that another node claims the delivery anyway. */
const ATTEMPTS = 15;
const RETRY_MS = 1_000;

/** By delivery. Of a delivery that was claimed twice a final state wins, otherwise the later claim. */
type Group = Map<string, Marking>;

const outweighs = (one: Marking, other: Marking): boolean => {
  if ((one.state === 'waiting') !== (other.state === 'waiting')) return other.state === 'waiting';
  return one.claimedUntil >= other.claimedUntil;
};

export class DeliveryMarks {
  readonly #context: Pick<OperatorContext, 'database' | 'observe'>;
  readonly #groups = new Map<string, Group>();
  readonly #writing = new Set<Promise<void>>();

  constructor(context: Pick<OperatorContext, 'database' | 'observe'>) {
    this.#context = context;
  }

  add(applicationId: string, marking: Marking): void {
    let group = this.#groups.get(applicationId);
    if (group === undefined) {
      const begun: Group = new Map();
      group = begun;
      this.#groups.set(applicationId, begun);
      setTimeout(() => this.#close(applicationId, begun), GROUP_MS);
    }
    const key = `${marking.notificationId} ${marking.deviceId}`;
    const other = group.get(key);
    if (other === undefined || outweighs(marking, other)) group.set(key, marking);
    if (group.size >= GROUP_MAX) this.#close(applicationId, group);
  }

  get isIdle(): boolean {
    return this.#groups.size === 0 && this.#writing.size === 0;
  }

  /** Resolves when all outcomes added so far are written. */
  async written(): Promise<void> {
    for (const [applicationId, group] of [...this.#groups]) this.#close(applicationId, group);
    await Promise.all(this.#writing);
  }

  #close(applicationId: string, group: Group): void {
    if (this.#groups.get(applicationId) !== group) return;
    this.#groups.delete(applicationId);
    const writing = this.#write(applicationId, [...group.values()])
      .catch((error: unknown) => this.#context.observe({ event: 'job.failed', job: 'notifications', error }))
      .then(() => void this.#writing.delete(writing));
    this.#writing.add(writing);
  }

  async #write(applicationId: string, group: readonly Marking[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#writeOnce(applicationId, group);
      } catch (error) {
        if (error instanceof StaleDefinition && !(await applicationExists(this.#context, applicationId))) return;
        if (attempt === ATTEMPTS) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  async #writeOnce(applicationId: string, group: readonly Marking[]): Promise<void> {
    const { database } = this.#context;
    const writer = database.application(applicationId);
    await markDeliveries(writer, group);
    const gone = group.filter(({ state }) => state === 'gone').map(({ deviceId }) => deviceId);
    if (gone.length > 0) {
      const { text, params } = deleteDevices(writer.schema, gone);
      await writer.write(text, params);
    }
    const [next] = group
      .filter(({ state }) => state === 'waiting')
      .map(({ dueAt }) => dueAt)
      .sort();
    if (next !== undefined) await bringDueForward(database.system, applicationId, next);
  }
}
