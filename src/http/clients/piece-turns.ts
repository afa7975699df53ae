// Pieces of files on their way to clients: a few of them in each turn of the event loop, with turns among the applications.
// Some hundred downloads that begin at once fill the buffers of their connections at once: beside 256 of them
// another application's p99 was 518 ms, and 37 with these turns (`npm run bench -- neighbours --only downloads`, one round each).

import { FairQueue } from '../../request/fair-queue.ts';

/** How long a piece is, about. */
export const PIECE_BYTES = 64 * 1024;
/** Chosen, not measured: few enough that others get through, enough to keep a line busy. */
const PIECES_EACH_TURN = 4;
/** Each download waits with one piece, and there are fewer of those (gate/transfers). */
const WAITING = { eachMax: 2_000, allMax: 4_000 };

const waiting = new FairQueue<() => void>(WAITING);
let passed = 0;

/** Undefined when a piece may go on at once. */
export function pieceTurn(tenant: string): Promise<void> | undefined {
  if (passed < PIECES_EACH_TURN && waiting.size === 0) {
    pass();
    return undefined;
  }
  return new Promise((resolve) => {
    if (!waiting.add(tenant, resolve)) resolve();
  });
}

function pass(): void {
  if (passed === 0) setImmediate(nextTurn);
  passed += 1;
}

function nextTurn(): void {
  passed = 0;
  while (passed < PIECES_EACH_TURN) {
    const next = waiting.next();
    if (next === undefined) return;
    pass();
    next();
  }
}
