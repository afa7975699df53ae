// Stops the requests whose time is over, and those that read for a client who has gone. One look at all of them from
// time to time: a timer and a listener for each was measurable on the road of every request.
//
// They are kept in arrays whose places are used again, and not in a Map: one that is added to and deleted from all the time is
// copied again and again, and each copy that has grown old keeps all behind it, and their requests, alive until the next
// full collection. A get took 60 µs longer.

import type { IncomingMessage } from 'node:http';
import { type Fault, fault, tooBusy } from '../../faults.ts';
import type { Admission } from '../../gate/admission.ts';
import type { RequestScope } from '../../request/request-scope.ts';

const LOOK_MS = 100;

export class Deadlines {
  readonly milliseconds: number;
  readonly #admission: Pick<Admission, 'secondsFor'>;
  readonly #scopes: (RequestScope | undefined)[] = [];
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
    return this.#scopes.length - this.#free.length;
  }

  watch(scope: RequestScope, request: IncomingMessage): void {
    const place = this.#free.pop() ?? this.#scopes.length;
    scope.watchedAt = place;
    this.#scopes[place] = scope;
    this.#requests[place] = request;
  }

  forget(scope: RequestScope): void {
    const place = scope.watchedAt;
    if (place === undefined) return;
    scope.watchedAt = undefined;
    this.#scopes[place] = undefined;
    this.#requests[place] = undefined;
    this.#free.push(place);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const now = performance.now();
    for (const [place, scope] of this.#scopes.entries()) {
      const request = this.#requests[place];
      if (scope === undefined || request === undefined) continue;
      if (this.#endOf(scope) <= now) scope.cancel(this.#late(scope));
      else if (isReading(request) && request.socket.destroyed) scope.cancel(fault('UNAVAILABLE', { reason: 'left' }));
    }
  }

  /** A file takes as long as its client and the store of files need: behind it, what is left to be done has the time of a request. */
  renew(scope: RequestScope): void {
    scope.deadlineAt = performance.now() + this.milliseconds;
  }

  /** While a file is on its way each wait for the database has the time of a request. */
  #endOf({ endTransfer, deadlineAt, databaseWaitSince }: RequestScope): number {
    return endTransfer === undefined ? deadlineAt : Math.min(deadlineAt, databaseWaitSince + this.milliseconds);
  }

  /** Who still waits for a place knows that nothing was begun; else it may have been done. */
  #late(scope: RequestScope): Fault {
    const seconds = this.#admission.secondsFor(scope);
    if (scope.waiting) return tooBusy(seconds);
    return fault('UNAVAILABLE', { reason: 'deadline' }, { 'retry-after': String(seconds) });
  }
}

/** Who asked for a change may have it: that nobody hears of it does not undo it. */
export const isReading = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';
