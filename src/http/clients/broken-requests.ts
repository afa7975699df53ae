// How a connection ends that is not read any further, because its bytes are not HTTP, or a request breaks off or is refused
// in the middle. The replies to earlier requests go out first, in their order. A request whose body is incomplete learns that
// from its own reply; bytes that belong to no request get a reply on the bare connection.

import { randomBytes } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Observe } from '../../events/events.ts';
import type { Fault } from '../../faults.ts';
import { NO_ROUTE } from '../../request/request-scope.ts';
import { toProblem } from '../replies/problem.ts';
import { isReading } from './deadlines.ts';
import { queueRead } from './read-queue.ts';

/** For the client to read the last reply and to close the connection: closing while it still sends would reset both. */
const LINGER_MS = 2_000;
/** How much of the client's input is read and dropped meanwhile. */
const DROPPED_BYTES_MAX = 64 * 1024 * 1024;

/** `_httpMessage`: the reply that is being written, or is next. Node does not declare it. */
type HttpSocket = Duplex & { _httpMessage?: ServerResponse | null };

const broken = new WeakMap<IncomingMessage, Fault>();

/**
 * The rest of the request will never arrive, but its connection stays open for the reply. Readers of the body get the reason
 * by an event of the same name.
 */
export function breakOff(request: IncomingMessage, why: Fault): void {
  broken.set(request, why);
  request.emit('brokenOff', why);
}

export const whyBrokenOff = (request: IncomingMessage): Fault | undefined => broken.get(request);

const discarded = new WeakMap<Duplex, IncomingMessage>();

/** The request gets its reply before its end has arrived; the rest of it is thrown away. */
export function markDiscarded(request: IncomingMessage): void {
  discarded.set(request.socket, request);
}

/** Whether the rest of a request that has its reply is still arriving on the connection. */
export const isDiscarding = (socket: Duplex): boolean => discarded.get(socket)?.complete === false;

const newest = new WeakMap<Duplex, IncomingMessage>();

/** Called for each request: the reply to the last one of a connection that is not read any further says so. */
export function markNewest(request: IncomingMessage): void {
  newest.set(request.socket, request);
}

const stopped = new WeakSet<Duplex>();

interface StopOptions {
  /** Called after all replies, if the unreadable bytes belong to no request. */
  readonly refuse?: () => void;
  /** Whether further input is read and dropped, so that a client that writes before it reads gets the reply. */
  readonly drop?: boolean;
}

export function stopReading(socket: Duplex, why: Fault, { refuse, drop = true }: StopOptions = {}): void {
  if (stopped.has(socket)) return;
  stopped.add(socket);
  dropInput(socket, drop ? DROPPED_BYTES_MAX : 0);
  endAfterReplies(socket, why, refuse);
}

/** Bypasses the parser: its cost for each chunk is the reason why some connections are ended. */
function dropInput(socket: Duplex, bytesMax: number): void {
  let dropped = 0;
  socket.removeAllListeners('data').removeAllListeners('end');
  socket.on('error', () => undefined);
  // Through the queue: at full speed this useless input would block the event loop.
  socket.on('data', (bytes: Buffer) => {
    dropped += bytes.length;
    socket.pause();
    if (dropped <= bytesMax) queueRead(socket, () => socket.resume());
  });
  if (bytesMax > 0) socket.resume();
  else socket.pause();
}

function endAfterReplies(socket: HttpSocket, why: Fault, refuse: (() => void) | undefined): void {
  // The previous reply was the last one that the client wanted.
  if (!socket.writable) return;
  const response = socket._httpMessage;
  if (response === undefined || response === null) {
    if (refuse === undefined || isDiscarding(socket)) endSoon(socket);
    else refuse();
    return;
  }
  // When Node emits this, the connection has already passed to the next reply, if there is one.
  if (response.req.complete) {
    // Not before a refusal: Node would end the connection with this reply.
    const isLast = refuse === undefined && newest.get(socket) === response.req;
    if (isLast && !response.headersSent) response.shouldKeepAlive = false;
    response.once('finish', () => endAfterReplies(socket, why, refuse));
    return;
  }
  if (!response.headersSent) response.shouldKeepAlive = false;
  response.once('finish', () => endSoon(socket));
  breakOff(response.req, why);
}

/** A client that never closes its side would otherwise keep the connection for ever. */
function endSoon(socket: Duplex): void {
  const timeout = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timeout));
  socket.end();
}

/** Writes the last reply of a connection, which belongs to no request. */
export function replyOnSocket(observe: Observe, socket: Duplex, problem: Fault): void {
  const { status, headers, body: parts } = toProblem(problem);
  // Only a problem of a batch, which lists applied records, has a body in parts.
  const body = String(parts);
  const requestId = randomBytes(8).toString('hex');
  observe({ event: 'request', requestId, method: '', route: NO_ROUTE, status, milliseconds: 0 });
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
 * For a client that has closed its side after a complete request. If the request writes, the client waits for the reply; if
 * it only reads, the client has most likely left and the connection is closed.
 */
export function endUnlessChanging(socket: HttpSocket): void {
  const request = socket._httpMessage?.req;
  if (request !== undefined && isReading(request)) socket.end();
}

/** For CONNECT Node hands over the bare connection, and forgets the replies that are still to go out on it. */
export function refuseConnect(observe: Observe, socket: HttpSocket, why: Fault): void {
  socket.on('drain', () => socket._httpMessage?.emit('drain'));
  stopReading(socket, why, { refuse: () => replyOnSocket(observe, socket, why) });
}
