// Limits the requests without credentials that an address may begin in a minute. Kept in memory, like
// gate/throttling/throttle.

import { fault } from '../../faults.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
import { networkOf, SITE_FACTOR, siteOf } from './network.ts';

const WINDOW_MS = 60_000;
/** Bounds the memory that many addresses can take; the oldest minute is evicted first. */
const TRACKED_MAX = 20_000;

interface Minute {
  readonly since: number;
  count: number;
}

export class Pace {
  readonly #minutes = new BoundedMap<string, Minute>(TRACKED_MAX);
  readonly #max: number;
  readonly #now: () => number;

  constructor(max: number, now: () => number = () => performance.now()) {
    this.#max = max;
    this.#now = now;
  }

  /** Throws 429 when the address has reached its limit for this minute. */
  take(address: string): void {
    const now = this.#now();
    const site = siteOf(address);
    const network = networkOf(address);
    // Both are checked before either is counted: a refused network does not use up its site.
    this.#check(network, this.#max, now);
    if (site !== undefined) this.#check(site, this.#max * SITE_FACTOR, now);
    this.#count(network, now);
    if (site !== undefined) this.#count(site, now);
  }

  #check(network: string, max: number, now: number): void {
    const known = this.#minutes.get(network);
    if (known === undefined || now - known.since >= WINDOW_MS || known.count < max) return;
    throw tooMany(known.since + WINDOW_MS - now);
  }

  #count(network: string, now: number): void {
    const known = this.#minutes.get(network);
    if (known !== undefined && now - known.since < WINDOW_MS) {
      known.count += 1;
      return;
    }
    this.#minutes.set(network, { since: now, count: 1 });
  }
}

const tooMany = (milliseconds: number) =>
  fault('TOO_MANY_REQUESTS', { reason: 'authentication' }, { 'retry-after': `${Math.ceil(milliseconds / 1000)}` });
