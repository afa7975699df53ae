// The bytes of a request, taken in pieces. When they break off, what has arrived is a piece like any other, and why they
// did is kept for afterwards. Nothing is held but the chunk at a boundary.

import { onAbort } from '../../request/signal.ts';

/** When somebody newer waits: what has arrived is on its way through the buffers, and comes without a pause. */
const PAUSE_MS_MAX = 100;
const REST_MS_MAX = 1_000;

/** Why there are no more bytes, other than that all have come. */
interface Breach {
  readonly error: unknown;
}

export class IncomingBytes {
  breach: Breach | undefined;
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal;
  #rest: Uint8Array | undefined;
  #ended = false;
  #reading = false;
  #late = Number.POSITIVE_INFINITY;

  /** When `signal` aborts, only what has arrived already is taken, and its reason is the breach. */
  constructor(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    this.#chunks = bytes[Symbol.asyncIterator]();
    this.#signal = signal;
  }

  /** Waits until there is something to take; false: there will be nothing. */
  async more(): Promise<boolean> {
    while (this.#rest === undefined && !this.#ended) {
      try {
        const { done, value } = await this.#next();
        if (done) this.#ended = true;
        else if (value.length > 0) this.#rest = value;
      } catch (error) {
        this.breach = { error };
        this.#ended = true;
      }
    }
    return this.#rest !== undefined;
  }

  /** As much as there is, up to so many. Never throws. */
  async *take(bytesMax: number): AsyncGenerator<Uint8Array> {
    for (let left = bytesMax; left > 0 && (await this.more()); ) {
      const chunk = this.#rest as Uint8Array;
      const head = chunk.subarray(0, left);
      this.#rest = chunk.length > left ? chunk.subarray(left) : undefined;
      left -= head.length;
      yield head;
    }
  }

  /** Lets go of the source. While that is being read nobody waits for it: a dead connection may keep its reader for long. */
  async close(): Promise<void> {
    this.#ended = true;
    const closed = this.#chunks.return?.().catch(() => undefined);
    if (!this.#reading) await closed;
  }

  /** Not Promise.race: on a signal that lives as long as the request it would keep every chunk alive. */
  #next(): Promise<IteratorResult<Uint8Array>> {
    const signal = this.#signal;
    if (performance.now() >= this.#late) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const hurry = () => {
        const now = performance.now();
        this.#late = Math.min(this.#late, now + REST_MS_MAX);
        timer = setTimeout(() => reject(signal.reason), Math.min(PAUSE_MS_MAX, this.#late - now));
      };
      if (signal.aborted) hurry();
      const unsubscribe = onAbort(signal, hurry);
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
