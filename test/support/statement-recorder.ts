// Stands between a server and PostgreSQL and records the text of every statement that is sent, in the order of sending.

import { createServer, type Socket } from 'node:net';
import type pg from 'pg';
import { connectUpstream } from './upstream.ts';
import { messagesIn, type Pending } from './wire-messages.ts';

export interface StatementRecorder {
  readonly connection: pg.ClientConfig;
  /**
   * The statements since the last call. Each element is a transaction, from its `begin` to its end, or a single statement
   * outside of any.
   */
  take(): string[][];
  close(): Promise<void>;
}

export async function recordStatements(target: pg.ClientConfig): Promise<StatementRecorder> {
  let transactions: string[][] = [];
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connectUpstream(target, client, sockets);
    const pending: Pending = { bytes: Buffer.alloc(0), untyped: true };
    const statements = new SentStatements();
    let open: string[] | undefined;
    client.on('data', (chunk: Buffer) => {
      for (const message of messagesIn(pending, chunk)) {
        const text = pending.untyped ? undefined : statements.read(message);
        pending.untyped = false;
        if (text === undefined) continue;
        if (open === undefined) {
          open = [];
          transactions.push(open);
        }
        open.push(text);
        if (/^(?:commit|rollback)$/.test(text) || !/^begin/.test(open[0] ?? '')) open = undefined;
      }
    });
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    connection: { ...target, host: '127.0.0.1', port: address.port },
    take: () => {
      const taken = transactions;
      transactions = [];
      return taken;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The statements of one connection: those that are prepared are sent once, and then named. */
class SentStatements {
  readonly #texts = new Map<string, string>();
  #bound = '';

  /** The text, when the message executes a statement. */
  read(message: Buffer): string | undefined {
    const [first = '', second = ''] = message.toString('utf8', 5).split('\0', 2);
    switch (String.fromCharCode(message[0] ?? 0)) {
      case 'P': // Parse: the statement's name and its text.
        this.#texts.set(first, second);
        return undefined;
      case 'B': // Bind: the portal's name and the statement's.
        this.#bound = this.#texts.get(second) ?? '';
        return undefined;
      case 'E':
        // Goes with another statement, and may be missing or not.
        return this.#bound.includes('plan_cache_mode') ? undefined : this.#bound;
      case 'Q':
        return first;
      default:
        return undefined;
    }
  }
}
