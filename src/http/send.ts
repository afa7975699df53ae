// Puts replies and problems on the wire, and reports every request when its reply has gone out.

import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Fault } from '../faults.ts';
import type { Observe } from '../observe/events.ts';
import type { ByteBudget } from '../request/byte-budget.ts';
import { RequestScope, type Trace, type TraceStart } from '../request/request-scope.ts';
import { onAbort } from '../request/signal.ts';
import type { Deadlines } from './clients/deadlines.ts';
import type { HttpRequest } from './clients/http-request.ts';
import type { Patience } from './clients/patience.ts';
import { PIECE_BYTES, pieceTurn } from './clients/piece-turns.ts';
import { Pipelines } from './clients/pipelines.ts';
import type { UnderWay } from './clients/under-way.ts';
import type { UnreadAnswers } from './clients/unread-answers.ts';
import { toProblem } from './replies/problem.ts';
import type { Body, Reply } from './replies/reply.ts';
import { serverTiming } from './replies/server-timing.ts';
import { discardRest } from './requests/body.ts';
import { checkHead } from './requests/request-head.ts';

export interface Sending {
  readonly observe: Observe;
  /** Whether the server is being stopped: connections are then not kept for another request. */
  readonly closing: () => boolean;
  readonly underWay: UnderWay;
  readonly deadlines: Deadlines;
  /** Where requests are traced. */
  readonly traces: { begin(beginning: TraceStart): Trace | undefined } | undefined;
  readonly patience: Patience;
  readonly pipelines: Pipelines;
  readonly unread: UnreadAnswers;
  readonly byteBudget: ByteBudget;
}

type Work = (request: HttpRequest, scope: RequestScope) => Promise<Reply> | Reply;
export type Handler = (request: HttpRequest, response: ServerResponse) => void;

/** A handler that sends the reply of `work`, or a problem where it throws or its deadline passes, and reports the request. */
export function sendReplies(sending: Sending, route: string, work: Work): Handler {
  return (request, response) => {
    if (Pipelines.isFirst(response)) new Exchange(sending, route, { request, response }).run(work);
    else {
      const begin = () => new Exchange(sending, route, { request, response }).run(work);
      sending.pipelines.wait(request.raw, response, begin);
    }
  };
}

/** One request and the reply that goes out for it. */
class Exchange {
  readonly #sending: Sending;
  readonly #route: string;
  readonly #request: HttpRequest;
  readonly #response: ServerResponse;
  readonly #scope: RequestScope;

  constructor(
    sending: Sending,
    route: string,
    { request, response }: { request: HttpRequest; response: ServerResponse },
  ) {
    this.#sending = sending;
    this.#route = route;
    this.#request = request;
    this.#response = response;
    this.#scope = new RequestScope(request.id, sending.deadlines.milliseconds);
  }

  run(work: Work): void {
    const { traces, underWay, deadlines, byteBudget } = this.#sending;
    const request = this.#request;
    const scope = this.#scope;
    if (traces !== undefined) {
      const { method, headers, protocol: scheme } = request;
      const { remoteAddress: peer } = request.raw.socket;
      scope.trace = traces.begin({ scope, method, route: this.#route, scheme, headers, peer });
    }
    underWay.begin();
    deadlines.watch(scope, request.raw);
    onAbort(scope.signal, (why) => this.#refuse(why));
    // After an abort the reply has gone out already: what the work gives is dropped.
    checkedWork(request, scope, work).then(
      (reply) => {
        underWay.end();
        if (scope.signal.aborted) return byteBudget.release(scope);
        if (reply.stream === undefined || request.method === 'HEAD') this.#send(reply);
        else this.#open(reply, reply.stream).catch((error) => this.#fail(error));
      },
      (error) => {
        underWay.end();
        if (!scope.signal.aborted) this.#refuse(error);
        else byteBudget.release(scope);
      },
    );
  }

  #identity(): Identity {
    return { requestId: this.#request.id, method: this.#request.method, route: this.#route, scope: this.#scope };
  }

  #report(status: number): void {
    const milliseconds = performance.now() - this.#scope.startedAt;
    this.#sending.observe({ event: 'request', ...this.#identity(), status, milliseconds });
    this.#scope.trace?.end(this.#scope, status);
  }

  /** The reply itself cannot be sent: cutting the connection tells the client that none comes. */
  #fail(error: unknown): void {
    this.#sending.observe({ event: 'request.failed', ...this.#identity(), error });
    this.#report(500);
    this.#request.raw.socket.destroy();
  }

  #refuse(error: unknown): void {
    this.#send(problemReply(this.#sending.observe, this.#identity(), error));
  }

