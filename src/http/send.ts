// Puts answers and problems on the wire. Written straight to the response: a framework's path of hooks and serializers
// has nothing to do here, and took a quarter of the time of a short answer.

import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fault } from '../faults.ts';
import type { Observe } from '../observe.ts';
import { Trip } from '../trip.ts';
import type { Answer } from './answer.ts';
import { discardRest } from './body.ts';
import type { Deadlines } from './deadlines.ts';
import { toProblem } from './problem.ts';
import type { UnderWay } from './under-way.ts';

export interface Sending {
  readonly observe: Observe;
  /** Whether the server is being stopped: connections are then not kept for another request. */
  readonly closing: () => boolean;
  readonly underWay: UnderWay;
  readonly deadlines: Deadlines;
}

type Work = (request: FastifyRequest, trip: Trip) => Promise<Answer> | Answer;
type Handler = (request: FastifyRequest, reply: FastifyReply) => void;

/** A handler that sends what `work` gives or throws, or that its time is over, and tells of it. */
export function answering({ observe, closing, underWay, deadlines }: Sending, route: string, work: Work): Handler {
  return (request, reply) => {
    reply.hijack();
    const { id: requestId, method } = request;
    const trip = new Trip(requestId, deadlines.milliseconds);
    const told = (status: number) => {
      const milliseconds = performance.now() - trip.startedAt;
      observe({ event: 'request', requestId, method, route, status, milliseconds });
    };
    const refuse = (error: unknown) => send(problemAnswer(observe, route, request, error));
    const send = (answer: Answer): void => {
      discardRest(request.raw);
      if (closing()) reply.raw.shouldKeepAlive = false;
      if (answer.stream !== undefined && method !== 'HEAD') {
        answer.stream().then((bytes) => flow(answer, bytes), refuse);
        return;
      }
      write(reply.raw, trip, answer);
      told(answer.status);
    };
    const flow = async (answer: Answer, bytes: Readable) => {
      const cut = await streamOut(reply.raw, bytes, { trip, answer });
      told(answer.status);
      if (cut !== undefined) observe({ ...cut, requestId, method, route });
    };
    underWay.begin();
    deadlines.watch(trip, request.raw);
    trip.whenStopped((why) => {
      deadlines.forget(trip);
      refuse(why);
    });
    // What comes of it behind a stop is nobody's any more: the answer has gone out.
    travel(request, trip, work).then(
      (answer) => {
        underWay.end();
        deadlines.forget(trip);
        if (trip.stopped === undefined) send(answer);
      },
      (error) => {
        underWay.end();
        deadlines.forget(trip);
        if (trip.stopped === undefined) refuse(error);
      },
    );
  };
}

/** Whoever reads nothing for so long is cut off. */
const READER_IDLE_MS = 120_000;

/** What became of it when not all of it went out. A reader who leaves is everyday; bytes that cannot be had are ours. */
type Cut = { readonly event: 'request.left' | 'request.cut'; readonly cause: unknown };

/** A connection that is cut tells the reader that bytes are missing: the length has gone out already. */
async function streamOut(
  response: ServerResponse,
  bytes: Readable,
  { trip, answer }: { trip: Trip; answer: Answer },
): Promise<Cut | undefined> {
  // Node destroys the connection then, and sets its own time behind a finished answer.
  response.socket?.setTimeout(READER_IDLE_MS);
  response.writeHead(answer.status, { 'x-request-id': trip.id, ...trip.headers, ...answer.headers });
  const declared = answer.headers?.['content-length'];
  const whole = { length: declared === undefined ? undefined : Number(declared), sent: 0 };
  try {
    await pipeline(bytes, (source) => inFull(source, whole), response);
    return undefined;
  } catch (cause) {
    // Who has all that was declared may close before we have.
    if (whole.sent === whole.length) return undefined;
    const left = (cause as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';
    return { event: left ? 'request.left' : 'request.cut', cause };
  }
}

/** Fewer bytes than the head has declared would leave the reader waiting, and more would be taken for the next answer. */
async function* inFull(
  bytes: AsyncIterable<Uint8Array | string>,
  whole: { readonly length: number | undefined; sent: number },
): AsyncGenerator<Uint8Array | string> {
  const { length } = whole;
  for await (const chunk of bytes) {
    if (length !== undefined && whole.sent + chunk.length > length) throw new Error(`more than ${length} bytes came`);
    whole.sent += chunk.length;
    yield chunk;
  }
  if (length !== undefined && whole.sent !== length) throw new Error(`${whole.sent} bytes came of ${length}`);
}

async function travel(request: FastifyRequest, trip: Trip, work: Work): Promise<Answer> {
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
    throw fault('INVALID_PARAMETER', { parameter: 'Host', reason: 'is missing' });
  }
  return work(request, trip);
}

function problemAnswer(observe: Observe, route: string, request: FastifyRequest, error: unknown): Answer {
  const { status, headers, body, fault: known } = toProblem(error);
  const place = { requestId: request.id, method: request.method, route };
  if (known.code === 'INTERNAL_ERROR') observe({ event: 'request.failed', ...place, error });
  else if (status >= 500 || known.cause !== undefined) {
    observe({ event: 'request.refused', ...place, code: known.code, cause: known.cause });
  }
  return { status, headers, body };
}

function write(response: ServerResponse, trip: Trip, { status, headers, body }: Answer): void {
  if (body === undefined) {
    response.writeHead(status, { 'x-request-id': trip.id, ...trip.headers, ...headers });
    response.end();
    return;
  }
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': typeof body === 'string' ? Buffer.byteLength(body) : body.length,
    'x-request-id': trip.id,
    ...trip.headers,
    ...headers,
  });
  response.end(body);
}
