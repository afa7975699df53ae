// Knows which workers of a cluster are reachable, as of a few seconds ago, so that health probes and metrics cost no worker a
// connection and wait for none.

import type { Writer } from '../database/handles.ts';
import { probeWorkers, type WorkerState } from './workers.ts';

const PERIOD_MS = 5_000;

export class WorkerWatch {
  readonly #system: Writer;
  readonly #onChange: (worker: WorkerState) => void;
  #timer: NodeJS.Timeout | undefined;
  #probing: Promise<void> | undefined;
  #states: readonly WorkerState[] | undefined;

  /** `onChange`: called with a worker that is away, or is back. */
  constructor(system: Writer, onChange: (worker: WorkerState) => void) {
    this.#system = system;
    this.#onChange = onChange;
  }

  /** Undefined on plain PostgreSQL. */
  get states(): readonly WorkerState[] | undefined {
    return this.#states;
  }

  async start(): Promise<void> {
    await this.#probe();
    this.#timer = setInterval(() => {
      this.#probing ??= this.#probe().finally(() => {
        this.#probing = undefined;
      });
    }, PERIOD_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#probing;
  }

  async #probe(): Promise<void> {
    // While the coordinator is away nothing is known of its workers: the last state stays.
    const states = await probeWorkers(this.#system).catch(() => undefined);
    if (states === undefined) return;
    for (const worker of states) {
      const before = this.#states?.find(({ id }) => id === worker.id)?.reachable ?? true;
      if (before !== worker.reachable) this.#onChange(worker);
    }
    this.#states = states;
  }
}
