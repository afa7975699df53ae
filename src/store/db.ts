// The only way to the database. Storage functions are given a handle bound to one application (or to the system
// schema) and cannot reach the pool: inside a transaction there is nothing else to query by mistake.

import pg from 'pg';
import { prepare } from './prepared.ts';
import { isGone, isRetriable, StaleDefinition, unavailable } from './sqlstate.ts';

export type Row = readonly unknown[];

export interface Statement {
  readonly text: string;
  readonly params: readonly unknown[];
}

/** `citus` accepts less and pays more for some forms: store/logged-write is the only place that asks. */
export type Engine = 'plain' | 'citus';

/** Statements that stand alone. `schema` is the application's, or `cartulary`. */
export interface Reader {
  readonly schema: string;
  rows(text: string, params?: readonly unknown[]): Promise<Row[]>;
  /** Several statements in one round trip on one connection, each a transaction of its own. */
  flight(statements: readonly Statement[]): Promise<Row[][]>;
}

export interface Transaction extends Reader {
  readonly inTransaction: true;
  /** The last statements and the commit in one round trip. Nothing may follow. */
  last(statements: readonly Statement[]): Promise<Row[][]>;
  /** Runs the steps in order up to the first that fails and undoes only that one, in one round trip. */
  ladder(steps: readonly Statement[]): Promise<{ done: Row[][]; error?: unknown }>;
}

export interface Writer extends Reader {
  readonly engine: Engine;
  /** Runs `work` in a transaction; after a deadlock or serialization failure it runs again from the start. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
}

/** A transaction over the system schema and one application's: publishing alone needs it. */
export interface PublishTransaction {
  readonly system: Transaction;
  readonly application: Transaction;
}

const ATTEMPTS = 8;
const CHECKOUT_MS = 5_000;

export interface DatabaseOptions {
  readonly connection: pg.ClientConfig;
  readonly connectionsMax: number;
  /** Called when an idle connection breaks; without a listener Node would end. */
  readonly onConnectionError: (error: Error) => void;
}

export class Database {
  readonly #pool: pg.Pool;
  engine: Engine = 'plain';
  readonly system: Writer;

  constructor(options: DatabaseOptions) {
    this.#pool = new pg.Pool({
      ...options.connection,
      max: options.connectionsMax,
      connectionTimeoutMillis: CHECKOUT_MS,
      idleTimeoutMillis: 60_000,
      application_name: 'cartulary',
      pipeline: true,
    } as pg.PoolConfig);
    this.#pool.on('error', options.onConnectionError);
    // While a connection is checked out the pool does not listen to it, and an error without a listener ends Node. The
    // statement under way is told as well, so nothing is lost by not listening here.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
    this.system = this.#writer('cartulary');
  }

  application(applicationId: string): Writer {
    return this.#writer(schemaOf(applicationId));
  }

  /** For publishing: both schemas on one connection, in one transaction. */
  publish<T>(applicationId: string, work: (tx: PublishTransaction) => Promise<T>): Promise<T> {
    return this.#transaction((client) =>
      work({
        system: new OpenTransaction(client, 'cartulary'),
        application: new OpenTransaction(client, schemaOf(applicationId)),
      }),
    );
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  #writer(schema: string): Writer {
    const database = this;
    return {
      schema,
      get engine() {
        return database.engine;
      },
      rows: (text, params = []) => this.#checkedOut((client) => run(client, text, params)),
      flight: (statements) => this.#checkedOut((client) => runAll(client, statements)),
      transaction: (work) => this.#transaction((client) => work(new OpenTransaction(client, schema))),
    };
  }

  async #checkedOut<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#checkOut();
    let broken: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      const away = unavailable(error);
      if (away !== undefined) broken = away;
      throw away ?? (isGone(error) ? new StaleDefinition('', { cause: error }) : error);
    } finally {
      client.release(broken);
    }
  }

  async #checkOut(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw unavailable(error) ?? error;
    }
  }

  async #transaction<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#checkedOut((client) => inTransaction(client, work));
      } catch (error) {
        if (!isRetriable(error)) throw error;
        if (attempt === ATTEMPTS) throw unavailable(error, 'busy') ?? error;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 10 * attempt));
      }
    }
  }
}

export function schemaOf(applicationId: string): string {
  return `app_${applicationId}`;
}

async function inTransaction<T>(client: pg.PoolClient, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  // Not awaited: it travels with the first statement, which fails when this does.
  const begun = run(client, 'begin', []);
  begun.catch(() => undefined);
  let result: T;
  try {
    result = await work(client);
  } catch (error) {
    await run(client, 'rollback', []).catch(() => undefined);
    throw error;
  }
  // `last` has committed already; the server then has no transaction to commit.
  if (inside(client)) await commit(client);
  return result;
}

/** Whether the connection, all answers having come in, is inside a transaction block. */
function inside(client: pg.PoolClient): boolean {
  const status = (client as pg.PoolClient & { getTransactionStatus(): string | null }).getTransactionStatus();
  return status === 'T' || status === 'E';
}

async function commit(client: pg.PoolClient): Promise<void> {
  const result = await client.query('commit');
  // A commit of a failed transaction is answered with ROLLBACK and no error.
  if (result.command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
}

class OpenTransaction implements Transaction {
  readonly inTransaction = true;
  readonly schema: string;
  readonly #client: pg.PoolClient;

  constructor(client: pg.PoolClient, schema: string) {
    this.#client = client;
    this.schema = schema;
  }

  rows(text: string, params: readonly unknown[] = []): Promise<Row[]> {
    return run(this.#client, text, params);
  }

  flight(statements: readonly Statement[]): Promise<Row[][]> {
    return runAll(this.#client, statements);
  }

  async last(statements: readonly Statement[]): Promise<Row[][]> {
    // When a statement fails the commit behind it rolls back by itself, and the statement's error is what we throw.
    const results = runAll(this.#client, statements);
    const committed = commit(this.#client);
    committed.catch(() => undefined);
    const rows = await results;
    await committed;
    return rows;
  }

  async ladder(steps: readonly Statement[]): Promise<{ done: Row[][]; error?: unknown }> {
    const rungs = steps.map((step) => {
      run(this.#client, 'savepoint rung', []).catch(() => undefined);
      return run(this.#client, step.text, step.params);
    });
    const done: Row[][] = [];
    const settled = await Promise.allSettled(rungs);
    for (const outcome of settled) {
      if (outcome.status === 'rejected') {
        if (isRetriable(outcome.reason)) throw outcome.reason;
        // Behind the failure no savepoint was set, so the latest is the one just before the failing step.
        await run(this.#client, 'rollback to savepoint rung', []);
        return { done, error: outcome.reason };
      }
      done.push(outcome.value);
    }
    return { done };
  }
}

async function run(client: pg.PoolClient, text: string, params: readonly unknown[]): Promise<Row[]> {
  const name = params.length > 0 ? prepare(client, text) : undefined;
  const query = { text, values: params as unknown[], rowMode: 'array' as const };
  const result = await client.query(name === undefined ? query : { ...query, name });
  return result.rows as Row[];
}

async function runAll(client: pg.PoolClient, statements: readonly Statement[]): Promise<Row[][]> {
  const settled = await Promise.allSettled(statements.map(({ text, params }) => run(client, text, params)));
  // The first failure is the cause; those behind it only say that the transaction is aborted.
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
