// Puts the status, the headers and the bytes of a reply on the wire.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ByteBudget } from '../load/byte-budget.ts';
import { freeBytes } from '../load/freed-bytes.ts';
import type { RequestScope, Stage } from '../request/request-scope.ts';
import { chunkTurn, DOWNLOAD_CHUNK_BYTES } from './clients/file-chunk-queue.ts';
import type { Encoder } from './compression.ts';
import { AT_ONCE_BYTES_MAX, BODY_HEADERS, writeAtOnce } from './replies/one-write.ts';
import { type Body, byteLength, type Reply } from './replies/reply.ts';

/** `encoder`: what a body in parts goes through on its way. */
export function writeReply(
  response: ServerResponse,
  { scope, reply, encoder }: { scope: RequestScope; reply: Reply; encoder?: Encoder | undefined },
  budget: ByteBudget,
): void {
  const complete = completed(scope, reply);
  const { status, headers, body } = complete;
  if (isShort(body) && writeAtOnce(response, body, { scope, reply: complete })) return;
  if (body === undefined) {
    response.writeHead(status, { 'x-request-id': scope.id, ...scope.headers, ...headers });
    response.end();
    return;
  }
  const length = encoder === undefined ? { 'content-length': byteLength(body) } : {};
  response.writeHead(status, {
    'x-request-id': scope.id,
    ...BODY_HEADERS,
    ...length,
    ...scope.headers,
    ...headers,
  });
  if (isInParts(body) || isLong(body, scope)) {
    const parts = isInParts(body) ? body : [body];
    // Either of the two ends the other.
    if (encoder !== undefined) pipeline(encoder, response).catch(() => undefined);
    const uses = reply.ownsBytes === true ? usesOf(parts) : undefined;
    const gone = (part: string | Uint8Array) => {
      budget.releaseBytes(scope, part.length);
      if (uses !== undefined) freeUse(part, uses);
    };
    const waiting = (turn: Promise<void>) => budget.whileNotSending(scope, turn);
    void writeParts(encoder ?? response, parts, { tenant: scope.tenant, gone, waiting });
  } else {
    response.end(body);
    if (reply.ownsBytes === true && typeof body !== 'string') freeWhenSent(response, body);
  }
}

const isShort = (body: Body | undefined): body is string | Buffer =>
  typeof body === 'string' || (Buffer.isBuffer(body) && body.length <= AT_ONCE_BYTES_MAX);

/** More bytes go out in pieces: a megabyte takes the kernel, which delivers it on the same machine, more than a millisecond. */
const AT_ONCE_LONG_BYTES_MAX = 4 * DOWNLOAD_CHUNK_BYTES;

/** Whose client is bounded by the budget of long records (load/byte-budget). */
const isLong = (body: Body, { heldBytes }: RequestScope): body is Buffer =>
  Buffer.isBuffer(body) && body.length > AT_ONCE_LONG_BYTES_MAX && heldBytes > 0;

export const isInParts = (body: Body): body is readonly (string | Uint8Array)[] => Array.isArray(body);

interface PartsHooks {
  readonly tenant: string;
  /** Called with each part when all of it has gone out. */
  readonly gone: (part: string | Uint8Array) => void;
  /** Waits for the turn of a piece. */
  readonly waiting: (turn: Promise<void>) => Promise<void>;
}

/**
 * In pieces that take turns with those of other replies: a connection may take several megabytes at once. And no faster than the
 * client reads, so that the budget of each part is released when the part has gone out.
 */
export async function writeParts(
  response: Writable,
  parts: readonly (string | Uint8Array)[],
  { tenant, gone, waiting }: PartsHooks,
): Promise<void> {
  let turnBytes = 0;
  for (const part of parts) {
    // Texts are short, or they would be bytes.
    const pieceBytes = typeof part === 'string' ? part.length : DOWNLOAD_CHUNK_BYTES;
    for (let from = 0; from < part.length; from += pieceBytes) {
      const piece = typeof part === 'string' ? part : part.subarray(from, from + pieceBytes);
      turnBytes += piece.length;
      if (turnBytes >= DOWNLOAD_CHUNK_BYTES) {
        const turn = chunkTurn(tenant, turnBytes);
        if (turn !== undefined) await waiting(turn);
        turnBytes = 0;
      }
      if (response.destroyed) return;
      const isLast = from + pieceBytes >= part.length;
      const isTaken = response.write(piece, isLast ? () => gone(part) : undefined);
      if (!isTaken) await new Promise((resolve) => response.once('drain', resolve));
    }
  }
  response.end();
}

/** Most clients take all of it at once. */
function freeWhenSent(response: ServerResponse, bytes: Uint8Array): void {
  if (response.writableLength === 0) freeBytes(bytes);
  else response.once('finish', () => freeBytes(bytes));
}

/** How often each of the bytes is a part: many records of a page may have one value. */
function usesOf(parts: readonly (string | Uint8Array)[]): Map<Uint8Array, number> {
  const uses = new Map<Uint8Array, number>();
  for (const part of parts) if (typeof part !== 'string') uses.set(part, (uses.get(part) ?? 0) + 1);
  return uses;
}

function freeUse(part: Uint8Array | string, uses: Map<Uint8Array, number>): void {
  if (typeof part === 'string') return;
  const left = (uses.get(part) ?? 0) - 1;
  uses.set(part, left);
  if (left === 0) freeBytes(part);
}

/** Why a reply did not go out completely: its client left, which is ordinary, or its bytes could not be read, which is our failure. */
type Cut = { readonly event: 'request.left' | 'request.cut'; readonly cause: unknown };

