// Cancels what runs on a checked-out connection: the database is asked to, and the connection is released when the database has
// confirmed it.

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { cutClient, isBusy, streamOf } from './driver.ts';
import { identityOf } from './servers.ts';
import { isBroken } from './sqlstate.ts';
import { beginning, type Row } from './statements.ts';

export interface Checkout {
  readonly client: pg.Client;
  readonly schema: string;
  ended: boolean;
}

interface CancellingOptions {
  /** Asks the database on another connection. */
  readonly ask: (text: string, params: readonly unknown[]) => Promise<Row[]>;
  readonly end: (checkout: Checkout, how: 'release' | 'discard') => void;
  readonly suspect: () => void;
}

/** A connection whose statement has not ended by then is cut off. */
const CANCEL_MS = 1_000;
/** A statement that is still running is cancelled again after this time. */
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

export class StatementCancelling {
  readonly #options: CancellingOptions;

  constructor(options: CancellingOptions) {
    this.#options = options;
  }

  /** `working` settles when what it does with the connection has ended. */
  async cancel(checkout: Checkout, working: Promise<unknown>): Promise<void> {
    const late = setTimeout(() => this.#lose(checkout), CANCEL_MS);
    const ended = working
      .then(() => 'usable' as const, wayOf)
      .then(async (way) => {
        // An error arrives before the database says that it is ready for the next statement.
        if (way === 'usable' && isBusy(checkout.client)) await answered(checkout.client);
        return way;
      });
    let way: 'usable' | 'broken' | undefined;
    while (way === undefined && !checkout.ended) {
      // While the statement runs the connection stays checked out: a connection made in its place would be one more. The session may
      // have gone on to its next statement, which has to be cancelled as well.
      if (await this.#cancelBegun(checkout.client).catch(() => false)) late.refresh();
      // Released before the cancelling is done, the connection would have its next user's statement cancelled.
      way = await Promise.race([ended, pause(AGAIN_MS, undefined, { ref: false })]);
    }
    clearTimeout(late);
    this.#options.end(checkout, way === 'broken' || isBusy(checkout.client) ? 'discard' : 'release');
  }

  /** A statement may take its time; but where the database is not at it any more, its answer was lost. */
  async verify(client: pg.Client): Promise<void> {
    const { bytesRead } = streamOf(client);
    if (await this.#isAtIt(client, LOOK)) return;
    // It may be on its way.
    await pause(CANCEL_MS);
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
  #lose(checkout: Checkout): void {
    if (checkout.ended) return;
    const isBegun = beginning(checkout.client) === undefined;
    cutClient(checkout.client);
    this.#options.end(checkout, 'discard');
    this.#options.suspect();
    // The database may have begun only now with what it was to stop. A transaction ends with its connection, at the latest
    // where it has nothing more to do.
    if (isBegun) this.#isAtIt(checkout.client, CANCEL).catch(() => undefined);
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
