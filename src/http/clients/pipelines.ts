// Requests that arrive on a connection before the ones before them are answered. Node hands over all that came in one
// piece, hundreds of them, and keeps each answer until the earlier ones are read. Answers go out in order anyway: one is
// worked on at a time, and the next begins when the answer before it has gone out.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface PipelineBounds {
  /** So many wait on a connection before it is read any further. */
  readonly readOnMax: number;
  /** Waiting on one connection, and on all of them: they come in pieces of 64 KB. Whose are beyond it is cut off. */
  readonly eachMax: number;
  readonly allMax: number;
}

export const PIPELINES: PipelineBounds = { readOnMax: 16, eachMax: 1_000, allMax: 10_000 };

export class Pipelines {
  readonly #bounds: PipelineBounds;
  /** Of connections that are open and had any. */
  readonly #waiting = new Map<Socket, number>();
  #all = 0;

  constructor(bounds: PipelineBounds = PIPELINES) {
    this.#bounds = bounds;
  }

  /** Whether there is nobody before it: all that the ordinary request asks. */
  static isFirst({ socket }: ServerResponse): boolean {
    return socket !== null;
  }

  /** Whether requests on the connection wait for those before them. */
  hasWaiting(socket: Socket): boolean {
    return (this.#waiting.get(socket) ?? 0) > 0;
  }

  /** Calls `begin` when it is its turn; never when the connection ends before. */
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
    // Behind the piece that is being taken apart: Node reads on by itself with every request in it.
    if (before === readOnMax) process.nextTick(() => this.#pause(socket));
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
