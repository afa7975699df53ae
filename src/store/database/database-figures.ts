// The database's own figures for monitoring. On a Citus cluster they are the coordinator's, but the size is that of all nodes.

import type { Reader } from './handles.ts';

/** The database finds its size by looking at every file of every table; the figure need not be current to the second. */
export const SIZE_MS = 60_000;

export class DatabaseFigures {
  readonly #system: Reader;
  readonly #bytesOfWorkers: () => Promise<number | undefined>;
  #size: { readonly bytes: number; readonly readAt: number } | undefined;

  /** `bytesOfWorkers`: 0 on plain PostgreSQL, undefined while unknown; it must not take long. */
  constructor(system: Reader, bytesOfWorkers: () => Promise<number | undefined>) {
    this.#system = system;
    this.#bytesOfWorkers = bytesOfWorkers;
  }

  /** In the form of monitoring/figures. */
  async read() {
    const [figures, own, others] = await Promise.all([
      activityOf(this.#system),
      this.#ownBytes(),
      this.#bytesOfWorkers(),
    ]);
    return { ...figures, bytes: others === undefined ? undefined : own + others };
  }

  /** Of the database that the server is connected to. */
  async #ownBytes(): Promise<number> {
    const readAt = performance.now();
    if (this.#size !== undefined && readAt - this.#size.readAt < SIZE_MS) return this.#size.bytes;
    const text = 'select pg_database_size(current_database())::float8';
    const [[row] = []] = await this.#system.longQuery({ text, params: [] });
    const bytes = row?.[0] as number;
    this.#size = { bytes, readAt };
    return bytes;
  }
}

/** `startedAt` in seconds since 1970. */
async function activityOf(system: Reader) {
  const rows = await system.rows(
    `select split_part(current_setting('server_version'), ' ', 1), extract(epoch from pg_postmaster_start_time())::float8,
       numbackends, current_setting('max_connections')::int,
       xact_commit::float8, xact_rollback::float8, deadlocks::float8,
       (select count(*)::int from cartulary.due_notifications)
     from pg_stat_database where datname = current_database()`,
  );
  type Read = [string, number, number, number, number, number, number, number];
  const [version, startedAt, connections, connectionsMax, ...counts] = rows[0] as Read;
  const [committed, rolledBack, deadlocks, notificationQueues] = counts;
  return { version, startedAt, connections, connectionsMax, committed, rolledBack, deadlocks, notificationQueues };
}