  #begin(): void {
    const { deadlines, patience, closing } = this.#sending;
    deadlines.forget(this.#scope);
    discardRest(this.#request.raw, patience);
    if (closing()) this.#response.shouldKeepAlive = false;
  }

  #send(reply: Reply): void {
    const { byteBudget } = this.#sending;
    try {
      this.#begin();
      if (this.#scope.heldBytes > 0) {
        this.#holdUntilSent();
        write(this.#response, this.#scope, reply, byteBudget);
      } else {
        write(this.#response, this.#scope, reply, byteBudget);
        this.#boundUnread();
      }
      this.#report(reply.status);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A reply of long records keeps its budget until it has gone out or its client has left. */
  #holdUntilSent(): void {
    const { byteBudget, patience } = this.#sending;
    const { socket } = this.#request.raw;
    const release = () => byteBudget.release(this.#scope);
    if (socket.destroyed) {
      release();
      return;
    }
    this.#response.once('close', release);
    byteBudget.send(this.#scope, () => socket.destroy());
    socket.setTimeout(patience.readerMs);
  }

  /** The rest of a reply that its client did not read at once is kept for a bounded time, in bounded memory. */
  #boundUnread(): void {
    const { patience, unread } = this.#sending;
    const { socket } = this.#request.raw;
    if (socket.writableLength === 0 || socket.destroyed) return;
    socket.setTimeout(patience.readerMs);
    unread.keep(this.#scope.tenant, this.#response, socket);
  }

  /** Opening reads and writes like the work before it, under the same deadline. */
  async #open(reply: Reply, stream: () => Promise<Readable>): Promise<void> {
    const { signal } = this.#scope;
    let bytes: Readable;
    try {
      bytes = await stream();
    } catch (error) {
      if (!signal.aborted) this.#refuse(error);
      return;
    }
    if (signal.aborted) discard(bytes);
    else await this.#stream(reply, bytes);
  }

  async #stream(reply: Reply, bytes: Readable): Promise<void> {
    const { observe, patience } = this.#sending;
    this.#begin();
    // Node destroys a connection that times out, and sets its own timeout after a finished reply.
    this.#request.raw.socket.setTimeout(patience.readerMs);
    const cut = await streamOut(this.#response, bytes, { scope: this.#scope, reply });
    this.#report(reply.status);
    if (cut !== undefined) observe({ ...cut, ...this.#identity() });
  }
}

/** Why not all of a reply went out: clients leave every day; bytes that cannot be had are a failure of ours. */
type Cut = { readonly event: 'request.left' | 'request.cut'; readonly cause: unknown };

/**
 * A connection that is cut tells the reader that bytes are missing: the length has gone out already. Throws when not even
 * the head can go out.
 */
async function streamOut(
  response: ServerResponse,
  bytes: Readable,
  { scope, reply }: { scope: RequestScope; reply: Reply },
): Promise<Cut | undefined> {
  const declared = reply.headers?.['content-length'];
  const whole = { length: declared === undefined ? undefined : Number(declared), sent: 0 };
  try {
    addServerTiming(scope, reply.status);
    response.writeHead(reply.status, { 'x-request-id': scope.id, ...scope.headers, ...reply.headers });
    await pipeline(bytes, (source) => inFull(source, whole, scope.tenant), response);
    return undefined;
  } catch (cause) {
    if (!response.headersSent) throw cause;
    // A client that has all declared bytes may close first.
    if (whole.sent === whole.length) return undefined;
    const left = (cause as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    return { event: left ? 'request.left' : 'request.cut', cause };
  } finally {
    discard(bytes);
    scope.bytesOut = whole.sent;
  }
}

/** Releases the source of the bytes; a late error of it concerns no request any more. */
function discard(bytes: Readable): void {
  bytes.on('error', () => undefined).destroy();
}

function addServerTiming(scope: RequestScope, status: number): void {
  scope.endStages();
  const timing = serverTiming(scope, status);
  if (timing !== undefined) scope.headers['server-timing'] = timing;
}

/** Fewer bytes than declared would leave the client waiting, and more would be taken for the next reply. */
async function* inFull(
  bytes: AsyncIterable<Uint8Array | string>,
  whole: { readonly length: number | undefined; sent: number },
  tenant: string,
): AsyncGenerator<Uint8Array | string> {
  const { length } = whole;
  let piece = 0;
  for await (const chunk of bytes) {
    piece += chunk.length;
    if (piece >= PIECE_BYTES) {
      piece = 0;
      await pieceTurn(tenant);
    }
    if (length !== undefined && whole.sent + chunk.length > length) throw new Error(`more than ${length} bytes came`);
    whole.sent += chunk.length;
    yield chunk;
  }
  if (length !== undefined && whole.sent !== length) throw new Error(`${whole.sent} bytes came of ${length}`);
}

async function checkedWork(request: HttpRequest, scope: RequestScope, work: Work): Promise<Reply> {
  checkHead(request);
  return work(request, scope);
}

interface Identity {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly scope: RequestScope;
}

/** `left`: the client, before there was a reply (http/clients/deadlines). */
const isUnavailable = ({ code, params }: Fault, because: 'left' | 'busy'): boolean =>
  code === 'UNAVAILABLE' && (params as { readonly reason: string } | undefined)?.reason === because;

function problemReply(observe: Observe, identity: Identity, error: unknown): Reply {
  const { status, headers, body, fault: known } = toProblem(error);
  identity.scope.problem = known;
  // A request that has to be sent again is not counted twice.
  if (isUnavailable(known, 'busy')) identity.scope.returnQuota?.(identity.scope);
  if (known.code === 'INTERNAL_ERROR') observe({ event: 'request.failed', ...identity, error });
  else if (isUnavailable(known, 'left')) observe({ event: 'request.left', ...identity, cause: undefined });
  else if (status >= 500 || known.cause !== undefined) {
    observe({ event: 'request.refused', ...identity, code: known.code, cause: known.cause });
  }
  return { status, headers, body };
}

function write(
  response: ServerResponse,
  scope: RequestScope,
  { status, headers, body }: Reply,
  budget: ByteBudget,
): void {
  addServerTiming(scope, status);
  if (body === undefined) {
    response.writeHead(status, { 'x-request-id': scope.id, ...scope.headers, ...headers });
    response.end();
    return;
  }
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': lengthOf(body),
    'x-request-id': scope.id,
    // The reply's own headers come last and win: a reply that may be cached says so.
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...scope.headers,
    ...headers,
  });
  if (isInParts(body)) writeParts(response, body, (bytes) => budget.releaseBytes(scope, bytes));
  else response.end(body);
}

const isInParts = (body: Body): body is readonly (string | Uint8Array)[] => Array.isArray(body);

function lengthOf(body: Body): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return isInParts(body) ? body.reduce((sum, part) => sum + lengthOf(part), 0) : body.length;
}

/** No faster than the client reads, so that each part is released when it has gone out. */
function writeParts(
  response: ServerResponse,
  parts: readonly (string | Uint8Array)[],
  gone: (bytes: number) => void,
): void {
  const rest = [...parts].reverse();
  const next = (): void => {
    for (let part = rest.pop(); part !== undefined && !response.destroyed; part = rest.pop()) {
      const { length } = part;
      if (response.write(part, () => gone(length))) continue;
      response.once('drain', next);
      return;
    }
    response.end();
  };
  next();
}
