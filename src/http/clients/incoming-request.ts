// A request as the parser of Node fills it. Each chunk of a body comes as a buffer of its own, which takes some hundred bytes
// besides: chunks of a few bytes, ten thousand of them in one piece of 64 KB, were a way to fill the memory. They are copied
// together here, before anything keeps them, and a body that is made of such chunks is not read any further.

import { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { fault } from '../../faults.ts';
import { stopReading } from './connection-end.ts';
import { CROWDED, readOnInTurn } from './crowded-reads.ts';
import { breakOff, isDiscarding, whyBrokenOff } from './request-ends.ts';

/** So many chunks may be of any size: clients that write a body token by token send hundreds. */
const CHUNKS_FREE = 1_024;
/** The same without credentials: who signs in has a body of one or two. */
const VISITOR_CHUNKS_FREE = 128;
/** Of a body with more: what they have to have on average. */
const CHUNK_BYTES_MIN = 16;
/** The same of what is thrown away: its sender has the answer, and nothing to lose but the connection. */
const DISCARDED_FREE = 1_024;
const DISCARDED_BYTES_MIN = 256;
/** Smaller chunks are copied together, up to so many bytes. */
const SMALL_BYTES = 1_024;
const JOINED_BYTES = 4_096;
/** So many small ones in one piece take half a millisecond. */
const CROWD = 512;
/** Who sends so much at once has more: large bodies and files, of which Node would read 2 MB from each connection before it looks at another. */
const LARGE_BYTES = 32 * 1024;

const tinyChunks = (chunksFree: number) =>
  fault('INVALID_BODY', {
    reason: `the body came in more than ${chunksFree} chunks of less than ${CHUNK_BYTES_MIN} bytes on average; send larger ones`,
  });

/** What Node does not declare of a connection: its parser, with the functions that it calls under numbers. */
type Parsed = Socket & { readonly parser?: Record<string, unknown> | null };

/**
 * The parser goes on to the end of the piece, up to ten thousand chunks, and makes a buffer of each, some 15 ms; without a
 * function to hand them to it makes none, and takes a fraction of a millisecond. Gives what undoes this: parsers are used again.
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
  #chunked: boolean | undefined;
  #chunksFree = CHUNKS_FREE;
  #wasRead = false;
  #refused = false;
  #resting = false;
  #chunks = 0;
  #bytes = 0;
  /** Small ones of this turn of the event loop: how many, the last that is not passed on, and the copy of more than one. */
  #crowd = 0;
  #small: Buffer | undefined;
  #joined: Buffer | undefined;
  #joinedBytes = 0;

  /** Called by the parser for each chunk, and with null behind the last. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      // What was refused has no end: it would be taken for whole.
      if (this.#refused) return false;
      if (this.#small !== undefined) this.#passOn();
      return super.push(null);
    }
    if (this.#chunked === undefined) this.#begin();
    if (this.#refused) return true;
    if (chunk.length >= LARGE_BYTES && !this.#resting) this.#rest();
    // With a declared length each is all that came at once.
    if (!this.#chunked) return super.push(chunk) && !this.#resting;
    this.#chunks += 1;
    this.#bytes += chunk.length;
    if (this.#isTiny()) return this.#refuse();
    if (chunk.length < SMALL_BYTES) return this.#join(chunk);
    if (this.#small !== undefined) this.#passOn();
    return super.push(chunk) && !this.#resting;
  }

  override _read(size: number): void {
    // Node throws away, unseen, what comes of a request that was never read.
    if (this.#wasRead && (this.#resting || this.#refused)) return;
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
    if (this.#crowd === CROWD) this.#rest(CROWDED);
    if (this.#small === undefined) {
      this.#small = chunk;
      return !this.#resting;
    }
    if (this.#joined === undefined) {
      this.#joined = Buffer.allocUnsafeSlow(JOINED_BYTES);
      this.#joinedBytes = this.#small.copy(this.#joined);
    }
    this.#joinedBytes += chunk.copy(this.#joined, this.#joinedBytes);
    const isFull = this.#joinedBytes > JOINED_BYTES - SMALL_BYTES;
    return (!isFull || this.#passOn()) && !this.#resting;
  }

  #passOn(): boolean {
    const joined = this.#joined?.subarray(0, this.#joinedBytes);
    // What is kept of it must not keep a buffer that is mostly empty.
    const bytes = joined === undefined || joined.length > JOINED_BYTES / 2 ? joined : Buffer.from(joined);
    const small = this.#small;
    this.#small = undefined;
    this.#joined = undefined;
    return super.push(bytes ?? small);
  }

  #endTurn(): void {
    this.#crowd = 0;
    if (this.#small === undefined || this.destroyed) return;
    // As the parser does when the reader is too slow.
    if (!this.#passOn()) this.socket.pause();
  }

  #rest(pieces = 1): void {
    this.#resting = true;
    const readOn = () => {
      this.#resting = false;
      if (!this.destroyed && this.readableLength < this.readableHighWaterMark) super._read(0);
    };
    readOnInTurn(this.socket, readOn, pieces);
  }
}
