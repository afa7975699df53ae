// The answers that did not go out at once, since their clients do not read them as fast: how many bytes they take, and
// whose they are. Only these come here; what the system takes at once is nobody's concern.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { tooBusy } from '../../faults.ts';
import type { Observe } from '../../observe/events.ts';
import { partOfHeap } from '../../request/heap.ts';

export interface UnreadBounds {
  /** Of one application, and of all. */
  readonly eachBytesMax: number;
  readonly allBytesMax: number;
  /** For how long an application that has more may keep one waiting. */
  readonly pressedMs: number;
}

/** A text that is not Latin takes twice its length, and whatever is at work takes memory besides. */
const PART_OF_HEAP = 1 / 8;
const ALL_BYTES_MAX = 256 * 1024 * 1024;
const EACH_PART = 1 / 4;
const PRESSED_MS = 5_000;
const CUTS_TOLD_MS = 1_000;

export function unreadBounds(): UnreadBounds {
  const allBytesMax = partOfHeap(PART_OF_HEAP, ALL_BYTES_MAX);
  return { eachBytesMax: allBytesMax * EACH_PART, allBytesMax, pressedMs: PRESSED_MS };
}

interface Kept {
  readonly socket: Socket;
  readonly bytes: number;
  readonly since: number;
}

interface Share {
  bytes: number;
  /** The oldest first. */
  readonly answers: Map<ServerResponse, Kept>;
}

export class UnreadAnswers {
  readonly #bounds: UnreadBounds;
  readonly #observe: Observe;
  readonly #shares = new Map<string, Share>();
  #bytes = 0;
  #cuts = 0;

  constructor(bounds: UnreadBounds, observe: Observe) {
    this.#bounds = bounds;
    this.#observe = observe;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Before work begins whose answer may join them. An application whose clients leave too much unread is refused more of it,
   * and its oldest are cut off, so that those who stopped reading do not keep it from the others for long.
   */
  check(name: string): void {
    const share = this.#shares.get(name);
    if (share === undefined || share.bytes <= this.#bounds.eachBytesMax) return;
    const since = performance.now() - this.#bounds.pressedMs;
    for (const [response, kept] of share.answers) {
      if (kept.since > since) break;
      this.#cut(name, response, kept);
    }
    if (share.bytes > this.#bounds.eachBytesMax) throw tooBusy();
  }

  /** Counted until it is read, or the connection has ended. What all have together is a hard bound. */
  keep(name: string, response: ServerResponse, socket: Socket): void {
    let share = this.#shares.get(name);
    if (share === undefined) {
      share = { bytes: 0, answers: new Map() };
      this.#shares.set(name, share);
    }
    const kept = { socket, bytes: socket.writableLength, since: performance.now() };
    share.answers.set(response, kept);
    share.bytes += kept.bytes;
    this.#bytes += kept.bytes;
    response.once('close', () => this.#forget(name, response));
    while (this.#bytes > this.#bounds.allBytesMax && this.#cutOldest(response));
  }

  /** Of the application that has the most: the others' clients are not to pay for it. Not the newest: what is large must be readable, too. */
  #cutOldest(newest: ServerResponse): boolean {
    let most: [string, Share] | undefined;
    for (const one of this.#shares) if (most === undefined || one[1].bytes > most[1].bytes) most = one;
    const [name = '', share] = most ?? [];
    for (const [response, kept] of share?.answers ?? []) {
      if (response === newest) break;
      this.#cut(name, response, kept);
      return true;
    }
    return false;
  }

  #cut(name: string, response: ServerResponse, { socket }: Kept): void {
    this.#forget(name, response);
    socket.destroy();
    if (this.#cuts === 0) setTimeout(() => this.#tell(), CUTS_TOLD_MS).unref();
    this.#cuts += 1;
  }

  #tell(): void {
    this.#observe({ event: 'connections.cut', connections: this.#cuts });
    this.#cuts = 0;
  }

  #forget(name: string, response: ServerResponse): void {
    const share = this.#shares.get(name);
    const kept = share?.answers.get(response);
    if (share === undefined || kept === undefined) return;
    share.answers.delete(response);
    share.bytes -= kept.bytes;
    this.#bytes -= kept.bytes;
    if (share.answers.size === 0) this.#shares.delete(name);
  }
}
