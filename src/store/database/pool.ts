// A bounded pool of connections, each checked out by one statement or transaction at a time. Checking out an idle connection is
// synchronous; the pool of `pg` costs several promises and a timer each time, which at thousands of short statements a
// second was a fifth of the server's time.

import type pg from 'pg';
import { onAbort, type Signal } from '../../request/signal.ts';
import { withTimeout } from '../../request/timeout.ts';
import { ConnectionsClosed, ConnectionTimeout } from './database-errors.ts';
import { type DatabaseServers, endClient, Silence } from './database-servers.ts';

export interface PoolOptions {
  readonly servers: DatabaseServers;
  readonly connectionsMax: number;
  /** Called when a connection breaks. */
  readonly onConnectionError: (error: Error) => void;
}

interface Waiter {
  readonly since: number;
  readonly grant: (client: pg.Client) => void;
  readonly refuse: (error: Error) => void;
}

interface Monitored {
  readonly silence: Silence;
  /** When `onSilent` was last called for it. */
  reportedAt: number;
}

/** How long a statement may wait for a connection. */
const WAIT_MS = 5_000;
const CHECK_MS = 250;

/** A statement that takes longer is ended: it would hold its connection although no request waits for it any more. */
const STATEMENT_MS = 60_000;
/** A connection that is silent for longer may have lost its other end. */
const SILENT_MS = 3_000;

export class Pool {
  readonly #options: PoolOptions;
  readonly #onSilent: (client: pg.Client) => void;
  readonly #clients = new Map<pg.Client, Monitored>();
  readonly #idle: pg.Client[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #timer: NodeJS.Timeout;
  #connecting = 0;
  #closed: (() => void) | undefined;

  /** `onSilent`: called every SILENT_MS for a connection whose statement has brought no bytes for that long. */
  constructor(options: PoolOptions, onSilent: (client: pg.Client) => void) {
    this.#options = options;
    this.#onSilent = onSilent;
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
    this.#timer.unref();
  }

  get counts() {
    const [idle, connecting, waiting] = [this.#idle.length, this.#connecting, this.#waiting.length];
    return { idle, checkedOut: this.#clients.size - idle, connecting, waiting };
  }

  /** A connection that is idle now. */
  take(): pg.Client | undefined {
    return this.#idle.pop();
  }

  /** The next connection that becomes free. */
  wait(signal: Signal | undefined): Promise<pg.Client> {
    if (this.#closed !== undefined) return Promise.reject(new ConnectionsClosed());
    return new Promise((resolve, reject) => {
      const unsubscribe = onAbort(signal, (reason) => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(reason);
      });
      const waiter: Waiter = {
        since: performance.now(),
        grant: (client) => {
          unsubscribe();
          resolve(client);
        },
        refuse: (error) => {
          unsubscribe();
          reject(error);
        },
      };
      this.#waiting.push(waiter);
      if (this.#clients.size + this.#connecting < this.#options.connectionsMax) void this.#connect();
    });
  }

  release(client: pg.Client): void {
    if (!this.#clients.has(client)) {
      this.#finish();
      return;
    }
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) waiter.grant(client);
    else this.#idle.push(client);
    this.#finish();
  }

  /** The connection is not used again, whatever its state. */
  discard(client: pg.Client): void {
    if (!this.#clients.delete(client)) return;
    const index = this.#idle.indexOf(client);
    if (index !== -1) this.#idle.splice(index, 1);
    void endClient(client);
    if (this.#waiting.length > 0) void this.#connect();
    this.#finish();
  }

  /** The database may be unreachable without any connection having reported it: idle connections are not used again. */
  suspect(): void {
    for (const client of [...this.#idle]) this.discard(client);
  }

  /** Waits for checked-out connections to be released, up to WAIT_MS, and closes all. */
  async close(): Promise<void> {
    const finished = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#finish();
    await withTimeout(WAIT_MS, finished);
    clearInterval(this.#timer);
    const clients = [...this.#clients.keys()];
    this.#clients.clear();
    this.#idle.length = 0;
    await Promise.all(clients.map(endClient));
  }

  #finish(): void {
    if (this.#closed === undefined || this.#connecting > 0 || this.#idle.length < this.#clients.size) return;
    this.#closed();
  }

  async #connect(): Promise<void> {
    this.#connecting += 1;
    let client: pg.Client;
    try {
      client = await this.#options.servers.connect({ statement_timeout: STATEMENT_MS });
    } catch (error) {
      this.#connecting -= 1;
      // While other connections work, only one waiter fails.
      const refused = this.#waiting.splice(0, this.#clients.size === 0 ? this.#waiting.length : 1);
      for (const waiter of refused) waiter.refuse(error as Error);
      this.#finish();
      return;
    }
    this.#connecting -= 1;
    client.on('error', (error) => {
      // A running statement fails by itself.
      if (!this.#clients.has(client)) return;
      this.#options.onConnectionError(error);
      this.discard(client);
    });
    client.on('end', () => this.discard(client));
    this.#clients.set(client, { silence: new Silence(client), reportedAt: 0 });
    this.release(client);
  }

  #check(): void {
    const now = performance.now();
    for (let waiter = this.#waiting[0]; waiter !== undefined; waiter = this.#waiting[0]) {
      if (waiter.since > now - WAIT_MS) break;
      this.#waiting.shift();
      waiter.refuse(new ConnectionTimeout(WAIT_MS));
    }
    for (const [client, monitored] of this.#clients) {
      if (monitored.silence.check(now) < SILENT_MS || now - monitored.reportedAt < SILENT_MS) continue;
      monitored.reportedAt = now;
      this.#onSilent(client);
    }
  }
}
