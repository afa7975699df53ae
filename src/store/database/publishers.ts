// The connections that publish, outside of the pool: work of minutes delays no request, and its locks are free when the
// process ends. On one node, publishings of the same application run one after the other; a waiting one has no connection.
// A connection stays for a moment after its publishing: the first tables that a new one creates cost the database 1.5 times as
// much, because it has nothing of the catalogue in memory yet (82 against 55 ms of a processor for the tables of an application).

import type pg from 'pg';
import { fault } from '../../faults.ts';
import { ConnectionsClosed } from './database-errors.ts';
import { endClient } from './database-servers.ts';
import { isBusy, isInTransaction } from './driver.ts';
import type { PoolOptions } from './pool.ts';
import { forgetPrepared } from './sent-statement.ts';

const CONNECTIONS_MAX = 4;
const IDLE_MS = 2_000;
/** A connection keeps in memory what it knows of every table that it has created. */
const PUBLISHINGS_EACH = 32;
/** How soon the database notices that the client process is gone, and ends its statement. */
const CHECK_MS = 1_000;
/** Building an index is faster with more than the default of 64 MB. */
const SETTINGS = `select set_config('application_name', 'cartulary publisher', false),
  set_config('maintenance_work_mem', '256MB', false)`;

interface Publishing {
  readonly client: pg.Client;
  /** How many publishings it has done. */
  count: number;
  idle?: NodeJS.Timeout;
}

export class Publishers {
  readonly #options: PoolOptions;
  readonly #clients = new Set<pg.Client>();
  /** By application, settles when its latest publishing has ended. */
  readonly #latest = new Map<string, Promise<void>>();
  readonly #idle: Publishing[] = [];
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

  /** The database may be unreachable without any connection having reported it: idle connections are not used again. */
  suspect(): void {
    for (const connection of this.#idle.splice(0)) void this.#end(connection);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.suspect();
    await Promise.all([...this.#clients].map(endClient));
  }

  async #withConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((go) => this.#waiting.push(go));
    try {
      const connection = this.#takeIdle() ?? { client: await this.#connect(), count: 0 };
      let done = false;
      try {
        const result = await work(connection.client);
        done = true;
        return result;
      } finally {
        if (!done || !(await this.#keep(connection))) await this.#end(connection);
      }
    } finally {
      const next = this.#waiting.shift();
      if (next !== undefined) next();
      else this.#free += 1;
    }
  }

  #takeIdle(): Publishing | undefined {
    const connection = this.#idle.pop();
    clearTimeout(connection?.idle);
    return connection;
  }

  /** Whether the next publishing may use it. Its locks are those of the session, and would stay. */
  async #keep(connection: Publishing): Promise<boolean> {
    const { client } = connection;
    connection.count += 1;
    const isUsable = () => !this.#closed && this.#clients.has(client) && !isBusy(client) && !isInTransaction(client);
    if (connection.count >= PUBLISHINGS_EACH || !isUsable()) return false;
    try {
      await client.query('select pg_advisory_unlock_all()');
      await forgetPrepared(client);
    } catch {
      return false;
    }
    if (!isUsable()) return false;
    connection.idle = setTimeout(() => void this.#end(connection), IDLE_MS);
    connection.idle.unref();
    this.#idle.push(connection);
    return true;
  }

  async #end(connection: Publishing): Promise<void> {
    clearTimeout(connection.idle);
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    this.#clients.delete(connection.client);
    await endClient(connection.client);
  }

  /** One that has broken cannot be kept, and is not used again. */
  #lose(client: pg.Client): void {
    this.#clients.delete(client);
    const connection = this.#idle.find((idle) => idle.client === client);
    if (connection !== undefined) void this.#end(connection);
  }

  async #connect(): Promise<pg.Client> {
    if (this.#closed) throw new ConnectionsClosed();
    let client: pg.Client | undefined;
    try {
      const connected = await this.#options.servers.connect({ low: true });
      client = connected;
      this.#clients.add(connected);
      connected.on('error', (error) => {
        if (!this.#clients.has(connected)) return;
        this.#options.onConnectionError(error);
        this.#lose(connected);
      });
      connected.on('end', () => this.#lose(connected));
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
