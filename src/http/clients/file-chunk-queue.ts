// A queue for the chunks of files on their way to clients, fair among tenants: one in each turn of the event loop. Some
// hundreds of downloads that begin at once would fill the buffers of their connections at once: beside 256 of them another
// application's p99 was 518 ms, and 37 ms with this queue (`npm run bench -- neighbours --only downloads`, one round each).

import { FairQueue } from '../../load/fair-queue.ts';

/** Fewer bytes need no turn. */
export const DOWNLOAD_CHUNK_BYTES = 64 * 1024;
/** Each download waits with one chunk, and there are fewer downloads than this (gate/transfers). */
const BOUNDS = { eachMax: 2_000, allMax: 4_000 };

interface WaitingChunk {
  readonly go: () => void;
  readonly bytes: number;
}

const queue = new FairQueue<WaitingChunk>(BOUNDS);
let sentThisTurn = 0;

/** Undefined when the chunk may be sent at once. */
export function chunkTurn(tenant: string, bytes: number): Promise<void> | undefined {
  if (bytes < DOWNLOAD_CHUNK_BYTES) return undefined;
  if (sentThisTurn < DOWNLOAD_CHUNK_BYTES && queue.size === 0) {
    count(bytes);
    return undefined;
  }
  return new Promise((resolve) => {
    if (!queue.add(tenant, { go: resolve, bytes })) resolve();
  });
}

function count(bytes: number): void {
  if (sentThisTurn === 0) setImmediate(nextTurn);
  sentThisTurn += bytes;
}

function nextTurn(): void {
  sentThisTurn = 0;
  while (sentThisTurn < DOWNLOAD_CHUNK_BYTES) {
    const next = queue.next();
    if (next === undefined) return;
    count(next.bytes);
    next.go();
  }
}
