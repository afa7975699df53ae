// A queue for reading from connections, fair among client addresses: a chunk of up to 64 KB in each turn of the event
// loop. New connections wait in it, and connections with many small chunks (the parser takes more than a microsecond for
// each). Node would read from all of them at once: some dozens kept all other clients waiting. Large bodies and files have a
// queue of their own (http/clients/large-reads).
//
// A connection that is read before its bytes are there has left the queue when they come, and so may a hundred others whose
// bytes come together: 83 sign-ins in tiny chunks took one turn of 100 ms. So an expensive read has a price (`chargeRead`): its
// address rests, and those of its connections that have sent nothing yet go back into the queue before they are read.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { BoundedMap } from '../../load/bounded-map.ts';
import { FairQueue } from '../../load/fair-queue.ts';

/** A connection waits at most once, and the number of connections has a limit of its own. */
const UNBOUNDED = { eachMax: Number.POSITIVE_INFINITY, allMax: Number.POSITIVE_INFINITY };

/** An address rests this many times as long as its expensive reads took: they get an eighth of the event loop. */
const REST_TIMES = 8;
/**
 * After a refused body. Its sender gains nothing by coming again soon, and each refusal takes one to three milliseconds in one
 * piece: with forty a second, one in ten requests of others met one.
 */
export const REFUSED_REST_TIMES = 32;
/** Others may share the address. */
const REST_MS_MAX = 100;
const RESTING_MAX = 1_000;
/** The newest connections of an address that are stopped at once; the kernel reports no more than 1,024 at once, mostly far fewer. */
const STOPPED_MAX = 256;

const queue = new FairQueue<() => void>(UNBOUNDED);
let isScheduled = false;
/** Set while only addresses that rest have reads in the queue: when the first of them has rested. */
let wakeAt = Number.POSITIVE_INFINITY;
let waking: NodeJS.Timeout | undefined;
/** Until when nothing is read from an address through the queue. */
const resting = new BoundedMap<string, number>(RESTING_MAX);
/** Connections that have not sent a request yet, each with all such of its address, the oldest first. */
const silent = new Map<Duplex, Set<Socket>>();
const silentFrom = new Map<string, Set<Socket>>();

const addressOf = (socket: Duplex): string => (socket as Socket).remoteAddress ?? '';

export function queueRead(socket: Duplex, resume: () => void): void {
  queue.add(addressOf(socket), resume);
  schedule();
}

/** The first bytes of new connections are read through the queue. */
export function queueFirstReads(server: Server): void {
  // As the option of the same name does, which Node does not accept for an HTTP server.
  Object.assign(server, { pauseOnConnect: true });
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket);
    const others = silentFrom.get(address) ?? new Set();
    silentFrom.set(address, others.add(socket));
    silent.set(socket, others);
    socket.once('close', () => hasSpoken(socket));
    queueFirstRead(socket);
  });
}

const queueFirstRead = (socket: Socket) => queueRead(socket, () => socket.resume());

/** The connection's first request has begun to arrive, or never will. */
export function hasSpoken(socket: Duplex): void {
  const others = silent.get(socket);
  if (others === undefined) return;
  silent.delete(socket);
  others.delete(socket as Socket);
  const address = addressOf(socket);
  if (others.size === 0 && silentFrom.get(address) === others) silentFrom.delete(address);
}

/** A read from this connection took the event loop about so long. */
export function chargeRead(socket: Duplex, milliseconds: number, restTimes = REST_TIMES): void {
  const address = addressOf(socket);
  const now = performance.now();
  const restUntil = Math.max(now, resting.get(address) ?? 0) + restTimes * milliseconds;
  resting.set(address, Math.min(restUntil, now + REST_MS_MAX));
  const others = silentFrom.get(address);
  if (others === undefined) return;
  let older = others.size - STOPPED_MAX;
  for (const other of others) {
    if (older-- > 0 || other.isPaused()) continue;
    // The kernel has bytes of it ready, perhaps; Node looks again whether it is to be read before it does.
    other.pause();
    queueFirstRead(other);
  }
}

function schedule(): void {
  if (isScheduled || queue.size === 0) return;
  isScheduled = true;
  setImmediate(runTurn);
}

/**
 * One read: with four, another application's request had twice as much of the event loop before it (8 ms instead of 4, beside
 * 64 uploads).
 */
function runTurn(): void {
  isScheduled = false;
  const now = performance.now();
  let restMs = REST_MS_MAX;
  const isRested = (address: string) => {
    const rest = (resting.get(address) ?? now) - now;
    if (rest > 0) restMs = Math.min(restMs, rest);
    return rest <= 0;
  };
  const resume = queue.next(isRested);
  if (resume !== undefined) {
    resume();
    schedule();
  } else if (queue.size > 0 && now + restMs < wakeAt) {
    // Another address may rest for less long than the one that the timer was set for.
    clearTimeout(waking);
    wakeAt = now + restMs;
    waking = setTimeout(wake, restMs);
  }
}

function wake(): void {
  wakeAt = Number.POSITIVE_INFINITY;
  schedule();
}
