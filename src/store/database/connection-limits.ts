// How many connections one application may have checked out at once. Without a limit, an application whose writes wait for a lock
// or a slow disk would hold every connection and block the writes of all others.

import { tooBusy } from '../../faults.ts';
import { FairQueue } from '../../load/fair-queue.ts';
import { onAbort, type Signal } from '../../request/signal.ts';

const WAIT_MS = 5_000;
/** Admission lets fewer requests come this far. */
const QUEUE = { eachMax: 1_000, allMax: 4_000 };

export interface ConnectionBounds {
  /** For an application while no other is active. */
  readonly alone: number;
  readonly besideOthers: number;
  /** For all applications together. An application that has a connection gets another only while fewer than half are in use. */
  readonly inAll: number;
}

/** An application counts as active for a round or two after its last statement, as at admission. */
const ROUND_MS = 1_000;

/** Which applications have sent statements lately, on any connection. */
export class ActiveApplications {
  #seen = new Set<string>();
  #before = new Set<string>();
  #roundEndsAt = 0;

  add(name: string): void {
    if (!this.#seen.has(name)) this.#seen.add(name);
  }

  /** Whether an application other than this one is active. */
  hasOthers(name: string): boolean {
    const now = performance.now();
    if (now > this.#roundEndsAt) this.#startRound(now);
    return hasAnother(this.#seen, name) || hasAnother(this.#before, name);
  }

  #startRound(now: number): void {
    this.#before = this.#seen;
    this.#seen = new Set();
    this.#roundEndsAt = now + ROUND_MS;
  }
}

const hasAnother = (names: ReadonlySet<string>, name: string): boolean => names.size > (names.has(name) ? 1 : 0);

/** Requests beyond the limit wait in a fair queue. */
export class ConnectionLimits {
  readonly #bounds: ConnectionBounds;
  readonly #active: Pick<ActiveApplications, 'hasOthers'>;
  readonly #held = new Map<string, number>();
  readonly #queue = new FairQueue<() => void>(QUEUE);
  readonly #mayTake = (name: string) => this.#hasRoom(name, this.#held.get(name) ?? 0);
  #heldInAll = 0;

  constructor(bounds: ConnectionBounds, active: Pick<ActiveApplications, 'hasOthers'>) {
    this.#bounds = bounds;
    this.#active = active;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Resolves when the application may check out one more connection; undefined when it may at once. */
  take(name: string, signal: Signal | undefined): Promise<void> | undefined {
    const held = this.#held.get(name) ?? 0;
    if (this.#hasRoom(name, held)) {
      this.#hold(name, held);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const go = () => {
        clearTimeout(timer);
        unsubscribe();
        this.#hold(name, this.#held.get(name) ?? 0);
        resolve();
      };
      const leave = (reason: unknown) => {
        clearTimeout(timer);
        unsubscribe();
        this.#queue.remove(name, go);
        reject(reason);
      };
      if (!this.#queue.add(name, go)) {
        reject(tooBusy());
        return;
      }
      const timer = setTimeout(() => leave(tooBusy()), WAIT_MS);
      const unsubscribe = onAbort(signal, leave);
    });
  }

  release(name: string): void {
    const held = (this.#held.get(name) ?? 0) - 1;
    if (held < 0) return;
    this.#heldInAll -= 1;
    if (held === 0) this.#held.delete(name);
    else this.#held.set(name, held);
    if (this.#queue.size === 0) return;
    for (let next = this.#queue.next(this.#mayTake); next !== undefined; next = this.#queue.next(this.#mayTake)) next();
  }

  #hold(name: string, held: number): void {
    this.#held.set(name, held + 1);
    this.#heldInAll += 1;
  }

  #hasRoom(name: string, held: number): boolean {
    const { alone, besideOthers, inAll } = this.#bounds;
    if (this.#heldInAll >= inAll || (held > 0 && this.#heldInAll * 2 >= inAll)) return false;
    return held < (this.#active.hasOthers(name) ? besideOthers : alone);
  }
}
