// How a connection ends that is read no further: what comes is not HTTP, or a request breaks off, or it is refused in the
// middle. The answers of the requests before go out first, in their order. A request whose body is missing is told so in its own
// answer; only what belongs to no request is answered on the bare connection.

import { randomBytes } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Fault } from '../../faults.ts';
import type { Observe } from '../../observe/events.ts';
import { toProblem } from '../replies/problem.ts';
import { readOnInTurn } from './crowded-reads.ts';
import { isReading } from './deadlines.ts';
import { breakOff, isDiscarding } from './request-ends.ts';

/** For the client to read the last word on a connection and to close it: what it still sends would otherwise take that away. */
const LINGER_MS = 2_000;
/** What of it is taken off the wire meanwhile, and thrown away. */
const DROPPED_BYTES_MAX = 64 * 1024 * 1024;

/** With the answer that is being written, or will be next. */
type HttpSocket = Duplex & { _httpMessage?: ServerResponse | null };

const stopped = new WeakSet<Duplex>();

interface Stopping {
  /** Called behind all answers, if what cannot be read belongs to no request. */
  readonly refuse?: () => void;
  /** Whether what still comes is taken off the wire, so that a client which writes before it reads gets to the answer. */
  readonly drop?: boolean;
}

export function stopReading(socket: Duplex, why: Fault, { refuse, drop = true }: Stopping = {}): void {
  if (stopped.has(socket)) return;
  stopped.add(socket);
  dropInput(socket, drop ? DROPPED_BYTES_MAX : 0);
  endBehindAnswers(socket, why, refuse ?? (() => endSoon(socket)));
}

/** Away from the parser, whose cost for each chunk is what some connections are ended for. */
function dropInput(socket: Duplex, bytesMax: number): void {
  let dropped = 0;
  socket.removeAllListeners('data').removeAllListeners('end');
  socket.on('error', () => undefined);
  // In turn: at full speed, what nobody wants would keep the event loop from everything else.
  socket.on('data', (bytes: Buffer) => {
    dropped += bytes.length;
    socket.pause();
    if (dropped <= bytesMax) readOnInTurn(socket, () => socket.resume());
  });
  if (bytesMax > 0) socket.resume();
  else socket.pause();
}

function endBehindAnswers(socket: HttpSocket, why: Fault, refuse: () => void): void {
  // The answer before was the last that the client wanted.
  if (!socket.writable) return;
  const response = socket._httpMessage;
  if (response === undefined || response === null) {
    if (isDiscarding(socket)) endSoon(socket);
    else refuse();
    return;
  }
  // Node has handed the connection over to the next answer, if there is one, when it tells of this.
  if (response.req.complete) {
    response.once('finish', () => endBehindAnswers(socket, why, refuse));
    return;
  }
  if (!response.headersSent) response.shouldKeepAlive = false;
  response.once('finish', () => endSoon(socket));
  breakOff(response.req, why);
}

/** A client that never closes its side would keep the connection for good. */
function endSoon(socket: Duplex): void {
  const late = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(late));
  socket.end();
}

/** The last word on a connection. */
export function answerOnSocket(observe: Observe, socket: Duplex, problem: Fault): void {
  const { status, headers, body: parts } = toProblem(problem);
  // Only applied records come in parts, and none are told of here.
  const body = String(parts);
  const requestId = randomBytes(8).toString('hex');
  observe({ event: 'request', requestId, method: '', route: '', status, milliseconds: 0 });
  const all = {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.write([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  endSoon(socket);
}

/**
 * The client has closed its side, and all that it sent is complete: who asked for a change is waiting for the answer. Who
 * only reads has most likely left, and is not worked for any longer.
 */
export function endUnlessChanging(socket: HttpSocket): void {
  const request = socket._httpMessage?.req;
  if (request !== undefined && isReading(request)) socket.end();
}

/** Node hands over the bare connection for this verb, and forgets about the answers that are still to go out on it. */
export function refuseConnect(observe: Observe, socket: HttpSocket, why: Fault): void {
  socket.on('drain', () => socket._httpMessage?.emit('drain'));
  stopReading(socket, why, { refuse: () => answerOnSocket(observe, socket, why) });
}
