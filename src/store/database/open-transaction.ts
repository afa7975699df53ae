// The handles of a connection inside a transaction or a publishing.

import type pg from 'pg';
import type { Fault } from '../../faults.ts';
import type { RequestScope } from '../../request/request-scope.ts';
import type { Cancellable } from '../../request/signal.ts';
import type { TransactionState } from './committed-writes.ts';
import { type CopiedRow, copyRows } from './copied-rows.ts';
import { isRetriable } from './database-errors.ts';
import type { Publisher, Transaction } from './handles.ts';
import { SYSTEM, schemaOf } from './schemas.ts';
import {
  commit,
  inTransaction,
  type Preparation,
  plain,
  type Row,
  run,
  runAll,
  runUnprepared,
  type Statement,
  untilCommitted,
} from './statements.ts';

export class OpenTransaction implements Transaction {
  readonly inTransaction = true;
  readonly schema: string;
  readonly #client: pg.Client;
  readonly #state: TransactionState;
  readonly #scope: RequestScope | undefined;
  readonly #cancellable: Cancellable | undefined;

  /** `cancellable`: what ends it, if that is not the request as a whole. */
  constructor(
    client: pg.Client,
    schema: string,
    {
      state,
      scope,
      cancellable = scope,
    }: { state: TransactionState; scope?: RequestScope | undefined; cancellable?: Cancellable | undefined },
  ) {
    this.#client = client;
    this.schema = schema;
    this.#state = state;
    this.#scope = scope;
    this.#cancellable = cancellable;
  }

  async removeTimeout(): Promise<void> {
    await this.rows('set local statement_timeout = 0');
  }

  rows(text: string, params: readonly unknown[] = [], how: Preparation = {}): Promise<Row[]> {
    if (this.#cancelled) return Promise.reject(this.#cancelled);
    return counted(this.#scope, [{ text }], run(this.#client, { text, params, ...how }, this.#state));
  }

  pipeline(statements: readonly Statement[]): Promise<Row[][]> {
    if (this.#cancelled) return Promise.reject(this.#cancelled);
    return counted(this.#scope, statements, runAll(this.#client, statements, this.#state));
  }

  longQuery(statement: Statement, following: readonly Statement[] = []): Promise<Row[][]> {
    if (this.#cancelled) return Promise.reject(this.#cancelled);
    return counted(this.#scope, [statement, ...following], runUnprepared(this.#client, statement, following));
  }

  copied(query: string): Promise<CopiedRow[]> {
    if (this.#cancelled) return Promise.reject(this.#cancelled);
    return counted(this.#scope, [{ text: query }], copyRows(this.#client, query));
  }

  async commitWith(statements: readonly Statement[]): Promise<Row[][]> {
    if (this.#cancelled) throw this.#cancelled;
    // If a statement fails, the commit after it rolls back, and we throw the statement's error.
    const results = runAll(this.#client, statements, this.#state);
    const committed = commit(this.#client, this.#state);
    committed.catch(() => undefined);
    return counted(
      this.#scope,
      statements,
      results.then((rows) => committed.then(() => rows)),
    );
  }

  async runUntilFailure(steps: readonly Statement[]): Promise<{ done: Row[][]; error?: unknown }> {
    if (this.#cancelled) throw this.#cancelled;
    const results = steps.map((step) => {
      run(this.#client, plain('savepoint step')).catch(() => undefined);
      return run(this.#client, step, this.#state);
    });
    const done: Row[][] = [];
    const settled = await counted(this.#scope, steps, Promise.allSettled(results));
    for (const outcome of settled) {
      if (outcome.status === 'rejected') {
        if (this.#cancelled) throw this.#cancelled;
        if (isRetriable(outcome.reason)) throw outcome.reason;
        // After the failure no savepoint was set, so the latest is the one just before the failing step.
        await run(this.#client, plain('rollback to savepoint step'));
        return { done, error: outcome.reason };
      }
      done.push(outcome.value);
    }
    return { done };
  }

  /** A cancelled request sends no further statement: its transaction is rolled back. */
  get #cancelled(): Fault | undefined {
    return this.#cancellable?.signal.reason;
  }
}

/** `state`: of everything on the connection, inside and outside of transactions. */
export function publisherOn(client: pg.Client, applicationId: string, state: TransactionState): Publisher {
  const handles = (part: TransactionState) => ({
    system: new OpenTransaction(client, SYSTEM.schema, { state: part }),
    application: new OpenTransaction(client, schemaOf(applicationId), { state: part }),
  });
  const transaction: Publisher['transaction'] = (work) =>
    untilCommitted(async (part) => {
      try {
        return await inTransaction(client, () => work(handles(part)), { state: part });
      } finally {
        if (part.changed) state.changed = true;
      }
    });
  return { ...handles(state), transaction };
}

/** Counts the statements on the request and measures how long it waits for them. */
export function counted<T>(
  scope: RequestScope | undefined,
  statements: readonly { text: string }[],
  results: Promise<T>,
): Promise<T> {
  if (scope === undefined) return results;
  const sent = scope.startStatements(statements);
  const end = () => scope.endStatements(sent);
  results.then(end, end);
  return results;
}
