// A bounded pool of connections, each checked out by one statement or transaction at a time. Checking out an idle connection is
// synchronous; the pool of `pg` costs several promises and a timer each time, which at thousands of short statements a
// second was a fifth of the server's time.

import type pg from 'pg';
import { onAbort, type Signal } from '../../request/signal.ts';
import { withTimeout } from '../../request/timeout.ts';
import { ConnectionsClosed, ConnectionTimeout } from './connection-failure.ts';
import { endClient, type Servers, Silence } from './servers.ts';

export interface PoolOptions {
  readonly servers: Servers;
  readonly connectionsMax: number;
  /** Called when a connection breaks. */
  readonly onConnectionError: (error: Error) => void;
}

interface Waiter {
  readonly since: number;
  readonly lend: (client: pg.Client) => void;
  readonly refuse: (error: Error) => void;
}

interface Held {
  readonly silence: Silence;
  /** When it was last told of that it is silent. */
  toldAt: number;
}

/** How long a statement may wait for a connection. */
const WAIT_MS = 5_000;
const LOOK_MS = 250;

/** A statement that takes longer is ended: it would hold its connection although no request waits for it any more. */
const STATEMENT_MS = 60_000;
/** A connection that is silent for longer may have lost its other end. */
const SILENT_MS = 3_000;

export class Pool {
  readonly #options: PoolOptions;
  readonly #onSilent: (client: pg.Client) => void;
  readonly #clients = new Map<pg.Client, Held>();
  readonly #idle: pg.Client[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #timer: NodeJS.Timeout;
  #connecting = 0;
  #closed: (() => void) | undefined;

  /** `onSilent`: called from time to time for a connection that has not answered for long. */
  constructor(options: PoolOptions, onSilent: (client: pg.Client) => void) {
    this.#options = options;
    this.#onSilent = onSilent;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  get counts() {
    const [idle, connecting, waiting] = [this.#idle.length, this.#connecting, this.#waiting.length];
    return { idle, lent: this.#clients.size - idle, connecting, waiting };
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
        lend: (client) => {
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
    if (waiter !== undefined) waiter.lend(client);
    else this.#idle.push(client);
    this.#finish();
  }

  /** A connection that is not to be used again, whatever state it is in. */
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

  /** Resolves when all connections are released, or after a while without, and closed. */
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
      // Where some connections work, only the one that asked for another is told.
      const told = this.#waiting.splice(0, this.#clients.size === 0 ? this.#waiting.length : 1);
      for (const waiter of told) waiter.refuse(error as Error);
      this.#finish();
      return;
    }
    this.#connecting -= 1;
    client.on('error', (error) => {
      // A statement under way is told as well; here only that the connection is gone.
      if (!this.#clients.has(client)) return;
      this.#options.onConnectionError(error);
      this.discard(client);
    });
    client.on('end', () => this.discard(client));
    this.#clients.set(client, { silence: new Silence(client), toldAt: 0 });
    this.release(client);
  }

  #look(): void {
    const now = performance.now();
    for (let waiter = this.#waiting[0]; waiter !== undefined; waiter = this.#waiting[0]) {
      if (waiter.since > now - WAIT_MS) break;
      this.#waiting.shift();
      waiter.refuse(new ConnectionTimeout(WAIT_MS));
    }
    for (const [client, held] of this.#clients) {
      if (held.silence.check(now) < SILENT_MS || now - held.toldAt < SILENT_MS) continue;
      held.toldAt = now;
      this.#onSilent(client);
    }
  }
}
