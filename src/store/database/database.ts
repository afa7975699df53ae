// The only way to the database. Storage functions get a handle bound to one application (or to the system schema) and
// cannot reach the connections: inside a transaction there is no other handle to query by mistake.

import type pg from 'pg';
import type { RequestScope } from '../../request/request-scope.ts';
import type { Cancellable } from '../../request/signal.ts';
import { assertReads, newTransactionState, type TransactionState, type WriteCounter } from './committed-writes.ts';
import { Connections, type ConnectionsOptions } from './connections.ts';
import { type CopiedRow, copyRows } from './copied-rows.ts';
import type { CopyConnection } from './copy-connections.ts';
import { isRetriable, meaningOf, unavailable } from './database-errors.ts';
import { connectionTo } from './database-servers.ts';
import type { Engine, JointTransaction, Publisher, Reader, Transaction, Writer } from './handles.ts';
import { counted, OpenTransaction, publisherOn } from './open-transaction.ts';
import { type Placement, refuseAway, withPlaced } from './placement.ts';
import type { ReplicaRead } from './replica.ts';
import { type ReplicaSettings, Replicas } from './replicas.ts';
import { locationOf, type SchemaLocation, SYSTEM, schemaOf } from './schemas.ts';
import {
  inTransaction,
  type Preparation,
  type Row,
  retryDeadlocks,
  run,
  runAll,
  runUnprepared,
  runWrite,
  type Statement,
  untilCommitted,
} from './statements.ts';

/** Shared by the handles of all requests. */
interface Shared {
  connections: Connections;
  readonly replicas: Replicas | undefined;
  /** On a cluster whose workers have connections of their own. */
  placement: Placement | undefined;
  engine: Engine;
}

export interface DatabaseOptions extends Omit<ConnectionsOptions, 'standbyOf' | 'cancelledOver'> {
  readonly replicas?: ReplicaSettings | undefined;
}

/** What the connections of a placement are made with. */
export interface PlacementTools {
  readonly system: Connections;
  toCoordinator(connectionsMax: number): Connections;
  toWorker(worker: { readonly host: string; readonly port: number }, connectionsMax: number): Connections;
}

export class Database {
  readonly #shared: Shared;
  readonly #scope: RequestScope | undefined;
  #system: Writer | undefined;
  #options: ConnectionsOptions | undefined;

  static open({ replicas: settings, ...options }: DatabaseOptions): Database {
    const connections = new Connections(options);
    const { connection, connectionsMax, requestMs = Number.POSITIVE_INFINITY } = options;
    const around = { primary: connections, connection, connectionsMax, requestMs };
    const replicas = settings && new Replicas({ ...settings, ...around });
    const database = new Database({ connections, replicas, placement: undefined, engine: 'plain' });
    database.#options = options;
    return database;
  }

  private constructor(shared: Shared, scope?: RequestScope) {
    this.#shared = shared;
    this.#scope = scope;
  }

  /** The same for one request: its statements are cancelled with it, and its writes are counted on it. */
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

  /** Undefined if none are configured. */
  get replicas(): Pick<Replicas, 'start' | 'states' | 'outcomes'> | undefined {
    return this.#shared.replicas;
  }

  /**
   * Reads of the application from a replica; undefined if none may serve it now. Whatever it rejects with, the same reads are to
   * be made on the primary. `reader` chooses among the replicas.
   */
  readOnReplica<T>(applicationId: string, reader: string, work: (store: Writer) => Promise<T>): Promise<T> | undefined {
    const { replicas, engine } = this.#shared;
    if (replicas === undefined) return undefined;
    const location = locationOf(applicationId);
    const { schema } = location;
    const replica = replicas.choose(schema, reader);
    if (replica === undefined) return undefined;
    const shared = { connections: replica.connections, replicas: undefined, placement: undefined, engine };
    const scope = this.#scope;
    return replicas.read(replica, { schema, scope }, (read) => work(new Handle(shared, location, scope, read)));
  }

  /** The same for all applications on one worker of a cluster; undefined on plain PostgreSQL, and while it is not known. */
  workerOf(applicationId: string): object | undefined {
    return this.#shared.placement?.groupOf(schemaOf(applicationId));
  }

