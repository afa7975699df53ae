// Slows down the guessing of credentials, per address and per pair of account and address. Valid tokens never pass here,
// and missing credentials do not count. Kept in memory: an attacker gains little by changing nodes, and a table would allow
// writes to the database without credentials.

import { fault } from '../../faults.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
import { networkOf, SITE_FACTOR, siteOf } from './network.ts';

const WINDOW_MS = 5 * 60_000;
const PENALTY_MIN_MS = 1_000;
const PENALTY_MAX_MS = 60_000;
/** Bounds the memory that guessing from many addresses can take; the least recently seen is evicted first. */
const TRACKED_MAX = 20_000;

interface Track {
  /** Times of failures within the window, oldest first, at most as many as the limit needs. */
  failures: number[];
  blockedUntil: number;
  penalty: number;
}

export interface ThrottleLimits {
  readonly account: number;
  readonly address: number;
}

export class Throttle {
  readonly #tracks = new BoundedMap<string, Track>(TRACKED_MAX);
  readonly #limits: ThrottleLimits;
  readonly #now: () => number;

  constructor(limits: ThrottleLimits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Whether the pair or the address has to wait. */
  blocks(address: string, account: string): boolean {
    return this.#tracks.size > 0 && this.#until(address, account) > this.#now();
  }

  /** Throws 429 while the pair or the address has to wait. */
  check(address: string, account: string): void {
    if (this.#tracks.size === 0) return;
    const now = this.#now();
    const until = this.#until(address, account);
    if (until <= now) return;
    const seconds = Math.ceil((until - now) / 1000);
    throw fault('TOO_MANY_REQUESTS', { reason: 'authentication' }, { 'retry-after': String(seconds) });
  }

  fail(address: string, account: string): void {
    const network = networkOf(address);
    const site = siteOf(address);
    this.#count(addressKey(network), this.#limits.address);
    this.#count(pairOf(network, account), this.#limits.account);
    if (site === undefined) return;
    this.#count(addressKey(site), this.#limits.address * SITE_FACTOR);
    this.#count(pairOf(site, account), this.#limits.account * SITE_FACTOR);
  }

  succeed(address: string, account: string): void {
    if (this.#tracks.size === 0) return;
    this.#tracks.delete(pairOf(networkOf(address), account));
    const site = siteOf(address);
    if (site !== undefined) this.#tracks.delete(pairOf(site, account));
  }

  #until(address: string, account: string): number {
    const until = this.#untilOf(networkOf(address), account);
    const site = siteOf(address);
    return site === undefined ? until : Math.max(until, this.#untilOf(site, account));
  }

  #untilOf(network: string, account: string): number {
    return Math.max(this.#blockedUntil(addressKey(network)), this.#blockedUntil(pairOf(network, account)));
  }

  #blockedUntil(key: string): number {
    return this.#tracks.get(key)?.blockedUntil ?? 0;
  }

  #count(key: string, limit: number): void {
    const now = this.#now();
    const track = this.#tracks.get(key) ?? { failures: [], blockedUntil: 0, penalty: 0 };
    track.failures = [...track.failures, now].filter((time) => time > now - WINDOW_MS).slice(-limit);
    if (track.failures.length >= limit) {
      track.penalty = Math.min(Math.max(track.penalty * 2, PENALTY_MIN_MS), PENALTY_MAX_MS);
      track.blockedUntil = now + track.penalty;
    } else {
      track.penalty = 0;
    }
    this.#tracks.set(key, track);
  }
}

const addressKey = (network: string): string => `@${network}`;
const pairOf = (network: string, account: string): string => `${network} ${account}`;
