// A request as Node's parser fills it. The parser makes a buffer of each chunk of a body, with some hundred bytes of overhead:
// chunks of a few bytes, ten thousand of them in one read of 64 KB, could fill the memory. Small chunks are copied together
// here before anything keeps them, and a body that consists of tiny chunks is not read any further.

import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { fault } from '../../faults.ts';
import { breakOff, isDiscarding, markNewest, stopReading, whyBrokenOff } from './broken-requests.ts';
import { queueLargeRead, type ReadOwner } from './large-reads.ts';
import { chargeRead, hasSpoken, queueRead, REFUSED_REST_TIMES } from './read-queue.ts';

/** This many chunks may be of any size: clients that write a body token by token send hundreds. */
const CHUNKS_FREE = 1_024;
/** Without credentials: the body of a sign-in has one or two. */
const VISITOR_CHUNKS_FREE = 128;
/** The average size that the chunks of a body with more must have. */
const CHUNK_BYTES_MIN = 16;
/** The same for the discarded rest of a body: its sender has the reply, and nothing to lose but the connection. */
const DISCARDED_FREE = 1_024;
const DISCARDED_BYTES_MIN = 256;
/** Smaller chunks are copied together into buffers of `JOINED_BYTES`. */
const SMALL_BYTES = 1_024;
const JOINED_BYTES = 4_096;
/** This many small chunks in one read take half a millisecond. */
const CROWD = 512;
const CROWD_MS = 0.5;
/** What a refusal takes: skipping the rest of what was read takes 0.7 ms, the reply and the end of the connection as much. */
const REFUSAL_MS = 1.5;
/** A chunk of this size is part of a large body or file. */
const LARGE_BYTES = 32 * 1024;

const tinyChunks = (chunksFree: number) =>
  fault('INVALID_BODY', {
    reason: `the body came in more than ${chunksFree} chunks of less than ${CHUNK_BYTES_MIN} bytes on average; send larger ones`,
  });

/** The connection's parser, which Node does not declare. Its callbacks are stored under numbers. */
type Parsed = Socket & { readonly parser?: Record<string, unknown> | null };

/**
 * The parser goes on to the end of what was read, up to ten thousand chunks, and makes a buffer of each: some 15 ms. Without
 * its callback it makes none, and takes a fraction of a millisecond. Returns a function that restores it: parsers are reused.
 */
function skipChunks(socket: Parsed): () => void {
  const { parser } = socket;
  const isOnBody = (value: unknown) => typeof value === 'function' && value.name === 'parserOnBody';
  const [key, onBody] = Object.entries(parser ?? {}).find(([, value]) => isOnBody(value)) ?? [];
  if (!parser || key === undefined) return () => undefined;
  parser[key] = null;
  return () => {
    parser[key] = onBody;
  };
}

export class IncomingRequest extends IncomingMessage {
  /** Set when the request has been let in and its body is read. */
  owner: ReadOwner | undefined;
  #chunked: boolean | undefined;
  #chunksFree = CHUNKS_FREE;
  #wasRead = false;
  #refused = false;
  #paused = false;
  #chunks = 0;
  #bytes = 0;
  /** Small chunks of this turn of the event loop: their number, the first one not yet passed on, and the joined copy of several. */
  #crowd = 0;
  #small: Buffer | undefined;
  #joined: Buffer | undefined;
  #joinedBytes = 0;

  constructor(socket: Socket) {
    super(socket);
    hasSpoken(socket);
    markNewest(this);
  }

  /** Called by the parser for each chunk, and with null after the last. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      // A refused body gets no end: it would pass for complete.
      if (this.#refused) return false;
      if (this.#small !== undefined) this.#passOn();
      return super.push(null);
    }
    if (this.#chunked === undefined) this.#begin();
    if (this.#refused) return true;
    if (chunk.length >= LARGE_BYTES && !this.#paused) this.#pauseReading({ isLarge: true });
    // With a declared length, each chunk is as large as one read.
    if (!this.#chunked) return super.push(chunk) && !this.#paused;
    this.#chunks += 1;
    this.#bytes += chunk.length;
    if (this.#isTiny()) return this.#refuse();
    if (chunk.length < SMALL_BYTES) return this.#join(chunk);
    if (this.#small !== undefined) this.#passOn();
    return super.push(chunk) && !this.#paused;
  }

  override _read(size: number): void {
    // Node discards the body of a request that was never read.
    if (this.#wasRead && (this.#paused || this.#refused)) return;
    this.#wasRead = true;
    super._read(size);
  }

  #begin(): void {
    const { 'transfer-encoding': encoding, authorization, cookie } = this.headers;
    this.#chunked = encoding !== undefined;
    if (authorization === undefined && cookie === undefined) this.#chunksFree = VISITOR_CHUNKS_FREE;
  }

  #isTiny(): boolean {
    if (this.#chunks > this.#chunksFree + this.#bytes / CHUNK_BYTES_MIN) return true;
    return this.#chunks > DISCARDED_FREE + this.#bytes / DISCARDED_BYTES_MIN && isDiscarding(this.socket);
  }

  #refuse(): boolean {
    this.#refused = true;
    chargeRead(this.socket, REFUSAL_MS, REFUSED_REST_TIMES);
    const why = tinyChunks(this.#chunksFree);
    const undo = skipChunks(this.socket);
    setImmediate(() => {
      undo();
      stopReading(this.socket, why, { drop: false });
      if (whyBrokenOff(this) === undefined) breakOff(this, why);
    });
    return false;
  }

  #join(chunk: Buffer): boolean {
    this.#crowd += 1;
    if (this.#crowd === 1) setImmediate(() => this.#endTurn());
    if (this.#crowd % CROWD === 0) this.#beCrowded();
    if (this.#small === undefined) {
      this.#small = chunk;
      return !this.#paused;
    }
    if (this.#joined === undefined) {
      this.#joined = Buffer.allocUnsafeSlow(JOINED_BYTES);
      this.#joinedBytes = this.#small.copy(this.#joined);
    }
    this.#joinedBytes += chunk.copy(this.#joined, this.#joinedBytes);
    const isFull = this.#joinedBytes > JOINED_BYTES - SMALL_BYTES;
    return (!isFull || this.#passOn()) && !this.#paused;
  }

  #beCrowded(): void {
    chargeRead(this.socket, CROWD_MS);
    if (this.#crowd === CROWD) this.#pauseReading({ isLarge: false });
  }

  #passOn(): boolean {
    const joined = this.#joined?.subarray(0, this.#joinedBytes);
    // A reader that keeps the chunk must not keep a buffer that is mostly empty.
    const bytes = joined === undefined || joined.length > JOINED_BYTES / 2 ? joined : Buffer.from(joined);
    const small = this.#small;
    this.#small = undefined;
    this.#joined = undefined;
    return super.push(bytes ?? small);
  }

  #endTurn(): void {
    this.#crowd = 0;
    if (this.#small === undefined || this.destroyed) return;
    // As the parser does when a reader is too slow.
    if (!this.#passOn()) this.socket.pause();
  }

  #pauseReading({ isLarge }: { readonly isLarge: boolean }): void {
    this.#paused = true;
    const resume = () => {
      this.#paused = false;
      if (!this.destroyed && this.readableLength < this.readableHighWaterMark) super._read(0);
    };
    if (isLarge) queueLargeRead(this.socket, this.owner, resume);
    else queueRead(this.socket, resume);
  }
}
