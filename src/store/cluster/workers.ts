// The workers of a Citus cluster, and which of them holds an application. Never called on plain PostgreSQL, which has none of
// these tables.

import { unavailable } from '../database/database-errors.ts';
import type { Reader, Writer } from '../database/handles.ts';

export interface Worker {
  /** Stays when its address is changed. */
  readonly id: number;
  readonly host: string;
  readonly port: number;
  /** `host:port`, as the coordinator connects to it. */
  readonly address: string;
}

export interface WorkerState extends Worker {
  /** Whether the coordinator reached it just now. */
  readonly reachable: boolean;
}

/** A worker that responds does so within milliseconds; a hung one would take the coordinator's own limit, 30 seconds. */
const PROBE_MS = 2_000;

/** Those that may hold applications; the coordinator is none of them unless it was told to be. */
export async function listWorkers(system: Reader): Promise<Worker[]> {
  const rows = await system.rows(
    `select nodeid, nodename, nodeport from pg_dist_node
     where isactive and noderole = $1 and shouldhaveshards order by nodeid`,
    ['primary'],
  );
  return (rows as [number, string, number][]).map(([id, host, port]) => ({
    id,
    host,
    port,
    address: `${host}:${port}`,
  }));
}

/** Asks the coordinator to connect to each of them, all at once. Throws if the coordinator is away. */
export async function probeWorkers(system: Writer): Promise<WorkerState[]> {
  const workers = await listWorkers(system);
  return Promise.all(workers.map(async (worker) => ({ ...worker, reachable: await isReachable(system, worker) })));
}

async function isReachable(system: Writer, { host, port }: Worker): Promise<boolean> {
  try {
    return await system.transaction(async (tx) => {
      const [, [row] = []] = await tx.pipeline([
        { text: `set local statement_timeout = ${PROBE_MS}`, params: [] },
        { text: 'select citus_check_connection_to_node($1, $2)', params: [host, port] },
      ]);
      return row?.[0] === true;
    });
  } catch (error) {
    // A hung worker: the statement timeout ended the attempt.
    if (unavailable(error) === undefined) throw error;
    return false;
  }
}

/** The address of the worker that holds each application, by the name of its schema. */
export async function locateSchemas(system: Reader): Promise<Map<string, string>> {
  const rows = await system.rows(
    `select n.nspname::text, w.nodename || ':' || w.nodeport
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
       join pg_dist_shard s on s.logicalrelid = c.oid
       join pg_dist_placement p on p.shardid = s.shardid
       join pg_dist_node w on w.groupid = p.groupid and w.noderole = $1
     where c.relname = $2`,
    ['primary', 'fence'],
  );
  return new Map(rows as [string, string][]);
}

/** The schemas that no statement can reach now. */
export async function listUnreachableSchemas(system: Writer): Promise<Set<string>> {
  const [workers, located] = await Promise.all([probeWorkers(system), locateSchemas(system)]);
  const away = new Set(workers.filter(({ reachable }) => !reachable).map(({ address }) => address));
  return new Set([...located].filter(([, address]) => away.has(address)).map(([schema]) => schema));
}
