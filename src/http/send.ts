// Sends the reply or the problem of each request, and reports the request when its reply has gone out.

import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Observe } from '../events/events.ts';
import type { Fault } from '../faults.ts';
import type { ByteBudget } from '../load/byte-budget.ts';
import { RequestScope, type Trace, type TraceStart } from '../request/request-scope.ts';
import { onAbort } from '../request/signal.ts';
import type { Deadlines } from './clients/deadlines.ts';
import { chunkTurn } from './clients/file-chunk-queue.ts';
import type { HttpRequest } from './clients/http-request.ts';
import { Pipelines } from './clients/pipelines.ts';
import type { ActiveWork } from './clients/shutdown.ts';
import type { ClientTimeouts } from './clients/timeouts.ts';
import type { UnreadReplies } from './clients/unread-replies.ts';
import { type Compressions, type Encoder, encodedReply } from './compression.ts';
import { toProblem } from './replies/problem.ts';
import { isCompressible, JSON_TYPE, LINES_TYPE, type Reply } from './replies/reply.ts';
import { chooseEncoding, type Encoding } from './requests/accept-encoding.ts';
import { discardRest } from './requests/body.ts';
import { checkHead } from './requests/request-head.ts';
import { discard, isInParts, streamReply, writeReply, writeWhole } from './write.ts';

export interface Sending {
  readonly observe: Observe;
  /** Whether the server is being stopped: connections are then not kept for another request. */
  readonly closing: () => boolean;
  readonly activeWork: ActiveWork;
  readonly deadlines: Deadlines;
  /** Where requests are traced. */
  readonly traces: { begin(beginning: TraceStart): Trace | undefined } | undefined;
  readonly timeouts: ClientTimeouts;
  readonly pipelines: Pipelines;
  readonly unread: UnreadReplies;
  readonly byteBudget: ByteBudget;
  /** Undefined for routes whose replies are never compressed. */
  readonly compressions: Compressions | undefined;
}

type Work = (request: HttpRequest, scope: RequestScope) => Promise<Reply> | Reply;
export type Handler = (request: HttpRequest, response: ServerResponse) => void;

/** The parts of a route that count in every reply. */
export interface SentRoute {
  readonly path: string;
  /** Headers of every reply, refusals too. */
  readonly replyHeaders?: Readonly<Record<string, string>>;
}

