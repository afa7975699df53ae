// Statements on one connection: how they are sent, together and in transactions.

import type pg from 'pg';
import { prepare } from './prepared.ts';
import { cutClient } from './servers.ts';
import { isRetriable, unavailable } from './sqlstate.ts';

export type Row = readonly unknown[];

export interface Statement {
  readonly text: string;
  readonly params: readonly unknown[];
}

const ATTEMPTS = 8;

/** What was asked to begin a transaction and is not answered. */
const beginnings = new WeakMap<pg.Client, Promise<unknown>>();

type Answered = (error: Error | null, rows: Row[]) => void;

function send(client: pg.Client, { text, params }: Statement, answered: Answered): void {
  const query: pg.QueryArrayConfig = { text, values: params as unknown[], rowMode: 'array' };
  if (params.length > 0) query.name = prepare(client, text);
  client.query(query, (error, result) => answered(error, error ? [] : result.rows));
}

export function run(client: pg.Client, text: string, params: readonly unknown[]): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    send(client, { text, params }, (error, rows) => (error === null ? resolve(rows) : reject(error)));
  });
}

export async function runAll(client: pg.Client, statements: readonly Statement[]): Promise<Row[][]> {
  const settled = await Promise.allSettled(statements.map(({ text, params }) => run(client, text, params)));
  // The first failure is the cause; those behind it only say that the transaction is aborted.
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}

/** The first without a name: nothing is kept of it, and its plan is made for these parameters. */
export async function runOnce(
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
  begin = 'begin',
): Promise<T> {
  // Not awaited: it travels with the first statements. Should it fail, each of those is a transaction of its own; so we never
  // cancel it (store/stopping), and if somebody else does, in the instant that it takes, nothing follows at least.
  const begun = run(client, begin, []);
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
    await run(client, 'rollback', []).catch(() => undefined);
    throw error;
  }
  // `last` has committed already; the server then has no transaction to commit.
  if (isInTransaction(client)) await commit(client);
  return result;
}

/** Settles when the connection is inside the transaction that is being begun on it, or is not going to be. */
export function beginning(client: pg.Client): Promise<unknown> | undefined {
  return beginnings.get(client);
}

/** Whether the connection, all answers having come in, is inside a transaction block. */
export function isInTransaction(client: pg.Client): boolean {
  const status = (client as pg.Client & { getTransactionStatus(): string | null }).getTransactionStatus();
  return status === 'T' || status === 'E';
}

export async function commit(client: pg.Client): Promise<void> {
  const result = await client.query('commit');
  // A commit of a failed transaction is answered with ROLLBACK and no error.
  if (result.command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
}

/** After a deadlock or serialization failure. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
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
