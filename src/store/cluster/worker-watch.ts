// Knows which workers of a cluster are reachable, as of a few seconds ago, so that health probes and metrics cost no worker a
// connection and wait for none.

import type { Database } from '../database/database.ts';
import type { Reader } from '../database/handles.ts';
import { askWorkers, isReachable, listWorkers, type Worker, type WorkerState } from './workers.ts';

const PERIOD_MS = 5_000;
/** Requests to a worker that is away are refused, so that it is back is noticed soon. */
const AWAY_PERIOD_MS = 1_000;
/** So many that hang at the same time are found out together. */
const PROBED_AT_ONCE = 3;

interface Options {
  readonly system: Reader;
  /** Opens a database with one connection. A hung worker keeps it for seconds, and those of the system are few. */
  readonly openProber: () => Database;
  /** Called with a worker that is away, or is back. */
  readonly onChange: (worker: WorkerState) => void;
}

export class WorkerWatch {
  readonly #options: Options;
  /** Their connections are made when they are first needed. */
  #probers: readonly Database[] = [];
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
    this.#probers = Array.from({ length: PROBED_AT_ONCE }, () => this.#options.openProber());
    await this.#probeAll();
    this.#schedule();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#probing;
    await Promise.all(this.#probers.map((prober) => prober.close()));
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(
      () => {
        this.#probing = this.#probeAll().finally(() => this.#schedule());
      },
      this.#away.size === 0 ? PERIOD_MS : AWAY_PERIOD_MS,
    );
    this.#timer.unref();
  }

  /** While the coordinator is away nothing is known of its workers: the last state stays. */
  async #probeAll(): Promise<void> {
    try {
      await this.#probe(await listWorkers(this.#options.system));
    } catch {
      // The next round asks again.
    }
  }

  /** Those that are known to be away last: that another one is lost is noticed without waiting for them. */
  async #probe(workers: readonly Worker[]): Promise<void> {
    const states = new Map<number, WorkerState>();
    for (const worker of workers) states.set(worker.id, { ...worker, reachable: !this.isAway(worker) });
    const inTurn = [...workers].sort((one, other) => Number(this.isAway(one)) - Number(this.isAway(other)));
    const idle = [...this.#probers];
    await askWorkers(inTurn, PROBED_AT_ONCE, async (worker) => {
      if (this.#stopped) return;
      const prober = idle.pop()!;
      // What fails otherwise says nothing about the worker.
      const reachable = await isReachable(prober.system, worker).catch(() => !this.isAway(worker));
      idle.push(prober);
      const isChanged = reachable === this.isAway(worker);
      states.set(worker.id, { ...worker, reachable });
      this.#keep([...states.values()]);
      if (isChanged) this.#options.onChange({ ...worker, reachable });
    });
    this.#states = [...states.values()];
    this.#keep(this.#states);
  }

  #keep(states: readonly WorkerState[]): void {
    // In the first round those that were not asked yet only count as reachable.
    if (this.#states !== undefined) this.#states = states;
    this.#away = new Set(states.filter(({ reachable }) => !reachable).map(({ id }) => id));
  }
}
