// Pipelined requests: those that arrive on a connection before the earlier ones have their replies. Node starts all requests
// of one packet, hundreds of them, and keeps each reply until the earlier ones are read. Replies go out in order anyway, so
// one request is handled at a time, and the next begins when the previous reply has gone out.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { chargeRead } from './read-queue.ts';

export interface PipelineBounds {
  /** With more waiting requests than this a connection is not read any further. */
  readonly readOnMax: number;
  /** Waiting requests of one connection, and of all. Beyond it a connection is cut off: one read of 64 KB can hold hundreds. */
  readonly eachMax: number;
  readonly allMax: number;
}

export const PIPELINES: PipelineBounds = { readOnMax: 16, eachMax: 1_000, allMax: 10_000 };

/** So many heads in one read take so long, nearly all of it in Node: waiting before the route is looked up saved nothing. */
const CROWD = 64;
const CROWD_MS = 2;

export class Pipelines {
  readonly #bounds: PipelineBounds;
  /** By open connection, once it had a waiting request. */
  readonly #waiting = new Map<Socket, number>();
  #all = 0;

  constructor(bounds: PipelineBounds = PIPELINES) {
    this.#bounds = bounds;
  }

  /** Whether no earlier request waits for its reply. All that an ordinary request pays for. */
  static isFirst({ socket }: ServerResponse): boolean {
    return socket !== null;
  }

  /** Whether requests wait on the connection. */
  hasWaiting(socket: Socket): boolean {
    return (this.#waiting.get(socket) ?? 0) > 0;
  }

  /** Calls `begin` when the previous reply has gone out, and never if the connection ends before that. */
  wait({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
    if (socket.destroyed) return;
    const { readOnMax, eachMax, allMax } = this.#bounds;
    const before = this.#waiting.get(socket);
    if ((before ?? 0) >= eachMax || this.#all >= allMax) {
      socket.destroy();
      return;
    }
    if (before === undefined) socket.once('close', () => this.#forget(socket));
    this.#change(socket, 1);
    // After the packet is parsed: Node resumes the connection with every request in it.
    if (before === readOnMax) process.nextTick(() => this.#pause(socket));
    if (before !== undefined && before % CROWD === CROWD - 1) chargeRead(socket, CROWD_MS);
    response.once('socket', () => {
      this.#change(socket, -1);
      // The reader's timeout was for the reply before, which has gone out.
      socket.setTimeout(0);
      if (this.#waiting.get(socket) === readOnMax) socket.resume();
      begin();
    });
  }

  #pause(socket: Socket): void {
    if ((this.#waiting.get(socket) ?? 0) > this.#bounds.readOnMax) socket.pause();
  }

  #change(socket: Socket, by: 1 | -1): void {
    this.#waiting.set(socket, (this.#waiting.get(socket) ?? 0) + by);
    this.#all += by;
  }

  #forget(socket: Socket): void {
    this.#all -= this.#waiting.get(socket) ?? 0;
    this.#waiting.delete(socket);
  }
}
