// Connections for backups and their restoration: opened for one of them, which may take hours, and closed after it. Their
// locks and their snapshot are free when the process ends.

import type pg from 'pg';
import { newTransactionState } from './committed-writes.ts';
import { copyIn, copyOut } from './copying.ts';
import { ConnectionsClosed, meaningOf } from './database-errors.ts';
import { endClient } from './database-servers.ts';
import type { Transaction } from './handles.ts';
import { OpenTransaction } from './open-transaction.ts';
import type { PoolOptions } from './pool.ts';
import { inTransaction, type Row, run } from './statements.ts';

/** How soon the database notices that the client process is gone. */
const CHECK_MS = 1_000;
const SETTINGS = `select set_config('application_name', 'cartulary backup', false),
  set_config('idle_in_transaction_session_timeout', '0', false), set_config('statement_timeout', '0', false),
  set_config('lock_timeout', '0', false), set_config('maintenance_work_mem', '256MB', false)`;

export interface CopyConnection {
  rows(text: string, params?: readonly unknown[]): Promise<Row[]>;
  /** Never runs `work` again: what it copies is read only once. */
  transaction<T>(work: () => Promise<T>, begin?: string): Promise<T>;
  /** The handle of one schema, inside a transaction. */
  within(schema: string): Transaction;
  /** `copy … to stdout`, in parts of whole rows. */
  copyOut(statement: string, partBytes: number): AsyncGenerator<Buffer>;
  /** `copy … from stdin`. Returns the number of rows. */
  copyIn(statement: string, chunks: AsyncIterable<Buffer>): Promise<number>;
  close(): Promise<void>;
}

export class CopyConnections {
  readonly #options: PoolOptions;
  readonly #clients = new Set<pg.Client>();
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  async open(): Promise<CopyConnection> {
    if (this.#closed) throw new ConnectionsClosed();
    let client: pg.Client;
    try {
      client = await this.#options.servers.connect({ low: true });
    } catch (error) {
      throw meaningOf(error);
    }
    this.#clients.add(client);
    const connection = this.#connectionOn(client);
    try {
      await connection.rows(SETTINGS);
      // Not supported on every system.
      await connection
        .rows(`select set_config('client_connection_check_interval', '${CHECK_MS}', false)`)
        .catch(() => undefined);
      if (this.#closed) throw new ConnectionsClosed();
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#clients].map(endClient));
  }

  #connectionOn(client: pg.Client): CopyConnection {
    const state = newTransactionState();
    const meant = <T>(work: Promise<T>): Promise<T> =>
      work.catch((error: unknown) => {
        throw meaningOf(error);
      });
    return {
      rows: (text, params = []) => meant(run(client, { text, params })),
      transaction: (work, begin = 'begin') => meant(inTransaction(client, work, { begin })),
      within: (schema) => new OpenTransaction(client, schema, { state }),
      copyOut: (statement, partBytes) => copyOut(client, statement, partBytes),
      copyIn: (statement, chunks) => meant(copyIn(client, statement, chunks)),
      close: async () => {
        if (this.#clients.delete(client)) await endClient(client);
      },
    };
  }
}
