// The only way to the database. Storage functions are given a handle bound to one application (or to the system
// schema) and cannot reach the pool: inside a transaction there is nothing else to query by mistake.

import type pg from 'pg';
import type { Trip } from '../trip.ts';
import { type Ask, Lanes } from './lanes.ts';
import { Pool, type PoolOptions } from './pool.ts';
import { prepare } from './prepared.ts';
import { Publishers } from './publishers.ts';
import { Shares } from './shares.ts';
import { isGone, isRetriable, StaleDefinition, unavailable } from './sqlstate.ts';

export type Row = readonly unknown[];

export interface Statement {
  readonly text: string;
  readonly params: readonly unknown[];
}

/** `citus` accepts less and pays more for some forms: store/logged-write is the only place that asks. */
export type Engine = 'plain' | 'citus';

/** Statements that stand alone, and read. `schema` is the application's, or `cartulary`. */
export interface Reader {
  readonly schema: string;
  rows(text: string, params?: readonly unknown[]): Promise<Row[]>;
  /** Several statements in one round trip on one connection, each a transaction of its own. */
  flight(statements: readonly Statement[]): Promise<Row[][]>;
  /**
   * A statement that is planned anew for its own parameters and may take its time: searches, whose best plan depends on
   * what is sought. It does not keep others waiting. What is asked `behind` it, on the same connection, sees the database
   * as it is after it.
   */
  ask(statement: Statement, behind?: readonly Statement[]): Promise<Row[][]>;
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
  /** One statement that writes, and may wait for others to do so. */
  write(text: string, params: readonly unknown[]): Promise<Row[]>;
  /** Runs `work` in a transaction; after a deadlock or serialization failure it runs again from the start. */
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

const ATTEMPTS = 8;
/** Of the connections, at most so many carry the reads; two cores do not gain from more. */
const LANES_MAX = 4;
/** The part of the other connections that one application may have at once. */
const SHARE = 0.75;
/** Handles hold nothing but a name; forgetting them costs making them anew. */
const HANDLES_MAX = 5_000;

export class Database {
  readonly #pool: Pool;
  readonly #lanes: Lanes;
  readonly #shares: Shares;
  readonly #publishers: Publishers;
  readonly #applications = new Map<string, Writer>();
  engine: Engine = 'plain';
  readonly system: Writer;

  constructor(options: PoolOptions) {
    const lanes = Math.max(1, Math.min(LANES_MAX, Math.floor(options.connectionsMax / 4)));
    this.#lanes = new Lanes(options, lanes);
    const lent = Math.max(1, options.connectionsMax - lanes);
    this.#pool = new Pool({ ...options, connectionsMax: lent });
    this.#shares = new Shares(Math.max(1, Math.floor(lent * SHARE)));
    this.#publishers = new Publishers(options);
    this.system = this.#writer('cartulary');
  }

  /** The same, for one request: what is run for it is stopped with it. */
  forTrip(_trip: Trip): Database {
    return this;
  }

  application(applicationId: string): Writer {
    let writer = this.#applications.get(applicationId);
    if (writer === undefined) {
      writer = this.#writer(schemaOf(applicationId));
      if (this.#applications.size >= HANDLES_MAX) this.#applications.clear();
      this.#applications.set(applicationId, writer);
    }
    return writer;
  }

  /** What a publishing would do: both schemas on one connection, in one transaction. */
  foresee<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    return this.#transaction('cartulary', async (client) => {
      // It looks through whole collections.
      await run(client, 'set local statement_timeout = 0', []);
      const system = new OpenTransaction(client, 'cartulary');
      return work({ system, application: new OpenTransaction(client, schemaOf(applicationId)) });
    });
  }

  /** One transaction over the system schema and the application's, where what belongs together lies in both. */
  together<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    return this.#transaction(schemaOf(applicationId), (client) =>
      work({
        system: new OpenTransaction(client, 'cartulary'),
        application: new OpenTransaction(client, schemaOf(applicationId)),
      }),
    );
  }

  /** For publishing: a connection besides the others, held until `work` is done. */
  async publisher<T>(applicationId: string, work: (publisher: Publisher) => Promise<T>): Promise<T> {
    try {
      return await this.#publishers.lend(applicationId, (client) => work(publisherOn(client, applicationId)));
    } catch (error) {
      throw meaning(error);
    }
  }

  /** Whether this node has a publisher of the application. */
  isPublishing(applicationId: string): boolean {
    return this.#publishers.busy(applicationId);
  }

  /** Ends what is being published, and publishes nothing any more. */
  stopPublishing(): Promise<void> {
    return this.#publishers.close();
  }

  async close(): Promise<void> {
    await Promise.all([this.#lanes.close(), this.#pool.close(), this.#publishers.close()]);
  }

  #writer(schema: string): Writer {
    const database = this;
    const home = schema === 'cartulary' ? undefined : homeOf(schema);
    return {
      schema,
      get engine() {
        return database.engine;
      },
      rows: (text, params = []) => this.#read(home, (client) => run(client, text, params)),
      flight: (statements) => this.#read(home, (client) => runAll(client, statements)),
      ask: (statement, behind = []) => this.#lent(schema, (client) => runOnce(client, statement, behind)),
      write: (text, params) => this.#lent(schema, (client) => run(client, text, params)),
      transaction: (work) => this.#transaction(schema, (client) => work(new OpenTransaction(client, schema))),
      snapshot: (work) =>
        this.#lent(schema, (client) =>
          inTransaction(
            client,
            () => work(new OpenTransaction(client, schema)),
            'begin isolation level repeatable read read only',
          ),
        ),
    };
  }

  #read<T>(home: number | undefined, work: (client: pg.Client) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const refuse = (error: unknown) => reject(meaning(error));
      const ask: Ask = (client, answered) => {
        work(client).then(
          (result) => {
            answered();
            resolve(result);
          },
          (error) => {
            answered(error);
            refuse(error);
          },
        );
      };
      this.#lanes.travel(home, ask, refuse);
    });
  }

  async #lent<T>(schema: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const turn = this.#shares.take(schema);
    if (turn !== undefined) await turn;
    try {
      return await this.#borrowed(work);
    } finally {
      this.#shares.give(schema);
    }
  }

  async #borrowed<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    let client = this.#pool.take();
    if (client === undefined) {
      try {
        client = await this.#pool.wait();
      } catch (error) {
        throw unavailable(error) ?? error;
      }
    }
    let result: T;
    try {
      result = await work(client);
    } catch (error) {
      throw this.#failed(client, error);
    }
    this.#pool.give(client);
    return result;
  }

  /** Gives the connection back, or up, and says what the error means to the rest. */
  #failed(client: pg.Client, error: unknown): unknown {
    if (unavailable(error) === undefined) this.#pool.give(client);
    else this.#pool.discard(client);
    return meaning(error);
  }

  #transaction<T>(schema: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
    return again(() => this.#lent(schema, (client) => inTransaction(client, work)));
  }
}

