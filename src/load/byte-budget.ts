// How many bytes of long records requests may hold at once, per tenant and in all. A request reserves its bytes before it reads
// the records and releases them as its reply goes out. Requests that do not fit wait in a fair queue
// (docs/architecture/long-records.md).

import { tooBusy } from '../faults.ts';
import type { RequestScope } from '../request/request-scope.ts';
import { onAbort } from '../request/signal.ts';
import { FairQueue } from './fair-queue.ts';
import { partOfHeap } from './heap.ts';

export interface ByteBounds {
  readonly eachBytesMax: number;
  readonly allBytesMax: number;
  /** While other requests wait, a client that reads slowly is cut off after this time. */
  readonly slowReaderMs: number;
}

const ALL_BYTES_MAX = 256 * 1024 * 1024;
/** The bytes themselves are outside of the heap; the values built from them are not. */
const PART_OF_HEAP = 1 / 2;
/** Enough for the longest possible page: 100 records of a megabyte. */
const EACH_PART = 1 / 2;
const SLOW_READER_MS = 5_000;
/** A client that reads at least this fast is never cut off. */
const READ_BYTES_PER_MS = 4 * 1024;
const CHECK_MS = 500;
/** A waiting request may hold a body of a megabyte. */
const QUEUE = { eachMax: 64, allMax: 128 };

export function byteBounds(): ByteBounds {
  const allBytesMax = partOfHeap(PART_OF_HEAP, ALL_BYTES_MAX);
  return { eachBytesMax: allBytesMax * EACH_PART, allBytesMax, slowReaderMs: SLOW_READER_MS };
}

/** Thrown out of a transaction or snapshot: a request may not keep a connection while it waits for bytes. */
export class BytesNeeded extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`${bytes} bytes are needed`);
    this.bytes = bytes;
  }
}

interface Waiter {
  readonly scope: RequestScope;
  readonly bytes: number;
  readonly go: () => void;
}

interface Sending {
  readonly cut: () => void;
  /** From then on the client counts as slow. Every byte sent postpones it. */
  slowAt: number;
  /** For its turn: nothing is sent that the client could read. */
  waits: boolean;
}

export class ByteBudget {
  readonly #bounds: ByteBounds;
  /** Bytes held, by tenant. */
  readonly #held = new Map<string, number>();
  readonly #queue = new FairQueue<Waiter>(QUEUE);
  /** Requests whose replies are being sent, the oldest first. */
  readonly #sending = new Map<RequestScope, Sending>();
  #bytes = 0;
  #checking: NodeJS.Timeout | undefined;

  constructor(bounds: ByteBounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Raises the request's reservation to `bytes`. Throws BytesNeeded if the request would have to wait. A cancelled request gets
   * none: its work may go on for a moment after its bytes were released, and nobody would release them again.
   */
  require(scope: RequestScope, bytes: number): void {
    scope.signal.throwIfAborted();
    const more = bytes - scope.heldBytes;
    if (more <= 0) return;
    // A request that holds bytes already may overtake: otherwise it would have to start over for a few bytes more.
    const overtakes = scope.heldBytes === 0 && this.#delaysOthers(scope.tenant);
    if (overtakes || !this.#fits(scope.tenant, more)) throw new BytesNeeded(bytes);
    this.#reserve(scope, more);
  }

  /** Resolves when `bytes` are reserved. The request first releases its own: two requests could wait for each other. */
  async wait(scope: RequestScope, bytes: number): Promise<void> {
    this.release(scope);
    scope.signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        scope.waiting = false;
        unsubscribe();
      };
      const go = () => {
        leave();
        this.#reserve(scope, bytes);
        resolve();
      };
      const waiter: Waiter = { scope, bytes, go };
      if (!this.#queue.add(scope.tenant, waiter)) {
        reject(tooBusy());
        return;
      }
      scope.waiting = true;
      const unsubscribe = onAbort(scope.signal, (reason) => {
        leave();
        this.#queue.remove(scope.tenant, waiter);
        this.#admitWaiting();
        reject(reason);
      });
      this.#checking ??= setInterval(() => this.#cutSlowReader(), CHECK_MS).unref();
      this.#admitWaiting();
    });
  }

  /** The reply is being sent; `cut` ends its connection. */
  send(scope: RequestScope, cut: () => void): void {
    this.#sending.set(scope, { cut, slowAt: performance.now() + this.#bounds.slowReaderMs, waits: false });
  }

  /** Until `turn` the reply waits for other replies: its client is not slow meanwhile. */
  async whileNotSending(scope: RequestScope, turn: Promise<void>): Promise<void> {
    const sending = this.#sending.get(scope);
    if (sending === undefined) return turn;
    const since = performance.now();
    sending.waits = true;
    await turn;
    sending.waits = false;
    sending.slowAt += performance.now() - since;
  }

  /** Releases part of the reservation: bytes that have been sent or are not needed after all. */
  releaseBytes(scope: RequestScope, bytes: number): void {
    const released = Math.min(bytes, scope.heldBytes);
    if (released === 0) return;
    const sending = this.#sending.get(scope);
    if (sending !== undefined) sending.slowAt += released / READ_BYTES_PER_MS;
    scope.heldBytes -= released;
    this.#bytes -= released;
    const left = (this.#held.get(scope.tenant) ?? 0) - released;
    if (left === 0) this.#held.delete(scope.tenant);
    else this.#held.set(scope.tenant, left);
    this.#admitWaiting();
  }

  release(scope: RequestScope): void {
    this.#sending.delete(scope);
    this.releaseBytes(scope, scope.heldBytes);
  }

  /** A request larger than a bound fits when nothing else is held under that bound. */
  #fits(tenant: string, bytes: number): boolean {
    return this.#fitsTenant(tenant, bytes) && this.#fitsAll(bytes);
  }

  #fitsTenant(tenant: string, bytes: number): boolean {
    const held = this.#held.get(tenant) ?? 0;
    return held === 0 || held + bytes <= this.#bounds.eachBytesMax;
  }

  #fitsAll(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#bounds.allBytesMax;
  }

  #reserve(scope: RequestScope, bytes: number): void {
    scope.heldBytes += bytes;
    this.#bytes += bytes;
    this.#held.set(scope.tenant, (this.#held.get(scope.tenant) ?? 0) + bytes);
  }

  /** A request that fits its tenant's bound but not the total is not overtaken: a large one would wait for ever. */
  #admitWaiting(): void {
    while (this.#queue.size > 0) {
      let blocked = false;
      const waiter = this.#queue.next((tenant, { bytes }) => {
        if (blocked || !this.#fitsTenant(tenant, bytes)) return false;
        blocked = !this.#fitsAll(bytes);
        return !blocked;
      });
      if (waiter === undefined) return;
      waiter.go();
    }
    clearInterval(this.#checking);
    this.#checking = undefined;
  }

  /** At most one reply per check, of a tenant that keeps requests waiting. */
  #cutSlowReader(): void {
    const now = performance.now();
    for (const [{ tenant }, { slowAt, waits, cut }] of this.#sending) {
      if (waits || slowAt > now || !this.#delaysOthers(tenant)) continue;
      cut();
      return;
    }
  }

  /** Whether a request of the tenant waits, or one that fits its own tenant's bound and only waits for the total. */
  #delaysOthers(tenant: string): boolean {
    for (const { scope, bytes } of this.#queue) {
      if (scope.tenant === tenant || this.#fitsTenant(scope.tenant, bytes)) return true;
    }
    return false;
  }
}
