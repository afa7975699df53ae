// The applications whose tables a connection has used. The database keeps in memory what a connection knows of a table until
// that connection ends: about 64 KB for an application with one collection that was read. So a connection that has used many
// applications is replaced. One that comes to an application for the first time takes 1 to 2.5 ms of a processor longer, so
// the limits are as high as memory allows.

import type pg from 'pg';
import { SYSTEM } from './schemas.ts';

/** The part of its limit up to which a connection knows few applications. */
const FEW = 0.1;

/**
 * Connections that share the applications come to know equally many, and would all be replaced at the same time. So they have
 * different limits: each is lower than the one before by this part of the highest, for so many, and then the next is the highest again.
 */
const APART = 1 / 32;
const DIFFERENT = 8;

interface Known {
  readonly schemas: Set<string>;
  readonly max: number;
}

export class KnownSchemas {
  readonly #max: number;
  readonly #apart: number;
  readonly #known = new WeakMap<pg.Client, Known>();
  #connections = 0;

  /** `max`: of one connection. `apart`: whether the connections share the applications. */
  constructor(max: number, { apart }: { readonly apart: boolean }) {
    this.#max = max;
    this.#apart = apart ? APART : 0;
  }

  /** Every connection knows the system schema. */
  has(client: pg.Client, schema: string): boolean {
    return schema === SYSTEM.schema || this.#known.get(client)?.schemas.has(schema) === true;
  }

  add(client: pg.Client, schema: string): void {
    if (schema === SYSTEM.schema) return;
    let known = this.#known.get(client);
    if (known === undefined) {
      const part = (this.#connections++ % DIFFERENT) * this.#apart;
      known = { schemas: new Set(), max: this.#max - Math.floor(this.#max * part) };
      this.#known.set(client, known);
    }
    known.schemas.add(schema);
  }

  isFull(client: pg.Client): boolean {
    const known = this.#known.get(client);
    return known !== undefined && known.schemas.size > known.max;
  }

  /**
   * Which of the idle connections, the last used at the end, comes to know one more application. The last used one has the
   * most in the processor's cache. But with many applications it would soon be full and be replaced, while the others knew few:
   * then they share the applications.
   */
  learner(idle: readonly pg.Client[]): pg.Client | undefined {
    const last = idle.at(-1);
    if (last === undefined || !this.knowsMany(last)) return last;
    return idle.reduce((least, one) => (this.#count(one) < this.#count(least) ? one : least));
  }

  /** Whether it should rather leave further applications to others. */
  knowsMany(client: pg.Client): boolean {
    return this.#count(client) >= this.#max * FEW;
  }

  #count(client: pg.Client): number {
    return this.#known.get(client)?.schemas.size ?? 0;
  }
}
