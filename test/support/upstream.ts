// The connection of a test's proxy to the database behind it, whether that listens on a port or on a socket in a folder.

import { connect, type Socket } from 'node:net';
import type pg from 'pg';

/** Both ends are kept in `sockets` for as long as they live, and their failures end nothing but themselves. */
export function connectUpstream({ host, port = 5432 }: pg.ClientConfig, client: Socket, sockets: Set<Socket>): Socket {
  const upstream = host?.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host ?? 'localhost');
  for (const socket of [client, upstream]) {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  }
  return upstream;
}
