// Puts answers and problems on the wire. Written straight to the response: a framework's path of hooks and serializers
// has nothing to do here, and took a quarter of the time of a short answer.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Fault } from '../faults.ts';
import type { Observe } from '../observe/events.ts';
import type { ByteBudget } from '../request/byte-budget.ts';
import { RequestScope, type Trace, type TraceBeginning } from '../request/request-scope.ts';
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
  readonly traces: { begin(beginning: TraceBeginning): Trace | undefined } | undefined;
  readonly patience: Patience;
  readonly pipelines: Pipelines;
  readonly unread: UnreadAnswers;
  readonly byteBudget: ByteBudget;
}

type Work = (request: HttpRequest, scope: RequestScope) => Promise<Reply> | Reply;
export type Handler = (request: HttpRequest, response: ServerResponse) => void;

/** A handler that sends what `work` gives or throws, or that its time is over, and tells of it. */
export function sendReplies(sending: Sending, route: string, work: Work): Handler {
  const { observe, closing, underWay, deadlines, patience, traces, pipelines, unread, byteBudget } = sending;
  const respond: Handler = (request, response) => {
    const { id: requestId, method } = request;
    const scope = new RequestScope(requestId, deadlines.milliseconds);
    const told = (status: number) => {
      const milliseconds = performance.now() - scope.startedAt;
      observe({ event: 'request', requestId, method, route, status, milliseconds, scope });
      scope.trace?.end(scope, status);
    };
    // The answer itself cannot be put on the wire: the reader learns that none comes.
    const fail = (error: unknown) => {
      observe({ event: 'request.failed', requestId, method, route, scope, error });
      told(500);
      request.raw.socket.destroy();
    };
    const refuse = (error: unknown) => send(problemAnswer(observe, { requestId, method, route, scope }, error));
    const begin = () => {
      deadlines.forget(scope);
      discardRest(request.raw, patience);
      if (closing()) response.shouldKeepAlive = false;
    };
    const send = (answer: Reply): void => {
      try {
        begin();
        const { socket } = request.raw;
        if (scope.heldBytes > 0) {
          releaseBehind(socket);
          write(response, scope, answer, byteBudget);
        } else {
          write(response, scope, answer, byteBudget);
          keepUnread(response, socket, scope.tenant);
        }
        told(answer.status);
      } catch (error) {
        fail(error);
      }
    };
    // What it holds of long records it holds until the answer has gone out, or nobody is there to read it.
    const releaseBehind = (socket: Socket) => {
      const release = () => byteBudget.release(scope);
      if (socket.destroyed) return release();
      response.once('close', release);
      byteBudget.send(scope, () => socket.destroy());
      socket.setTimeout(patience.readerMs);
    };
    // Opening reads and writes like the work before it, and has what is left of the same time.
    const open = async (answer: Reply, stream: () => Promise<Readable>): Promise<void> => {
      let bytes: Readable;
      try {
        bytes = await stream();
      } catch (error) {
        if (!scope.signal.aborted) refuse(error);
        return;
      }
      if (!scope.signal.aborted) await flow(answer, bytes);
      else discard(bytes);
    };
    const flow = async (answer: Reply, bytes: Readable) => {
      begin();
      // Node destroys the connection then, and sets its own time behind a finished answer.
      request.raw.socket.setTimeout(patience.readerMs);
      const cut = await streamOut(response, bytes, { scope, answer });
      told(answer.status);
      if (cut !== undefined) observe({ ...cut, requestId, method, route, scope });
    };
    if (traces !== undefined) {
      const { headers, protocol: scheme } = request;
      const { remoteAddress: peer } = request.raw.socket;
      scope.trace = traces.begin({ scope, method, route, scheme, headers, peer });
    }
    underWay.begin();
    deadlines.watch(scope, request.raw);
    onAbort(scope.signal, refuse);
    // What comes of it behind a stop is nobody's any more: the answer has gone out.
    travel(request, scope, work).then(
      (answer) => {
        underWay.end();
        if (scope.signal.aborted) return byteBudget.release(scope);
        if (answer.stream !== undefined && method !== 'HEAD') open(answer, answer.stream).catch(fail);
        else send(answer);
      },
      (error) => {
        underWay.end();
        if (!scope.signal.aborted) refuse(error);
        else byteBudget.release(scope);
      },
    );
  };
  /** What did not go out at once is kept for the client no longer than that, and within bounds. */
  const keepUnread = (response: ServerResponse, socket: Socket, tenant: string) => {
    if (socket.writableLength === 0 || socket.destroyed) return;
    socket.setTimeout(patience.readerMs);
    unread.keep(tenant, response, socket);
  };
  return (request, response) => {
    if (Pipelines.isFirst(response)) respond(request, response);
    else pipelines.wait(request.raw, response, () => respond(request, response));
  };
}

