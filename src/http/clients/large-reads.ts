// A queue for reading large bodies and files, fair among tenants: 64 KB in each turn of the event loop. Node would read up to
// 2 MB from a connection before it looks at another.
//
// Beside other tenants, pauses follow the reads as they follow slices of heavy work (load/slices): what was read is copied, hashed
// and collected while the others wait (`npm run bench -- neighbours --only bodies-nested,uploads`).

import type { Duplex } from 'node:stream';
import { FairQueue } from '../../load/fair-queue.ts';
import { isDiscarding } from './broken-requests.ts';

/** Whose bytes are read. */
export interface ReadOwner {
  readonly tenant: string;
  readonly kind: keyof typeof READ_MS;
  /** How many times as long as a read the pause after it is to be. */
  pauseTimes(): number;
}

/** What a read of 64 KB takes, with all that is done with the bytes: JSON is copied together and decoded, and its garbage collected. */
const READ_MS = { json: 0.5, file: 0.25 };
/** The rest of a refused body: its sender has the reply. */
const DISCARD_PAUSE_TIMES = 4;
/** A connection waits at most once, and the number of connections has a limit of its own. */
const UNBOUNDED = { eachMax: Number.POSITIVE_INFINITY, allMax: Number.POSITIVE_INFINITY };

/** Each entry reads and returns the pause. */
const queue = new FairQueue<() => number>(UNBOUNDED);
let isScheduled = false;
let pauseUntil = 0;

/** `owner`: undefined until the request has been let in. */
export function queueLargeRead(socket: Duplex, owner: ReadOwner | undefined, resume: () => void): void {
  queue.add(owner?.tenant ?? '', () => {
    resume();
    const pauseTimes = isDiscarding(socket) ? DISCARD_PAUSE_TIMES : (owner?.pauseTimes() ?? 0);
    return pauseTimes * READ_MS[owner?.kind ?? 'file'];
  });
  schedule();
}

function schedule(): void {
  if (isScheduled || queue.size === 0) return;
  isScheduled = true;
  const pauseMs = pauseUntil - performance.now();
  // Timers count whole milliseconds. Shorter pauses add up until there is one.
  if (pauseMs < 1) setImmediate(readNext);
  else setTimeout(readNext, pauseMs);
}

function readNext(): void {
  isScheduled = false;
  const pauseMs = queue.next()?.() ?? 0;
  pauseUntil = Math.max(pauseUntil, performance.now()) + pauseMs;
  schedule();
}
