// Knows which workers of a cluster are reachable, as of a few seconds ago, so that health probes and metrics cost no worker a
// connection and wait for none.

import type { Database } from '../database/database.ts';
import type { Reader } from '../database/handles.ts';
import { isReachable, listWorkers, type Worker, type WorkerState } from './workers.ts';

const PERIOD_MS = 5_000;
/** Requests to a worker that is away are refused, so that it is back is noticed soon. */
const AWAY_PERIOD_MS = 1_000;

interface Options {
  readonly system: Reader;
  /**
   * Opens a database with one connection, when the watch starts. A hung worker keeps the connection that asks for it for
   * seconds, and those of the system are few.
   */
  readonly openProber: () => Database;
  /** Called with a worker that is away, or is back. */
  readonly onChange: (worker: WorkerState) => void;
}

export class WorkerWatch {
  readonly #options: Options;
  #prober: Database | undefined;
  #timer: NodeJS.Timeout | undefined;
  #probing: Promise<void> | undefined;
  #states: readonly WorkerState[] | undefined;
  #away: ReadonlySet<number> = new Set();
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Undefined on plain PostgreSQL. */
  get states(): readonly WorkerState[] | undefined {
    return this.#states;
  }

  isAway({ id }: Pick<Worker, 'id'>): boolean {
    return this.#away.has(id);
  }

  async start(): Promise<void> {
    const prober = this.#options.openProber();
    this.#prober = prober;
    await this.#probeAll(prober);
    this.#schedule(prober);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#probing;
    await this.#prober?.close();
  }

  #schedule(prober: Database): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(
      () => {
        this.#probing = this.#probeAll(prober).finally(() => this.#schedule(prober));
      },
      this.#away.size === 0 ? PERIOD_MS : AWAY_PERIOD_MS,
    );
    this.#timer.unref();
  }

  /** While the coordinator is away nothing is known of its workers: the last state stays. */
  async #probeAll(prober: Database): Promise<void> {
    try {
      await this.#probe(await listWorkers(this.#options.system), prober);
    } catch {
      // The next round asks again.
    }
  }

  /** One after the other, those that are known to be away last: that another one is lost is noticed without waiting for them. */
  async #probe(workers: readonly Worker[], { system }: Database): Promise<void> {
    const states = new Map<number, WorkerState>();
    for (const worker of workers) states.set(worker.id, { ...worker, reachable: !this.isAway(worker) });
    const inTurn = [...workers].sort((one, other) => Number(this.isAway(one)) - Number(this.isAway(other)));
    for (const worker of inTurn) {
      if (this.#stopped) return;
      const state = { ...worker, reachable: await isReachable(system, worker) };
      const isChanged = state.reachable === this.isAway(worker);
      states.set(worker.id, state);
      this.#away = new Set([...states.values()].filter(({ reachable }) => !reachable).map(({ id }) => id));
      if (isChanged) this.#options.onChange(state);
    }
    this.#states = [...states.values()];
  }
}
