// How many requests are worked on at once, and whose: what is beyond it waits for its turn, which goes round among the
// applications, and what has waited too long or finds too many waiting is refused (docs/architecture.md, "Overload").

import { tooBusy } from '../faults.ts';
import type { Trip } from '../trip.ts';

export interface AdmissionBounds {
  /** Worked on at once. */
  readonly atOnceMax: number;
  /** Of one application, waiting. */
  readonly waitingMax: number;
  readonly waitMs: number;
}

interface Waiter {
  readonly trip: Trip;
  readonly since: number;
  readonly go: () => void;
  readonly refuse: (error: unknown) => void;
}

export class Admission {
  readonly #bounds: AdmissionBounds;
  /** By application, the one whose turn is next first. */
  readonly #waiting = new Map<string, Waiter[]>();
  #atWork = 0;

  constructor(bounds: AdmissionBounds) {
    this.#bounds = bounds;
  }

  /** Undefined when it may go on at once. */
  enter(trip: Trip): Promise<void> | undefined {
    if (this.#atWork < this.#bounds.atOnceMax) {
      this.#atWork += 1;
      trip.admitted = true;
      return undefined;
    }
    const waiters = this.#waiting.get(trip.share) ?? [];
    if (waiters.length >= this.#bounds.waitingMax) return Promise.reject(tooBusy());
    this.#waiting.set(trip.share, waiters);
    return new Promise((go, refuse) => waiters.push({ trip, since: performance.now(), go, refuse }));
  }

  /** Nothing where it is not admitted, or no longer. */
  leave(trip: Trip): void {
    if (!trip.admitted) return;
    trip.admitted = false;
    const [share, waiters] = this.#waiting.entries().next().value ?? [];
    const next = waiters?.shift();
    if (share === undefined || waiters === undefined || next === undefined) {
      this.#atWork -= 1;
      return;
    }
    // Its application is the last to have its turn again.
    this.#waiting.delete(share);
    if (waiters.length > 0) this.#waiting.set(share, waiters);
    next.trip.admitted = true;
    next.go();
  }

  /** What waits for the client takes no place, and none of the request's time. */
  async aside<T>(trip: Trip, work: () => Promise<T>): Promise<T> {
    const since = performance.now();
    const { deadlineAt, admitted } = trip;
    trip.deadlineAt = Number.POSITIVE_INFINITY;
    this.leave(trip);
    try {
      return await work();
    } finally {
      trip.deadlineAt = deadlineAt + performance.now() - since;
      const turn = admitted ? this.enter(trip) : undefined;
      if (turn !== undefined) await turn;
    }
  }
}