/** A file in memory, whose length the headers tell: in one write with them. Undefined if the client takes all of it at once. */
export function writeWhole(
  response: ServerResponse,
  bytes: Uint8Array,
  { scope, reply }: { scope: RequestScope; reply: Reply },
): Promise<Cut | undefined> | undefined {
  const { socket } = response.req;
  if (socket.destroyed) return Promise.resolve({ event: 'request.left', cause: socket.errored });
  const { status, headers } = completed(scope, reply);
  response.writeHead(status, { 'x-request-id': scope.id, ...scope.headers, ...headers });
  response.end(bytes);
  scope.bytesOut = bytes.length;
  return socket.writableLength === 0 ? undefined : untilSent(response, socket, scope);
}

async function untilSent(response: ServerResponse, socket: Socket, scope: RequestScope): Promise<Cut | undefined> {
  await new Promise((resolve) => response.once('close', resolve));
  if (response.writableFinished) return undefined;
  scope.bytesOut = Math.max(0, scope.bytesOut - socket.writableLength);
  return { event: 'request.left', cause: socket.errored };
}

/**
 * Cuts the connection where bytes are missing: the length has gone out already, so the client notices. Throws if not even the
 * headers can be sent.
 */
export async function streamReply(
  response: ServerResponse,
  bytes: Readable,
  { scope, reply, encoder }: { scope: RequestScope; reply: Reply; encoder?: Encoder | undefined },
): Promise<Cut | undefined> {
  const declared = reply.headers?.['content-length'];
  const progress = { length: declared === undefined ? undefined : Number(declared), sent: 0 };
  try {
    const { status, headers } = completed(scope, reply);
    response.writeHead(status, { 'x-request-id': scope.id, ...scope.headers, ...headers });
    const isGone = reply.ownsBytes === true ? () => response.writableLength === 0 : () => false;
    const checked = (source: AsyncIterable<Uint8Array | string>) => inFull(source, progress, { scope, isGone });
    await (encoder === undefined ? pipeline(bytes, checked, response) : pipeline(bytes, checked, encoder, response));
    return undefined;
  } catch (cause) {
    if (!response.headersSent) throw cause;
    // A client that has all declared bytes may close first.
    if (progress.sent === progress.length) return undefined;
    const left = (cause as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    return { event: left ? 'request.left' : 'request.cut', cause };
  } finally {
    discard(bytes);
    scope.bytesOut = progress.sent;
  }
}

/** Closes the source of the bytes. Its errors no longer concern any request. */
export function discard(bytes: Readable): void {
  bytes.on('error', () => undefined).destroy();
}

/** Adds `Server-Timing`, and joins what the reply and its request vary by: elsewhere a header of the reply replaces the scope's. */
function completed(scope: RequestScope, reply: Reply): Reply {
  scope.endStages();
  const timing = serverTiming(scope, reply.status);
  if (timing !== undefined) scope.headers['server-timing'] = timing;
  if (scope.headers.vary === undefined || reply.headers?.vary === undefined) return reply;
  const { vary, ...headers } = reply.headers;
  scope.headers.vary = `${vary}, ${scope.headers.vary}`;
  return { ...reply, headers };
}

/**
 * Fewer bytes than declared would leave the client waiting, and more would be taken for the next reply. `isGone`: whether all
 * chunks so far have gone out and may be freed.
 */
async function* inFull(
  bytes: AsyncIterable<Uint8Array | string>,
  progress: { readonly length: number | undefined; sent: number },
  { scope: { tenant }, isGone }: { scope: RequestScope; isGone: () => boolean },
): AsyncGenerator<Uint8Array | string> {
  const { length } = progress;
  const written: (Uint8Array | string)[] = [];
  let chunkBytes = 0;
  for await (const chunk of bytes) {
    chunkBytes += chunk.length;
    if (chunkBytes >= DOWNLOAD_CHUNK_BYTES) {
      await chunkTurn(tenant, chunkBytes);
      chunkBytes = 0;
    }
    if (length !== undefined && progress.sent + chunk.length > length)
      throw new Error(`more than ${length} bytes came`);
    progress.sent += chunk.length;
    yield chunk;
    written.push(chunk);
    if (isGone()) for (const gone of written.splice(0)) if (typeof gone !== 'string') freeBytes(gone);
  }
  if (length !== undefined && progress.sent !== length) throw new Error(`${progress.sent} bytes came of ${length}`);
}

const STAGES: readonly Stage[] = ['admission', 'gate', 'quota', 'body', 'operation'];

/**
 * Where the time of a request went (docs/monitoring.md); for a stream, as far as it is known when the headers go out. Undefined
 * for callers without valid credentials: the time of the gate would show which accounts exist.
 */
function serverTiming(scope: RequestScope, status: number): string | undefined {
  if (!scope.authenticated || status === 401) return undefined;
  let text = '';
  for (const stage of STAGES) {
    let milliseconds = -1;
    for (const lap of scope.stages) {
      if (lap.stage === stage) milliseconds = Math.max(milliseconds, 0) + lap.to - lap.from;
    }
    if (milliseconds >= 0) text += `${stage};dur=${hundredths(milliseconds)}, `;
  }
  text += `db;dur=${hundredths(scope.databaseMs)}`;
  // Not with a refusal: the number could show whether something exists that the caller may not see.
  if (status < 400) text += `;desc="${scope.statements === 1 ? '1 statement' : `${scope.statements} statements`}"`;
  return `${text}, total;dur=${hundredths(performance.now() - scope.startedAt)}`;
}

/** By whole numbers: making text of a fraction takes several times as long, and a reply has eight. */
function hundredths(milliseconds: number): string {
  const all = Math.round(milliseconds * 100);
  const rest = all % 100;
  const whole = (all - rest) / 100;
  if (rest === 0) return `${whole}`;
  return rest < 10 ? `${whole}.0${rest}` : `${whole}.${rest}`;
}
