// The connections that publish: each made for one publishing and closed behind it, so that what takes minutes keeps no
// request waiting, and what was locked for it is free when the process ends. Whoever publishes the same application
// on this node waits for its turn without a connection.

import type pg from 'pg';
import { fault } from '../../faults.ts';
import { ConnectionsClosed } from './connection-failure.ts';
import type { PoolOptions } from './pool.ts';
import { endClient } from './servers.ts';

const CONNECTIONS_MAX = 4;
/** How soon the database notices that the process at the other end is gone, and ends what it was doing for it. */
const CHECK_MS = 1_000;
/** Building an index is faster with more than the default of 64 MB. */
const SETTINGS = `select set_config('application_name', 'cartulary publisher', false),
  set_config('maintenance_work_mem', '256MB', false)`;

export class Publishers {
  readonly #options: PoolOptions;
  readonly #clients = new Set<pg.Client>();
  readonly #turns = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #free = CONNECTIONS_MAX;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Whether somebody on this node has, or waits for, a turn under that name. */
  busy(name: string): boolean {
    return this.#turns.has(name);
  }

  async withConnection<T>(name: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const before = this.#turns.get(name);
    let done = () => {};
    const turn = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#turns.set(name, turn);
    await before;
    try {
      return await this.#withConnection(work);
    } finally {
      if (this.#turns.get(name) === turn) this.#turns.delete(name);
      done();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#clients].map(endClient));
  }

  async #withConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((go) => this.#waiting.push(go));
    try {
      const client = await this.#connect();
      try {
        return await work(client);
      } finally {
        this.#clients.delete(client);
        await endClient(client);
      }
    } finally {
      const next = this.#waiting.shift();
      if (next !== undefined) next();
      else this.#free += 1;
    }
  }

  async #connect(): Promise<pg.Client> {
    if (this.#closed) throw new ConnectionsClosed();
    let client: pg.Client | undefined;
    try {
      client = await this.#options.servers.connect({});
      this.#clients.add(client);
      client.on('error', (error) => {
        if (client !== undefined && this.#clients.has(client)) this.#options.onConnectionError(error);
      });
      await client.query(SETTINGS);
      // Not everywhere: some systems cannot tell.
      await client
        .query(`select set_config('client_connection_check_interval', '${CHECK_MS}', false)`)
        .catch(() => undefined);
      if (this.#closed) throw new ConnectionsClosed();
      return client;
    } catch (error) {
      if (client !== undefined) {
        this.#clients.delete(client);
        await endClient(client);
      }
      const away = fault('UNAVAILABLE', { reason: 'database' }, { 'retry-after': '1' });
      away.cause = error;
      throw away;
    }
  }
}
