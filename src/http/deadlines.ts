// Stops the requests whose time is over, and those that read for a client who has gone. One look at all of them from
// time to time: a timer and a listener for each was measurable on the road of every request.

import type { IncomingMessage } from 'node:http';
import { type Fault, fault, tooBusy } from '../faults.ts';
import type { Admission } from '../gate/admission.ts';
import type { Trip } from '../trip.ts';

const LOOK_MS = 100;

export class Deadlines {
  readonly milliseconds: number;
  readonly #admission: Pick<Admission, 'secondsFor'>;
  readonly #trips = new Map<Trip, IncomingMessage>();
  readonly #timer: NodeJS.Timeout;

  constructor(milliseconds: number, admission: Pick<Admission, 'secondsFor'>) {
    this.milliseconds = milliseconds;
    this.#admission = admission;
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
      if (this.#endOf(trip) <= now) trip.stop(this.#late(trip));
      else if (isReading(request) && request.socket.destroyed) trip.stop(fault('UNAVAILABLE', { reason: 'left' }));
    }
  }

  /** A file takes as long as its client and the store of files need: behind it, what is left to be done has the time of a request. */
  renew(trip: Trip): void {
    trip.deadlineAt = performance.now() + this.milliseconds;
  }

  /** While a file is on its way each wait for the database has the time of a request. */
  #endOf({ endTransfer, deadlineAt, waitsSince }: Trip): number {
    return endTransfer === undefined ? deadlineAt : Math.min(deadlineAt, waitsSince + this.milliseconds);
  }

  /** Who still waits for a place knows that nothing was begun; else it may have been done. */
  #late(trip: Trip): Fault {
    const seconds = this.#admission.secondsFor(trip);
    if (trip.waiting) return tooBusy(seconds);
    return fault('UNAVAILABLE', { reason: 'deadline' }, { 'retry-after': String(seconds) });
  }
}

/** Who asked for a change may have it: that nobody hears of it does not undo it. */
const isReading = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';
