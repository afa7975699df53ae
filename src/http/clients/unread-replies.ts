// The memory of replies that their clients do not read fast enough, counted per tenant. A reply that the operating system
// takes at once is not counted.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Observe } from '../../events/events.ts';
import { tooBusy } from '../../faults.ts';
import { partOfHeap } from '../../load/heap.ts';

export interface UnreadBounds {
  /** Of one tenant, and of all. */
  readonly eachBytesMax: number;
  readonly allBytesMax: number;
  /** How long a reply may stay unread while its tenant is over its limit. */
  readonly pressedMs: number;
}

/** A text that is not Latin takes twice its length, and requests being handled need memory too. */
const PART_OF_HEAP = 1 / 8;
const ALL_BYTES_MAX = 256 * 1024 * 1024;
const EACH_PART = 1 / 4;
const PRESSED_MS = 5_000;
/** Connections that were cut are reported together, once in this time. */
const CUT_REPORT_MS = 1_000;

export function unreadBounds(): UnreadBounds {
  const allBytesMax = partOfHeap(PART_OF_HEAP, ALL_BYTES_MAX);
  return { eachBytesMax: allBytesMax * EACH_PART, allBytesMax, pressedMs: PRESSED_MS };
}

interface UnreadReply {
  readonly socket: Socket;
  readonly bytes: number;
  readonly since: number;
}

interface TenantReplies {
  bytes: number;
  /** The oldest first. */
  readonly replies: Map<ServerResponse, UnreadReply>;
}

export class UnreadReplies {
  readonly #bounds: UnreadBounds;
  readonly #observe: Observe;
  readonly #tenants = new Map<string, TenantReplies>();
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
   * Called before work begins. A tenant with too many unread bytes is refused, and its oldest replies are cut off, so that
   * clients that stopped reading do not block the tenant's other clients for long.
   */
  check(tenant: string): void {
    const unread = this.#tenants.get(tenant);
    if (unread === undefined || unread.bytes <= this.#bounds.eachBytesMax) return;
    const since = performance.now() - this.#bounds.pressedMs;
    for (const [response, reply] of unread.replies) {
      if (reply.since > since) break;
      this.#cut(tenant, response, reply);
    }
    if (unread.bytes > this.#bounds.eachBytesMax) throw tooBusy();
  }

  /** Counts the reply until it is read or its connection has ended. The limit of all tenants together is a hard one. */
  add(tenant: string, response: ServerResponse, socket: Socket): void {
    let unread = this.#tenants.get(tenant);
    if (unread === undefined) {
      unread = { bytes: 0, replies: new Map() };
      this.#tenants.set(tenant, unread);
    }
    const reply = { socket, bytes: socket.writableLength, since: performance.now() };
    unread.replies.set(response, reply);
    unread.bytes += reply.bytes;
    this.#bytes += reply.bytes;
    response.once('close', () => this.#remove(tenant, response));
    while (this.#bytes > this.#bounds.allBytesMax && this.#cutOldest(response));
  }

  /** Of the tenant that has the most bytes, so that others do not pay for it. Never the newest: large replies must be readable too. */
  #cutOldest(newest: ServerResponse): boolean {
    let largest: [string, TenantReplies] | undefined;
    for (const entry of this.#tenants) if (largest === undefined || entry[1].bytes > largest[1].bytes) largest = entry;
    const [tenant = '', unread] = largest ?? [];
    for (const [response, reply] of unread?.replies ?? []) {
      if (response === newest) break;
      this.#cut(tenant, response, reply);
      return true;
    }
    return false;
  }

  #cut(tenant: string, response: ServerResponse, { socket }: UnreadReply): void {
    this.#remove(tenant, response);
    socket.destroy();
    if (this.#cuts === 0) setTimeout(() => this.#reportCuts(), CUT_REPORT_MS).unref();
    this.#cuts += 1;
  }

  #reportCuts(): void {
    this.#observe({ event: 'connections.cut', connections: this.#cuts });
    this.#cuts = 0;
  }

  #remove(tenant: string, response: ServerResponse): void {
    const unread = this.#tenants.get(tenant);
    const reply = unread?.replies.get(response);
    if (unread === undefined || reply === undefined) return;
    unread.replies.delete(response);
    unread.bytes -= reply.bytes;
    this.#bytes -= reply.bytes;
    if (unread.replies.size === 0) this.#tenants.delete(tenant);
  }
}
