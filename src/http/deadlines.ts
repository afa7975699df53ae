// Stops the requests whose time is over, and those that read for a client who has gone. One look at all of them from
// time to time: a timer and a listener for each was measurable on the road of every request.

import type { IncomingMessage } from 'node:http';
import { fault } from '../faults.ts';
import type { Trip } from '../trip.ts';

const LOOK_MS = 100;

export class Deadlines {
  readonly milliseconds: number;
  readonly #trips = new Map<Trip, IncomingMessage>();
  readonly #timer: NodeJS.Timeout;

  constructor(milliseconds: number) {
    this.milliseconds = milliseconds;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  get underWay(): number {
    return this.#trips.size;
  }

  watch(trip: Trip, request: IncomingMessage): void {
    this.#trips.set(trip, request);
  }

  forget(trip: Trip): void {
    this.#trips.delete(trip);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const [trip, request] of this.#trips) {
      if (trip.deadlineAt <= now) trip.stop(fault('UNAVAILABLE', { reason: 'deadline' }, { 'retry-after': '1' }));
      else if (isReading(request) && request.socket.destroyed) trip.stop(fault('UNAVAILABLE', { reason: 'left' }));
    }
  }
}

/** Who asked for a change may have it: that nobody hears of it does not undo it. */
const isReading = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';
