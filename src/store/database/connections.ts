// How work gets a connection: reads run on the lanes, everything else on a connection of its own. When a request is cancelled
// its waits end at once, and what runs for it on a checked-out connection is cancelled in the database.

import type pg from 'pg';
import { type Cancellable, onAbort } from '../../request/signal.ts';
import { type Checkout, StatementCancelling } from './cancelling.ts';
import { ActiveApplications, ConnectionLimits } from './connection-limits.ts';
import { CopyConnections } from './copy-connections.ts';
import { isCancelled, isLocked, isResultLost, isRetriable, meaningOf, unavailable } from './database-errors.ts';
import { DatabaseServers } from './database-servers.ts';
import { isInTransaction } from './driver.ts';
import { Lanes, type SendOnLane } from './lanes.ts';
import { Pool, type Priority } from './pool.ts';
import { Publishers } from './publishers.ts';
import { type SchemaLocation, SYSTEM } from './schemas.ts';
import { SlowReaders } from './slow-readers.ts';
import { run } from './statements.ts';
import { isWorkerLost } from './worker-errors.ts';

export interface ConnectionsOptions {
  readonly connection: pg.ClientConfig;
  /** A pooler in transaction mode before the same database, for what takes a connection of its own. */
  readonly pooler?: pg.ClientConfig | undefined;
  /** Whether this server started the database, so that it may lower the priority of its processes. */
  readonly embedded?: boolean | undefined;
  /** Set for a replica: the system identifier of its primary, once it is known. */
  readonly standbyOf?: () => string | undefined;
  readonly connectionsMax: number;
  /** The time limit of a request; without it there is none. */
  readonly requestMs?: number;
  /** Connections to the same server over which statements of these are cancelled; without them, these do it themselves. */
  readonly cancelledOver?: Connections;
  /** Called when a connection breaks. */
  readonly onConnectionError: (error: Error) => void;
  /** Called with the server that is used, when it changes, and when it is back. */
  readonly onConnected?: (server: string) => void;
  /** How many applications a connection may have used before it is replaced; tests set a lower one. */
  readonly schemasMax?: number;
}

type Work<T> = (client: pg.Client) => Promise<T>;

/** The reads of this application are slow at present, and run on connections of their own. */
class NotOnLane extends Error {}

/** Connections used as lanes; two cores do not gain from more. */
const LANES_MAX = 4;
/**
 * The part of the other connections that one application may have at once: while it is alone, and while others are active. With
 * more than half, a busy application left the others a quarter, and their p99 doubled.
 */
const ALONE = 0.75;
const BESIDE_OTHERS = 0.5;
/**
 * A search keeps a processor busy for as long as it has its connection, which slows the reads on the lanes: with 40 clients
 * searching, the p99 of another application's gets was about 120, 70 and 40 ms with eight, three and two of twelve connections
 * for searches (medians, on two cores that had much other work). Beside others it has one of twelve: with two, searches in records
 * of 1 MB kept both cores busy and raised another application's p99 1.9 times instead of 1.5 (`npm run bench -- neighbours`).
 * The limit for an application alone bounds the delay of the next one to become active. Searches of all applications leave
 * some connections to writes.
 */
const SEARCHES_ALONE = 1 / 3;
const SEARCHES_BESIDE_OTHERS = 1 / 12;
const SEARCHES_IN_ALL = 2 / 3;

const mayRunAgain = (error: unknown): boolean => isLocked(error) || isResultLost(error) || isRetriable(error);

