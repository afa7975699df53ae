// The body of an upload request, taken in pieces. When it breaks off, the bytes received so far are a piece like any
// other, and the failure is kept. Only the chunk at a boundary between pieces is held in memory.

import { onAbort } from '../../request/signal.ts';

/** After an abort, bytes that have already arrived are still read from the buffers; they come without a pause. */
const PAUSE_MS_MAX = 100;
const DRAIN_MS_MAX = 1_000;

/** Why the body ended early. */
interface ReadFailure {
  readonly error: unknown;
}

export class IncomingBytes {
  failure: ReadFailure | undefined;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal;
  #rest: Uint8Array | undefined;
  #ended = false;
  #reading = false;
  /** After an abort: when to stop reading, by performance.now(). */
  #drainDeadline = Number.POSITIVE_INFINITY;

  /** When `signal` aborts, only bytes that have already arrived are taken, and its reason becomes the failure. */
  constructor(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    this.#chunks = bytes[Symbol.asyncIterator]();
    this.#signal = signal;
  }

  /** Waits until there are bytes to take; false at the end. */
  async more(): Promise<boolean> {
    while (this.#rest === undefined && !this.#ended) {
      try {
        const { done, value } = await this.#next();
        if (done) this.#ended = true;
        else if (value.length > 0) this.#rest = value;
      } catch (error) {
        this.failure = { error };
        this.#ended = true;
      }
    }
    return this.#rest !== undefined;
  }

  /** Up to `bytesMax` bytes. Never throws. */
  async *take(bytesMax: number): AsyncGenerator<Uint8Array> {
    for (let left = bytesMax; left > 0 && (await this.more()); ) {
      const chunk = this.#rest as Uint8Array;
      const head = chunk.subarray(0, left);
      this.#rest = chunk.length > left ? chunk.subarray(left) : undefined;
      left -= head.length;
      yield head;
    }
  }

  /** Closes the source. Does not wait for a pending read: a dead connection may never end it. */
  async close(): Promise<void> {
    this.#ended = true;
    const closed = this.#chunks.return?.().catch(() => undefined);
    if (!this.#reading) await closed;
  }

  /** Not Promise.race: with a signal that lives as long as the request, that would keep every chunk in memory. */
  #next(): Promise<IteratorResult<Uint8Array>> {
    const signal = this.#signal;
    if (performance.now() >= this.#drainDeadline) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const startTimer = () => {
        const now = performance.now();
        this.#drainDeadline = Math.min(this.#drainDeadline, now + DRAIN_MS_MAX);
        timer = setTimeout(() => reject(signal.reason), Math.min(PAUSE_MS_MAX, this.#drainDeadline - now));
      };
      if (signal.aborted) startTimer();
      const unsubscribe = onAbort(signal, startTimer);
      this.#reading = true;
      this.#chunks
        .next()
        .then(resolve, reject)
        .finally(() => {
          this.#reading = false;
          clearTimeout(timer);
          unsubscribe();
        });
    });
  }
}
