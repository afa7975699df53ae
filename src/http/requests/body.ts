// Reads a request's body within its bound: JSON whole, files piece by piece. Nothing beyond the bound is kept: a body that says it is too long is
// refused unread, one that turns out to be is refused as soon as it is.

import type { IncomingMessage } from 'node:http';
import { type Fault, fault } from '../../faults.ts';
import { PATIENCE, type Patience } from '../clients/patience.ts';
import { noteDiscarded, whyBrokenOff } from '../clients/request-ends.ts';
import { GrowingBytes } from './growing-bytes.ts';

/** What an answered request may still send before its connection is cut: enough for a client to finish and read. */
const DISCARD_BYTES_MAX = 64 * 1024 * 1024;
/** For what is thrown away of a body to arrive: much of a file, by a slow line. */
const DISCARD_MS_MAX = 300_000;

/** To be given to `readJson` when there is time for it: until then nothing but the bytes is kept. */
export function readJsonBytes(request: IncomingMessage, bytesMax: number, patience: Patience = PATIENCE): BodyReading {
  checkContentType(request);
  return readBytes(request, bytesMax, patience);
}

function checkContentType(request: IncomingMessage): void {
  const type = request.headers['content-type'];
  if (type === undefined) {
    throw fault('INVALID_CONTENT_TYPE', { reason: 'Content-Type must be application/json, and is missing' });
  }
  const [media = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (media !== 'application/json' || (charset !== undefined && !/^"?utf-?8"?$/.test(charset))) {
    throw fault('INVALID_CONTENT_TYPE', { reason: 'Content-Type must be application/json in UTF-8' });
  }
  refuseCompressed(request);
}

function refuseCompressed({ headers }: IncomingMessage): void {
  const encodings = { 'Content-Encoding': 'identity', 'Transfer-Encoding': 'chunked' };
  for (const [name, known] of Object.entries(encodings)) {
    const given = headers[name.toLowerCase()];
    if (given === undefined || String(given).toLowerCase() === known) continue;
    throw fault('INVALID_CONTENT_TYPE', { reason: `${name} must be ${known}, if it is given` });
  }
}

const awaited = new WeakMap<IncomingMessage, () => void>();

/** The client waits to be asked for its body (Expect: 100-continue); it is asked when somebody wants to read it. */
export function awaitInvitation(request: IncomingMessage, invite: () => void): void {
  awaited.set(request, invite);
}

function invite(request: IncomingMessage): void {
  awaited.get(request)?.();
  awaited.delete(request);
}

const endedEarly = () => fault('INVALID_BODY', { reason: 'the body ended before its declared length' });

/** A file's bytes as they arrive, no faster than they are taken. A declared length beyond the bound is refused unread. */
export function readFile(request: IncomingMessage, bytesMax: number, reading: FileReading): AsyncIterable<Uint8Array> {
  refuseCompressed(request);
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  return readChunks(request, bytesMax, reading);
}

interface FileReading {
  readonly counted: { bytesIn: number };
  readonly patience: Patience;
}

async function* readChunks(
  request: IncomingMessage,
  bytesMax: number,
  { counted, patience }: FileReading,
): AsyncGenerator<Uint8Array> {
  invite(request);
  let length = 0;
  // Of the part that has begun: how long it was waited for, and what of it has come.
  let waitedMs = 0;
  let came = 0;
  // Not the iterator of the stream: when a request breaks off that takes the connection with it, which is needed for the answer.
  const arrivals = new Arrivals(request);
  try {
    for (;;) {
      const from = performance.now();
      const chunk = await arrivals.next(patience.filePartMs - waitedMs);
      if (chunk === undefined) break;
      length += chunk.length;
      waitedMs += performance.now() - from;
      came += chunk.length;
      if (came >= patience.filePartBytes) {
        waitedMs = 0;
        came = 0;
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

/** What has come of a request, all of it at once, and what comes later. */
class Arrivals {
  readonly #request: IncomingMessage;
  #wake: () => void = () => undefined;
  readonly #arrived = () => this.#wake();

  constructor(request: IncomingMessage) {
    this.#request = request;
    for (const event of ARRIVALS) request.on(event, this.#arrived);
  }

  /** Only waiting for the client counts: while somebody else is busy with what came before, nothing is read. */
  async next(milliseconds: number): Promise<Uint8Array | undefined> {
    const request = this.#request;
    // A reader whose request was answered without it may wait for long, and a server that ends must not wait for it.
    const late = setTimeout(() => request.destroy(), milliseconds).unref();
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
      clearTimeout(late);
    }
  }

  close(): void {
    for (const event of ARRIVALS) this.#request.off(event, this.#arrived);
  }
}

const tooLarge = (bytesMax: number) =>
  fault('INVALID_BODY', { reason: `the body is larger than ${bytesMax} bytes`, maxBytes: bytesMax });

/** A body that is being read into memory. */
export interface BodyReading {
  readonly bytes: Promise<Buffer>;
  /** All that was declared is there. */
  readonly isWhole: () => boolean;
  /** Tells the place from now on how much memory is taken. */
  countIn(place: BodyPlace): void;
  /** Leaves what is still to come to others; the bytes are not given then. */
  stop(why: Fault): void;
}

export interface BodyPlace {
  hold(bytes: number): void;
}

function readBytes(request: IncomingMessage, bytesMax: number, patience: Patience): BodyReading {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) throw tooLarge(bytesMax);
  const why = whyBrokenOff(request);
  if (why !== undefined) throw why;
  // A client that has hung up meanwhile is not told of again, and would be waited for without an end.
  if (request.destroyed) throw endedEarly();
  invite(request);
  const body = new GrowingBytes(declared > 0 ? declared : bytesMax);
  let place: BodyPlace | undefined;
  let stop: BodyReading['stop'] = () => undefined;
  const bytes = new Promise<Buffer>((resolve, reject) => {
    const lateAt = performance.now() + patience.bodyMs;
    const silent = setTimeout(() => request.destroy(), patience.bodySilenceMs);
    const settle = (finish: () => void) => {
      clearTimeout(silent);
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost).off('brokenOff', stop);
      finish();
    };
    const onData = (chunk: Buffer) => {
      if (body.length + chunk.length > bytesMax) stop(tooLarge(bytesMax));
      else if (performance.now() > lateAt) request.destroy();
      else {
        silent.refresh();
        body.add(chunk);
        place?.hold(body.capacity);
      }
    };
    const onEnd = () => settle(() => resolve(body.taken()));
    const onLost = () => stop(endedEarly());
    stop = (reason) => settle(() => reject(reason));
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost).on('brokenOff', stop);
  });
  const countIn = (given: BodyPlace) => {
    place = given;
    place.hold(body.capacity);
  };
  const isWhole = () => declared > 0 && body.length === declared;
  return { bytes, isWhole, countIn, stop };
}

/**
 * Lets what nobody read flow by unseen, so that the client can finish and read the answer; cuts off what never ends.
 * To be called before the answer goes out: behind it Node does the same, without a bound.
 */
export function discardRest(request: IncomingMessage, { bodySilenceMs }: Patience): void {
  if (request.complete) return;
  noteDiscarded(request);
  let discarded = 0;
  const lateAt = performance.now() + DISCARD_MS_MAX;
  const silent = setTimeout(() => request.destroy(), bodySilenceMs).unref();
  request.once('close', () => clearTimeout(silent));
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > DISCARD_BYTES_MAX || performance.now() > lateAt) request.destroy();
    else silent.refresh();
  });
  request.on('error', () => undefined);
  request.resume();
}
