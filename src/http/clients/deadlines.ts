// Cancels requests whose deadline has passed, and reads whose client has left. All requests are checked by one timer: a timer
// and a listener for each request was measurable.
//
// Requests are kept in arrays with reused indexes, not in a Map. V8 copies a Map with constant insertions and deletions again
// and again, and a copy in the old generation keeps its entries and their requests alive until the next full collection: a
// get took 60 µs longer.

import type { IncomingMessage } from 'node:http';
import { type Fault, fault, tooBusy } from '../../faults.ts';
import type { Admission } from '../../gate/admission.ts';
import type { RequestScope } from '../../request/request-scope.ts';

const CHECK_MS = 100;

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
    this.#timer = setInterval(() => this.#check(), CHECK_MS);
    this.#timer.unref();
  }

  get watched(): number {
    return this.#scopes.length - this.#free.length;
  }

  watch(scope: RequestScope, request: IncomingMessage): void {
    const index = this.#free.pop() ?? this.#scopes.length;
    scope.watchedAt = index;
    this.#scopes[index] = scope;
    this.#requests[index] = request;
  }

  forget(scope: RequestScope): void {
    const index = scope.watchedAt;
    if (index === undefined) return;
    scope.watchedAt = undefined;
    this.#scopes[index] = undefined;
    this.#requests[index] = undefined;
    this.#free.push(index);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    const now = performance.now();
    for (const [index, scope] of this.#scopes.entries()) {
      const request = this.#requests[index];
      if (scope === undefined || request === undefined) continue;
      if (this.#deadlineOf(scope) <= now) scope.cancel(this.#deadlineFault(scope));
      else if (isReading(request) && request.socket.destroyed) scope.cancel(fault('UNAVAILABLE', { reason: 'left' }));
    }
  }

  /** A file takes as long as its client and the file store need. The work after it has the time of a new request. */
  renew(scope: RequestScope): void {
    scope.deadlineAt = performance.now() + this.milliseconds;
  }

  /** While a file is transferred, each wait for the database has the time of a request. */
  #deadlineOf({ endTransfer, deadlineAt, databaseWaitSince }: RequestScope): number {
    return endTransfer === undefined ? deadlineAt : Math.min(deadlineAt, databaseWaitSince + this.milliseconds);
  }

  /** A request that still waits for a slot has done nothing yet, which `busy` says. Any other may have had its effect. */
  #deadlineFault(scope: RequestScope): Fault {
    const seconds = this.#admission.secondsFor(scope);
    if (scope.waiting) return tooBusy(seconds);
    return fault('UNAVAILABLE', { reason: 'deadline' }, { 'retry-after': String(seconds) });
  }
}

/** A write goes on when its client has left: a lost reply does not undo it. */
export const isReading = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD';
