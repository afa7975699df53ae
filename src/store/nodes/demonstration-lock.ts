// Nodes that start at the same time on a new database publish the demonstration only once. The advisory lock is held by a
// connection of its own, so that it is free when the process ends.

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseServers, endClient } from '../database/database-servers.ts';

/** Key of the advisory lock: "demo" in ASCII. */
const LOCK = 0x64656d6f;
const RETRY_MS = 200;
const WAIT_MS = 5 * 60_000;

/** Polls instead of waiting in the database (store/applications/publish-state, `lockPublishing`). */
export async function withDemonstrationLock<T>(connection: pg.ClientConfig, work: () => Promise<T>): Promise<T> {
  const client = await new DatabaseServers(connection).connect({});
  try {
    const latest = performance.now() + WAIT_MS;
    const taken = async () => {
      const { rows } = await client.query({
        text: 'select pg_try_advisory_lock($1)',
        values: [LOCK],
        rowMode: 'array',
      });
      return rows[0]?.[0] === true;
    };
    while (!(await taken())) {
      if (performance.now() > latest) throw new Error('another node has not finished publishing the demonstration');
      await pause(RETRY_MS);
    }
    return await work();
  } finally {
    await endClient(client);
  }
}