/** A handler that sends the reply of `work`, or a problem where it throws or its deadline passes, and reports the request. */
export function sendReplies(sending: Sending, route: SentRoute, work: Work): Handler {
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
    { path, replyHeaders }: SentRoute,
    { request, response }: { request: HttpRequest; response: ServerResponse },
  ) {
    this.#sending = sending;
    this.#route = path;
    this.#request = request;
    this.#response = response;
    this.#scope = new RequestScope(request.id, sending.deadlines.milliseconds);
    if (replyHeaders !== undefined) Object.assign(this.#scope.headers, replyHeaders);
  }

  run(work: Work): void {
    const { traces, activeWork, deadlines, byteBudget } = this.#sending;
    const request = this.#request;
    const scope = this.#scope;
    if (traces !== undefined) {
      const { method, headers, protocol: scheme } = request;
      const { remoteAddress: peer } = request.raw.socket;
      scope.trace = traces.begin({ scope, method, route: this.#route, scheme, headers, peer });
    }
    activeWork.begin();
    deadlines.watch(scope, request.raw);
    onAbort(scope.signal, (why) => this.#refuse(why));
    // After an abort the reply has gone out already: what the work gives is dropped.
    checkedWork(request, scope, work).then(
      (reply) => {
        activeWork.end();
        if (scope.signal.aborted) return byteBudget.release(scope);
        if (reply.stream === undefined || request.method === 'HEAD') this.#send(reply);
        else this.#open(reply, reply.stream).catch((error) => this.#fail(error));
      },
      (error) => {
        activeWork.end();
        if (!scope.signal.aborted) this.#refuse(error);
        else byteBudget.release(scope);
      },
    );
  }

  #identity(): Identity {
    return { requestId: this.#request.id, method: this.#request.method, route: this.#route, scope: this.#scope };
  }

  #report(status: number): void {
    const { id: requestId, method } = this.#request;
    const route = this.#route;
    const scope = this.#scope;
    const milliseconds = performance.now() - scope.startedAt;
    // Member by member: a spread was measurable in every request.
    this.#sending.observe({ event: 'request', requestId, method, route, scope, status, milliseconds });
    scope.trace?.end(scope, status);
  }

  /** The reply itself cannot be sent: the cut connection shows the client that none will come. */
  #fail(error: unknown): void {
    this.#sending.observe({ event: 'request.failed', ...this.#identity(), error });
    this.#report(500);
    this.#request.raw.socket.destroy();
  }

  #refuse(error: unknown): void {
    this.#send(problemReply(this.#sending.observe, this.#identity(), error));
  }

  #begin(): void {
    const { deadlines, timeouts, closing } = this.#sending;
    deadlines.forget(this.#scope);
    discardRest(this.#request.raw, timeouts);
    if (closing()) this.#response.shouldKeepAlive = false;
  }

  #send(reply: Reply): void {
    const { compressions } = this.#sending;
    if (compressions === undefined || !isCompressible(reply)) {
      this.#sendNow(reply);
      return;
    }
    const encoding = this.#acceptedEncoding();
    if (encoding === undefined) this.#sendNow(reply);
    else this.#sendCompressed(compressions, reply, encoding);
  }

  /** HEAD gets the headers of the reply as it is: its length in an encoding is known only by compressing it. */
  #acceptedEncoding(): Encoding | undefined {
    const { vary } = this.#scope.headers;
    this.#scope.headers.vary = vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;
    if (this.#request.method === 'HEAD') return undefined;
    const header = this.#request.headers['accept-encoding'];
    return chooseEncoding(Array.isArray(header) ? header.join(', ') : header);
  }

  #sendCompressed(compressions: Compressions, reply: Reply, encoding: Encoding): void {
    const { tenant } = this.#scope;
    const { body = '' } = reply;
    if (isInParts(body)) {
      const encoder = compressions.stream(tenant, encoding);
      if (encoder === undefined) this.#sendNow(reply);
      else this.#sendNow(encodedReply(reply, encoding), encoder);
      return;
    }
    const compressing = compressions.whole(tenant, body, encoding);
    if (compressing === undefined) {
      this.#sendNow(reply);
      return;
    }
    // The work is done: no deadline can change the reply any more.
    this.#sending.deadlines.forget(this.#scope);
    const { signal } = this.#scope;
    const { aborted } = signal;
    compressing
      .then(
        (bytes) => ({ ...encodedReply(reply, encoding), body: bytes }),
        () => reply,
      )
      // An abort meanwhile has sent its own reply.
      .then((ready) => signal.aborted === aborted && this.#sendNow(ready));
  }

  /** `encoder`: for a body in parts. */
  #sendNow(reply: Reply, encoder?: Encoder): void {
    const { byteBudget, timeouts } = this.#sending;
    const written = { scope: this.#scope, reply, encoder };
    try {
      this.#begin();
      if (encoder !== undefined) this.#request.raw.socket.setTimeout(timeouts.readerMs);
      if (this.#scope.heldBytes > 0) {
        this.#holdUntilSent();
        writeReply(this.#response, written, byteBudget);
      } else {
        writeReply(this.#response, written, byteBudget);
        this.#boundUnread();
      }
      this.#report(reply.status);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A reply of long records keeps its budget until it has gone out or its client has left. */
  #holdUntilSent(): void {
    const { byteBudget, timeouts } = this.#sending;
    const { socket } = this.#request.raw;
    const release = () => byteBudget.release(this.#scope);
    if (socket.destroyed) {
      release();
      return;
    }
    this.#response.once('close', release);
    byteBudget.send(this.#scope, () => socket.destroy());
    socket.setTimeout(timeouts.readerMs);
  }

  /** The rest of a reply that its client did not read at once is kept for a bounded time, in bounded memory. */
  #boundUnread(): void {
    const { timeouts, unread } = this.#sending;
    const { socket } = this.#request.raw;
    if (socket.writableLength === 0 || socket.destroyed) return;
    socket.setTimeout(timeouts.readerMs);
    unread.add(this.#scope.tenant, this.#response, socket);
  }

  /** Opening reads and writes like the work before it, under the same deadline. */
  async #open(reply: Reply, stream: NonNullable<Reply['stream']>): Promise<void> {
    const { signal } = this.#scope;
    let bytes: Readable | Uint8Array;
    try {
      bytes = await stream();
    } catch (error) {
      if (!signal.aborted) this.#refuse(error);
      return;
    }
    try {
      if (bytes instanceof Uint8Array) {
        if (!signal.aborted) await this.#sendWhole(reply, bytes);
      } else if (signal.aborted) discard(bytes);
      else await this.#stream(reply, bytes);
    } finally {
      reply.afterStream?.();
    }
  }

  /** A small file. Most clients take all of it at once. */
  async #sendWhole(reply: Reply, bytes: Uint8Array): Promise<void> {
    const { observe, timeouts } = this.#sending;
    this.#begin();
    const turn = chunkTurn(this.#scope.tenant, bytes.length);
    if (turn !== undefined) await turn;
    const sending = writeWhole(this.#response, bytes, { scope: this.#scope, reply });
    if (sending !== undefined) this.#request.raw.socket.setTimeout(timeouts.readerMs);
    const cut = await sending;
    this.#report(reply.status);
    if (cut !== undefined) observe({ ...cut, ...this.#identity() });
  }

  /** Only lines and JSON: all other streams are files. */
  #encodedStream(reply: Reply): { reply: Reply; encoder?: Encoder } {
    const { compressions } = this.#sending;
    if (compressions === undefined || !isText(reply)) return { reply };
    const encoding = this.#acceptedEncoding();
    const encoder = encoding && compressions.stream(this.#scope.tenant, encoding);
    if (encoding === undefined || encoder === undefined) return { reply };
    return { reply: encodedReply(reply, encoding), encoder };
  }

  async #stream(reply: Reply, bytes: Readable): Promise<void> {
    const { observe, timeouts } = this.#sending;
    this.#begin();
    // Node destroys a connection that times out, and sets its own timeout after a finished reply.
    this.#request.raw.socket.setTimeout(timeouts.readerMs);
    const cut = await streamReply(this.#response, bytes, { scope: this.#scope, ...this.#encodedStream(reply) });
    this.#report(reply.status);
    if (cut !== undefined) observe({ ...cut, ...this.#identity() });
  }
}

const isText = ({ headers }: Reply): boolean =>
  headers?.['content-type'] === LINES_TYPE || headers?.['content-type'] === JSON_TYPE;

/** Not an async function: returning a promise from one takes three more turns of the microtask queue. */
function checkedWork(request: HttpRequest, scope: RequestScope, work: Work): Promise<Reply> {
  try {
    checkHead(request);
    return Promise.resolve(work(request, scope));
  } catch (error) {
    return Promise.reject(error);
  }
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
