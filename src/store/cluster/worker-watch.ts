// Knows which workers of a cluster are reachable, as of a few seconds ago, so that health probes and metrics cost no worker a
// connection and wait for none.

import type { Writer } from '../database/handles.ts';
import { probeWorkers, type Worker, type WorkerState } from './workers.ts';

const PERIOD_MS = 5_000;
/** Requests to a worker that is away are refused, so that it is back is noticed soon. */
const AWAY_PERIOD_MS = 1_000;

export class WorkerWatch {
  readonly #system: Writer;
  readonly #onChange: (worker: WorkerState) => void;
  #timer: NodeJS.Timeout | undefined;
  #probing: Promise<void> | undefined;
  #states: readonly WorkerState[] | undefined;
  #away: ReadonlySet<number> = new Set();
  #stopped = false;

  /** `onChange`: called with a worker that is away, or is back. */
  constructor(system: Writer, onChange: (worker: WorkerState) => void) {
    this.#system = system;
    this.#onChange = onChange;
  }

  /** Undefined on plain PostgreSQL. */
  get states(): readonly WorkerState[] | undefined {
    return this.#states;
  }

  isAway({ id }: Pick<Worker, 'id'>): boolean {
    return this.#away.has(id);
  }

  async start(): Promise<void> {
    await this.#probe();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#probing;
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(
      () => {
        this.#probing = this.#probe().finally(() => this.#schedule());
      },
      this.#away.size === 0 ? PERIOD_MS : AWAY_PERIOD_MS,
    );
    this.#timer.unref();
  }

  async #probe(): Promise<void> {
    // While the coordinator is away nothing is known of its workers: the last state stays.
    const states = await probeWorkers(this.#system).catch(() => undefined);
    if (states === undefined) return;
    const changed: WorkerState[] = [];
    for (const worker of states) {
      const before = this.#states?.find(({ id }) => id === worker.id)?.reachable ?? true;
      if (before !== worker.reachable) changed.push(worker);
    }
    this.#states = states;
    this.#away = new Set(states.filter(({ reachable }) => !reachable).map(({ id }) => id));
    for (const worker of changed) this.#onChange(worker);
  }
}
