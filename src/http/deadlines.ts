// Stops the requests whose time is over, and those that read for a client who has gone. One look at all of them from
// time to time: a timer and a listener for each was measurable on the road of every request.
//
// They are kept in arrays whose places are used again, and not in a Map: one that is added to and deleted from all the time is
// copied again and again, and each copy that has grown old keeps all behind it, and their requests, alive until the next
// full collection. A get took 60 µs longer.

import type { IncomingMessage } from 'node:http';
import { type Fault, fault, tooBusy } from '../faults.ts';
import type { Admission } from '../gate/admission.ts';
import type { Trip } from '../trip.ts';

const LOOK_MS = 100;

export class Deadlines {
  readonly milliseconds: number;
  readonly #admission: Pick<Admission, 'secondsFor'>;
  readonly #trips: (Trip | undefined)[] = [];
  readonly #requests: (IncomingMessage | undefined)[] = [];
  readonly #free: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(milliseconds: number, admission: Pick<Admission, 'secondsFor'>) {
    this.milliseconds = milliseconds;
    this.#admission = admission;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  get underWay(): number {
    return this.#trips.length - this.#free.length;
  }

  watch(trip: Trip, request: IncomingMessage): void {
    const place = this.#free.pop() ?? this.#trips.length;
    trip.watchedAt = place;
    this.#trips[place] = trip;
    this.#requests[place] = request;
  }

  forget(trip: Trip): void {
    const place = trip.watchedAt;
    if (place === undefined) return;
    trip.watchedAt = undefined;
    this.#trips[place] = undefined;
    this.#requests[place] = undefined;
    this.#free.push(place);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const [place, trip] of this.#trips.entries()) {
      const request = this.#requests[place];
      if (trip === undefined || request === undefined) continue;
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
export const isReading = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';
