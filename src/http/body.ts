// Reads a request's body within its bound: JSON whole, files piece by piece. Nothing beyond the bound is kept: a body that says it is too long is
// refused unread, one that turns out to be is refused as soon as it is.

import type { IncomingMessage } from 'node:http';
import { fault } from '../faults.ts';
import { PATIENCE, type Patience } from './patience.ts';

/** What an answered request may still send before its connection is cut: enough for a client to finish and read. */
const DISCARD_BYTES_MAX = 64 * 1024 * 1024;
/** For what is thrown away of a body to arrive: much of a file, by a slow line. */
const DISCARD_MS_MAX = 300_000;

/** The bytes of what says that it is JSON. */
export async function readJsonBytes(
  request: IncomingMessage,
  bytesMax: number,
  patience: Patience = PATIENCE,
): Promise<Buffer> {
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
  // The connection is needed for the answer, whatever becomes of the rest.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>;
  try {
    for (;;) {
      const from = performance.now();
      const chunk = await within(patience.filePartMs - waitedMs, request, chunks.next()).catch(() => {
        throw endedEarly();
      });
      if (chunk.done === true) break;
      length += chunk.value.length;
      waitedMs += performance.now() - from;
      came += chunk.value.length;
      if (came >= patience.filePartBytes) {
        waitedMs = 0;
        came = 0;
      }
      counted.bytesIn = length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      yield chunk.value;
    }
  } finally {
    await chunks.return?.();
  }
  if (!request.complete) throw endedEarly();
}

/** Only waiting for the client counts: while somebody else is busy with what came before, nothing is read. */
async function within<T>(milliseconds: number, request: IncomingMessage, reading: Promise<T>): Promise<T> {
  // A reader whose request was answered without it may wait for long, and a server that ends must not wait for it.
  const late = setTimeout(() => request.destroy(), milliseconds).unref();
  try {
    return await reading;
  } finally {
    clearTimeout(late);
  }
}

const tooLarge = (bytesMax: number) =>
  fault('INVALID_BODY', { reason: `the body is larger than ${bytesMax} bytes`, maxBytes: bytesMax });

function readBytes(request: IncomingMessage, bytesMax: number, patience: Patience): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > bytesMax) return Promise.reject(tooLarge(bytesMax));
  // A client that has hung up meanwhile is not told of again, and would be waited for without an end.
  if (request.destroyed) return Promise.reject(endedEarly());
  invite(request);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const lateAt = performance.now() + patience.bodyMs;
    const silent = setTimeout(() => request.destroy(), patience.bodySilenceMs);
    const settle = (finish: () => void) => {
      clearTimeout(silent);
      request.off('data', onData).off('end', onEnd).off('error', onLost).off('close', onLost);
      finish();
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > bytesMax) settle(() => reject(tooLarge(bytesMax)));
      else if (performance.now() > lateAt) request.destroy();
      else {
        chunks.push(chunk);
        silent.refresh();
      }
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks, length)));
    const onLost = () => settle(() => reject(endedEarly()));
    request.on('data', onData).on('end', onEnd).on('error', onLost).on('close', onLost);
  });
}

/**
 * Lets what nobody read flow by unseen, so that the client can finish and read the answer; cuts off what never ends.
 * To be called before the answer goes out: behind it Node does the same, without a bound.
 */
export function discardRest(request: IncomingMessage, { bodySilenceMs }: Patience): void {
  if (request.complete) return;
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
