// @ts-check
// The load generator, a process of its own: plain sockets, requests that were made before, and no more of the answer
// understood than its status and its length, so that the generator takes little of the machine that it shares with what
// it measures. It gets jobs from its parent, one at a time, and ends with it.

import { connect } from 'node:net';
import { operationNamed } from './operations.mjs';

/**
 * @typedef {object} Job
 * @property {string | readonly string[]} operation several: one after the other, and again
 * @property {number} port
 * @property {import('./operations.mjs').Target} target
 * @property {number} connections
 * @property {number} seconds
 * @property {number} [intervalMs] between two requests of a connection; none: the next follows the answer
 *
 * @typedef {object} Outcome
 * @property {number} requests that were answered
 * @property {number} sent
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
const HEAD_END = Buffer.from('\r\n\r\n');
/** A side that refuses is not asked again and again: that would measure something else. */
const ERRORS_MAX = 1_000;

/** Whether the parent has asked for an early end of the job under way. */
let stopping = false;

/** @param {Job} job @returns {Promise<Outcome>} */
async function run(job) {
  const next = inTurn([job.operation].flat(), job.target);
  const began = performance.now();
  const deadline = began + job.seconds * 1000;
  /** @type {number[]} */
  const times = [];
  /** @type {string[]} */
  const examples = [];
  let [sent, bytes, errors, lastAnswer] = [0, 0, 0, began];
  /** @param {string} text */
  const fail = (text) => {
    errors += 1;
    if (examples.length < EXAMPLES_MAX) examples.push(text);
  };
  const take = () => {
    if (stopping || errors >= ERRORS_MAX || performance.now() >= deadline) return undefined;
    const request = next(sent);
    if (request !== undefined) sent += 1;
    return request;
  };
  /** @param {{ status: number, length: number, startedAt: number, text: () => string }} answer */
  const note = ({ status, length, startedAt, text }) => {
    lastAnswer = performance.now();
    times.push(lastAnswer - startedAt);
    bytes += length;
    if (status < 200 || status > 299) fail(`${status} ${text().slice(0, 300)}`);
  };
  const one = () => converse({ ...job, take, note, fail });
  await Promise.all(Array.from({ length: job.connections }, one));
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    ...{ requests: times.length, sent, seconds: (lastAnswer - began) / 1000, bytes, errors, examples },
    ...{ p50: at(0.5), p99: at(0.99), longest: times.at(-1) ?? 0 },
  };
}

/** @param {readonly string[]} names @param {import('./operations.mjs').Target} target @returns {(n: number) => Buffer | undefined} */
function inTurn(names, target) {
  const kinds = new Map(names.map((name) => [name, { make: operationNamed(name).requests(target), made: 0 }]));
  return (n) => {
    const kind = kinds.get(names[n % names.length] ?? '');
    return kind?.make(kind.made++);
  };
}

/**
 * One connection: a request, its answer, the next. Resolves when there is nothing more to ask.
 * @param {Job & { take: () => Buffer | undefined, note: (answer: { status: number, length: number, startedAt: number, text: () => string }) => void, fail: (text: string) => void }} options
 * @returns {Promise<void>}
 */
function converse({ port, seconds, intervalMs = 0, take, note, fail }) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    let startedAt = 0;
    let done = false;
    /** What has come of the answer: in pieces when it did not come at once. @type {Buffer[]} */
    let parts = [];
    let [received, expected, status] = [0, -1, 0];
    const late = setTimeout(() => finish('no answer in time'), seconds * 1000 + DRAIN_MS);
    const finish = (/** @type {string | undefined} */ problem) => {
      if (done) return;
      done = true;
      clearTimeout(late);
      if (problem !== undefined) fail(problem);
      socket.destroy();
      resolve();
    };
    const go = () => {
      const request = take();
      if (request === undefined) return finish(undefined);
      [parts, received, expected] = [[], 0, -1];
      startedAt = performance.now();
      socket.write(request);
    };
    const readHead = () => {
      const all = parts.length === 1 ? /** @type {Buffer} */ (parts[0]) : Buffer.concat(parts);
      const end = all.indexOf(HEAD_END);
      if (end === -1) return;
      const head = all.toString('latin1', 0, end);
      status = Number(head.slice(9, 12));
      const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      if (length === undefined && status !== 204) return finish(`an answer without a length: ${head}`);
      expected = end + 4 + Number(length ?? 0);
      parts = [all];
    };
    socket.on('data', (chunk) => {
      parts.push(chunk);
      received += chunk.length;
      if (expected === -1) readHead();
      if (done || expected === -1 || received < expected) return;
      if (received > expected) return finish('more came than was asked for');
      note({ status, length: received, startedAt, text: () => Buffer.concat(parts).toString() });
      if (intervalMs > 0) setTimeout(go, intervalMs);
      else go();
    });
    socket.on('connect', go);
    socket.on('error', (error) => finish(error.message));
    socket.on('close', () => finish('the connection was closed'));
  });
}

process.on('message', async (/** @type {Job | 'stop'} */ message) => {
  if (message === 'stop') {
    stopping = true;
    return;
  }
  stopping = false;
  try {
    process.send?.({ outcome: await run(message) });
  } catch (error) {
    process.send?.({ failure: error instanceof Error ? error.stack : String(error) });
  }
});
process.on('disconnect', () => process.exit());
// A terminal tells the whole group; the parent tells when it is time.
process.on('SIGINT', () => {});
