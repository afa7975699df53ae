// Stands between the server and PostgreSQL and can stop forwarding without closing anything, as a broken network does:
// nobody is told. What was connected then stays lost; what connects after the mending gets through.

import { createServer, type Socket } from 'node:net';
import type pg from 'pg';
import { closedAtLast } from './left-open.ts';
import { connectUpstream } from './upstream.ts';

export interface CuttableWire {
  readonly connection: pg.ClientConfig;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function cuttableWire(target: pg.ClientConfig): Promise<CuttableWire> {
  let isCut = false;
  const sockets = new Set<Socket>();
  const lost = new WeakSet<Socket>();
  const server = createServer((client) => {
    if (isCut) {
      sockets.add(client);
      client.on('error', () => undefined).on('close', () => sockets.delete(client));
      client.resume();
      return;
    }
    const upstream = connectUpstream(target, client, sockets);
    client.on('data', (chunk) => lost.has(client) || upstream.write(chunk));
    upstream.on('data', (chunk) => lost.has(client) || client.write(chunk));
    client.on('close', () => lost.has(client) || upstream.end());
    upstream.on('close', () => lost.has(client) || client.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    connection: { ...target, host: '127.0.0.1', port: address.port },
    cut: () => {
      isCut = true;
      for (const socket of sockets) lost.add(socket);
    },
    mend: () => {
      isCut = false;
    },
    close: closedAtLast(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }),
  };
}
