// Everything that we use of `pg` beyond its documented interface, and how its own failures are recognised. Nothing else may
// reach into a client; test/store/driver.test.ts fails when an upgrade of `pg` changes any of this.

import { Socket, type SocketConstructorOpts } from 'node:net';
import pg from 'pg';
import { Incoming } from './incoming.ts';

/** The members that `pg` does not declare. */
type Internals = pg.Client & {
  /** False while a statement has been sent whose result is not complete. */
  readonly readyForQuery: boolean;
  getTransactionStatus(): string | null;
  readonly connection: {
    readonly stream: Socket;
    /** The messages that arrive are events of the connection. */
    emit(event: string, message: object): boolean;
    /** By name, the text of every statement that was ever prepared. */
    readonly parsedStatements: Record<string, string>;
    endCopyFrom(): void;
    sendCopyFail(reason: string): void;
  };
};

/** The option that Node's types declare only for connecting. */
interface ReadingOptions {
  readonly onread: { readonly buffer: Buffer; readonly callback: (bytes: number, buffer: Buffer) => boolean };
}

const CHUNK_BYTES = 64 * 1024;

/** A client whose messages we read (store/database/incoming), unless its connection is encrypted. */
export function newClient(config: pg.ClientConfig): pg.Client {
  // `pg` calls it while the client is made.
  const stream = ({ ssl }: { readonly ssl?: unknown } = {}): Socket => {
    if (ssl) return new Socket();
    const callback = (bytes: number, buffer: Buffer) => {
      incoming.read(buffer.subarray(0, bytes));
      return true;
    };
    const options: ReadingOptions = { onread: { buffer: Buffer.allocUnsafeSlow(CHUNK_BYTES), callback } };
    return new Socket(options as SocketConstructorOpts);
  };
  const client = new pg.Client({ ...config, stream } as pg.ClientConfig);
  const { connection } = client as Internals;
  const incoming = new Incoming({
    onRow: (fields) => connection.emit('dataRow', { fields }),
    onCommandComplete: (text) => connection.emit('commandComplete', { text }),
    onReady: (status) => connection.emit('readyForQuery', { status }),
    onOther: (bytes) => connection.stream.emit('data', bytes),
  });
  return client;
}

export const streamOf = (client: pg.Client): Socket => (client as Internals).connection.stream;

/** Whether a statement was sent whose result is not complete. */
export const isBusy = (client: pg.Client): boolean => !(client as Internals).readyForQuery;

/** Whether the connection, all results having come in, is inside a transaction block. */
export function isInTransaction(client: pg.Client): boolean {
  const status = (client as Internals).getTransactionStatus();
  return status === 'T' || status === 'E';
}

/**
 * Whether the database has confirmed that the statement is prepared, asked once when the first statement that names it has ended.
 * Then `pg` need not remember it, which it would do for good.
 */
export function takeConfirmation(client: pg.Client, name: string): boolean {
  const { parsedStatements } = (client as Internals).connection;
  const isConfirmed = parsedStatements[name] !== undefined;
  delete parsedStatements[name];
  return isConfirmed;
}

/** `pg` pipelines only statements of its own class. Those of `own` become some, without what its constructor costs. */
export function becomeQuery(own: { readonly prototype: object }): void {
  Object.setPrototypeOf(own.prototype, pg.Query.prototype);
}

const COPY_DATA = 0x64;
const COPY_HEAD_BYTES = 5;

/** Sends data of a COPY that the database waits for. False: more should wait until the socket emits `drain`. */
export function sendCopyData(client: pg.Client, bytes: Buffer): boolean {
  const head = Buffer.allocUnsafe(COPY_HEAD_BYTES);
  head[0] = COPY_DATA;
  head.writeInt32BE(bytes.length + 4, 1);
  const stream = streamOf(client);
  stream.cork();
  stream.write(head);
  const goesOn = stream.write(bytes);
  stream.uncork();
  return goesOn;
}

/** `failure`: why the database is to undo it. */
export function endCopyData(client: pg.Client, failure?: string): void {
  const { connection } = client as Internals;
  if (failure === undefined) connection.endCopyFrom();
  else connection.sendCopyFail(failure);
}

type Exported = typeof pg & { readonly utils: { prepareValue(value: unknown): string | Buffer | null } };

/** A parameter as a text, or as bytes in binary format. */
export const parameterOf = (pg as Exported).utils.prepareValue;

/** Breaks a connection whose other end may be gone. */
export function cutClient(client: pg.Client): void {
  streamOf(client).destroy();
}

const CONNECTION_MESSAGES =
  /Connection terminated|timeout expired|not queryable|Client was closed|Query read timeout|Connection ended/i;

/** Whether `pg` says that the connection is gone; it has no codes or classes for that. */
export const isLostConnection = (error: unknown): boolean =>
  error instanceof Error && CONNECTION_MESSAGES.test(error.message);
