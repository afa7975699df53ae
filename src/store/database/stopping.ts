// How what runs on a lent connection is stopped: the database is asked to, and the connection is given back when it has said
// that it did.

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { cutClient, isBusy, streamOf } from './driver.ts';
import { identityOf } from './servers.ts';
import { isBroken } from './sqlstate.ts';
import { beginning, type Row } from './statements.ts';

export interface Loan {
  readonly client: pg.Client;
  readonly schema: string;
  ended: boolean;
}

interface StoppingOptions {
  /** Asks the database on another connection. */
  readonly ask: (text: string, params: readonly unknown[]) => Promise<Row[]>;
  readonly end: (loan: Loan, how: 'give' | 'discard') => void;
  readonly suspect: () => void;
}

/** A connection that does not say within this time that it stopped what it was doing is cut off. */
const STOP_MS = 1_000;
/** One that the database is still at is asked again to stop. */
const AGAIN_MS = 500;

/** A session of the number, if the server is the one that was meant. What it does is unknown where that is not tracked. */
const SESSION = `pg_stat_get_activity($1::int) where extract(epoch from pg_postmaster_start_time())::text = $2`;
const IS_AT_IT = `coalesce(state not like 'idle%', true)`;

/**
 * What waits for a synchronous standby has been written already: stopped, it would be there for all to see and to build upon,
 * and be lost with the server. Nobody but the standby ends that. One that is being written would not wait at all: it is let be
 * until it is asked again.
 */
const CANCEL = `select ${IS_AT_IT},
    case when coalesce(lower(wait_event), '') not in ('syncrep', 'walsync', 'walwrite') then pg_cancel_backend($1::int) end
  from ${SESSION}`;

const LOOK = `select ${IS_AT_IT} from ${SESSION}`;

export class Stopping {
  readonly #options: StoppingOptions;

  constructor(options: StoppingOptions) {
    this.#options = options;
  }

  /** `working` settles when what it does with the connection has ended. */
  async stop(loan: Loan, working: Promise<unknown>): Promise<void> {
    const late = setTimeout(() => this.#lose(loan), STOP_MS);
    const ended = working
      .then(() => 'usable' as const, wayOf)
      .then(async (way) => {
        // An error arrives before the database says that it is ready for the next statement.
        if (way === 'usable' && isBusy(loan.client)) await answered(loan.client);
        return way;
      });
    let way: 'usable' | 'broken' | undefined;
    while (way === undefined && !loan.ended) {
      // As long as the database is at it the connection counts as lent: each one made in its place would be one more. It may
      // be at the next statement by now, which has to be stopped as well.
      if (await this.#cancelBegun(loan.client).catch(() => false)) late.refresh();
      // Lent to somebody else before the cancelling is done, it would be that one's statement that ends.
      way = await Promise.race([ended, pause(AGAIN_MS, undefined, { ref: false })]);
    }
    clearTimeout(late);
    this.#options.end(loan, way === 'broken' || isBusy(loan.client) ? 'discard' : 'give');
  }

  /** A statement may take its time; but where the database is not at it any more, its answer was lost. */
  async verify(client: pg.Client): Promise<void> {
    const { bytesRead } = streamOf(client);
    if (await this.#isAtIt(client, LOOK)) return;
    // It may be on its way.
    await pause(STOP_MS);
    if (!isBusy(client) || streamOf(client).bytesRead !== bytesRead) return;
    cutClient(client);
    this.#options.suspect();
  }

  /**
   * Whether the database was at it. Without its `begin`, what travels behind it would be committed statement by statement: that
   * is never what is cancelled.
   */
  async #cancelBegun(client: pg.Client): Promise<boolean> {
    await beginning(client);
    return isBusy(client) && this.#isAtIt(client, CANCEL);
  }

  async #isAtIt(client: pg.Client, question: typeof CANCEL | typeof LOOK): Promise<boolean> {
    const { pid, server } = identityOf(client);
    const [row] = await this.#options.ask(question, [pid, server]);
    return row?.[0] === true;
  }

  /** It is silent; then others may be as well. */
  #lose(loan: Loan): void {
    if (loan.ended) return;
    const isBegun = beginning(loan.client) === undefined;
    cutClient(loan.client);
    this.#options.end(loan, 'discard');
    this.#options.suspect();
    // The database may have begun only now with what it was to stop. A transaction ends with its connection, at the latest
    // where it has nothing more to do.
    if (isBegun) this.#isAtIt(loan.client, CANCEL).catch(() => undefined);
  }
}

/** Settles when the connection has answered everything, or is gone. */
const answered = (client: pg.Client): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      client.off('drain', settle).off('end', settle);
      resolve();
    };
    client.on('drain', settle).on('end', settle);
  });

const wayOf = (error: unknown) => (isBroken(error) ? 'broken' : 'usable');
