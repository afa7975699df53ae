// The connections that publish. Each is opened for one publishing and closed after it, so that work of minutes delays no request
// and its locks are free when the process ends. On one node, publishings of the same application run one after the other;
// a waiting one has no connection.

import type pg from 'pg';
import { fault } from '../../faults.ts';
import { ConnectionsClosed } from './database-errors.ts';
import { endClient } from './database-servers.ts';
import type { PoolOptions } from './pool.ts';

const CONNECTIONS_MAX = 4;
/** How soon the database notices that the client process is gone, and ends its statement. */
const CHECK_MS = 1_000;
/** Building an index is faster with more than the default of 64 MB. */
const SETTINGS = `select set_config('application_name', 'cartulary publisher', false),
  set_config('maintenance_work_mem', '256MB', false)`;

export class Publishers {
  readonly #options: PoolOptions;
  readonly #clients = new Set<pg.Client>();
  /** By application, settles when its latest publishing has ended. */
  readonly #latest = new Map<string, Promise<void>>();
  readonly #waiting: (() => void)[] = [];
  #free = CONNECTIONS_MAX;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Whether a publishing of the application runs or waits on this node. */
  busy(applicationId: string): boolean {
    return this.#latest.has(applicationId);
  }

  async withConnection<T>(applicationId: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const before = this.#latest.get(applicationId);
    let done = () => {};
    const publishing = new Promise<void>((resolve) => {
      done = resolve;
    });
    this.#latest.set(applicationId, publishing);
    await before;
    try {
      return await this.#withConnection(work);
    } finally {
      if (this.#latest.get(applicationId) === publishing) this.#latest.delete(applicationId);
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
      client = await this.#options.servers.connect({ low: true });
      this.#clients.add(client);
      client.on('error', (error) => {
        if (client !== undefined && this.#clients.has(client)) this.#options.onConnectionError(error);
      });
      await client.query(SETTINGS);
      // Not supported on every system.
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
