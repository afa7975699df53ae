// For a server that stops: the work it has to wait for, and the connections that would keep it open.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Counts requests and background work until they end. A request whose connection is cut still works for a moment, an upload
 * for example stores how much of it has arrived, and needs the database until then.
 */
export class ActiveWork {
  #count = 0;
  #onFinished: (() => void) | undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#onFinished?.();
  }

  /** Resolves when all work has ended, or after the timeout. */
  async finished(timeoutMs: number): Promise<void> {
    if (this.#count === 0) return;
    await new Promise<void>((resolve) => {
      const timeout = setTimeout(resolve, timeoutMs);
      this.#onFinished = () => {
        clearTimeout(timeout);
        resolve();
      };
    });
  }
}

/** By then the first bytes have arrived that were on their way when the server began to stop. */
const FIRST_BYTES_MS = 1_000;

/**
 * Connections without a first byte, which browsers open ahead of any request. Node does not count them as idle, so a server
 * that stops would wait for them.
 */
export class UnusedConnections {
  /** All open connections, and when they were opened. */
  readonly #open = new Map<Socket, number>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, performance.now());
      socket.once('close', () => this.#open.delete(socket));
    });
  }

  close(): void {
    const since = performance.now() - FIRST_BYTES_MS;
    for (const [socket, openedAt] of this.#open) if (socket.bytesRead === 0 && openedAt < since) socket.destroy();
  }
}
