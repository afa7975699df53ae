// Everything that we use of `pg` beyond its documented interface, and how its own failures are recognised. Nothing else may
// reach into a client; test/store/driver.test.ts fails when an upgrade of `pg` changes any of this.

import type { Socket } from 'node:net';
import type pg from 'pg';

/** The members that `pg` does not declare. */
type Internals = pg.Client & {
  /** False while a statement has been sent whose result is not complete. */
  readonly readyForQuery: boolean;
  getTransactionStatus(): string | null;
  readonly connection: {
    readonly stream: Socket;
    close(message: { type: 'S'; name: string }): void;
    /** By name, the text of every statement that was ever prepared. */
    readonly parsedStatements: Record<string, string>;
    /** By name, statements whose preparation was sent and has not been confirmed. */
    readonly submittedNamedStatements: Record<string, string>;
  };
};

export const streamOf = (client: pg.Client): Socket => (client as Internals).connection.stream;

/** Whether a statement was sent whose result is not complete. */
export const isBusy = (client: pg.Client): boolean => !(client as Internals).readyForQuery;

/** Whether the connection, all results having come in, is inside a transaction block. */
export function isInTransaction(client: pg.Client): boolean {
  const status = (client as Internals).getTransactionStatus();
  return status === 'T' || status === 'E';
}

/**
 * Closes a prepared statement with the next message. False while its preparation is not confirmed: `pg` would remember the
 * name for good when the confirmation comes.
 */
export function closePrepared(client: pg.Client, name: string): boolean {
  const { connection } = client as Internals;
  if (connection.submittedNamedStatements[name] !== undefined) return false;
  // Unlike `deallocate` it is no error when the name was never prepared, which would abort the current transaction.
  connection.close({ type: 'S', name });
  delete connection.parsedStatements[name];
  return true;
}

/** Breaks a connection whose other end may be gone. */
export function cutClient(client: pg.Client): void {
  streamOf(client).destroy();
}

const CONNECTION_MESSAGES =
  /Connection terminated|timeout expired|not queryable|Client was closed|Query read timeout|Connection ended/i;

/** Whether `pg` says that the connection is gone; it has no codes or classes for that. */
export const isLostConnection = (error: unknown): boolean =>
  error instanceof Error && CONNECTION_MESSAGES.test(error.message);
