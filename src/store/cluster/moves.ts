// Moves applications between the workers of a cluster and adds workers, with Citus' own functions. Applications are read and
// written meanwhile: their tables are copied by logical replication, and writers wait only at the very end.

import type { Publisher, Reader, Writer } from '../database/handles.ts';
import type { Worker } from './workers.ts';

export interface MoveProgress {
  readonly copiedBytes: number;
  readonly totalBytes: number;
  /** Citus' own word, such as `Copying Data`. */
  readonly step: string;
}

/**
 * The publisher must hold the lock of the application. A move keeps all DDL from its tables until its end, which may be minutes:
 * a publish would wait in the middle for longer than it waits for any other lock, and fail. So it waits before it begins.
 */
export async function moveSchema({ system }: Publisher, schema: string, { id }: Worker): Promise<void> {
  await system.rows('select citus_schema_move($1::regnamespace, $2::int)', [schema, id]);
}

/** Of all moves under way; undefined if there is none. */
export async function readMoveProgress(system: Reader): Promise<MoveProgress | undefined> {
  const [rows = []] = await system.longQuery({
    text: `select sum(least(target_shard_size, source_shard_size))::float8, sum(source_shard_size)::float8, max(status)
           from get_rebalance_progress() having count(*) > 0`,
    params: [],
  });
  const row = rows[0] as [number, number, string] | undefined;
  return row && { copiedBytes: row[0], totalBytes: row[1], step: row[2] };
}

/** Spreads the applications over the workers by their size, in the background. Undefined if they are spread already. */
export async function startRebalancing(system: Writer): Promise<number | undefined> {
  return system.transaction(async (tx) => {
    await tx.removeTimeout();
    const rows = await tx.rows('select citus_rebalance_start()::int');
    return (rows[0]?.[0] as number | null) ?? undefined;
  });
}

export interface Rebalancing {
  /** `scheduled`, `running`, `finished`, `failing`, `failed`, `cancelled`. */
  readonly state: string;
  readonly done: number;
  readonly total: number;
}

export async function readRebalancing(system: Reader, job: number): Promise<Rebalancing> {
  const rows = await system.rows(
    `select j.state::text, count(t.*) filter (where t.status::text = $2)::int, count(t.*)::int
     from pg_dist_background_job j left join pg_dist_background_task t on t.job_id = j.job_id
     where j.job_id = $1 group by j.state`,
    [job, 'done'],
  );
  const [state = 'finished', done = 0, total = 0] = (rows[0] ?? []) as [string?, number?, number?];
  return { state, done, total };
}

/** The worker's PostgreSQL must run with Citus loaded, and have a database of the same name with the extension. */
export async function addWorker(system: Writer, { host, port }: Pick<Worker, 'host' | 'port'>): Promise<void> {
  await system.transaction(async (tx) => {
    await tx.removeTimeout();
    await tx.rows('select citus_add_node($1, $2)', [host, port]);
  });
}
