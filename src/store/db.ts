// The only way to the database. Storage functions are given a handle bound to one application (or to the system
// schema) and cannot reach the connections: inside a transaction there is nothing else to query by mistake.

import type pg from 'pg';
import type { Fault } from '../faults.ts';
import type { Trip } from '../trip.ts';
import { Connections, type ConnectionsOptions, meaning, type Place, SYSTEM } from './connections.ts';
import { isRetriable } from './sqlstate.ts';
import { again, commit, inTransaction, type Row, run, runAll, runOnce, type Statement } from './statements.ts';

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
  /** What follows takes as long as it takes: nobody waits for an answer. */
  unhurried(): Promise<void>;
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

/** They are but names; forgetting them costs making them anew. */
const PLACES_MAX = 5_000;

export class Database {
  readonly #shared: Shared;
  readonly #trip: Trip | undefined;
  #system: Writer | undefined;

  constructor(options: ConnectionsOptions | Shared, trip?: Trip) {
    this.#shared = options instanceof Shared ? options : new Shared(options);
    this.#trip = trip;
  }

  /** The same, for one request: what is run for it is stopped with it. */
  forTrip(trip: Trip): Database {
    return new Database(this.#shared, trip);
  }

  get engine(): Engine {
    return this.#shared.engine;
  }

  set engine(engine: Engine) {
    this.#shared.engine = engine;
  }

  get system(): Writer {
    this.#system ??= this.#writer(SYSTEM);
    return this.#system;
  }

  application(applicationId: string): Writer {
    return this.#writer(this.#shared.place(applicationId));
  }

  /** What a publishing would do: both schemas on one connection, in one transaction. */
  foresee<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    return this.#writer(SYSTEM).joint(applicationId, async (tx) => {
      // It looks through whole collections.
      await tx.system.unhurried();
      return work(tx);
    });
  }

  /** One transaction over the system schema and the application's, where what belongs together lies in both. */
  together<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    return this.#writer(this.#shared.place(applicationId)).joint(applicationId, work);
  }

  /** For publishing: a connection besides the others, held until `work` is done. */
  async publisher<T>(applicationId: string, work: (publisher: Publisher) => Promise<T>): Promise<T> {
    const { publishers } = this.#shared.connections;
    try {
      return await publishers.lend(applicationId, (client) => work(publisherOn(client, applicationId)));
    } catch (error) {
      throw meaning(error);
    }
  }

  /** Whether this node has a publisher of the application. */
  isPublishing(applicationId: string): boolean {
    return this.#shared.connections.publishers.busy(applicationId);
  }

  /** Ends what is being published, and publishes nothing any more. */
  stopPublishing(): Promise<void> {
    return this.#shared.connections.publishers.close();
  }

  get counts() {
    return this.#shared.connections.counts;
  }

  /** The database may be out of reach without our having been told. */
  suspect(): void {
    this.#shared.connections.suspect();
  }

  close(): Promise<void> {
    return this.#shared.connections.close();
  }

  #writer(place: Place): Handle {
    return new Handle(this.#shared, place, this.#trip);
  }
}

/** What the handles of all requests have in common. */
class Shared {
  readonly connections: Connections;
  readonly #places = new Map<string, Place>();
  engine: Engine = 'plain';

  constructor(options: ConnectionsOptions) {
    this.connections = new Connections(options);
  }

  place(applicationId: string): Place {
    let place = this.#places.get(applicationId);
    if (place === undefined) {
      const schema = schemaOf(applicationId);
      place = { schema, home: homeOf(schema) };
      if (this.#places.size >= PLACES_MAX) this.#places.clear();
      this.#places.set(applicationId, place);
    }
    return place;
  }
}

/** Spreads applications over the lanes by their last characters, which are random. */
function homeOf(schema: string): number {
  return schema.charCodeAt(schema.length - 1) + schema.charCodeAt(schema.length - 2);
}

export function schemaOf(applicationId: string): string {
  return `app_${applicationId}`;
}

/** Made for every request: nothing in it but what it is for. */
class Handle implements Writer {
  readonly #shared: Shared;
  readonly #place: Place;
  readonly #trip: Trip | undefined;

  constructor(shared: Shared, place: Place, trip: Trip | undefined) {
    this.#shared = shared;
    this.#place = place;
    this.#trip = trip;
  }

  get schema(): string {
    return this.#place.schema;
  }

  get engine(): Engine {
    return this.#shared.engine;
  }

