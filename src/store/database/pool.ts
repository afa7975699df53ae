// A bounded pool of connections, each checked out by one statement or transaction at a time. Checking out an idle connection is
// synchronous; the pool of `pg` costs several promises and a timer each time, which at thousands of short statements a
// second was a fifth of the server's time.
//
// Where the database's processes have priorities, there are connections of two kinds: of normal priority, and of low priority
// for work that takes long. A priority can be lowered but not raised again, so at the limit an idle connection of one kind is
// closed when one of the other kind is wanted.

import type pg from 'pg';
import { onAbort, type Signal } from '../../request/signal.ts';
import { withTimeout } from '../../request/timeout.ts';
import { ConnectionsClosed, ConnectionTimeout } from './database-errors.ts';
import { type DatabaseServers, endClient, Silence } from './database-servers.ts';
import { KnownSchemas } from './known-schemas.ts';

export interface PoolOptions {
  readonly servers: DatabaseServers;
  readonly connectionsMax: number;
  /** Called when a connection breaks. */
  readonly onConnectionError: (error: Error) => void;
  /** How many applications a connection may have used before it is replaced; tests set a lower one. */
  readonly schemasMax?: number | undefined;
}

/** What a connection is for. */
export type Priority = 'normal' | 'low';

const OTHER = { normal: 'low', low: 'normal' } as const;

export interface WantedConnection {
  readonly priority: Priority;
  readonly schema: string;
}

/**
 * Twelve connections know some 16,000 applications together, in some 2 GB with one collection each that is created in: what they
 * have read of their tables, and the statements that write to them (store/database/prepared).
 */
export const SCHEMAS_MAX = 1_500;

interface Waiter extends WantedConnection {
  readonly since: number;
  /** Until then (`performance.now()`) it waits for a connection that knows its application; 0 if none does. */
  readonly loyalUntil: number;
  /** How often one that came later got a connection first. */
  passed: number;
  readonly grant: (client: pg.Client) => void;
  readonly refuse: (error: Error) => void;
}

interface Monitored {
  readonly priority: Priority;
  readonly silence: Silence;
  /** When `onSilent` was last called for it. */
  reportedAt: number;
}

const CONNECTIONS_OF_TWO_KINDS = 4;
/**
 * A connection that knows many applications goes, when it becomes free, to one of so many that wait, if it knows that one's
 * application and not the first one's. A request whose application another connection knows is passed over by more: it would
 * make this connection read what that one has read. With four for both, most creates to 10,000 applications came to a
 * connection that did not know theirs (in a simulation of these rules with 32 clients).
 */
const LOOKED_AT = 64;
const PASSED_MAX = { known: 32, unknown: 4 };
/**
 * For as long, a request waits for a busy connection that knows its application although another one is idle. A create takes a
 * connection a few milliseconds.
 */
