// @ts-check
// What requests took and how they ended, apart from those that a fault met: a request counts as met if any of its time, from
// the moment when it was due, lies in a window that begins with a fault and ends when the cluster has caught up.

import { count } from '../client.mjs';

/**
 * @typedef {{ from: number, to: number | undefined, name: string }} Window
 * @typedef {{ requests: number, p50: number | undefined, p99: number | undefined }} Interval
 */

/** Below it a hundredth is less than half a request. */
const LEAST = 50;

/** @param {readonly number[]} sorted @param {number} part */
const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

export class Meter {
  requests = 0;
  underWay = 0;
  /** Requests that no fault met. */
  calm = 0;
  /** Of these, such as were refused or had no reply, by status. @type {Map<string, number>} */
  errors = new Map();
  /** The same of requests that a fault met. @type {Map<string, number>} */
  metErrors = new Map();
  /** @type {Window[]} */
  windows = [];
  /** @type {number[]} */
  #durations = [];

  /** @param {number} due @param {number} done */
  isMet(due, done) {
    // Only the last ones can be: windows are in order, and requests last for seconds.
    return this.windows.slice(-2).some(({ from, to = Number.POSITIVE_INFINITY }) => from <= done && to >= due);
  }

  /** @param {number} due @param {import('../client.mjs').Outcome} outcome */
  add(due, { status, body }) {
    const done = performance.now();
    const isMet = this.isMet(due, done);
    const isError = status === 0 || status >= 500;
    this.requests += 1;
    if (isError) {
      const name = status === 0 ? 'no reply' : `${status} ${body?.params?.reason ?? ''}`.trim();
      count(isMet ? this.metErrors : this.errors, name);
    }
    if (isMet) return;
    this.calm += 1;
    this.#durations.push(done - due);
  }

  /** A request that was due while too many were under way. @param {number} due */
  skip(due) {
    const isMet = this.isMet(due, performance.now());
    this.requests += 1;
    if (!isMet) this.calm += 1;
    count(isMet ? this.metErrors : this.errors, 'not sent: too many under way');
  }

  /** Since the last call. @returns {Interval} */
  interval() {
    const sorted = this.#durations.sort((a, b) => a - b);
    this.#durations = [];
    if (sorted.length < LEAST) return { requests: sorted.length, p50: undefined, p99: undefined };
    return { requests: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
  }
}