  rows(text: string, params: readonly unknown[] = []): Promise<Row[]> {
    const { connections } = this.#shared;
    const answer = connections.read(this.#place, this.#trip, (client) => run(client, text, params));
    return noted(this.#trip, [{ text }], answer);
  }

  flight(statements: readonly Statement[]): Promise<Row[][]> {
    const { connections } = this.#shared;
    const answer = connections.read(this.#place, this.#trip, (client) => runAll(client, statements));
    return noted(this.#trip, statements, answer);
  }

  ask(statement: Statement, behind: readonly Statement[] = []): Promise<Row[][]> {
    const answer = this.#lent((client) => runOnce(client, statement, behind));
    return noted(this.#trip, [statement, ...behind], answer);
  }

  write(text: string, params: readonly unknown[]): Promise<Row[]> {
    const answer = this.#lent((client) => run(client, text, params));
    return noted(this.#trip, [{ text }], answer);
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction((client) => work(this.#open(client)));
  }

  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const begin = 'begin isolation level repeatable read read only';
    return this.#begun((client) => work(this.#open(client)), begin);
  }

  /** The same over the system schema and an application's, counted as this one's. */
  joint<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    const application = schemaOf(applicationId);
    return this.#transaction((client) =>
      work({ system: this.#open(client, SYSTEM.schema), application: this.#open(client, application) }),
    );
  }

  #lent<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return this.#shared.connections.lent(this.schema, this.#trip, work);
  }

  #transaction<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return again(() => this.#begun(work));
  }

  /** The waits for the connection and for the commit are the database's time, what is done between statements is not. */
  async #begun<T>(work: (client: pg.Client) => Promise<T>, begin?: string): Promise<T> {
    const trip = this.#trip;
    let from = performance.now();
    const pass = () => {
      if (trip !== undefined) trip.databaseMs += performance.now() - from;
    };
    const inside = async (client: pg.Client) => {
      pass();
      try {
        const result = await work(client);
        // Whatever it made of a refused statement, it is not committed.
        if (trip?.stopped !== undefined) throw trip.stopped;
        return result;
      } finally {
        from = performance.now();
      }
    };
    try {
      return await this.#lent((client) => inTransaction(client, inside, begin));
    } finally {
      pass();
    }
  }

  #open(client: pg.Client, schema = this.schema): OpenTransaction {
    return new OpenTransaction(client, schema, this.#trip);
  }
}

/** Has the request know what was asked for it, and how long that took. */
function noted<T>(trip: Trip | undefined, statements: readonly { text: string }[], answer: Promise<T>): Promise<T> {
  if (trip === undefined) return answer;
  const from = performance.now();
  const note = () => trip.noteStatements(from, statements);
  answer.then(note, note);
  return answer;
}

function publisherOn(client: pg.Client, applicationId: string): Publisher {
  const system = new OpenTransaction(client, SYSTEM.schema, undefined);
  const application = new OpenTransaction(client, schemaOf(applicationId), undefined);
  return {
    system,
    application,
    transaction: (work) => again(() => inTransaction(client, () => work({ system, application }))),
  };
}

class OpenTransaction implements Transaction {
  readonly inTransaction = true;
  readonly schema: string;
  readonly #client: pg.Client;
  readonly #trip: Trip | undefined;

  constructor(client: pg.Client, schema: string, trip: Trip | undefined) {
    this.#client = client;
    this.schema = schema;
    this.#trip = trip;
  }

  async unhurried(): Promise<void> {
    await this.rows('set local statement_timeout = 0');
  }

  rows(text: string, params: readonly unknown[] = []): Promise<Row[]> {
    if (this.#stopped) return Promise.reject(this.#stopped);
    return noted(this.#trip, [{ text }], run(this.#client, text, params));
  }

  flight(statements: readonly Statement[]): Promise<Row[][]> {
    if (this.#stopped) return Promise.reject(this.#stopped);
    return noted(this.#trip, statements, runAll(this.#client, statements));
  }

  ask(statement: Statement, behind: readonly Statement[] = []): Promise<Row[][]> {
    if (this.#stopped) return Promise.reject(this.#stopped);
    return noted(this.#trip, [statement, ...behind], runOnce(this.#client, statement, behind));
  }

  async last(statements: readonly Statement[]): Promise<Row[][]> {
    if (this.#stopped) throw this.#stopped;
    // When a statement fails the commit behind it rolls back by itself, and the statement's error is what we throw.
    const results = runAll(this.#client, statements);
    const committed = commit(this.#client);
    committed.catch(() => undefined);
    return noted(
      this.#trip,
      statements,
      results.then((rows) => committed.then(() => rows)),
    );
  }

  async ladder(steps: readonly Statement[]): Promise<{ done: Row[][]; error?: unknown }> {
    if (this.#stopped) throw this.#stopped;
    const rungs = steps.map((step) => {
      run(this.#client, 'savepoint rung', []).catch(() => undefined);
      return run(this.#client, step.text, step.params);
    });
    const done: Row[][] = [];
    const settled = await noted(this.#trip, steps, Promise.allSettled(rungs));
    for (const outcome of settled) {
      if (outcome.status === 'rejected') {
        if (this.#stopped) throw this.#stopped;
        if (isRetriable(outcome.reason)) throw outcome.reason;
        // Behind the failure no savepoint was set, so the latest is the one just before the failing step.
        await run(this.#client, 'rollback to savepoint rung', []);
        return { done, error: outcome.reason };
      }
      done.push(outcome.value);
    }
    return { done };
  }

  /** Nothing is begun for a request that was stopped: what it was doing is undone. */
  get #stopped(): Fault | undefined {
    return this.#trip?.stopped;
  }
}
