// Servers that start at once on one new database publish one demonstration between them: a lock of the database, held by
// a connection of its own, so that it is free when the process ends.

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { endClient, Servers } from '../database/servers.ts';

/** One lock, of our own choosing ("demo" in ASCII). */
const LOCK = 0x64656d6f;
const LOOK_MS = 200;
const WAIT_MS = 5 * 60_000;

/** Asks again and again instead of waiting in the database (store/applications/publish-state, `lockPublishing`). */
export async function withDemonstrationLock<T>(connection: pg.ClientConfig, work: () => Promise<T>): Promise<T> {
  const client = await new Servers(connection).connect({});
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
      if (performance.now() > latest) throw new Error('another server does not come to an end with the demonstration');
      await pause(LOOK_MS);
    }
    return await work();
  } finally {
    await endClient(client);
  }
}
