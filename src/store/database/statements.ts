// Runs statements on one connection: alone, pipelined and in transactions.

import type pg from 'pg';
import {
  afterCommit,
  changesSomething,
  newTransactionState,
  type TransactionState,
  type WriteCounter,
} from './committed-writes.ts';
import { isResultLost, isRetriable, unavailable } from './database-errors.ts';
import { cutClient, isInTransaction } from './driver.ts';
import { pooledName } from './pooler.ts';
import { SentStatement } from './sent-statement.ts';

export type Row = readonly unknown[];

/** Statements with parameters are always prepared. */
export interface Preparation {
  /** For a statement without parameters that runs often. */
  readonly prepare?: boolean;
}

export interface Statement extends Preparation {
  readonly text: string;
  readonly params: readonly unknown[];
}

export const plain = (text: string): Statement => ({ text, params: [] });

const ATTEMPTS = 8;

/** A `begin` that has been sent and not confirmed. */
const beginnings = new WeakMap<pg.Client, Promise<unknown>>();

/** `state`: of the surrounding transaction, if it may write. */
export function run(client: pg.Client, statement: Statement, state?: TransactionState): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    const sent = new SentStatement(client, statement, (error) => {
      if (error !== undefined) {
        reject(error);
        return;
      }
      if (state !== undefined && changesSomething(statement.text, sent)) state.changed = true;
      resolve(sent.received);
    });
    client.query(sent);
  });
}

/** A statement that writes, in its own transaction. */
export function runWrite(client: pg.Client, statement: Statement, writes: WriteCounter | undefined): Promise<Row[]> {
  if (writes !== undefined) writes.committedWrites += 1;
  return new Promise((resolve, reject) => {
    const sent = new SentStatement(client, statement, (error) => {
      // The write may be committed and only its result lost.
      const committed = error === undefined ? sent.rowCount !== 0 : isResultLost(error);
      if (writes !== undefined && !committed) writes.committedWrites -= 1;
      if (error === undefined) resolve(sent.received);
      else reject(error);
    });
    client.query(sent);
  });
}

export async function runAll(
  client: pg.Client,
  statements: readonly Statement[],
  state?: TransactionState,
): Promise<Row[][]> {
  const settled = await Promise.allSettled(statements.map((statement) => run(client, statement, state)));
  // The first failure is the cause; later ones only say that the transaction is aborted.
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** The first statement is not prepared, so that it is planned for these parameters. */
export async function runUnprepared(
  client: pg.Client,
  { text, params }: Statement,
  following: readonly Statement[],
): Promise<Row[][]> {
  const first = run(client, { text, params, prepare: false });
  const others = runAll(client, following);
  others.catch(() => undefined);
  return [await first, ...(await others)];
}

export async function inTransaction<T>(
  client: pg.Client,
  work: (client: pg.Client) => Promise<T>,
  {
    begin = 'begin',
    state = newTransactionState(),
  }: { readonly begin?: string; readonly state?: TransactionState } = {},
): Promise<T> {
  // Not awaited: it is sent with the first statements. If it fails, each of those is its own transaction. So we never cancel it
  // (store/database/cancelling); if another client does, the connection is cut and at least nothing follows. Behind a pooler
  // it is awaited: a cancelling may come late, and meet what the session does for the next connection.
  const begun = run(client, plain(begin));
  beginnings.set(client, begun);
  begun.then(
    () => beginnings.delete(client),
    () => {
      beginnings.delete(client);
      cutClient(client);
    },
  );
  if (pooledName(client) !== undefined) await begun;
  let result: T;
  try {
    result = await work(client);
  } catch (error) {
    await run(client, plain('rollback')).catch(() => undefined);
    throw state.committed ? afterCommit(error) : error;
  }
  // `last` has committed already; the server then has no transaction to commit.
  if (isInTransaction(client)) await commit(client, state);
  return result;
}

/** Settles when the pending `begin` of the connection has succeeded or failed; undefined if there is none. */
export function beginning(client: pg.Client): Promise<unknown> | undefined {
  return beginnings.get(client);
}

export async function commit(client: pg.Client, state: TransactionState): Promise<void> {
  const command = await new Promise<string>((resolve, reject) => {
    const sent = new SentStatement(client, plain('commit'), (error) => {
      // The commit may have happened.
      if (isResultLost(error)) state.committed = true;
      if (error === undefined) resolve(sent.command);
      else reject(error);
    });
    client.query(sent);
  });
  // The result of committing a failed transaction is ROLLBACK, without an error.
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
  state.committed = state.changed;
}

/**
 * Runs `work` again when the database has ended it for a deadlock or a serialization failure: then nothing of it is
 * committed. A request that is out of time gets no connection for another attempt, so its deadline holds as well.
 */
export async function retryDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isRetriable(error)) throw error;
      if (attempt === ATTEMPTS) throw unavailable(error, 'busy') ?? error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
    }
  }
}

/** The same for a transaction, but never after its commit (store/database/committed-writes). */
export const untilCommitted = <T>(work: (state: TransactionState) => Promise<T>): Promise<T> =>
  retryDeadlocks(() => work(newTransactionState()));
