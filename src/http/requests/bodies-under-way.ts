// The bodies of JSON that did not come with their headers: how much memory they take until they are complete and worked on,
// and whose they are. Only these come here; a body that is there at once is nobody's concern.

import { type Fault, tooBusy } from '../../faults.ts';
import { partOfHeap } from '../../request/heap.ts';
import type { BodyReading } from './body.ts';

export interface BodyBounds {
  /** Of one application, or from one network. */
  readonly eachMax: number;
  readonly eachBytesMax: number;
  readonly allBytesMax: number;
}

/** With credentials, which have an application; and without, which have but an address. */
export interface BodiesBounds {
  readonly known: BodyBounds;
  readonly visitors: BodyBounds;
}

/** What a request that waits for its body takes besides, about. */
const REQUEST_BYTES = 16 * 1024;
const PART_OF_HEAP = 1 / 8;
const ALL_BYTES_MAX = 128 * 1024 * 1024;
const EACH_PART = 1 / 4;
const EACH_MAX = 1_000;
/** Those of visitors are small, and mostly come with their headers. */
const VISITORS_PART = 1 / 8;
/** From one address, behind which a whole office may be. */
const NETWORK_MAX = 16;

export function bodiesBounds(): BodiesBounds {
  const allBytesMax = partOfHeap(PART_OF_HEAP, ALL_BYTES_MAX);
  const visitorBytesMax = allBytesMax * VISITORS_PART;
  return {
    known: { eachMax: EACH_MAX, eachBytesMax: allBytesMax * EACH_PART, allBytesMax },
    visitors: { eachMax: NETWORK_MAX, eachBytesMax: visitorBytesMax * EACH_PART, allBytesMax: visitorBytesMax },
  };
}

interface Body {
  readonly name: string;
  readonly share: Share;
  readonly refuse: (why: Fault) => void;
  bytes: number;
}

interface Share {
  bytes: number;
  /** The oldest first. */
  readonly bodies: Set<Body>;
}

export class BodiesUnderWay {
  readonly #bounds: BodyBounds;
  readonly #shares = new Map<string, Share>();
  #bytes = 0;

  constructor(bounds: BodyBounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Stops the reading when there is no room for it, now or as it grows. Gives what ends it here, to be called in any case. */
  begin(name: string, reading: Pick<BodyReading, 'countIn' | 'stop'>): () => void {
    const share = this.#shares.get(name) ?? { bytes: 0, bodies: new Set() };
    if (share.bodies.size >= this.#bounds.eachMax) {
      reading.stop(tooBusy());
      return () => undefined;
    }
    this.#shares.set(name, share);
    const body: Body = { name, share, refuse: reading.stop, bytes: 0 };
    share.bodies.add(body);
    reading.countIn({ hold: (bytes) => this.#hold(body, REQUEST_BYTES + bytes) });
    return () => this.#end(body);
  }

  #hold(body: Body, bytes: number): void {
    const { share } = body;
    if (bytes === body.bytes || !share.bodies.has(body)) return;
    share.bytes += bytes - body.bytes;
    this.#bytes += bytes - body.bytes;
    body.bytes = bytes;
    // One that is alone has room in any case: else what is large could never be sent to a server with a small heap.
    if (share.bytes > this.#bounds.eachBytesMax && share.bodies.size > 1) this.#refuse(body);
    while (this.#bytes > this.#bounds.allBytesMax) {
      const one = this.#oneOfMost(body);
      if (one !== undefined) this.#refuse(one);
      if (one === undefined || one === body) return;
    }
  }

  /** Of the share that has the most: the others are not to pay for it. The oldest, but of the share that asks for more the one that does. */
  #oneOfMost(asking: Body): Body | undefined {
    let most: Share | undefined;
    for (const share of this.#shares.values()) if (most === undefined || share.bytes > most.bytes) most = share;
    if (most !== asking.share) return most?.bodies.values().next().value;
    return most.bodies.size > 1 ? asking : undefined;
  }

  #refuse(body: Body): void {
    this.#end(body);
    body.refuse(tooBusy());
  }

  #end(body: Body): void {
    const { name, share, bytes } = body;
    if (!share.bodies.delete(body)) return;
    share.bytes -= bytes;
    this.#bytes -= bytes;
    if (share.bodies.size === 0) this.#shares.delete(name);
  }
}