  /** At the start, on a cluster: leaves `systemMax` connections to the system schema, and the others to the placement. */
  async place(systemMax: number, makePlacement: (tools: PlacementTools) => Placement): Promise<void> {
    const options = this.#options;
    if (options === undefined) throw new Error('placed by the handle of a request');
    const before = this.#shared.connections;
    const system = new Connections({ ...options, connectionsMax: systemMax });
    const { onConnected: _, pooler: __, ...others } = options;
    this.#shared.connections = system;
    this.#shared.placement = makePlacement({
      system,
      toCoordinator: (connectionsMax) =>
        new Connections({ ...others, pooler: options.pooler, connectionsMax, cancelledOver: system }),
      toWorker: (worker, connectionsMax) =>
        new Connections({ ...others, connection: connectionTo(options.connection, worker), connectionsMax }),
    });
    await before.close();
  }

  /** To find out what a publishing would do: both schemas in one transaction. */
  previewPublishing<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    return this.#writer(SYSTEM).joint(applicationId, async (tx) => {
      // It scans whole collections.
      await tx.system.removeTimeout();
      return work(tx);
    });
  }

  /** One transaction over the system schema and the application's, for changes that concern both. */
  jointTransaction<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    return this.#writer(locationOf(applicationId)).joint(applicationId, work);
  }

  /**
   * For publishing: a connection outside of the pool, held until `work` is done. They are few, for all workers of a cluster: one
   * that is known to be away gets none.
   */
  async publisher<T>(applicationId: string, work: (publisher: Publisher) => Promise<T>): Promise<T> {
    const { connections, placement } = this.#shared;
    const state = newTransactionState();
    try {
      if (placement !== undefined) await refuseAway(placement, schemaOf(applicationId));
      return await connections.publishers.withConnection(applicationId, async (client) => {
        // It may have waited long for its turn.
        if (placement !== undefined) await refuseAway(placement, schemaOf(applicationId));
        return work(publisherOn(client, applicationId, state));
      });
    } catch (error) {
      // Statements outside of its transactions are not run again: an index that is built concurrently leaves something.
      throw (isRetriable(error) ? unavailable(error, 'busy') : undefined) ?? meaningOf(error);
    } finally {
      this.#shared.replicas?.wrote(schemaOf(applicationId));
      // Also counts changes that were undone: whether all of them are is not known here.
      if (state.changed && this.#scope !== undefined) this.#scope.committedWrites += 1;
    }
  }

  /** Whether this node is publishing the application. */
  isPublishing(applicationId: string): boolean {
    return this.#shared.connections.publishers.busy(applicationId);
  }

  /** Ends all publishings, and accepts no new ones. */
  stopPublishing(): Promise<void> {
    return this.#shared.connections.publishers.close();
  }

  /** For a backup, or for restoring one: a connection outside of the pool. The caller closes it. */
  openCopyConnection(): Promise<CopyConnection> {
    return this.#shared.connections.copies.open();
  }

  get counts() {
    const { connections, placement } = this.#shared;
    const sum = connections.counts;
    for (const { counts } of placement?.connections ?? []) {
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name];
    }
    return sum;
  }

  /** The database may be unreachable without any connection having reported it. */
  suspect(): void {
    const { connections, placement } = this.#shared;
    for (const each of [connections, ...(placement?.connections ?? [])]) each.suspect();
  }

  async close(): Promise<void> {
    const { connections, placement, replicas } = this.#shared;
    await Promise.all([connections.close(), placement?.close(), replicas?.close()]);
  }

  #writer(location: SchemaLocation): Handle {
    return new Handle(this.#shared, location, this.#scope);
  }
}

/** On a cluster: on which connections, and of which schema's worker if not of the handle's own. */
interface Where {
  readonly which: 'own' | 'coordinated';
  readonly placed?: string;
}

const OWN: Where = { which: 'own' };
const COORDINATED: Where = { which: 'coordinated' };

/** Created for every request, so it holds little. */
class Handle implements Writer {
  readonly #shared: Shared;
  readonly #location: SchemaLocation;
  readonly #scope: RequestScope | undefined;
  readonly #replicaRead: ReplicaRead | undefined;
  #writes: WriteCounter | undefined;
  #lanesAlone = false;
  #joint: Cancellable | undefined;

  constructor(shared: Shared, location: SchemaLocation, scope: RequestScope | undefined, replicaRead?: ReplicaRead) {
    this.#shared = shared;
    this.#location = location;
    this.#scope = scope;
    this.#replicaRead = replicaRead;
    this.#writes = scope;
  }

