// How work comes to a connection and leaves it: reads on the lanes, all else on one that is lent to it. What is run for a
// request ends with the request: whoever waits is answered at once, the database is asked to stop what it is doing, and the
// connection is used again when it has said that it did.

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Fault } from '../faults.ts';
import type { Trip } from '../trip.ts';
import { type Ask, Lanes } from './lanes.ts';
import { Pool } from './pool.ts';
import { Publishers } from './publishers.ts';
import { cutClient, identityOf, isAsked, Servers, streamOf } from './servers.ts';
import { Shares } from './shares.ts';
import { isBroken, isGone, isLocked, StaleDefinition, unavailable } from './sqlstate.ts';
import { isInTransaction, run } from './statements.ts';

export interface ConnectionsOptions {
  readonly connection: pg.ClientConfig;
  readonly connectionsMax: number;
  /** By then a request is answered; without it, nobody waits for one. */
  readonly requestMs?: number;
  /** Called when a connection breaks. */
  readonly onConnectionError: (error: Error) => void;
}

/** Where an application's tables are, and on which lanes its reads travel. */
export interface Place {
  readonly schema: string;
  readonly home: number | undefined;
}

export const SYSTEM: Place = { schema: 'cartulary', home: undefined };

type Work<T> = (client: pg.Client) => Promise<T>;

interface Loan {
  readonly client: pg.Client;
  readonly schema: string;
  ended: boolean;
}

/** Of the connections, at most so many carry the reads; two cores do not gain from more. */
const LANES_MAX = 4;
/** The part of the other connections that one application may have at once: alone, and beside others. */
const ALONE = 0.75;
const BESIDE_OTHERS = 0.5;
/** A connection that does not say within this time that it stopped what it was doing is cut off. */
const STOP_MS = 1_000;

/**
 * What waits for a synchronous standby has been written already: stopped, it would be there for all to see and to build upon,
 * and be lost with the server. Nobody but the standby ends that.
 */
const CANCEL = `select pg_cancel_backend($1::int) from pg_stat_get_activity($1::int)
  where extract(epoch from pg_postmaster_start_time())::text = $2 and wait_event is distinct from 'SyncRep'`;

const ACTIVE = `select 1 from pg_stat_get_activity($1::int)
  where extract(epoch from pg_postmaster_start_time())::text = $2 and state = 'active'`;

export class Connections {
  readonly publishers: Publishers;
  readonly #pool: Pool;
  readonly #lanes: Lanes;
  readonly #shares: Shares;

  constructor({ connection, connectionsMax, requestMs = Number.POSITIVE_INFINITY, ...rest }: ConnectionsOptions) {
    const count = Math.max(1, Math.min(LANES_MAX, Math.floor(connectionsMax / 4)));
    const lent = Math.max(1, connectionsMax - count);
    const options = { ...rest, servers: new Servers(connection), connectionsMax: lent };
    this.#lanes = new Lanes({ ...options, count, requestMs });
    this.#pool = new Pool(options, (client) => void this.#verify(client).catch(() => undefined));
    const partOf = (part: number) => Math.max(1, Math.floor(lent * part));
    this.#shares = new Shares({ alone: partOf(ALONE), besideOthers: partOf(BESIDE_OTHERS) });
    this.publishers = new Publishers(options);
  }

