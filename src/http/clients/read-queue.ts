// A queue for reading from connections, fair among client addresses: a few chunks of up to 64 KB in each turn of the event
// loop. New connections wait in it, and connections with many small chunks (the parser takes more than a microsecond for
// each), large bodies or files. Node would read from all new connections at once, and up to 2 MB from each before it looks
// at another: some dozens of them kept all other clients waiting.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { FairQueue } from '../../load/fair-queue.ts';

/** Chosen, not measured. */
const READS_EACH_TURN = 4;
/** The cost of a read that takes as long as several: many small chunks, or unknown bytes of a new connection. */
export const FULL_TURN = READS_EACH_TURN;
/** A connection waits at most once, and the number of connections has a limit of its own. */
const UNBOUNDED = { eachMax: Number.POSITIVE_INFINITY, allMax: Number.POSITIVE_INFINITY };

interface Waiter {
  readonly resume: () => void;
  readonly cost: number;
}

const queue = new FairQueue<Waiter>(UNBOUNDED);
let isScheduled = false;

export function queueRead(socket: Duplex, resume: () => void, cost = 1): void {
  queue.add((socket as Socket).remoteAddress ?? '', { resume, cost });
  schedule();
}

/** The first bytes of new connections are read through the queue. */
export function queueFirstReads(server: Server): void {
  // As the option of the same name does, which Node does not accept for an HTTP server.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket: Socket) => queueRead(socket, () => socket.resume(), FULL_TURN));
}

function schedule(): void {
  if (isScheduled || queue.size === 0) return;
  isScheduled = true;
  setImmediate(runTurn);
}

function runTurn(): void {
  isScheduled = false;
  let left = READS_EACH_TURN;
  while (left > 0) {
    const next = queue.next();
    if (next === undefined) return;
    left -= next.cost;
    next.resume();
  }
  schedule();
}