  get repeatable(): Writer {
    const handle = new Handle(this.#shared, this.#location, this.#scope, this.#replicaRead);
    handle.#writes = undefined;
    return handle;
  }

  joined(cancellable?: Cancellable): Writer {
    const handle = new Handle(this.#shared, this.#location, undefined);
    handle.#lanesAlone = true;
    handle.#joint = cancellable;
    return handle;
  }

  get replica(): object | undefined {
    return this.#replicaRead?.replica;
  }

  get schema(): string {
    return this.#location.schema;
  }

  get engine(): Engine {
    return this.#shared.engine;
  }

  rows(text: string, params: readonly unknown[] = [], how: Preparation = {}): Promise<Row[]> {
    assertReads(text);
    const work = (client: pg.Client) => run(client, { text, params, ...how });
    if (this.#lanesAlone) return this.#onOwn((connections) => connections.readOnLane(this.#location, work));
    const results = this.#onOwn((connections) => connections.read(this.#location, this.#cancellable, work));
    return counted(this.#scope, [{ text }], results);
  }

  pipeline(statements: readonly Statement[]): Promise<Row[][]> {
    for (const { text } of statements) assertReads(text);
    const work = (client: pg.Client) => runAll(client, statements);
    const results = this.#onOwn((connections) => connections.read(this.#location, this.#cancellable, work));
    return counted(this.#scope, statements, results);
  }

  longQuery(statement: Statement, following: readonly Statement[] = []): Promise<Row[][]> {
    const work = (client: pg.Client) => runUnprepared(client, statement, following);
    // A deadlock ends it as busy. It is not run again, as a short read is: it may have taken most of the request's time.
    const results = this.#withLongQueryConnection(work).catch((error: unknown) => {
      throw unavailable(error, 'busy') ?? error;
    });
    return counted(this.#scope, [statement, ...following], results);
  }

  copied(query: string): Promise<CopiedRow[]> {
    const work = (client: pg.Client) => copyRows(client, query);
    const results = this.#retried(() => this.#withLongQueryConnection(work));
    return counted(this.#scope, [{ text: query }], results);
  }

  write(text: string, params: readonly unknown[]): Promise<Row[]> {
    const work = (client: pg.Client) => runWrite(client, { text, params }, this.#writes);
    const results = this.#marked(retryDeadlocks(() => this.#withConnection(work, OWN)));
    return counted(this.#scope, [{ text }], results);
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction((client, state) => work(this.#open(client, { state })));
  }

  dataTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction((client, state) => work(this.#open(client, { state })), OWN);
  }

  snapshot<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    const begin = 'begin isolation level repeatable read read only';
    const read = (client: pg.Client) => work(this.#open(client, { state: newTransactionState() }));
    return this.#retried(() => this.#inTransaction(read, { begin, computes: true, where: OWN }));
  }

  /** A transaction over the system schema and an application's, counted under this handle's schema. */
  joint<T>(applicationId: string, work: (tx: JointTransaction) => Promise<T>): Promise<T> {
    const application = schemaOf(applicationId);
    return this.#transaction(
      (client, state) =>
        work({
          system: this.#open(client, { schema: SYSTEM.schema, state }),
          application: this.#open(client, { schema: application, state }),
        }),
      { which: 'coordinated', placed: application },
    );
  }

  /** What ends its statements. */
  get #cancellable(): Cancellable | undefined {
    return this.#replicaRead ?? this.#scope ?? this.#joint;
  }

  /** A standby ends reads that keep it from following the primary, which can serve them at once. */
  #retried<T>(work: () => Promise<T>): Promise<T> {
    return this.#replicaRead === undefined ? retryDeadlocks(work) : work();
  }

  /**
   * No replica may show the application to this node's callers as it was before. What the server writes by itself, such as parts
   * of quotas, is nobody's own write.
   */
  #marked<T>(written: Promise<T>): Promise<T> {
    const { replicas } = this.#shared;
    if (replicas === undefined || (this.#scope === undefined && !this.#lanesAlone)) return written;
    return written.finally(() => replicas.wrote(this.schema));
  }

  /** With the connections for the tables of this schema, wherever those lie. */
  #onOwn<T>(work: (connections: Connections) => Promise<T>): Promise<T> {
    return this.#on(OWN, work);
  }

  /** `placed`: whose connections to use, if not those of this schema. */
  #on<T>({ which, placed = this.schema }: Where, work: (connections: Connections) => Promise<T>): Promise<T> {
    const { connections, placement } = this.#shared;
    if (placement === undefined || placed === SYSTEM.schema) return work(connections);
    return withPlaced(placement, { schema: placed, which }, work);
  }

  #withConnection<T>(work: (client: pg.Client) => Promise<T>, where: Where): Promise<T> {
    return this.#on(where, (connections) => connections.withConnection(this.schema, this.#cancellable, work));
  }

  #withLongQueryConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    return this.#onOwn((connections) => connections.withLongQueryConnection(this.schema, this.#cancellable, work));
  }

  #transaction<T>(
    work: (client: pg.Client, state: TransactionState) => Promise<T>,
    where: Where = COORDINATED,
  ): Promise<T> {
    return this.#marked(
      untilCommitted((state) => this.#inTransaction((client) => work(client, state), { state, where })),
    );
  }

  /** Waiting for the connection and for the commit counts as database time; the work between statements does not. */
  async #inTransaction<T>(
    work: (client: pg.Client) => Promise<T>,
    how: { begin?: string; state?: TransactionState; computes?: boolean; where: Where },
  ): Promise<T> {
    const scope = this.#scope;
    let from = scope?.startDatabaseWait();
    const endWait = () => {
      if (from !== undefined) scope?.endDatabaseWait(from);
      from = undefined;
    };
    const measured = async (client: pg.Client) => {
      endWait();
      try {
        const result = await work(client);
        // A cancelled request commits nothing, even if `work` swallowed the error.
        this.#cancellable?.signal.throwIfAborted();
        return result;
      } finally {
        from = scope?.startDatabaseWait();
      }
    };
    try {
      const inside = (client: pg.Client) => this.#counted(how.state, () => inTransaction(client, measured, how));
      return await (how.computes ? this.#withLongQueryConnection(inside) : this.#withConnection(inside, how.where));
    } finally {
      endWait();
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
    return new OpenTransaction(client, schema, { state, scope: this.#scope, cancellable: this.#cancellable });
  }
}
