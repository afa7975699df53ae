// Connections are read on in turn, a few pieces in each turn of the event loop, with turns among the addresses: those that
// have just been opened, those that bring crowds of small chunks, for each of which the parser takes more than a microsecond,
// and large bodies and files. Node would read from all new ones at once, and up to 2 MB from each before it looks at another:
// some dozen of them kept all others waiting.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { FairQueue } from '../../request/fair-queue.ts';

/** Of up to 64 KB each. Chosen, not measured. */
const PIECES_EACH_TURN = 4;
/** As many as a turn has: a crowd of small chunks takes as long as some pieces without, and what a new connection brings is unknown. */
export const CROWDED = PIECES_EACH_TURN;
/** A connection waits at most once, and there is a bound of those. */
const WAITING = { eachMax: Number.POSITIVE_INFINITY, allMax: Number.POSITIVE_INFINITY };

interface Waiter {
  readonly readOn: () => void;
  readonly pieces: number;
}

const waiting = new FairQueue<Waiter>(WAITING);
let isDue = false;

export function readOnInTurn(socket: Duplex, readOn: () => void, pieces = 1): void {
  waiting.add((socket as Socket).remoteAddress ?? '', { readOn, pieces });
  schedule();
}

/** The first bytes of a new connection come in turn. */
export function readNewInTurn(server: Server): void {
  // As the option of the same name, which Node does not take for an HTTP server.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket: Socket) => readOnInTurn(socket, () => socket.resume(), CROWDED));
}

function schedule(): void {
  if (isDue || waiting.size === 0) return;
  isDue = true;
  setImmediate(takeTurn);
}

function takeTurn(): void {
  isDue = false;
  let left = PIECES_EACH_TURN;
  while (left > 0) {
    const next = waiting.next();
    if (next === undefined) return;
    left -= next.pieces;
    next.readOn();
  }
  schedule();
}
