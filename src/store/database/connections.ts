// How work comes to a connection and leaves it: reads on the lanes, all else on one that is lent to it. What is run for a
// request ends with the request: whoever waits is answered at once, and what runs on a lent connection is stopped.

import type pg from 'pg';
import type { RequestScope } from '../../request/request-scope.ts';
import { onAbort } from '../../request/signal.ts';
import { isInTransaction } from './driver.ts';
import { type Ask, Lanes } from './lanes.ts';
import { type Place, SYSTEM } from './places.ts';
import { Pool } from './pool.ts';
import { Publishers } from './publishers.ts';
import { Servers } from './servers.ts';
import { Active, Shares } from './shares.ts';
import { SlowReaders } from './slow-readers.ts';
import { isCancelled, isLocked, meaningOf, unavailable } from './sqlstate.ts';
import { run } from './statements.ts';
import { type Loan, Stopping } from './stopping.ts';

export interface ConnectionsOptions {
  readonly connection: pg.ClientConfig;
  readonly connectionsMax: number;
  /** By then a request is answered; without it, nobody waits for one. */
  readonly requestMs?: number;
  /** Called when a connection breaks. */
  readonly onConnectionError: (error: Error) => void;
  /** Called with the server that is used, when it is another, and when it is back. */
  readonly onConnected?: (server: string) => void;
}

type Work<T> = (client: pg.Client) => Promise<T>;

/** Of the connections, at most so many carry the reads; two cores do not gain from more. */
const LANES_MAX = 4;
/**
 * The part of the other connections that one application may have at once: alone, and beside others. With more than half, one that
 * asks for much left the others a quarter, and their p99 doubled.
 */
const ALONE = 0.75;
const BESIDE_OTHERS = 0.5;
/**
 * A search computes all the time that it has its connection, in the way of the reads on the lanes: beside 40 connections of searches,
 * the p99 of another's gets was about 120, 70 and 40 ms with eight, three and two of twelve (medians, on two cores that had much other
 * work). Alone it has no more than another who comes can stand until they end. All together leave some to writes.
 */
const SEARCHES_ALONE = 1 / 3;
const SEARCHES_BESIDE_OTHERS = 1 / 6;
const SEARCHES_IN_ALL = 2 / 3;

