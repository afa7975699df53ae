// @ts-check
// The load generator, a process of its own. It gets jobs from its parent, one at a time, and ends with it.

import { setTimeout as wait } from 'node:timers/promises';
import { converse } from './conversation.mjs';
import { takeJobs } from './jobs.mjs';
import { requestsFor } from './peers/requests.mjs';

/**
 * @typedef {object} Job
 * @property {string | readonly string[]} operation several: one after the other, and again
 * @property {number} port
 * @property {import('./operations.mjs').Target} target
 * @property {number} connections
 * @property {number} seconds
 * @property {number} [intervalMs] between two requests of a connection; none: the next follows the answer
 * @property {number} [perSecond] requests of all connections together, each due at its time however long the answers take. What
 *   is late counts from when it was due, and a connection that breaks is made anew
 * @property {number} [drainMs] to wait for replies after the end
 *
 * @typedef {object} Outcome
 * @property {number} requests that were answered
 * @property {number} sent
 * @property {number} late that were due and could not be sent; in the times they are as old as they had become
 * @property {number} seconds from the first request to the last answer
 * @property {number} p50 in milliseconds, like the others
 * @property {number} p99
 * @property {number} longest
 * @property {number} bytes of the answers
 * @property {number} errors answers that are not 2xx, and connections that broke
 * @property {string[]} examples of errors
 */

const EXAMPLES_MAX = 3;
const DRAIN_MS = 15_000;
const RECONNECT_MS = 50;
/** Before the first request is due: that a connection is made and the program warms up is not the side's time. */
const CONNECT_MS = 100;
/** A side that refuses is not asked again and again: that would measure something else. */
const ERRORS_MAX = 1_000;

/** @param {Job} job @param {AbortSignal} signal @returns {Promise<Outcome>} */
async function run(job, signal) {
  const { perSecond } = job;
  const next = inTurn([job.operation].flat(), job.target);
  const began = performance.now() + (perSecond === undefined ? 0 : CONNECT_MS);
  const deadline = began + job.seconds * 1000;
  /** @type {number[]} */
  const times = [];
  /** @type {string[]} */
  const examples = [];
  let [requests, sent, bytes, errors, lastAnswer] = [0, 0, 0, 0, began];
  const isOver = () => signal.aborted || errors >= ERRORS_MAX || performance.now() >= deadline;
  const dueAt = (/** @type {number} */ n) => began + (n * 1000) / (perSecond ?? 1);
  /** @param {string} text @param {number} [startedAt] */
  const fail = (text, startedAt) => {
    errors += 1;
    if (examples.length < EXAMPLES_MAX) examples.push(text);
    if (perSecond !== undefined && startedAt !== undefined) times.push(performance.now() - startedAt);
  };
  const take = () => {
    if (isOver() || (perSecond !== undefined && dueAt(sent) >= deadline)) return undefined;
    const request = next(sent);
    if (request === undefined) return undefined;
    const turn = perSecond === undefined ? { bytes: request } : { bytes: request, dueAt: dueAt(sent) };
    sent += 1;
    return turn;
  };
  /** @param {import('./conversation.mjs').Answer} answer */
  const note = ({ status, length, startedAt, text }) => {
    lastAnswer = performance.now();
    requests += 1;
    times.push(lastAnswer - startedAt);
    bytes += length;
    if (status < 200 || status > 299) fail(`${status} ${text().slice(0, 300)}`);
  };
  const talk = { ...job, take, note, fail };
  const one = async () => {
    for (;;) {
      await converse({ ...talk, lateMs: deadline - performance.now() + (job.drainMs ?? DRAIN_MS) });
      if (perSecond === undefined || isOver() || dueAt(sent) >= deadline) return;
      await wait(RECONNECT_MS);
    }
  };
  await Promise.all(Array.from({ length: job.connections }, one));
  const late = perSecond === undefined || signal.aborted ? 0 : Math.max(0, Math.ceil(job.seconds * perSecond) - sent);
  const now = performance.now();
  for (let n = sent; n < sent + late; n++) times.push(now - dueAt(n));
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    ...{ requests, sent, late, seconds: (lastAnswer - began) / 1000, bytes, errors, examples },
    ...{ p50: at(0.5), p99: at(0.99), longest: times.at(-1) ?? 0 },
  };
}

/** @param {readonly string[]} names @param {import('./operations.mjs').Target} target @returns {(n: number) => Buffer | undefined} */
function inTurn(names, target) {
  const kinds = new Map(names.map((name) => [name, { make: requestsFor(name, target), made: 0 }]));
  return (n) => {
    const kind = kinds.get(names[n % names.length] ?? '');
    return kind?.make(kind.made++);
  };
}

takeJobs(run);
