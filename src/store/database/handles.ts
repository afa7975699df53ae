// What storage functions are given of the database: handles that are bound to one schema, by what may be done with them.

import type { CopiedRow } from './copied-rows.ts';
import type { Preparation, Row, Statement } from './statements.ts';

/** `citus` accepts less and pays more for some forms: store/activity/logged-write is the only place that asks. */
export type Engine = 'plain' | 'citus';

/** Statements that stand alone, and read. `schema` is the application's, or `cartulary`. */
export interface Reader {
  readonly schema: string;
  rows(text: string, params?: readonly unknown[], how?: Preparation): Promise<Row[]>;
  /** Several statements in one round trip on one connection, each a transaction of its own. */
  pipeline(statements: readonly Statement[]): Promise<Row[][]>;
  /**
   * A statement that is planned anew for its own parameters and may take its time: searches, whose best plan depends on
   * what is sought. It does not keep others waiting. What is asked `behind` it, on the same connection, sees the database
   * as it is after it.
   */
  longQuery(statement: Statement, behind?: readonly Statement[]): Promise<Row[][]>;
  /** A query whose rows are long, without parameters and each value as bytes. It does not keep others waiting either. */
  copied(query: string): Promise<CopiedRow[]>;
}

export interface Transaction extends Reader {
  readonly inTransaction: true;
  /** What follows takes as long as it takes: nobody waits for an answer. */
  removeTimeout(): Promise<void>;
  /** The last statements and the commit in one round trip. Nothing may follow. */
  commitWith(statements: readonly Statement[]): Promise<Row[][]>;
  /** Runs the steps in order up to the first that fails and undoes only that one, in one round trip. */
  runUntilFailure(steps: readonly Statement[]): Promise<{ done: Row[][]; error?: unknown }>;
}

export interface Writer extends Reader {
  readonly engine: Engine;
  /** The same, for writes that do no harm when they are made again: behind them the request may still start over. */
  readonly repeatable: Writer;
  /** One statement that writes, and may wait for others to do so. */
  write(text: string, params: readonly unknown[]): Promise<Row[]>;
  /** Runs `work` in a transaction; after a deadlock or serialization failure, until it is committed, it runs again from the start. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Several reads that see the database at one moment. */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
}

/** A connection for one publishing. Statements that stand alone are each a transaction of their own. */
export interface Publisher {
  readonly system: Reader;
  readonly application: Reader;
  /** Runs `work` again from the start after a deadlock or serialization failure. */
  transaction<T>(work: (tx: JointTransaction) => Promise<T>): Promise<T>;
}

/** A transaction over the system schema and one application's. */
export interface JointTransaction {
  readonly system: Transaction;
  readonly application: Transaction;
}
