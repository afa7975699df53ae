// The workers of a Citus cluster, and which of them holds an application. Never called on plain PostgreSQL, which has none of
// these tables.

import { Fault } from '../../faults.ts';
import { isCancelled } from '../database/database-errors.ts';
import type { Reader, Writer } from '../database/handles.ts';
import { isWorkerLost } from '../database/worker-errors.ts';

export interface Worker {
  /** Stays when its address is changed. */
  readonly id: number;
  readonly host: string;
  readonly port: number;
  /** `host:port`, as the coordinator connects to it. */
  readonly address: string;
  /** It knows where all tables are, and may be asked itself. */
  readonly isSynced: boolean;
}

export interface WorkerState extends Worker {
  /** Whether the coordinator reached it just now. */
  readonly reachable: boolean;
}

/** A worker that responds does so within milliseconds; a hung one would take the coordinator's own limit, 30 seconds. */
const PROBE_MS = 2_000;
/** PostgreSQL looks at every file of a database, and many thousand applications have a million. */
const SIZE_MS = 10_000;

/** Those that may hold applications; the coordinator is none of them unless it was told to be. */
export async function listWorkers(system: Reader): Promise<Worker[]> {
  const rows = await system.rows(
    `select nodeid, nodename, nodeport, metadatasynced from pg_dist_node
     where isactive and noderole = $1 and shouldhaveshards order by nodeid`,
    ['primary'],
  );
  return (rows as WorkerRow[]).map(workerOf);
}

type WorkerRow = [id: number, host: string, port: number, isSynced: boolean];

const workerOf = ([id, host, port, isSynced]: WorkerRow): Worker => ({
  ...{ id, host, port, isSynced },
  address: `${host}:${port}`,
});

/** In their order, so many at a time; each holds a connection for as long as its worker is waited for. */
export async function askWorkers<W extends Worker>(
  workers: readonly W[],
  askedAtOnce: number,
  ask: (worker: W) => Promise<void>,
): Promise<void> {
  const left = [...workers];
  const askOthers = async () => {
    for (let worker = left.shift(); worker !== undefined; worker = left.shift()) await ask(worker);
  };
  await Promise.all(Array.from({ length: askedAtOnce }, askOthers));
}

/** Of the connections of a command, or of a server that starts. */
const PROBED_AT_ONCE = 2;

/** Asks the coordinator to connect to each of them. Throws if the coordinator is away. */
export async function probeWorkers(system: Writer): Promise<WorkerState[]> {
  const workers = await listWorkers(system);
  const reachable = new Map<number, boolean>();
  await askWorkers(workers, PROBED_AT_ONCE, async (worker) => {
    reachable.set(worker.id, await isReachable(system, worker));
  });
  return workers.map((worker) => ({ ...worker, reachable: reachable.get(worker.id) === true }));
}

/** Throws if the coordinator is away, or has no connection to spare. Takes a connection of `system` for up to two seconds. */
export async function isReachable(system: Writer, { host, port }: Pick<Worker, 'host' | 'port'>): Promise<boolean> {
  try {
    return await system.transaction(async (tx) => {
      const [, , [row] = []] = await tx.pipeline([
        { text: `set local statement_timeout = ${PROBE_MS}`, params: [] },
        // On a connection that the session kept from an earlier probe, not even the timeout would end the wait for a hung worker.
        { text: 'set local citus.max_cached_conns_per_worker = 0', params: [] },
        { text: 'select citus_check_connection_to_node($1, $2)', params: [host, port] },
      ]);
      return row?.[0] === true;
    });
  } catch (error) {
    // A hung worker: the statement timeout ended the attempt. Anything else says nothing about the worker.
    const reported = error instanceof Fault ? error.cause : error;
    if (!isCancelled(reported) && !isWorkerLost(reported)) throw error;
    return false;
  }
}

export interface WorkerSize {
  readonly bytes: number;
  /** It may be told to hold applications, too. */
  readonly isCoordinator: boolean;
}

/**
 * The size of the database of a worker; undefined if the worker refuses. Throws if it hangs for ten seconds. Citus makes a new
 * connection for it, which the timeout ends.
 */
export async function readWorkerSize(system: Writer, { host, port }: Worker): Promise<WorkerSize | undefined> {
  const [size] = await system.transaction(async (tx) => {
    const [, sizes = []] = await tx.pipeline([
      { text: `set local statement_timeout = ${SIZE_MS}`, params: [] },
      {
        text: `select s.result::float8, w.groupid = 0
               from master_run_on_worker(array[$1::text], array[$2::int], array[$3::text], true) s
                 join pg_dist_node w on w.nodename = s.node_name and w.nodeport = s.node_port
               where s.success`,
        params: [host, port, 'select pg_database_size(current_database())'],
      },
    ]);
    return sizes as [number, boolean][];
  });
  return size && { bytes: size[0], isCoordinator: size[1] };
}

const LOCATIONS = `select n.nspname::text, w.nodeid, w.nodename, w.nodeport, w.metadatasynced
  from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relname = $1
    join pg_dist_shard s on s.logicalrelid = c.oid
    join pg_dist_placement p on p.shardid = s.shardid
    join pg_dist_node w on w.groupid = p.groupid and w.noderole = $2`;

/** The worker that holds each application, by the name of its schema; of all, or of these. */
export async function locateSchemas(system: Reader, schemas?: readonly string[]): Promise<Map<string, Worker>> {
  const only = schemas === undefined ? '' : ' where n.nspname = any($3::text[])';
  const rows = await system.rows(`${LOCATIONS}${only}`, [
    'fence',
    'primary',
    ...(schemas === undefined ? [] : [schemas]),
  ]);
  return new Map((rows as [string, ...WorkerRow][]).map(([schema, ...worker]) => [schema, workerOf(worker)]));
}

/** The schemas that no statement can reach now. */
export async function listUnreachableSchemas(system: Writer): Promise<Set<string>> {
  const [workers, located] = await Promise.all([probeWorkers(system), locateSchemas(system)]);
  const away = new Set(workers.filter(({ reachable }) => !reachable).map(({ id }) => id));
  return new Set([...located].filter(([, { id }]) => away.has(id)).map(([schema]) => schema));
}
