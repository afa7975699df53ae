// The applications whose tables a connection has used. The database keeps in memory what a connection knows of a table until
// that connection ends: about 64 KB for an application with one collection that was read. So a connection that has used many
// applications is replaced. One that comes to an application for the first time takes 1 to 2.5 ms of a processor longer, so
// the limits are as high as memory allows.

import type pg from 'pg';
import { SYSTEM } from './schemas.ts';

export class KnownSchemas {
  readonly #max: number;
  readonly #known = new WeakMap<pg.Client, Set<string>>();

  /** `max`: of one connection. */
  constructor(max: number) {
    this.#max = max;
  }

  has(client: pg.Client, schema: string): boolean {
    return this.#known.get(client)?.has(schema) === true;
  }

  add(client: pg.Client, schema: string): void {
    if (schema === SYSTEM.schema) return;
    const known = this.#known.get(client);
    if (known === undefined) this.#known.set(client, new Set([schema]));
    else known.add(schema);
  }

  isFull(client: pg.Client): boolean {
    return (this.#known.get(client)?.size ?? 0) > this.#max;
  }
}
