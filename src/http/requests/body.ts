// Reads the body of a request up to its limit: JSON as a whole, files chunk by chunk. A declared length beyond the limit is
// refused unread, and a body without one as soon as it passes the limit.

import type { IncomingMessage } from 'node:http';
import { type Fault, fault } from '../../faults.ts';
import { freeBytes } from '../../load/freed-bytes.ts';
import { markDiscarded, whyBrokenOff } from '../clients/broken-requests.ts';
import { CLIENT_TIMEOUTS, type ClientTimeouts } from '../clients/timeouts.ts';

/** How much a client may still send after its reply before its connection is cut: enough to finish and to read the reply. */
const DISCARD_BYTES_MAX = 64 * 1024 * 1024;
/** For the discarded rest of a body: a slow client may be in the middle of a large file. */
const DISCARD_MS_MAX = 300_000;

/** For `readJson`, which parses the bytes when the request is admitted. */
export function readJsonBytes(
  request: IncomingMessage,
  bytesMax: number,
  timeouts: ClientTimeouts = CLIENT_TIMEOUTS,
): BodyReading {
  checkContentType(request);
  return readBytes(request, bytesMax, timeouts);
}

/**
 * The JSON body that came with the request's head, as small ones do: it takes no listeners, timers and turns of the event
 * loop. Only of a declared length, which shows that nothing is missing. Undefined: `readJsonBytes` decides.
 */
export function arrivedJsonBytes(request: IncomingMessage, bytesMax: number): Buffer | undefined {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared === 0 || declared > bytesMax || request.readableLength !== declared || request.destroyed)
    return undefined;
  checkContentType(request);
  return request.read() as Buffer;
}

function checkContentType(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (type === undefined) {
    throw fault('INVALID_CONTENT_TYPE', { reason: 'Content-Type must be application/json, and is missing' });
  }
  if (type !== 'application/json') refuseOtherTypes(type);
  refuseCompressed(request);
}

function refuseOtherTypes(type: string): void {
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (media !== 'application/json' || (charset !== undefined && !/^"?utf-?8"?$/.test(charset))) {
    throw fault('INVALID_CONTENT_TYPE', { reason: 'Content-Type must be application/json in UTF-8' });
  }
}

function refuseCompressed({ headers }: IncomingMessage): void {
  refuseOther('Content-Encoding', headers['content-encoding'], 'identity');
  refuseOther('Transfer-Encoding', headers['transfer-encoding'], 'chunked');
}

function refuseOther(name: string, given: string | undefined, known: string): void {
  if (given === undefined || given.toLowerCase() === known) return;
  throw fault('INVALID_CONTENT_TYPE', { reason: `${name} must be ${known}, if it is given` });
}

const awaited = new WeakMap<IncomingMessage, () => void>();

/** The client waits for an invitation to send its body (Expect: 100-continue). It gets one when the body is read. */
export function awaitInvitation(request: IncomingMessage, invite: () => void): void {
  awaited.set(request, invite);
}

function invite(request: IncomingMessage): void {
  awaited.get(request)?.();
  awaited.delete(request);
}

const endedEarly = () => fault('INVALID_BODY', { reason: 'the body ended before its declared length' });

/** The bytes of a file as they arrive, no faster than the caller takes them. */
export function readFile(request: IncomingMessage, bytesMax: number, reading: FileReading): AsyncIterable<Uint8Array> {
  refuseCompressed(request);
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  return readChunks(request, bytesMax, reading);
}

interface FileReading {
  readonly counted: { bytesIn: number };
  readonly timeouts: ClientTimeouts;
}

async function* readChunks(
  request: IncomingMessage,
  bytesMax: number,
  { counted, timeouts }: FileReading,
): AsyncGenerator<Uint8Array> {
  invite(request);
  let length = 0;
  // Of the current `filePartBytes`: the time spent waiting for them, and how many have arrived.
  let waitedMs = 0;
  let arrived = 0;
  // Not the stream's own iterator: it destroys the connection of a request that breaks off, which is needed for the reply.
  const arrivals = new Arrivals(request);
  try {
    for (;;) {
      const from = performance.now();
      const chunk = await arrivals.next(timeouts.filePartMs - waitedMs);
      if (chunk === undefined) break;
      length += chunk.length;
      waitedMs += performance.now() - from;
      arrived += chunk.length;
      if (arrived >= timeouts.filePartBytes) {
        waitedMs = 0;
        arrived = 0;
      }
      counted.bytesIn = length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      yield chunk;
    }
  } finally {
    arrivals.close();
  }
}

const ARRIVALS = ['readable', 'end', 'error', 'close', 'brokenOff'] as const;

/** The chunks of a request's body: at once what has arrived, then the rest as it arrives. */
class Arrivals {
  readonly #request: IncomingMessage;
  #wake: () => void = () => undefined;
  readonly #onEvent = () => this.#wake();

