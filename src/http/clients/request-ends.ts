// What becomes of the rest of a request whose end has not come: whether it is thrown away, since the request was answered
// without it, or never will come, since its connection is read no further.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Fault } from '../../faults.ts';

const brokenOff = new WeakMap<IncomingMessage, Fault>();

/** Its connection lives on for the answer: whoever reads it is told why by an event of the same name. */
export function breakOff(request: IncomingMessage, why: Fault): void {
  brokenOff.set(request, why);
  request.emit('brokenOff', why);
}

export const whyBrokenOff = (request: IncomingMessage): Fault | undefined => brokenOff.get(request);

const discarded = new WeakMap<Duplex, IncomingMessage>();

export function noteDiscarded(request: IncomingMessage): void {
  discarded.set(request.socket, request);
}

/** Whether the rest of a request that was answered is still to come on the connection. */
export const isDiscarding = (socket: Duplex): boolean => discarded.get(socket)?.complete === false;
