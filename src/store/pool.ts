// The connections to the database: a bounded number, each lent to one statement or transaction at a time. Lending an
// idle connection is synchronous; the pool of the driver costs several promises and a timer for every loan, which at
// thousands of short statements a second was a fifth of the server's time.

import type { Duplex } from 'node:stream';
import pg from 'pg';

export interface PoolOptions {
  readonly connection: pg.ClientConfig;
  readonly connectionsMax: number;
  /** Called when a connection breaks; without a listener Node would end. */
  readonly onConnectionError: (error: Error) => void;
}

interface Waiter {
  readonly since: number;
  readonly lend: (client: pg.Client) => void;
  readonly refuse: (error: Error) => void;
}

/** How long a statement may wait for a connection, and a connection for the database. */
const WAIT_MS = 5_000;
const LOOK_MS = 250;
const GOODBYE_MS = 1_000;

/** A statement that takes longer is ended: it would keep its connection from others, and be waited for by nobody. */
const STATEMENT_MS = 60_000;

/** `bounds`: how long a statement may wait for a lock, run, and wait for its answer; without them, as long as it takes. */
export function newClient(
  { connection }: PoolOptions,
  bounds: Pick<pg.ClientConfig, 'lock_timeout' | 'query_timeout' | 'statement_timeout'> = {},
): pg.Client {
  return new pg.Client({
    ...connection,
    ...bounds,
    keepAlive: true,
    application_name: 'cartulary',
    connectionTimeoutMillis: WAIT_MS,
    pipeline: true,
  } as pg.ClientConfig);
}

/** An orderly goodbye, and the end of the connection when a statement that does not end keeps it from being said. */
export async function endClient(client: pg.Client): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const cut = new Promise<void>((resolve) => {
    late = setTimeout(() => {
      (client as pg.Client & { connection: { stream: Duplex } }).connection.stream.destroy();
      resolve();
    }, GOODBYE_MS);
  });
  await Promise.race([client.end().catch(() => undefined), cut]);
  clearTimeout(late);
}

export class Pool {
  readonly #options: PoolOptions;
  readonly #clients = new Set<pg.Client>();
  readonly #idle: pg.Client[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #timer: NodeJS.Timeout;
  #connecting = 0;
  #closed: (() => void) | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#refuseTheLate(), LOOK_MS);
    this.#timer.unref();
  }

  /** A connection that is idle now. */
  take(): pg.Client | undefined {
    return this.#idle.pop();
  }

  /** The next connection that becomes free. */
  wait(): Promise<pg.Client> {
    if (this.#closed !== undefined) return Promise.reject(new Error('Client was closed'));
    return new Promise((lend, refuse) => {
      this.#waiting.push({ since: performance.now(), lend, refuse });
      if (this.#clients.size + this.#connecting < this.#options.connectionsMax) this.#connect();
    });
  }

  give(client: pg.Client): void {
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
    if (this.#waiting.length > 0) this.#connect();
    this.#finish();
  }

  /** Resolves when what is lent has come back, or after a while without it, and every connection is closed. */
  async close(): Promise<void> {
    let late: NodeJS.Timeout | undefined;
    await new Promise<void>((closed) => {
      this.#closed = closed;
      late = setTimeout(closed, WAIT_MS);
      this.#finish();
    });
    clearTimeout(late);
    clearInterval(this.#timer);
    const clients = [...this.#clients];
    this.#clients.clear();
    this.#idle.length = 0;
    await Promise.all(clients.map(endClient));
  }

  #finish(): void {
    if (this.#closed === undefined || this.#connecting > 0 || this.#idle.length < this.#clients.size) return;
    this.#closed();
  }

  #connect(): void {
    this.#connecting += 1;
    const client = newClient(this.#options, { statement_timeout: STATEMENT_MS });
    client.on('error', (error) => {
      // A statement under way is told as well; here only that the connection is gone.
      if (!this.#clients.has(client)) return;
      this.#options.onConnectionError(error);
      this.discard(client);
    });
    client.on('end', () => this.discard(client));
    client.connect().then(
      () => {
        this.#connecting -= 1;
        this.#clients.add(client);
        this.give(client);
      },
      (error: Error) => {
        this.#connecting -= 1;
        client.end().catch(() => undefined);
        // Where some connections work, only the one that asked for another is told.
        const told = this.#waiting.splice(0, this.#clients.size === 0 ? this.#waiting.length : 1);
        for (const waiter of told) waiter.refuse(error);
        this.#finish();
      },
    );
  }

  #refuseTheLate(): void {
    const latest = performance.now() - WAIT_MS;
    for (let waiter = this.#waiting[0]; waiter !== undefined && waiter.since < latest; waiter = this.#waiting[0]) {
      this.#waiting.shift();
      waiter.refuse(new Error('timeout exceeded when trying to connect'));
    }
  }
}
