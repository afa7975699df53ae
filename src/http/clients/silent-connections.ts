// Connections on which nothing was said yet, as browsers open them ahead of any request. Node does not count them among the
// idle ones, and a server that stops would wait for their first word.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What was on its way when the server began to stop has arrived by then. */
const SILENCE_MS = 1_000;

export class SilentConnections {
  /** All that are open, and since when. */
  readonly #open = new Map<Socket, number>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, performance.now());
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  close(): void {
    const since = performance.now() - SILENCE_MS;
    for (const [socket, openedAt] of this.#open) if (socket.bytesRead === 0 && openedAt < since) socket.destroy();
  }
}
