// Stands between a server and PostgreSQL, and swallows what PostgreSQL says to who listens, for as long as it is told to;
// all else passes, so that nobody notices that anything is amiss.

import { createServer, type Socket } from 'node:net';
import type pg from 'pg';
import { closedAtLast } from './left-open.ts';
import { connectUpstream } from './upstream.ts';
import { messagesIn, type Pending } from './wire-messages.ts';

export interface MuffledWire {
  readonly connection: pg.ClientConfig;
  /** Whether notifications are swallowed. */
  muffled: boolean;
  /** How many were passed on, and how many swallowed. */
  readonly counts: { passed: number; swallowed: number };
  close(): Promise<void>;
}

const NOTIFICATION = 'A'.charCodeAt(0);

export async function muffleWire(target: pg.ClientConfig): Promise<MuffledWire> {
  const sockets = new Set<Socket>();
  const counts = { passed: 0, swallowed: 0 };
  const server = createServer((client) => {
    const upstream = connectUpstream(target, client, sockets);
    const pending: Pending = { bytes: Buffer.alloc(0), untyped: false };
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      for (const message of messagesIn(pending, chunk)) {
        const isNotification = message[0] === NOTIFICATION;
        if (isNotification) counts[wire.muffled ? 'swallowed' : 'passed'] += 1;
        if (!isNotification || !wire.muffled) client.write(message);
      }
    });
    upstream.on('end', () => client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const wire: MuffledWire = {
    connection: { ...target, host: '127.0.0.1', port: address.port },
    muffled: false,
    counts,
    close: closedAtLast(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
  return wire;
}
