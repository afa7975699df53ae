// The handles through which storage functions use the database. Each is bound to one schema and allows only what its type says.

import type { Cancellable } from '../../request/signal.ts';
import type { CopiedRow } from './copied-rows.ts';
import type { Preparation, Row, Statement } from './statements.ts';

/**
 * `citus` rejects some statements and is slow with others; only store/activity/logged-write, and the single writes of
 * operations/records/cluster-writes, distinguish the two.
 */
export type Engine = 'plain' | 'citus';

/** Single statements that read. `schema` is the application's, or `cartulary`. */
export interface Reader {
  readonly schema: string;
  rows(text: string, params?: readonly unknown[], how?: Preparation): Promise<Row[]>;
  /** Several statements in one round trip on one connection, each in its own transaction. */
  pipeline(statements: readonly Statement[]): Promise<Row[][]>;
  /**
   * A statement that may take long and is planned for its own parameters: the best plan of a search depends on its terms. It
   * delays no other reads. The `following` statements run after it on the same connection and see the database as it is then.
   */
  longQuery(statement: Statement, following?: readonly Statement[]): Promise<Row[][]>;
  /** A query without parameters for long rows, each value as bytes. It delays no other reads either. */
  copied(query: string): Promise<CopiedRow[]>;
}

export interface Transaction extends Reader {
  readonly inTransaction: true;
  /** Lifts the statement timeout for the rest of the transaction: no request waits for it. */
  removeTimeout(): Promise<void>;
  /** Runs the last statements and the commit in one round trip. Nothing may follow. */
  commitWith(statements: readonly Statement[]): Promise<Row[][]>;
  /** Runs the steps in order up to the first that fails, and rolls back only that one, in one round trip. */
  runUntilFailure(steps: readonly Statement[]): Promise<{ done: Row[][]; error?: unknown }>;
}

export interface Writer extends Reader {
  readonly engine: Engine;
  /** The same handle for idempotent writes: after them the request may still start over. */
  readonly repeatable: Writer;
  /**
   * The same handle on behalf of several requests (store/database/joining): none of them cancels or counts what runs for the
   * others. Its reads run on the lanes alone, and fail there instead of running again. `cancellable`: all of them together.
   */
  joined(cancellable?: Cancellable): Writer;
  /** Of a handle that reads from a replica: which one. What is read on behalf of several requests is read from the same. */
  readonly replica: object | undefined;
  /** One statement that writes, and may wait for locks; it runs again after a deadlock, as `transaction` does. */
  write(text: string, params: readonly unknown[]): Promise<Row[]>;
  /** Runs `work` in a transaction; after a deadlock or serialization failure, it runs again from the start until it commits. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * The same for rows of this schema alone. On a cluster it may run on the worker that has them, so it takes no advisory locks,
   * notifies nobody and changes no table.
   */
  dataTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Several reads that see one state of the database. */
  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
}

/** A connection for one publishing. Single statements run in their own transactions. */
export interface Publisher {
  readonly system: Reader;
  readonly application: Reader;
  /** Runs `work` again from the start after a deadlock or serialization failure. */
  transaction<T>(work: (tx: JointTransaction) => Promise<T>): Promise<T>;
}

/** One transaction over the system schema and one application's schema. */
export interface JointTransaction {
  readonly system: Transaction;
  readonly application: Transaction;
}
