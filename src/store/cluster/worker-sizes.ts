// The sizes of the workers of a cluster as they told them last, so that metrics wait for no worker that hangs.

import { withTimeout } from '../../request/timeout.ts';
import { SIZE_MS } from '../database/database-figures.ts';
import type { Writer } from '../database/handles.ts';
import type { WorkerWatch } from './worker-watch.ts';
import { askWorkers, readWorkerSize, type Worker, type WorkerSize } from './workers.ts';

/** How long the other figures wait; what comes later is there the next time. */
const WAIT_MS = 400;

export class WorkerSizes {
  readonly #system: Writer;
  readonly #watch: Pick<WorkerWatch, 'states'>;
  readonly #sizes = new Map<number, WorkerSize>();
  #askedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(system: Writer, watch: Pick<WorkerWatch, 'states'>) {
    this.#system = system;
    this.#watch = watch;
  }

  /**
   * Of all workers together, without the coordinator, which may be one. Undefined until each has told its size once: a part of
   * them would be taken for the whole. 0 on plain PostgreSQL.
   */
  async total(): Promise<number | undefined> {
    await this.#ask();
    let total = 0;
    for (const { id } of this.#watch.states ?? []) {
      const size = this.#sizes.get(id);
      if (size === undefined) return undefined;
      if (!size.isCoordinator) total += size.bytes;
    }
    return total;
  }

  /** Those that were reached within the last seconds, at most once in each minute: one that hangs keeps a connection waiting. */
  async #ask(): Promise<void> {
    const reachable = (this.#watch.states ?? []).filter((worker) => worker.reachable);
    const now = performance.now();
    if (this.#asking !== undefined || reachable.length === 0 || now - this.#askedAt < SIZE_MS) return;
    this.#askedAt = now;
    this.#asking = askWorkers(reachable, 1, (worker) => this.#askOne(worker)).finally(() => {
      this.#asking = undefined;
    });
    await withTimeout(WAIT_MS, this.#asking);
  }

  /** One by one, so that the size of a slow worker is all that is missing. */
  async #askOne(worker: Worker): Promise<void> {
    const size = await readWorkerSize(this.#system, worker).catch(() => undefined);
    if (size !== undefined) this.#sizes.set(worker.id, size);
  }
}
