// Connections through a pooler in transaction mode, such as PgBouncer: each transaction may run in another session of the
// database. So nothing is prepared on them, nothing is set for a session, and the session that works for a connection now
// is known by the connection's name, which the pooler passes on.

import { randomBytes } from 'node:crypto';
import type pg from 'pg';

const PROCESS = randomBytes(6).toString('hex');
let counter = 0;

const names = new WeakMap<pg.Client, string>();

/** Unlike that of any other connection: statements are found by it to be cancelled. */
export function newPooledName(): string {
  counter += 1;
  return `cartulary ${PROCESS} ${counter}`;
}

export function markPooled(client: pg.Client, name: string): void {
  names.set(client, name);
}

/** Undefined for a connection to the database itself. */
export const pooledName = (client: pg.Client): string | undefined => names.get(client);