/** After a deadlock or serialization failure. */
async function again<T>(work: () => Promise<T>): Promise<T> {
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

function publisherOn(client: pg.Client, applicationId: string): Publisher {
  const system = new OpenTransaction(client, 'cartulary');
  const application = new OpenTransaction(client, schemaOf(applicationId));
  return {
    system,
    application,
    transaction: (work) => again(() => inTransaction(client, () => work({ system, application }))),
  };
}

/** What an error of the database means to the rest of the code. */
function meaning(error: unknown): unknown {
  return unavailable(error) ?? (isGone(error) ? new StaleDefinition('', { cause: error }) : error);
}

/** Spreads applications over the lanes by their last characters, which are random. */
function homeOf(schema: string): number {
  return schema.charCodeAt(schema.length - 1) + schema.charCodeAt(schema.length - 2);
}

export function schemaOf(applicationId: string): string {
  return `app_${applicationId}`;
}

async function inTransaction<T>(
  client: pg.Client,
  work: (client: pg.Client) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  // Not awaited: it travels with the first statement, which fails when this does.
  const begun = run(client, begin, []);
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
function inside(client: pg.Client): boolean {
  const status = (client as pg.Client & { getTransactionStatus(): string | null }).getTransactionStatus();
  return status === 'T' || status === 'E';
}

async function commit(client: pg.Client): Promise<void> {
  const result = await client.query('commit');
  // A commit of a failed transaction is answered with ROLLBACK and no error.
  if (result.command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
}

class OpenTransaction implements Transaction {
  readonly inTransaction = true;
  readonly schema: string;
  readonly #client: pg.Client;

  constructor(client: pg.Client, schema: string) {
    this.#client = client;
    this.schema = schema;
  }

  rows(text: string, params: readonly unknown[] = []): Promise<Row[]> {
    return run(this.#client, text, params);
  }

  flight(statements: readonly Statement[]): Promise<Row[][]> {
    return runAll(this.#client, statements);
  }

  ask(statement: Statement, behind: readonly Statement[] = []): Promise<Row[][]> {
    return runOnce(this.#client, statement, behind);
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

function run(client: pg.Client, text: string, params: readonly unknown[]): Promise<Row[]> {
  return new Promise((resolve, reject) => {
    send(client, text, params, (error, rows) => (error === null ? resolve(rows) : reject(error)));
  });
}

/** The first without a name: nothing is kept of it, and its plan is made for these parameters. */
async function runOnce(client: pg.Client, { text, params }: Statement, behind: readonly Statement[]): Promise<Row[][]> {
  const first = client.query({ text, values: params as unknown[], rowMode: 'array' });
  const others = runAll(client, behind);
  others.catch(() => undefined);
  const { rows } = await first;
  return [rows, ...(await others)];
}

type Answered = (error: Error | null, rows: Row[]) => void;

function send(client: pg.Client, text: string, params: readonly unknown[], answered: Answered): void {
  const query: pg.QueryArrayConfig = { text, values: params as unknown[], rowMode: 'array' };
  if (params.length > 0) query.name = prepare(client, text);
  client.query(query, (error, result) => answered(error, error ? [] : result.rows));
}

async function runAll(client: pg.Client, statements: readonly Statement[]): Promise<Row[][]> {
  const settled = await Promise.allSettled(statements.map(({ text, params }) => run(client, text, params)));
  // The first failure is the cause; those behind it only say that the transaction is aborted.
  return settled.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
