// The connections for each worker of a cluster, and which worker holds an application. They lead to the coordinator, or with
// CARTULARY_CITUS_DIRECT to the worker itself. A location may be stale after a move: every node routes a statement to where the
// application is, so that costs time and is no error.

import { BoundedMap } from '../../load/bounded-map.ts';
import type { Connections } from '../database/connections.ts';
import type { Database } from '../database/database.ts';
import type { Reader } from '../database/handles.ts';
import { type ConnectionGroup, divideConnections, type Placement } from '../database/placement.ts';
import { listWorkers, locateSchemas, type Worker } from './workers.ts';

/** Locations of applications in use are read again this often. */
const REFRESH_MS = 3_000;
/** A cache: a dropped entry only costs asking again. */
const LOCATIONS_MAX = 20_000;

interface Options {
  readonly system: Reader;
  /** For applications that lie on no worker. */
  readonly elsewhere: Connections;
  /** Those to the coordinator, at least one. */
  readonly coordinated: readonly Connections[];
  /** Connects to the worker itself; undefined if everything goes through the coordinator. */
  readonly direct: ((worker: Worker) => Connections) | undefined;
  readonly isAway: (worker: Worker) => boolean;
}

class WorkerGroup implements ConnectionGroup {
  readonly own: Connections;
  readonly coordinated: Connections;
  readonly worker: Worker;
  readonly #isAway: Options['isAway'];

  constructor(worker: Worker, { own, coordinated, isAway }: Pick<Options, 'isAway'> & Omit<ConnectionGroup, 'isAway'>) {
    this.worker = worker;
    this.own = own;
    this.coordinated = coordinated;
    this.#isAway = isAway;
  }

  get isAway(): boolean {
    return this.#isAway(this.worker);
  }
}

export class WorkerConnections implements Placement {
  readonly #options: Options;
  readonly #elsewhere: ConnectionGroup;
  readonly #groups = new Map<number, WorkerGroup>();
  readonly #placed = new BoundedMap<string, ConnectionGroup>(LOCATIONS_MAX);
  readonly #locating = new Map<string, Promise<ConnectionGroup>>();
  /** Since the locations were last read. */
  readonly #used = new Set<string>();
  readonly #timer: NodeJS.Timeout;
  #refreshing: Promise<void> | undefined;

  constructor(options: Options) {
    this.#options = options;
    const { elsewhere } = options;
    this.#elsewhere = { own: elsewhere, coordinated: elsewhere, isAway: false };
    this.#timer = setInterval(() => this.refresh(), REFRESH_MS);
    this.#timer.unref();
  }

  get connections(): Connections[] {
    const { coordinated, elsewhere } = this.#options;
    const all = [...coordinated, ...[...this.#groups.values()].map(({ own }) => own)];
    return [...new Set(all)].filter((connections) => connections !== elsewhere);
  }

  groupOf(schema: string): ConnectionGroup | undefined {
    const group = this.#placed.get(schema);
    if (group !== undefined) this.#used.add(schema);
    return group;
  }

  locate(schema: string): Promise<ConnectionGroup> {
    let locating = this.#locating.get(schema);
    if (locating === undefined) {
      locating = this.#read([schema])
        .then(() => this.#placed.get(schema) ?? this.#elsewhere)
        .finally(() => this.#locating.delete(schema));
      this.#locating.set(schema, locating);
    }
    return locating;
  }

  async isAway(schema: string): Promise<boolean> {
    const group = this.groupOf(schema);
    if (group !== undefined) return group.isAway;
    const { system, isAway } = this.#options;
    const worker = (await locateSchemas(system, [schema])).get(schema);
    return worker !== undefined && isAway(worker);
  }

  /** While the coordinator is away the locations stay as they are. */
  refresh(): void {
    if (this.#used.size === 0) return;
    this.#refreshing ??= this.#read([...this.#used])
      .catch(() => undefined)
      .finally(() => {
        this.#refreshing = undefined;
      });
    this.#used.clear();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#refreshing;
    await Promise.all(this.connections.map((connections) => connections.close()));
  }

  async #read(schemas: readonly string[]): Promise<void> {
    const located = await locateSchemas(this.#options.system, schemas);
    for (const schema of schemas) {
      const worker = located.get(schema);
      this.#placed.set(schema, worker === undefined ? this.#elsewhere : this.#groupFor(worker));
    }
  }

  #groupFor(worker: Worker): WorkerGroup {
    const before = this.#groups.get(worker.id);
    if (before?.worker.address === worker.address && before.worker.isSynced === worker.isSynced) return before;
    const { coordinated: all, direct, isAway } = this.#options;
    const coordinated = before?.coordinated ?? all[this.#groups.size % all.length]!;
    const own = worker.isSynced && direct !== undefined ? direct(worker) : coordinated;
    const group = new WorkerGroup(worker, { own, coordinated, isAway });
    this.#groups.set(worker.id, group);
    // Its address has changed, or it has come to know the tables.
    if (before !== undefined && before.own !== before.coordinated) void before.own.close();
    return group;
  }
}

export interface PlacementOptions {
  readonly connectionsMax: number;
  /** Whether the tables of an application are used on its worker. */
  readonly direct: boolean;
  readonly isAway: (worker: Worker) => boolean;
}

/** The number of workers counts as it is now: workers that are added later share the connections of others. */
export async function separateWorkers(
  database: Database,
  { connectionsMax, direct, isAway }: PlacementOptions,
): Promise<void> {
  const workers = await listWorkers(database.system);
  const division = divideConnections(connectionsMax, workers.length);
  await database.place(division.system, ({ system, toCoordinator, toWorker }) => {
    const groups = Array.from({ length: division.groups }, () => toCoordinator(division.each));
    return new WorkerConnections({
      system: database.system,
      elsewhere: system,
      coordinated: groups.length === 0 ? [system] : groups,
      direct: direct ? (worker) => toWorker(worker, connectionsMax) : undefined,
      isAway,
    });
  });
}
