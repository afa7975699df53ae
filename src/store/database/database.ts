// The only way to the database. Storage functions are given a handle bound to one application (or to the system
// schema) and cannot reach the connections: inside a transaction there is nothing else to query by mistake.

import type pg from 'pg';
import type { RequestScope } from '../../request/request-scope.ts';
import { assertReads, newTransactionState, type TransactionState, type WriteCounter } from './committed-writes.ts';
import { Connections, type ConnectionsOptions } from './connections.ts';
import { type CopiedRow, copyRows } from './copied-rows.ts';
import type { Engine, JointTransaction, Publisher, Reader, Transaction, Writer } from './handles.ts';
import { counted, OpenTransaction, publisherOn } from './open-transaction.ts';
import { locationOf, type SchemaLocation, SYSTEM, schemaOf } from './schemas.ts';
import { meaningOf } from './sqlstate.ts';
import {
  inTransaction,
  type Preparation,
  type Row,
  run,
  runAll,
  runUnprepared,
  runWrite,
  type Statement,
  untilCommitted,
} from './statements.ts';

/** What the handles of all requests have in common. */
interface Shared {
  readonly connections: Connections;
  engine: Engine;
}

export class Database {
  readonly #shared: Shared;
  readonly #scope: RequestScope | undefined;
  #system: Writer | undefined;

  static open(options: ConnectionsOptions): Database {
    return new Database({ connections: new Connections(options), engine: 'plain' });
  }

  private constructor(shared: Shared, scope?: RequestScope) {
    this.#shared = shared;
    this.#scope = scope;
  }

  /** The same, for one request: what is run for it is stopped with it, and what is written is counted on it. */
  forRequest(scope: RequestScope): Database {
    return new Database(this.#shared, scope);
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
    return this.#writer(locationOf(applicationId));
  }

  /** What a publishing would do: both schemas on one connection, in one transaction. */
  previewPublishing<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    return this.#writer(SYSTEM).joint(applicationId, async (tx) => {
      // It looks through whole collections.
      await tx.system.removeTimeout();
      return work(tx);
    });
  }

  /** One transaction over the system schema and the application's, where what belongs together lies in both. */
  jointTransaction<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    return this.#writer(locationOf(applicationId)).joint(applicationId, work);
  }

  /** For publishing: a connection besides the others, held until `work` is done. */
  async publisher<T>(applicationId: string, work: (publisher: Publisher) => Promise<T>): Promise<T> {
    const { publishers } = this.#shared.connections;
    const state = newTransactionState();
    try {
      return await publishers.withConnection(applicationId, (client) =>
        work(publisherOn(client, applicationId, state)),
      );
    } catch (error) {
      throw meaningOf(error);
    } finally {
      // Also what it undid: whether all of it is undone, nobody knows here.
      if (state.changed && this.#scope !== undefined) this.#scope.committedWrites += 1;
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

  #writer(place: SchemaLocation): Handle {
    return new Handle(this.#shared, place, this.#scope);
  }
}

/** Made for every request: nothing in it but what it is for. */
class Handle implements Writer {
  readonly #shared: Shared;
  readonly #place: SchemaLocation;
  readonly #scope: RequestScope | undefined;
  #writes: WriteCounter | undefined;

  constructor(shared: Shared, place: SchemaLocation, scope: RequestScope | undefined) {
    this.#shared = shared;
    this.#place = place;
    this.#scope = scope;
    this.#writes = scope;
  }

  get repeatable(): Writer {
    const handle = new Handle(this.#shared, this.#place, this.#scope);
    handle.#writes = undefined;
    return handle;
  }

  get schema(): string {
    return this.#place.schema;
  }

  get engine(): Engine {
    return this.#shared.engine;
  }

  rows(text: string, params: readonly unknown[] = [], how: Preparation = {}): Promise<Row[]> {
    assertReads(text);
    const { connections } = this.#shared;
    const answer = connections.read(this.#place, this.#scope, (client) => run(client, { text, params, ...how }));
    return counted(this.#scope, [{ text }], answer);
  }

  pipeline(statements: readonly Statement[]): Promise<Row[][]> {
    for (const { text } of statements) assertReads(text);
    const { connections } = this.#shared;
    const answer = connections.read(this.#place, this.#scope, (client) => runAll(client, statements));
    return counted(this.#scope, statements, answer);
  }

  longQuery(statement: Statement, behind: readonly Statement[] = []): Promise<Row[][]> {
    const { connections } = this.#shared;
    const work = (client: pg.Client) => runUnprepared(client, statement, behind);
    const answer = connections.withLongQueryConnection(this.schema, this.#scope, work);
    return counted(this.#scope, [statement, ...behind], answer);
  }

  copied(query: string): Promise<CopiedRow[]> {
    const { connections } = this.#shared;
    const answer = connections.withLongQueryConnection(this.schema, this.#scope, (client) => copyRows(client, query));
    return counted(this.#scope, [{ text: query }], answer);
  }

  write(text: string, params: readonly unknown[]): Promise<Row[]> {
    const answer = this.#checkedOut((client) => runWrite(client, { text, params }, this.#writes));
    return counted(this.#scope, [{ text }], answer);
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction((client, state) => work(this.#open(client, { state })));
  }

  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const begin = 'begin isolation level repeatable read read only';
    return this.#begun((client) => work(this.#open(client, { state: newTransactionState() })), {
      begin,
      computes: true,
    });
  }

  /** The same over the system schema and an application's, counted as this one's. */
  joint<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    const application = schemaOf(applicationId);
    return this.#transaction((client, state) =>
      work({
        system: this.#open(client, { schema: SYSTEM.schema, state }),
        application: this.#open(client, { schema: application, state }),
      }),
    );
  }

  #checkedOut<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return this.#shared.connections.withConnection(this.schema, this.#scope, work);
  }

  #transaction<T>(work: (client: pg.Client, state: TransactionState) => Promise<T>): Promise<T> {
    return untilCommitted((state) => this.#begun((client) => work(client, state), { state }));
  }

  /** The waits for the connection and for the commit are the database's time, what is done between statements is not. */
  async #begun<T>(
    work: (client: pg.Client) => Promise<T>,
    how: { begin?: string; state?: TransactionState; computes?: boolean },
  ): Promise<T> {
    const scope = this.#scope;
    let from = scope?.startDatabaseWait();
    const pass = () => {
      if (from !== undefined) scope?.endDatabaseWait(from);
      from = undefined;
    };
    const passed = async (client: pg.Client) => {
      pass();
      try {
        const result = await work(client);
        // Whatever it made of a refused statement, it is not committed.
        scope?.signal.throwIfAborted();
        return result;
      } finally {
        from = scope?.startDatabaseWait();
      }
    };
    try {
      const inside = (client: pg.Client) => this.#counted(how.state, () => inTransaction(client, passed, how));
      const { connections } = this.#shared;
      return await (how.computes
        ? connections.withLongQueryConnection(this.schema, scope, inside)
        : this.#checkedOut(inside));
    } finally {
      pass();
    }
  }

  async #counted<T>(state: TransactionState | undefined, work: () => Promise<T>): Promise<T> {
    const writes = state && this.#writes;
    if (writes !== undefined) writes.committedWrites += 1;
    try {
      return await work();
    } finally {
      if (writes !== undefined && state?.committed === false) writes.committedWrites -= 1;
    }
  }

  #open(client: pg.Client, { state, schema = this.schema }: { state: TransactionState; schema?: string }) {
    return new OpenTransaction(client, schema, { state, scope: this.#scope });
  }
}