/** What became of it when not all of it went out. A reader who leaves is everyday; bytes that cannot be had are ours. */
type Cut = { readonly event: 'request.left' | 'request.cut'; readonly cause: unknown };

/**
 * A connection that is cut tells the reader that bytes are missing: the length has gone out already. Throws when not even
 * the head can go out.
 */
async function streamOut(
  response: ServerResponse,
  bytes: Readable,
  { scope, answer }: { scope: RequestScope; answer: Reply },
): Promise<Cut | undefined> {
  const declared = answer.headers?.['content-length'];
  const whole = { length: declared === undefined ? undefined : Number(declared), sent: 0 };
  try {
    tellTiming(scope, answer.status);
    response.writeHead(answer.status, { 'x-request-id': scope.id, ...scope.headers, ...answer.headers });
    await pipeline(bytes, (source) => inFull(source, whole, scope.tenant), response);
    return undefined;
  } catch (cause) {
    if (!response.headersSent) throw cause;
    // Who has all that was declared may close before we have.
    if (whole.sent === whole.length) return undefined;
    const left = (cause as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    return { event: left ? 'request.left' : 'request.cut', cause };
  } finally {
    discard(bytes);
    scope.bytesOut = whole.sent;
  }
}

/** Whatever they are read from is let go of; an error that comes late is nobody's. */
function discard(bytes: Readable): void {
  bytes.on('error', () => undefined).destroy();
}

function tellTiming(scope: RequestScope, status: number): void {
  scope.arrive();
  const timing = serverTiming(scope, status);
  if (timing !== undefined) scope.headers['server-timing'] = timing;
}

/** Fewer bytes than the head has declared would leave the reader waiting, and more would be taken for the next answer. */
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

async function travel(request: HttpRequest, scope: RequestScope, work: Work): Promise<Reply> {
  checkHead(request);
  return work(request, scope);
}

interface Place {
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly scope: RequestScope;
}

/** `left`: the reader, before there was an answer (http/clients/deadlines). */
const isUnavailable = ({ code, params }: Fault, because: 'left' | 'busy'): boolean =>
  code === 'UNAVAILABLE' && (params as { readonly reason: string } | undefined)?.reason === because;

function problemAnswer(observe: Observe, place: Place, error: unknown): Reply {
  const { status, headers, body, fault: known } = toProblem(error);
  place.scope.problem = known;
  // Who is asked to send it again is not made to pay twice.
  if (isUnavailable(known, 'busy')) place.scope.uncount?.(place.scope);
  if (known.code === 'INTERNAL_ERROR') observe({ event: 'request.failed', ...place, error });
  else if (isUnavailable(known, 'left')) observe({ event: 'request.left', ...place, cause: undefined });
  else if (status >= 500 || known.cause !== undefined) {
    observe({ event: 'request.refused', ...place, code: known.code, cause: known.cause });
  }
  return { status, headers, body };
}

function write(
  response: ServerResponse,
  scope: RequestScope,
  { status, headers, body }: Reply,
  budget: ByteBudget,
): void {
  tellTiming(scope, status);
  if (body === undefined) {
    response.writeHead(status, { 'x-request-id': scope.id, ...scope.headers, ...headers });
    response.end();
    return;
  }
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': lengthOf(body),
    'x-request-id': scope.id,
    // Those of the answer itself stand behind these. What may be kept says so.
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

/** No faster than they are read, so that each part is let go of when it has gone out. */
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