const LOYAL_MS = 30;
/** Between two connections that nothing waits for; twice as long each time that the database refuses one. */
const SPARE_PAUSE_MS = { min: 1_000, max: 60_000 };
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
  readonly #idle: Record<Priority, pg.Client[]> = { normal: [], low: [] };
  readonly #waiting: Waiter[] = [];
  readonly #schemas: KnownSchemas;
  readonly #timer: NodeJS.Timeout;
  readonly #connecting: Record<Priority, number> = { normal: 0, low: 0 };
  /** No spare connection is made before (`performance.now()`). */
  #spareAt = 0;
  #sparePauseMs = SPARE_PAUSE_MS.min;
  /** Set while requests wait for connections that know their applications. */
  #loyalTimer: NodeJS.Timeout | undefined;
  #closed: (() => void) | undefined;
  /** All connections are closed, and one that is still being made is closed at once. */
  #isOver = false;

  /** `onSilent`: called every SILENT_MS for a connection whose statement has brought no bytes for that long. */
  constructor(options: PoolOptions, onSilent: (client: pg.Client) => void) {
    this.#options = options;
    this.#onSilent = onSilent;
    this.#schemas = new KnownSchemas(options.schemasMax ?? SCHEMAS_MAX, { apart: true });
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
    this.#timer.unref();
  }

  get counts() {
    const [idle, connecting, waiting] = [this.#idleCount, this.#connectingCount, this.#waiting.length];
    return { idle, checkedOut: this.#clients.size - idle, connecting, waiting };
  }

  /** A connection that is idle now and knows the tables of the schema, or that has to come to know them. */
  take({ priority, schema }: WantedConnection): pg.Client | undefined {
    const kind = this.#known(priority);
    const idle = this.#idle[kind];
    let client = idle.findLast((one) => this.#schemas.has(one, schema));
    if (client === undefined) {
      client = this.#schemas.learner(idle);
      if (client === undefined || this.#isKnownToBusy(kind, schema)) return undefined;
      if (this.#schemas.knowsMany(client)) this.#addSpare(kind);
    }
    idle.splice(idle.lastIndexOf(client), 1);
    this.#schemas.add(client, schema);
    return client;
  }

  /** The next connection that becomes free. */
  async wait({ priority, schema }: WantedConnection, signal: Signal | undefined): Promise<pg.Client> {
    const client = await this.#wait({ priority: this.#known(priority), schema }, signal);
    this.#schemas.add(client, schema);
    return client;
  }

  #wait({ priority, schema }: WantedConnection, signal: Signal | undefined): Promise<pg.Client> {
    if (this.#closed !== undefined) return Promise.reject(new ConnectionsClosed());
    return new Promise((resolve, reject) => {
      const unsubscribe = onAbort(signal, (reason) => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(reason);
      });
      const since = performance.now();
      const waiter: Waiter = {
        priority,
        schema,
        since,
        loyalUntil: this.#isKnownToBusy(priority, schema) ? since + LOYAL_MS : 0,
        passed: 0,
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
      if (waiter.loyalUntil > 0) this.#loyalTimer ??= setTimeout(() => this.#endLoyalty(), LOYAL_MS);
      this.#provide(priority);
    });
  }

  /**
   * Whether a busy connection knows the application, of connections that know many and cannot become more. While they know few,
   * each may know all of them.
   */
  #isKnownToBusy(kind: Priority, schema: string): boolean {
    if (!this.#isFull) return false;
    for (const [client, { priority }] of this.#clients) {
      if (priority !== kind || !this.#schemas.knowsMany(client) || !this.#schemas.has(client, schema)) continue;
      if (!this.#idle[kind].includes(client)) return true;
    }
    return false;
  }

  /** Those that have waited long enough for a connection that knows their application take any other. */
  #endLoyalty(): void {
    this.#loyalTimer = undefined;
    for (const kind of ['normal', 'low'] as const) {
      while (this.#grantIdle(kind));
      this.#provide(kind);
    }
    const now = performance.now();
    const loyal = this.#waiting.map(({ loyalUntil }) => loyalUntil - now).filter((ms) => ms > 0);
    if (loyal.length > 0) this.#loyalTimer = setTimeout(() => this.#endLoyalty(), Math.min(...loyal));
  }

  #grantIdle(kind: Priority): boolean {
    const idle = this.#idle[kind];
    const client = this.#schemas.learner(idle);
    const [waiter] = client === undefined ? [] : this.#shiftWaiting(kind, client);
    if (client === undefined || waiter === undefined) return false;
    idle.splice(idle.lastIndexOf(client), 1);
    waiter.grant(client);
    return true;
  }

  release(client: pg.Client): void {
    const monitored = this.#clients.get(client);
    if (monitored === undefined) {
      this.#finish();
      return;
    }
    if (this.#schemas.isFull(client)) {
      this.discard(client);
      return;
    }
    const { priority } = monitored;
    const [waiter] = this.#shiftWaiting(priority, client);
    if (waiter !== undefined) waiter.grant(client);
    else {
      this.#idle[priority].push(client);
      this.#provide(OTHER[priority]);
    }
    this.#finish();
  }

  /** The connection is not used again, whatever its state. */
  discard(client: pg.Client): void {
    this.#remove(client);
    const first = this.#waiting[0]?.priority ?? 'normal';
    this.#provide(first);
    this.#provide(OTHER[first]);
    this.#finish();
  }

  /** The database may be unreachable without any connection having reported it: idle connections are not used again. */
  suspect(): void {
    for (const client of [...this.#idle.normal, ...this.#idle.low]) this.discard(client);
  }

  /** Waits for checked-out connections to be released, up to WAIT_MS, and closes all. */
  async close(): Promise<void> {
    const finished = new Promise<void>((resolve) => {
      this.#closed = resolve;
    });
    this.#finish();
    await withTimeout(WAIT_MS, finished);
    clearInterval(this.#timer);
    clearTimeout(this.#loyalTimer);
    this.#isOver = true;
    const clients = [...this.#clients.keys()];
    this.#clients.clear();
    this.#idle.normal.length = 0;
    this.#idle.low.length = 0;
    await Promise.all(clients.map(endClient));
  }

  /** Takes the one that gets `client` out of the queue, or without it the first that waits for such a connection. */
  #shiftWaiting(priority: Priority, client?: pg.Client): Waiter[] {
    const first = this.#waiting.findIndex((waiter) => waiter.priority === priority);
    const chosen = client !== undefined && this.#schemas.knowsMany(client) ? this.#bestFor(client, first) : first;
    return chosen === -1 ? [] : this.#waiting.splice(chosen, 1);
  }

  /** `first`: the place in the queue of the first that may get it. -1 if all that may wait for connections that know more of them. */
  #bestFor(client: pg.Client, first: number): number {
    if (first === -1) return -1;
    const { priority } = this.#waiting[first]!;
    const now = performance.now();
    const end = Math.min(this.#waiting.length, first + LOOKED_AT);
    const overtaken: Waiter[] = [];
    let free = -1;
    for (let index = first; index < end; index++) {
      const waiter = this.#waiting[index]!;
      if (waiter.priority !== priority) continue;
      const passedMax = waiter.loyalUntil > 0 ? PASSED_MAX.known : PASSED_MAX.unknown;
      if (this.#schemas.has(client, waiter.schema) || waiter.passed >= passedMax) {
        for (const other of overtaken) other.passed += 1;
        return index;
      }
      if (free === -1 && waiter.loyalUntil <= now) free = index;
      overtaken.push(waiter);
    }
    return free;
  }

  get #idleCount(): number {
    return this.#idle.normal.length + this.#idle.low.length;
  }

  get #connectingCount(): number {
    return this.#connecting.normal + this.#connecting.low;
  }

  get #isFull(): boolean {
    return this.#clients.size + this.#connectingCount >= this.#options.connectionsMax;
  }

  /** A few connections are of one kind: they would be replaced all the time. */
  #known(wanted: Priority): Priority {
    const { servers, connectionsMax } = this.#options;
    return servers.hasPriorities && connectionsMax >= CONNECTIONS_OF_TWO_KINDS ? wanted : 'normal';
  }

  /** Whether more wait for any such connection than are being made. */
  #isWanted(priority: Priority): boolean {
    const now = performance.now();
    let wanted = -this.#connecting[priority];
    for (const waiter of this.#waiting) {
      if (waiter.priority === priority && waiter.loyalUntil <= now && ++wanted > 0) return true;
    }
    return false;
  }

  /** At the limit, the connection of the other kind that has been idle longest makes room. */
  #provide(priority: Priority): void {
    if (!this.#isWanted(priority)) return;
    const replaced = this.#isFull ? this.#idle[OTHER[priority]][0] : undefined;
    if (this.#isFull && replaced === undefined) return;
    if (replaced !== undefined) this.#remove(replaced);
    void this.#connect(priority);
  }

  #remove(client: pg.Client): void {
    const monitored = this.#clients.get(client);
    if (monitored === undefined) return;
    this.#clients.delete(client);
    const idle = this.#idle[monitored.priority];
    const index = idle.indexOf(client);
    if (index !== -1) idle.splice(index, 1);
    void endClient(client);
  }

  #finish(): void {
    if (this.#closed === undefined || this.#connectingCount > 0 || this.#idleCount < this.#clients.size) return;
    this.#closed();
  }

  /** Another connection to share the applications with, although nothing waits for one. */
  #addSpare(priority: Priority): void {
    const now = performance.now();
    if (this.#isFull || this.#connectingCount > 0 || this.#closed !== undefined || now < this.#spareAt) return;
    // If the database allows no more connections, none is wanted with each request.
    this.#spareAt = now + this.#sparePauseMs;
    void this.#connect(priority);
  }

  async #connect(priority: Priority): Promise<void> {
    this.#connecting[priority] += 1;
    let client: pg.Client;
    try {
      client = await this.#options.servers.connect({ statement_timeout: STATEMENT_MS, low: priority === 'low' });
    } catch (error) {
      this.#connecting[priority] -= 1;
      this.#sparePauseMs = Math.min(SPARE_PAUSE_MS.max, 2 * this.#sparePauseMs);
      this.#refuse(priority, error as Error);
      this.#provide(OTHER[priority]);
      this.#finish();
      return;
    }
    this.#connecting[priority] -= 1;
    this.#sparePauseMs = SPARE_PAUSE_MS.min;
    if (this.#isOver) {
      void endClient(client);
      return;
    }
    client.on('error', (error) => {
      // A running statement fails by itself.
      if (!this.#clients.has(client)) return;
      this.#options.onConnectionError(error);
      this.discard(client);
    });
    client.on('end', () => this.discard(client));
    this.#clients.set(client, { priority, silence: new Silence(client), reportedAt: 0 });
    this.release(client);
  }

  /** After a connection could not be made. While other connections work, only one waiter fails, and none that another is made for. */
  #refuse(priority: Priority, error: Error): void {
    const areOthers = this.#clients.size > 0;
    if (areOthers && !this.#isWanted(priority)) return;
    const refused = areOthers ? this.#shiftWaiting(priority) : this.#waiting.splice(0);
    for (const waiter of refused) waiter.refuse(error);
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