  constructor(request: IncomingMessage) {
    this.#request = request;
    for (const event of ARRIVALS) request.on(event, this.#onEvent);
  }

  /** The timeout covers waiting for the client only, not the work on earlier chunks. Undefined at the end. */
  async next(timeoutMs: number): Promise<Uint8Array | undefined> {
    const request = this.#request;
    // Unreferenced: a server that stops does not wait for a reader whose request already has its reply.
    const timeout = setTimeout(() => request.destroy(), timeoutMs).unref();
    try {
      for (;;) {
        const chunk = request.destroyed ? null : (request.read() as Uint8Array | null);
        if (chunk !== null) return chunk;
        if (request.readableEnded && request.complete) return undefined;
        const why = whyBrokenOff(request);
        if (why !== undefined) throw why;
        if (request.destroyed) throw endedEarly();
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timeout);
    }
  }

  close(): void {
    for (const event of ARRIVALS) this.#request.off(event, this.#onEvent);
  }
}

const tooLarge = (bytesMax: number) =>
  fault('INVALID_BODY', { reason: `the body is larger than ${bytesMax} bytes`, maxBytes: bytesMax });

/** A body that is being read into memory. */
export interface BodyReading {
  readonly bytes: Promise<Buffer>;
  /** Calls `setBytes` with the memory that the body takes, now and whenever it grows. */
  countIn(setBytes: SetBytes): void;
  /** Rejects `bytes`, and leaves the rest of the body unread. */
  stop(why: Fault): void;
}

type SetBytes = (bytes: number) => void;

function readBytes(request: IncomingMessage, bytesMax: number, timeouts: ClientTimeouts): BodyReading {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  const why = whyBrokenOff(request);
  if (why !== undefined) throw why;
  // A client that has hung up emits no further event: the body would be waited for without end.
  if (request.destroyed) throw endedEarly();
  invite(request);
  const body = new GrowingBytes(declared > 0 ? declared : bytesMax);
  let setBytes: SetBytes | undefined;
  let stop: BodyReading['stop'] = () => undefined;
  const bytes = new Promise<Buffer>((resolve, reject) => {
    const deadlineAt = performance.now() + timeouts.bodyMs;
    const silence = setTimeout(() => request.destroy(), timeouts.bodySilenceMs);
    const settle = (finish: () => void) => {
      clearTimeout(silence);
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost).off('brokenOff', stop);
      finish();
    };
    const onData = (chunk: Buffer) => {
      if (body.length + chunk.length > bytesMax) stop(tooLarge(bytesMax));
      else if (performance.now() > deadlineAt) request.destroy();
      else {
        silence.refresh();
        body.add(chunk);
        setBytes?.(body.capacity);
      }
    };
    const onEnd = () => settle(() => resolve(body.toBuffer()));
    const onLost = () => stop(endedEarly());
    stop = (reason) => settle(() => reject(reason));
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost).on('brokenOff', stop);
  });
  const countIn = (given: SetBytes) => {
    setBytes = given;
    setBytes(body.capacity);
  };
  return { bytes, countIn, stop };
}

const CAPACITY_MIN = 4_096;

/** Chunks copied together as they arrive: as buffers of their own, chunks of a few bytes would take many times their length. */
class GrowingBytes {
  readonly #lengthMax: number;
  /** The first chunk as it arrived; from the second on, a copy with room for more. */
  #bytes: Buffer | undefined;
  #copied = false;
  #length = 0;

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  get length(): number {
    return this.#length;
  }

  /** The memory that the bytes take. */
  get capacity(): number {
    return this.#bytes?.length ?? 0;
  }

  add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (this.#bytes === undefined) this.#bytes = chunk;
    else {
      if (!this.#copied || length > this.#bytes.length) this.#grow(this.#bytes, length);
      chunk.copy(this.#bytes, this.#length);
      freeBytes(chunk);
    }
    this.#length = length;
  }

  /** Without another copy. */
  toBuffer(): Buffer {
    return this.#bytes?.subarray(0, this.#length) ?? Buffer.alloc(0);
  }

  #grow(bytes: Buffer, length: number): void {
    const capacity = Math.min(this.#lengthMax, Math.max(CAPACITY_MIN, 2 * bytes.length, length));
    const grown = Buffer.allocUnsafeSlow(capacity);
    bytes.copy(grown, 0, 0, this.#length);
    freeBytes(bytes);
    this.#bytes = grown;
    this.#copied = true;
  }
}

/**
 * Reads and drops the rest of the body, so that the client can finish sending and read the reply; an endless body is cut off.
 * Called before the reply goes out: after it Node would do the same, without a limit.
 */
export function discardRest(request: IncomingMessage, { bodySilenceMs }: ClientTimeouts): void {
  if (request.complete) return;
  markDiscarded(request);
  let discarded = 0;
  const deadlineAt = performance.now() + DISCARD_MS_MAX;
  const silence = setTimeout(() => request.destroy(), bodySilenceMs).unref();
  request.once('close', () => clearTimeout(silence));
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARD_BYTES_MAX || performance.now() > deadlineAt) request.destroy();
    else silence.refresh();
  });
  request.on('error', () => undefined);
  request.resume();
}
