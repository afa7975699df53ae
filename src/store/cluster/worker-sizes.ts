// The sizes of the workers of a cluster as they told them last, so that metrics wait for no worker that hangs.

import { withTimeout } from '../../request/timeout.ts';
import { SIZE_MS } from '../database/database-figures.ts';
import type { Writer } from '../database/handles.ts';
import type { WorkerWatch } from './worker-watch.ts';
import { readWorkerSizes, type WorkerSize } from './workers.ts';

/** How long the other figures wait; what comes later is there the next time. */
const WAIT_MS = 400;

export class WorkerSizes {
  readonly #system: Writer;
  readonly #watch: Pick<WorkerWatch, 'states'>;
  readonly #sizes = new Map<number, WorkerSize>();
  #askedAt = Number.NEGATIVE_INFINITY;

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
    if (reachable.length === 0 || now - this.#askedAt < SIZE_MS) return;
    this.#askedAt = now;
    const asking = readWorkerSizes(this.#system, reachable).then(
      (sizes) => {
        for (const [id, size] of sizes) this.#sizes.set(id, size);
      },
      () => undefined,
    );
    await withTimeout(WAIT_MS, asking);
  }
}