export class Connections {
  readonly publishers: Publishers;
  readonly copies: CopyConnections;
  readonly #isReplica: boolean;
  readonly #pool: Pool;
  readonly #lanes: Lanes;
  readonly #active = new ActiveApplications();
  readonly #limits: ConnectionLimits;
  readonly #searchLimits: ConnectionLimits;
  readonly #slow = new SlowReaders();
  readonly #cancelledOver: Connections;
  readonly #cancelling = new StatementCancelling({
    query: (text, params) => this.#cancelledOver.read(SYSTEM, undefined, (lane) => run(lane, { text, params })),
    end: (checkout, how) => this.#end(checkout, how),
    suspect: () => this.suspect(),
  });

  constructor(options: ConnectionsOptions) {
    const { connection, pooler, embedded, standbyOf, connectionsMax, schemasMax, ...callbacks } = options;
    this.#cancelledOver = callbacks.cancelledOver ?? this;
    const { requestMs = Number.POSITIVE_INFINITY } = options;
    this.#isReplica = standbyOf !== undefined;
    const count = Math.max(1, Math.min(LANES_MAX, Math.floor(connectionsMax / 4)));
    const poolSize = Math.max(1, connectionsMax - count);
    const servers = new DatabaseServers(connection, callbacks.onConnected, { areOurs: embedded, standbyOf });
    const poolServers = pooler ? new DatabaseServers(pooler, callbacks.onConnected, { arePoolers: true }) : servers;
    const lossOf = (lost: DatabaseServers) => (error: Error) => {
      lost.lost();
      callbacks.onConnectionError(error);
    };
    const direct = { servers, connectionsMax: poolSize, onConnectionError: lossOf(servers), schemasMax };
    // Lanes are few, and depend on settings of their sessions.
    this.#lanes = new Lanes({ ...direct, count, requestMs });
    this.#pool = new Pool(
      { ...direct, servers: poolServers, onConnectionError: lossOf(poolServers) },
      (client) => void this.#cancelling.verify(client).catch(() => undefined),
    );
    const partOf = (part: number) => Math.max(1, Math.floor(poolSize * part));
    this.#limits = new ConnectionLimits(
      { alone: partOf(ALONE), besideOthers: partOf(BESIDE_OTHERS), inAll: Number.POSITIVE_INFINITY },
      this.#active,
    );
    this.#searchLimits = new ConnectionLimits(
      {
        alone: partOf(SEARCHES_ALONE),
        besideOthers: partOf(SEARCHES_BESIDE_OTHERS),
        inAll: partOf(SEARCHES_IN_ALL),
      },
      this.#active,
    );
    this.publishers = new Publishers(direct);
    this.copies = new CopyConnections(direct);
  }

  /** A request that waits for its application's limit waits for a connection as well. */
  get counts() {
    const { waiting, ...pool } = this.#pool.counts;
    return { ...pool, ...this.#lanes.counts, waiting: waiting + this.#limits.waiting + this.#searchLimits.waiting };
  }

  /**
   * A read that the database ended, because it takes long or waits for a change of its table, runs again on a connection of
   * its own, within the application's limit. So does one whose lane was lost, or that a deadlock ended: many requests share
   * the lane, and a read can be repeated. What a replica could not serve, the primary serves (store/database/replica).
   */
  read<T>(location: SchemaLocation, scope: Cancellable | undefined, work: Work<T>): Promise<T> {
    const { schema } = location;
    if (this.#slow.has(schema)) return this.withLongQueryConnection(schema, scope, work);
    return new Promise((resolve, reject) => {
      if (scope?.signal.aborted) {
        reject(scope.signal.reason);
        return;
      }
      this.#markActive(schema);
      const unsubscribe = onAbort(scope?.signal, reject);
      const send: SendOnLane = (client, done) => {
        work(client).then(
          (result) => {
            done();
            unsubscribe();
            resolve(result);
          },
          (error) => {
            done(error);
            if (!scope?.signal.aborted && !this.#isReplica && mayRunAgain(error)) again('withConnection');
            else if (!scope?.signal.aborted && isCancelled(error)) again('withLongQueryConnection');
            else refuse(error);
          },
        );
      };
      const refuse = (error: unknown) => {
        unsubscribe();
        reject(meaningOf(error));
      };
      const again = (how: 'withConnection' | 'withLongQueryConnection') => {
        unsubscribe();
        // The system schema belongs to no application.
        if (how === 'withLongQueryConnection' && schema !== SYSTEM.schema) this.#slow.add(schema);
        this[how](schema, scope, work).then(resolve, (error) => reject(unavailable(error, 'busy') ?? error));
      };
      this.#lanes.run(location, send, refuse);
    });
  }

  /** For several requests at once: whatever keeps it from the lanes, or ends it there, is thrown as it is. */
  readOnLane<T>(location: SchemaLocation, work: Work<T>): Promise<T> {
    const { schema } = location;
    if (this.#slow.has(schema)) return Promise.reject(new NotOnLane());
    this.#markActive(schema);
    return new Promise((resolve, reject) => {
      const send: SendOnLane = (client, done) => {
        work(client).then(
          (result) => {
            done();
            resolve(result);
          },
          (error) => {
            done(error);
            reject(error);
          },
        );
      };
      this.#lanes.run(location, send, reject);
    });
  }

  /** On a connection of its own, counted under the schema. */
  async withConnection<T>(
    schema: string,
    scope: Cancellable | undefined,
    work: Work<T>,
    priority: Priority = this.#priorityOf(schema, scope),
  ): Promise<T> {
    scope?.signal.throwIfAborted();
    this.#markActive(schema);
    const allowed = this.#limits.take(schema, scope?.signal);
    if (allowed !== undefined) await allowed;
    let checkout: Checkout;
    try {
      const wanted = { priority, schema };
      const client = this.#pool.take(wanted) ?? (await this.#pool.wait(wanted, scope?.signal));
      checkout = { client, schema, ended: false };
    } catch (error) {
      this.#limits.release(schema);
      throw unavailable(error) ?? error;
    }
    if (scope !== undefined) return this.#workFor(scope, checkout, work);
    let result: T;
    try {
      result = await work(checkout.client);
    } catch (error) {
      throw this.#failed(checkout, error);
    }
    this.#end(checkout);
    return result;
  }

  /**
   * Requests with large bodies or long records give way to others, if there are any. Alone they do not: a process of low
   * priority that is interrupted keeps its locks, and the others of the same table wait for them.
   */
  #priorityOf(schema: string, scope: Cancellable | undefined): Priority {
    return (scope?.heavy || scope?.heldBytes) && this.#active.hasOthers(schema) ? 'low' : 'normal';
  }

  /** As `withConnection`, for statements that take long. */
  async withLongQueryConnection<T>(schema: string, scope: Cancellable | undefined, work: Work<T>): Promise<T> {
    scope?.signal.throwIfAborted();
    const allowed = this.#searchLimits.take(schema, scope?.signal);
    if (allowed !== undefined) await allowed;
    try {
      return await this.withConnection(schema, scope, work, 'low');
    } finally {
      this.#searchLimits.release(schema);
    }
  }

  /** The database may be unreachable without any connection having reported it. */
  suspect(): void {
    this.#pool.suspect();
    this.#lanes.suspect();
    this.publishers.suspect();
  }

  /** The server is silent: what was sent to it on the lanes fails at once. */
  cutLanes(): void {
    this.#lanes.cut();
  }

  async close(): Promise<void> {
    await Promise.all([this.#lanes.close(), this.#pool.close(), this.publishers.close(), this.copies.close()]);
  }

  /** The system schema belongs to no application. */
  #markActive(schema: string): void {
    if (schema !== SYSTEM.schema) this.#active.add(schema);
  }

  #workFor<T>(scope: Cancellable, checkout: Checkout, work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const { signal } = scope;
      if (signal.aborted) {
        this.#end(checkout);
        reject(signal.reason);
        return;
      }
      const working = work(checkout.client);
      const unsubscribe = onAbort(signal, (reason) => {
        reject(reason);
        void this.#cancelling.cancel(checkout, working);
      });
      working.then(
        (result) => {
          if (signal.aborted) return;
          unsubscribe();
          this.#end(checkout);
          resolve(result);
        },
        (error) => {
          if (signal.aborted) return;
          unsubscribe();
          reject(this.#failed(checkout, error));
        },
      );
    });
  }

  /** Releases or discards the connection, and returns what the error means to the rest of the code. */
  #failed(checkout: Checkout, error: unknown): unknown {
    this.#end(checkout, unavailable(error) === undefined || isWorkerLost(error) ? 'release' : 'discard');
    return meaningOf(error);
  }

  #end(checkout: Checkout, how: 'release' | 'discard' = 'release'): void {
    if (checkout.ended) return;
    checkout.ended = true;
    // The next user's statements would be part of a transaction that is never committed.
    this.#pool[isInTransaction(checkout.client) ? 'discard' : how](checkout.client);
    this.#limits.release(checkout.schema);
  }
}
