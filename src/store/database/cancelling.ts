// Cancels the statement that runs on a checked-out connection: with a request to the database, on another connection. The
// connection is released when the statement has ended.

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { isBroken } from './database-errors.ts';
import { identityOf } from './database-servers.ts';
import { cutClient, isBusy, streamOf } from './driver.ts';
import { pooledName } from './pooler.ts';
import { beginning, type Row } from './statements.ts';

export interface Checkout {
  readonly client: pg.Client;
  readonly schema: string;
  ended: boolean;
}

interface CancellingOptions {
  /** Runs a query on another connection. */
  readonly query: (text: string, params: readonly unknown[]) => Promise<Row[]>;
  readonly end: (checkout: Checkout, how: 'release' | 'discard') => void;
  readonly suspect: () => void;
}

/** A connection whose statement has not ended by then is cut off. */
const CANCEL_MS = 1_000;
/** A statement that is still running is cancelled again after this time. */
const AGAIN_MS = 500;

/** The session with this pid, provided that the server is still the same. `state` is null if activity is not tracked. */
const SESSION = `pg_stat_get_activity($1::int) where extract(epoch from pg_postmaster_start_time())::text = $2`;
/** The session that works for this connection of a pooler, or did last. */
const POOLED_SESSION = `pg_stat_get_activity(null) where application_name = $1`;
const IS_RUNNING = `coalesce(state not like 'idle%', true)`;

/**
 * A commit that waits for a synchronous standby is already written. Cancelled, it would become visible to others and could be
 * lost with the server: only the standby may end that wait. A commit that is still being written would, if cancelled, not wait for
 * the standby at all: it is spared until the next attempt.
 */
const CANCEL = `select ${IS_RUNNING},
    case when coalesce(lower(wait_event), '') not in ('syncrep', 'walsync', 'walwrite') then pg_cancel_backend(pid) end`;
const CHECK = `select ${IS_RUNNING}`;

function sessionOf(client: pg.Client): [session: string, params: readonly unknown[]] {
  const name = pooledName(client);
  if (name !== undefined) return [POOLED_SESSION, [name]];
  const { pid, server } = identityOf(client);
  return [SESSION, [pid, server]];
}

export class StatementCancelling {
  readonly #options: CancellingOptions;

  constructor(options: CancellingOptions) {
    this.#options = options;
  }

  /** `working` settles when the work has finished using the connection. */
  async cancel(checkout: Checkout, working: Promise<unknown>): Promise<void> {
    const timeout = setTimeout(() => this.#lose(checkout), CANCEL_MS);
    const ended = working
      .then(() => 'usable' as const, stateAfter)
      .then(async (state) => {
        // An error arrives before the database says that it is ready for the next statement.
        if (state === 'usable' && isBusy(checkout.client)) await drained(checkout.client);
        return state;
      });
    let state: 'usable' | 'broken' | undefined;
    while (state === undefined && !checkout.ended) {
      // While the statement runs the connection stays checked out: a connection made in its place would be one more. The session may
      // have gone on to its next statement, which has to be cancelled as well.
      if (await this.#cancelBegun(checkout.client).catch(() => false)) timeout.refresh();
      // Released before the cancelling is done, the connection would have its next user's statement cancelled.
      state = await Promise.race([ended, pause(AGAIN_MS, undefined, { ref: false })]);
    }
    clearTimeout(timeout);
    this.#options.end(checkout, state === 'broken' || isBusy(checkout.client) ? 'discard' : 'release');
  }

  /** Cuts a silent connection whose statement no longer runs: its result was lost. */
  async verify(client: pg.Client): Promise<void> {
    const { bytesRead } = streamOf(client);
    if (await this.#isRunning(client, CHECK)) return;
    // The result may be in transit.
    await pause(CANCEL_MS);
    if (!isBusy(client) || streamOf(client).bytesRead !== bytesRead) return;
    cutClient(client);
    this.#options.suspect();
  }

  /**
   * Whether the statement was still running. A `begin` is never cancelled: without it, the statements that follow would be
   * committed one by one.
   */
  async #cancelBegun(client: pg.Client): Promise<boolean> {
    await beginning(client);
    return isBusy(client) && this.#isRunning(client, CANCEL);
  }

  async #isRunning(client: pg.Client, text: typeof CANCEL | typeof CHECK): Promise<boolean> {
    const [session, params] = sessionOf(client);
    const rows = await this.#options.query(`${text} from ${session}`, params);
    return rows.some(([isRunning]) => isRunning === true);
  }

  /** The connection is silent; other connections may be as well. */
  #lose(checkout: Checkout): void {
    if (checkout.ended) return;
    const isBegun = beginning(checkout.client) === undefined;
    cutClient(checkout.client);
    this.#options.end(checkout, 'discard');
    this.#options.suspect();
    // The database may start the statement only now. A transaction ends with its connection, at the latest when it has nothing
    // more to do.
    if (isBegun) this.#isRunning(checkout.client, CANCEL).catch(() => undefined);
  }
}

/** Settles when all results have arrived or the connection is gone. */
const drained = (client: pg.Client): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      client.off('drain', settle).off('end', settle);
      resolve();
    };
    client.on('drain', settle).on('end', settle);
  });

const stateAfter = (error: unknown) => (isBroken(error) ? 'broken' : 'usable');
