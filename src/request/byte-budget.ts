// How many bytes of long records requests may hold at once, for one application and for all. A request takes its bytes before it
// reads the records and keeps them until its answer has gone out; where there is no room it waits, with turns among the
// applications (docs/architecture.md, "Long records").

import { getHeapStatistics } from 'node:v8';
import { tooBusy } from '../faults.ts';
import { FairQueue } from './fair-queue.ts';
import type { RequestScope } from './request-scope.ts';

export interface ByteBounds {
  /** Of one application, and of all. */
  readonly eachBytesMax: number;
  readonly allBytesMax: number;
  /** While others wait, a client that reads slowly is cut off behind this time. */
  readonly pressedMs: number;
}

const ALL_BYTES_MAX = 256 * 1024 * 1024;
/** The bytes themselves lie outside of the heap; what is made of them on the way does not. */
const PART_OF_HEAP = 1 / 2;
/** Room for the longest page that single bodies can make: 100 records of a megabyte. */
const EACH_PART = 1 / 2;
const PRESSED_MS = 5_000;
/** Who reads no slower is not cut off. */
const READ_BYTES_PER_MS = 4 * 1024;
const LOOK_MS = 500;
/** A request that waits may hold a body of a megabyte. */
const WAITING = { eachMax: 64, allMax: 128 };

export function byteBounds(): ByteBounds {
  const allBytesMax = Math.min(ALL_BYTES_MAX, getHeapStatistics().heap_size_limit * PART_OF_HEAP);
  return { eachBytesMax: allBytesMax * EACH_PART, allBytesMax, pressedMs: PRESSED_MS };
}

/** Thrown out of a transaction or snapshot, whose connection nobody may keep while waiting for bytes. */
export class BytesNeeded extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super(`${bytes} bytes are needed`);
    this.bytes = bytes;
  }
}

interface Waiter {
  readonly request: RequestScope;
  readonly bytes: number;
  readonly go: () => void;
}

interface Sending {
  readonly cut: () => void;
  /** From when on its client counts as slow. Every byte that goes out moves it ahead. */
  slowAt: number;
}

export class ByteBudget {
  readonly #bounds: ByteBounds;
  readonly #shares = new Map<string, number>();
  readonly #turns = new FairQueue<Waiter>(WAITING);
  /** Requests whose answers are on their way, the oldest first. */
  readonly #sending = new Map<RequestScope, Sending>();
  #bytes = 0;
  #look: NodeJS.Timeout | undefined;

  constructor(bounds: ByteBounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get waiting(): number {
    return this.#turns.size;
  }

  /** Makes the request hold so many bytes, more than it may hold already; where that must wait, throws BytesNeeded. */
  require(request: RequestScope, bytes: number): void {
    const more = bytes - request.heldBytes;
    if (more <= 0) return;
    // Who holds some and needs a little more overtakes nobody: it would have to begin anew.
    const overtakes = request.heldBytes === 0 && this.#isInTheWay(request.share);
    if (overtakes || !this.#fits(request.share, more)) throw new BytesNeeded(bytes);
    this.#take(request, more);
  }

  /** Makes the request hold so many bytes. What it held is given up first: two that held a part could wait for each other. */
  wait(request: RequestScope, bytes: number): Promise<void> {
    this.release(request);
    return new Promise((resolve, reject) => {
      if (request.stopped !== undefined) {
        reject(request.stopped);
        return;
      }
      const leave = () => {
        request.waiting = false;
        request.takeBack(stopped);
      };
      const waiter: Waiter = {
        request,
        bytes,
        go: () => {
          leave();
          this.#take(request, bytes);
          resolve();
        },
      };
      const stopped = (why: Error) => {
        leave();
        this.#turns.remove(request.share, waiter);
        this.#fill();
        reject(why);
      };
      if (!this.#turns.add(request.share, waiter)) {
        reject(tooBusy());
        return;
      }
      request.waiting = true;
      request.whenStopped(stopped);
      this.#look ??= setInterval(() => this.#cutSlow(), LOOK_MS).unref();
      this.#fill();
    });
  }

  /** The answer is on its way; `cut` ends that. */
  send(request: RequestScope, cut: () => void): void {
    this.#sending.set(request, { cut, slowAt: performance.now() + this.#bounds.pressedMs });
  }

  /** So many have gone out. */
  give(request: RequestScope, bytes: number): void {
    const given = Math.min(bytes, request.heldBytes);
    if (given === 0) return;
    const sending = this.#sending.get(request);
    if (sending !== undefined) sending.slowAt += given / READ_BYTES_PER_MS;
    request.heldBytes -= given;
    this.#bytes -= given;
    const left = (this.#shares.get(request.share) ?? 0) - given;
    if (left === 0) this.#shares.delete(request.share);
    else this.#shares.set(request.share, left);
    this.#fill();
  }

  release(request: RequestScope): void {
    this.#sending.delete(request);
    this.give(request, request.heldBytes);
  }

  /** What is larger than a bound has its turn when nothing else is held there. */
  #fits(share: string, bytes: number): boolean {
    return this.#fitsShare(share, bytes) && this.#fitsAll(bytes);
  }

  #fitsShare(share: string, bytes: number): boolean {
    const held = this.#shares.get(share) ?? 0;
    return held === 0 || held + bytes <= this.#bounds.eachBytesMax;
  }

  #fitsAll(bytes: number): boolean {
    return this.#bytes === 0 || this.#bytes + bytes <= this.#bounds.allBytesMax;
  }

  #take(request: RequestScope, bytes: number): void {
    request.heldBytes += bytes;
    this.#bytes += bytes;
    this.#shares.set(request.share, (this.#shares.get(request.share) ?? 0) + bytes);
  }

  /** Who only lacks room among all is not overtaken: what is large would wait for ever. */
  #fill(): void {
    while (this.#turns.size > 0) {
      let blocked = false;
      const waiter = this.#turns.next((share, { bytes }) => {
        if (blocked || !this.#fitsShare(share, bytes)) return false;
        blocked = !this.#fitsAll(bytes);
        return !blocked;
      });
      if (waiter === undefined) return;
      waiter.go();
    }
    clearInterval(this.#look);
    this.#look = undefined;
  }

  /** One answer at a time, of an application that keeps requests waiting. */
  #cutSlow(): void {
    const now = performance.now();
    for (const [{ share }, { slowAt, cut }] of this.#sending) {
      if (slowAt > now || !this.#isInTheWay(share)) continue;
      cut();
      return;
    }
  }

  /** Of requests of its own that wait, or of those that lack nothing but room among all. */
  #isInTheWay(share: string): boolean {
    for (const { request, bytes } of this.#turns) {
      if (request.share === share || this.#fitsShare(request.share, bytes)) return true;
    }
    return false;
  }
}
