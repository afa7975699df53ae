// The memory of JSON bodies that did not arrive with their headers, counted per application or network until the body is
// complete and its request admitted. A body that arrived with its headers is not counted.

import { type Fault, tooBusy } from '../../faults.ts';
import { partOfHeap } from '../../load/heap.ts';
import type { BodyReading } from './body.ts';

export interface BodyBounds {
  /** Of one application, or from one network. */
  readonly eachMax: number;
  readonly eachBytesMax: number;
  readonly allBytesMax: number;
}

export interface BodyMemoryBounds {
  /** For requests with valid credentials, by application. */
  readonly known: BodyBounds;
  /** For all others, by network. */
  readonly visitors: BodyBounds;
}

/** Roughly the memory of a request that waits for its body, without the body. */
const REQUEST_BYTES = 16 * 1024;
const PART_OF_HEAP = 1 / 8;
const ALL_BYTES_MAX = 128 * 1024 * 1024;
const EACH_PART = 1 / 4;
const EACH_MAX = 1_000;
/** Bodies of visitors are small, and mostly arrive with their headers. */
const VISITORS_PART = 1 / 8;
/** A whole office may share one address. */
const NETWORK_MAX = 16;

export function bodyMemoryBounds(): BodyMemoryBounds {
  const allBytesMax = partOfHeap(PART_OF_HEAP, ALL_BYTES_MAX);
  const visitorBytesMax = allBytesMax * VISITORS_PART;
  return {
    known: { eachMax: EACH_MAX, eachBytesMax: allBytesMax * EACH_PART, allBytesMax },
    visitors: { eachMax: NETWORK_MAX, eachBytesMax: visitorBytesMax * EACH_PART, allBytesMax: visitorBytesMax },
  };
}

interface Body {
  readonly tenant: string;
  readonly group: TenantBodies;
  readonly refuse: (why: Fault) => void;
  bytes: number;
}

interface TenantBodies {
  bytes: number;
  /** The oldest first. */
  readonly bodies: Set<Body>;
}

export class BodyMemory {
  readonly #bounds: BodyBounds;
  readonly #tenants = new Map<string, TenantBodies>();
  #bytes = 0;

  constructor(bounds: BodyBounds) {
    this.#bounds = bounds;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a body, and stops reading it when it does not fit, now or as it grows. The returned function must be called in any case. */
  begin(tenant: string, reading: Pick<BodyReading, 'countIn' | 'stop'>): () => void {
    const group = this.#tenants.get(tenant) ?? { bytes: 0, bodies: new Set() };
    if (group.bodies.size >= this.#bounds.eachMax) {
      reading.stop(tooBusy());
      return () => undefined;
    }
    this.#tenants.set(tenant, group);
    const body: Body = { tenant, group, refuse: reading.stop, bytes: 0 };
    group.bodies.add(body);
    reading.countIn((bytes) => this.#setBytes(body, REQUEST_BYTES + bytes));
    return () => this.#end(body);
  }

  #setBytes(body: Body, bytes: number): void {
    const { group } = body;
    if (bytes === body.bytes || !group.bodies.has(body)) return;
    group.bytes += bytes - body.bytes;
    this.#bytes += bytes - body.bytes;
    body.bytes = bytes;
    // A body that is alone always fits: a server with a small heap could otherwise never receive a large one.
    if (group.bytes > this.#bounds.eachBytesMax && group.bodies.size > 1) this.#refuse(body);
    while (this.#bytes > this.#bounds.allBytesMax) {
      const victim = this.#victim(body);
      if (victim !== undefined) this.#refuse(victim);
      if (victim === undefined || victim === body) return;
    }
  }

  /**
   * A body of the tenant that holds the most bytes, so that others do not pay for it: the growing body if it is of that
   * tenant, else the tenant's oldest.
   */
  #victim(growing: Body): Body | undefined {
    let largest: TenantBodies | undefined;
    for (const group of this.#tenants.values())
      if (largest === undefined || group.bytes > largest.bytes) largest = group;
    if (largest !== growing.group) return largest?.bodies.values().next().value;
    return largest.bodies.size > 1 ? growing : undefined;
  }

  #refuse(body: Body): void {
    this.#end(body);
    body.refuse(tooBusy());
  }

  #end(body: Body): void {
    const { tenant, group, bytes } = body;
    if (!group.bodies.delete(body)) return;
    group.bytes -= bytes;
    this.#bytes -= bytes;
    if (group.bodies.size === 0) this.#tenants.delete(tenant);
  }
}