  /** Whoever waits for its application's share waits for a connection as well. */
  get counts() {
    const { waiting, ...pool } = this.#pool.counts;
    return { ...pool, ...this.#lanes.counts, waiting: waiting + this.#shares.waiting };
  }

  /** One that a change of its table keeps waiting is asked again where it can wait without keeping others back. */
  read<T>({ schema, home }: Place, trip: Trip | undefined, work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (trip?.stopped !== undefined) {
        reject(trip.stopped);
        return;
      }
      trip?.whenStopped(reject);
      const refuse = (error: unknown) => {
        trip?.takeBack(reject);
        reject(meaning(error));
      };
      const ask: Ask = (client, answered) => {
        work(client).then(
          (result) => {
            answered();
            trip?.takeBack(reject);
            resolve(result);
          },
          (error) => {
            answered(error);
            if (isLocked(error) && trip?.stopped === undefined) wait();
            else refuse(error);
          },
        );
      };
      const wait = () => {
        trip?.takeBack(reject);
        this.lent(schema, trip, work).then(resolve, reject);
      };
      this.#lanes.travel(home, ask, refuse);
    });
  }

  /** With a connection that nobody else uses meanwhile, counted as the schema's. */
  async lent<T>(schema: string, trip: Trip | undefined, work: Work<T>): Promise<T> {
    if (trip?.stopped !== undefined) throw trip.stopped;
    const turn = this.#shares.take(schema, trip);
    if (turn !== undefined) await turn;
    let loan: Loan;
    try {
      loan = { client: this.#pool.take() ?? (await this.#pool.wait(trip)), schema, ended: false };
    } catch (error) {
      this.#shares.give(schema);
      throw unavailable(error) ?? error;
    }
    if (trip !== undefined) return this.#workFor(trip, loan, work);
    let result: T;
    try {
      result = await work(loan.client);
    } catch (error) {
      throw this.#failed(loan, error);
    }
    this.#end(loan);
    return result;
  }

  /** The database may be out of reach without our having been told. */
  suspect(): void {
    this.#pool.suspect();
    this.#lanes.suspect();
  }

  async close(): Promise<void> {
    await Promise.all([this.#lanes.close(), this.#pool.close(), this.publishers.close()]);
  }

  #workFor<T>(trip: Trip, loan: Loan, work: Work<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (trip.stopped !== undefined) {
        this.#end(loan);
        reject(trip.stopped);
        return;
      }
      const working = work(loan.client);
      const stop = (why: Fault) => {
        reject(why);
        void this.#stop(loan, working);
      };
      trip.whenStopped(stop);
      working.then(
        (result) => {
          if (trip.stopped !== undefined) return;
          trip.takeBack(stop);
          this.#end(loan);
          resolve(result);
        },
        (error) => {
          if (trip.stopped !== undefined) return;
          trip.takeBack(stop);
          reject(this.#failed(loan, error));
        },
      );
    });
  }

  async #stop(loan: Loan, working: Promise<unknown>): Promise<void> {
    const late = setTimeout(() => this.#lose(loan), STOP_MS);
    // Lent to somebody else before the cancelling is done, it would be that one's statement that ends.
    const [outcome] = await Promise.allSettled([working, isAsked(loan.client) && this.#cancel(loan.client)]);
    clearTimeout(late);
    const isUsable = !isInTransaction(loan.client) && !isAsked(loan.client);
    if (isUsable && !(outcome.status === 'rejected' && isBroken(outcome.reason))) this.#end(loan);
    else this.#end(loan, 'discard');
  }

  #cancel(client: pg.Client): Promise<unknown> {
    const { pid, server } = identityOf(client);
    return this.read(SYSTEM, undefined, (lane) => run(lane, CANCEL, [pid, server]));
  }

  /** A statement may take its time; but where the database is not at it any more, its answer was lost. */
  async #verify(client: pg.Client): Promise<void> {
    const { pid, server } = identityOf(client);
    const { bytesRead } = streamOf(client);
    const active = await this.read(SYSTEM, undefined, (lane) => run(lane, ACTIVE, [pid, server]));
    if (active.length > 0) return;
    // It may be on its way.
    await pause(STOP_MS);
    if (!isAsked(client) || streamOf(client).bytesRead !== bytesRead) return;
    cutClient(client);
    this.suspect();
  }

  /** It is silent; then others may be as well. */
  #lose(loan: Loan): void {
    if (loan.ended) return;
    cutClient(loan.client);
    this.#end(loan, 'discard');
    this.suspect();
    // The database may have begun only now with what it was to stop.
    this.#cancel(loan.client).catch(() => undefined);
  }

  /** Gives the connection back, or up, and says what the error means to the rest. */
  #failed(loan: Loan, error: unknown): unknown {
    this.#end(loan, unavailable(error) === undefined ? 'give' : 'discard');
    return meaning(error);
  }

  #end(loan: Loan, how: 'give' | 'discard' = 'give'): void {
    if (loan.ended) return;
    loan.ended = true;
    this.#pool[how](loan.client);
    this.#shares.give(loan.schema);
  }
}

/** What an error of the database means to the rest of the code. */
export function meaning(error: unknown): unknown {
  return unavailable(error) ?? (isGone(error) ? new StaleDefinition('', { cause: error }) : error);
}
