// A connection inside a transaction, and for a publishing.

import type pg from 'pg';
import type { Fault } from '../../faults.ts';
import type { RequestScope } from '../../request/request-scope.ts';
import { type CopiedRow, copyRows } from './copied-rows.ts';
import type { Publisher, Transaction } from './handles.ts';
import { SYSTEM, schemaOf } from './places.ts';
import { isRetriable } from './sqlstate.ts';
import type { Progress } from './standing.ts';
import {
  commit,
  inTransaction,
  type Preparation,
  plain,
  type Row,
  run,
  runAll,
  runOnce,
  type Statement,
  untilCommitted,
} from './statements.ts';

export class OpenTransaction implements Transaction {
  readonly inTransaction = true;
  readonly schema: string;
  readonly #client: pg.Client;
  readonly #progress: Progress;
  readonly #scope: RequestScope | undefined;

  constructor(
    client: pg.Client,
    schema: string,
    { progress, scope }: { progress: Progress; scope?: RequestScope | undefined },
  ) {
    this.#client = client;
    this.schema = schema;
    this.#progress = progress;
    this.#scope = scope;
  }

  async unhurried(): Promise<void> {
    await this.rows('set local statement_timeout = 0');
  }

  rows(text: string, params: readonly unknown[] = [], how: Preparation = {}): Promise<Row[]> {
    if (this.#cancelled) return Promise.reject(this.#cancelled);
    return counted(this.#scope, [{ text }], run(this.#client, { text, params, ...how }, this.#progress));
  }

  flight(statements: readonly Statement[]): Promise<Row[][]> {
    if (this.#cancelled) return Promise.reject(this.#cancelled);
    return counted(this.#scope, statements, runAll(this.#client, statements, this.#progress));
  }

  ask(statement: Statement, behind: readonly Statement[] = []): Promise<Row[][]> {
    if (this.#cancelled) return Promise.reject(this.#cancelled);
    return counted(this.#scope, [statement, ...behind], runOnce(this.#client, statement, behind));
  }

  copied(query: string): Promise<CopiedRow[]> {
    if (this.#cancelled) return Promise.reject(this.#cancelled);
    return counted(this.#scope, [{ text: query }], copyRows(this.#client, query));
  }

  async last(statements: readonly Statement[]): Promise<Row[][]> {
    if (this.#cancelled) throw this.#cancelled;
    // When a statement fails the commit behind it rolls back by itself, and the statement's error is what we throw.
    const results = runAll(this.#client, statements, this.#progress);
    const committed = commit(this.#client, this.#progress);
    committed.catch(() => undefined);
    return counted(
      this.#scope,
      statements,
      results.then((rows) => committed.then(() => rows)),
    );
  }

  async ladder(steps: readonly Statement[]): Promise<{ done: Row[][]; error?: unknown }> {
    if (this.#cancelled) throw this.#cancelled;
    const rungs = steps.map((step) => {
      run(this.#client, plain('savepoint rung')).catch(() => undefined);
      return run(this.#client, step, this.#progress);
    });
    const done: Row[][] = [];
    const settled = await counted(this.#scope, steps, Promise.allSettled(rungs));
    for (const outcome of settled) {
      if (outcome.status === 'rejected') {
        if (this.#cancelled) throw this.#cancelled;
        if (isRetriable(outcome.reason)) throw outcome.reason;
        // Behind the failure no savepoint was set, so the latest is the one just before the failing step.
        await run(this.#client, plain('rollback to savepoint rung'));
        return { done, error: outcome.reason };
      }
      done.push(outcome.value);
    }
    return { done };
  }

  /** A cancelled request sends no further statement: its transaction is rolled back. */
  get #cancelled(): Fault | undefined {
    return this.#scope?.signal.reason;
  }
}

/** `progress`: of all that is done on the connection, within transactions and without. */
export function publisherOn(client: pg.Client, applicationId: string, progress: Progress): Publisher {
  const handles = (part: Progress) => ({
    system: new OpenTransaction(client, SYSTEM.schema, { progress: part }),
    application: new OpenTransaction(client, schemaOf(applicationId), { progress: part }),
  });
  const transaction: Publisher['transaction'] = (work) =>
    untilCommitted(async (part) => {
      try {
        return await inTransaction(client, () => work(handles(part)), { progress: part });
      } finally {
        if (part.changed) progress.changed = true;
      }
    });
  return { ...handles(progress), transaction };
}

/** Has the request know what was asked for it, and how long that took. */
export function counted<T>(
  scope: RequestScope | undefined,
  statements: readonly { text: string }[],
  answer: Promise<T>,
): Promise<T> {
  if (scope === undefined) return answer;
  const asked = scope.ask(statements);
  const note = () => scope.noteAnswer(asked);
  answer.then(note, note);
  return answer;
}
