// Statements on one connection: how they are sent, together and in transactions.

import type pg from 'pg';
import {
  afterCommit,
  changesSomething,
  newTransactionState,
  type TransactionState,
  type WriteCounter,
} from './committed-writes.ts';
import { cutClient, isInTransaction } from './driver.ts';
import { preparedName } from './prepared.ts';
import { isBroken, isRetriable, unavailable } from './sqlstate.ts';

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

/** What was asked to begin a transaction and is not answered. */
const beginnings = new WeakMap<pg.Client, Promise<unknown>>();

type Answered = (error: Error | null, result: pg.QueryArrayResult) => void;

function send(client: pg.Client, { text, params, prepare = params.length > 0 }: Statement, answered: Answered): void {
  const query: pg.QueryArrayConfig = { text, values: params as unknown[], rowMode: 'array' };
  const name = prepare ? preparedName(client, text) : undefined;
  if (name !== undefined) query.name = name;
  client.query(query, answered);
}

/** `state`: of the transaction that it is a part of, where that may write. */
export function run(client: pg.Client, statement: Statement, state?: TransactionState): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    send(client, statement, (error, result) => {
      if (error) {
        reject(error);
        return;
      }
      if (state !== undefined && changesSomething(statement.text, result)) state.changed = true;
      resolve(result.rows);
    });
  });
}

/** A statement that writes, and is a transaction of its own. */
export function runWrite(client: pg.Client, statement: Statement, writes: WriteCounter | undefined): Promise<Row[]> {
  if (writes !== undefined) writes.committedWrites += 1;
  return new Promise((resolve, reject) => {
    send(client, statement, (error, result) => {
      // With the connection the answer may have been lost, and nothing else.
      const stands = error ? isBroken(error) : result.rowCount !== 0;
      if (writes !== undefined && !stands) writes.committedWrites -= 1;
      if (error) reject(error);
      else resolve(result.rows);
    });
  });
}

export async function runAll(
  client: pg.Client,
  statements: readonly Statement[],
  state?: TransactionState,
): Promise<Row[][]> {
  const settled = await Promise.allSettled(statements.map((statement) => run(client, statement, state)));
  // The first failure is the cause; those behind it only say that the transaction is aborted.
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** The first without a name: nothing is kept of it, and its plan is made for these parameters. */
export async function runUnprepared(
  client: pg.Client,
  { text, params }: Statement,
  behind: readonly Statement[],
): Promise<Row[][]> {
  const first = client.query({ text, values: params as unknown[], rowMode: 'array' });
  const others = runAll(client, behind);
  others.catch(() => undefined);
  const { rows } = await first;
  return [rows, ...(await others)];
}

export async function inTransaction<T>(
  client: pg.Client,
  work: (client: pg.Client) => Promise<T>,
  {
    begin = 'begin',
    state = newTransactionState(),
  }: { readonly begin?: string; readonly state?: TransactionState } = {},
): Promise<T> {
  // Not awaited: it travels with the first statements. Should it fail, each of those is a transaction of its own; so we never
  // cancel it (store/database/cancelling), and if somebody else does, in the instant that it takes, nothing follows at least.
  const begun = run(client, plain(begin));
  beginnings.set(client, begun);
  begun.then(
    () => beginnings.delete(client),
    () => {
      beginnings.delete(client);
      cutClient(client);
    },
  );
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

/** Settles when the connection is inside the transaction that is being begun on it, or is not going to be. */
export function beginning(client: pg.Client): Promise<unknown> | undefined {
  return beginnings.get(client);
}

export async function commit(client: pg.Client, state: TransactionState): Promise<void> {
  let result: pg.QueryResult;
  try {
    result = await client.query('commit');
  } catch (error) {
    // It may have been done.
    if (isBroken(error)) state.committed = true;
    throw error;
  }
  // A commit of a failed transaction is answered with ROLLBACK and no error.
  if (result.command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
  state.committed = state.changed;
}

/** After a deadlock or serialization failure; one that comes behind the commit is none any more (store/database/committed-writes). */
export async function untilCommitted<T>(work: (state: TransactionState) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(newTransactionState());
    } catch (error) {
      if (!isRetriable(error)) throw error;
      if (attempt === ATTEMPTS) throw unavailable(error, 'busy') ?? error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
    }
  }
}