export class Connections {
  readonly publishers: Publishers;
  readonly #pool: Pool;
  readonly #lanes: Lanes;
  readonly #active = new Active();
  readonly #shares: Shares;
  readonly #searches: Shares;
  readonly #slow = new SlowReaders();
  readonly #stopping = new Stopping({
    ask: (text, params) => this.read(SYSTEM, undefined, (lane) => run(lane, { text, params })),
    end: (loan, how) => this.#end(loan, how),
    suspect: () => this.suspect(),
  });

  constructor({ connection, connectionsMax, requestMs = Number.POSITIVE_INFINITY, ...told }: ConnectionsOptions) {
    const count = Math.max(1, Math.min(LANES_MAX, Math.floor(connectionsMax / 4)));
    const lent = Math.max(1, connectionsMax - count);
    const servers = new Servers(connection, told.onConnected);
    const onConnectionError = (error: Error) => {
      servers.lost();
      told.onConnectionError(error);
    };
    const options = { servers, connectionsMax: lent, onConnectionError };
    this.#lanes = new Lanes({ ...options, count, requestMs });
    this.#pool = new Pool(options, (client) => void this.#stopping.verify(client).catch(() => undefined));
    const partOf = (part: number) => Math.max(1, Math.floor(lent * part));
    this.#shares = new Shares(
      { alone: partOf(ALONE), besideOthers: partOf(BESIDE_OTHERS), inAll: Number.POSITIVE_INFINITY },
      this.#active,
    );
    this.#searches = new Shares(
      {
        alone: partOf(SEARCHES_ALONE),
        besideOthers: partOf(SEARCHES_BESIDE_OTHERS),
        inAll: partOf(SEARCHES_IN_ALL),
      },
      this.#active,
    );
    this.publishers = new Publishers(options);
  }

  /** Whoever waits for its application's share waits for a connection as well. */
  get counts() {
    const { waiting, ...pool } = this.#pool.counts;
    return { ...pool, ...this.#lanes.counts, waiting: waiting + this.#shares.waiting + this.#searches.waiting };
  }

  /**
   * One that the database ended, because it takes long or a change of its table keeps it waiting, is asked again where it
   * keeps nobody back, within the application's share.
   */
  read<T>({ schema, home }: Place, scope: RequestScope | undefined, work: Work<T>): Promise<T> {
    if (this.#slow.has(schema)) return this.computing(schema, scope, work);
    return new Promise((resolve, reject) => {
      if (scope?.signal.aborted) {
        reject(scope.signal.reason);
        return;
      }
      this.#note(schema);
      const unsubscribe = onAbort(scope?.signal, reject);
      const ask: Ask = (client, answered) => {
        work(client).then(
          (result) => {
            answered();
            unsubscribe();
            resolve(result);
          },
          (error) => {
            answered(error);
            if (!scope?.signal.aborted && isLocked(error)) again('lent');
            else if (!scope?.signal.aborted && isCancelled(error)) again('computing');
            else refuse(error);
          },
        );
      };
      const refuse = (error: unknown) => {
        unsubscribe();
        reject(meaningOf(error));
      };
      const again = (how: 'lent' | 'computing') => {
        unsubscribe();
        // What is read of the system's schema is nobody's own.
        if (how === 'computing' && schema !== SYSTEM.schema) this.#slow.note(schema);
        this[how](schema, scope, work).then(resolve, reject);
      };
      this.#lanes.travel(home, ask, refuse);
    });
  }

  /** With a connection that nobody else uses meanwhile, counted as the schema's. */
  async lent<T>(schema: string, scope: RequestScope | undefined, work: Work<T>): Promise<T> {
    scope?.signal.throwIfAborted();
    this.#note(schema);
    const turn = this.#shares.take(schema, scope?.signal);
    if (turn !== undefined) await turn;
    let loan: Loan;
    try {
      loan = { client: this.#pool.take() ?? (await this.#pool.wait(scope?.signal)), schema, ended: false };
    } catch (error) {
      this.#shares.give(schema);
      throw unavailable(error) ?? error;
    }
    if (scope !== undefined) return this.#workFor(scope, loan, work);
    let result: T;
    try {
      result = await work(loan.client);
    } catch (error) {
      throw this.#failed(loan, error);
    }
    this.#end(loan);
    return result;
  }

  /** As `lent`, for what computes. */
  async computing<T>(schema: string, scope: RequestScope | undefined, work: Work<T>): Promise<T> {
    scope?.signal.throwIfAborted();
    const turn = this.#searches.take(schema, scope?.signal);
    if (turn !== undefined) await turn;
    try {
      return await this.lent(schema, scope, work);
    } finally {
      this.#searches.give(schema);
    }
  }

  /** The database may be out of reach without our having been told. */
  suspect(): void {
    this.#pool.suspect();
    this.#lanes.suspect();
  }

  async close(): Promise<void> {
    await Promise.all([this.#lanes.close(), this.#pool.close(), this.publishers.close()]);
  }

  /** What is asked of the system's schema is asked for whichever application. */
  #note(schema: string): void {
    if (schema !== SYSTEM.schema) this.#active.note(schema);
  }

  #workFor<T>(scope: RequestScope, loan: Loan, work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const { signal } = scope;
      if (signal.aborted) {
        this.#end(loan);
        reject(signal.reason);
        return;
      }
      const working = work(loan.client);
      const unsubscribe = onAbort(signal, (reason) => {
        reject(reason);
        void this.#stopping.stop(loan, working);
      });
      working.then(
        (result) => {
          if (signal.aborted) return;
          unsubscribe();
          this.#end(loan);
          resolve(result);
        },
        (error) => {
          if (signal.aborted) return;
          unsubscribe();
          reject(this.#failed(loan, error));
        },
      );
    });
  }

  /** Gives the connection back, or up, and says what the error means to the rest. */
  #failed(loan: Loan, error: unknown): unknown {
    this.#end(loan, unavailable(error) === undefined ? 'give' : 'discard');
    return meaningOf(error);
  }

  #end(loan: Loan, how: 'give' | 'discard' = 'give'): void {
    if (loan.ended) return;
    loan.ended = true;
    // Whatever the next does would be part of a transaction that nobody commits.
    this.#pool[isInTransaction(loan.client) ? 'discard' : how](loan.client);
    this.#shares.give(loan.schema);
  }
}
