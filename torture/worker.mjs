// @ts-check
// One client of a round at work: it picks what to do next, by weight, until it is told to stop.

import { setTimeout as pause } from 'node:timers/promises';
import { Client, count } from './client.mjs';

/**
 * @typedef {object} Worker what an operation is given
 * @property {string} name which begins the markers of all that it makes
 * @property {import('./random.mjs').Random} random
 * @property {import('./scene.mjs').Scene} scene
 * @property {import('./model.mjs').Model} model
 * @property {import('./client.mjs').Tally} tally
 * @property {import('./model.mjs').Track[]} own records that it may change
 * @property {string[]} tags of its records
 * @property {() => string} marker a new one
 * @property {() => boolean} stopped
 * @property {(sent: import('./client.mjs').Sent, address?: string) => Promise<import('./client.mjs').Outcome>} send to any node, unless one is named
 * @property {(sent: import('./client.mjs').Sent) => Promise<import('./client.mjs').Outcome>} insist sends what is safe to repeat until it is decided
 * @property {(sent: import('./client.mjs').Sent) => Promise<import('./client.mjs').Outcome>} operator
 * @property {(what: string) => void} violation
 *
 * @typedef {{ weight: number, run: (worker: Worker) => Promise<void> }} Operation
 */

const BACK_OFF_MS = 80;
const TRIES_MAX = 40;
const TAGS = 5;
/** Besides 503, what a request may get that is safe to repeat. */
const LATER = new Set(['IDEMPOTENCY_KEY_IN_USE', 'UPLOAD_BUSY']);

/**
 * @param {{ name: string, nodes: readonly { address: string }[], random: import('./random.mjs').Random, scene: import('./scene.mjs').Scene, model: import('./model.mjs').Model, tally: import('./client.mjs').Tally, stopped: () => boolean }} given
 * @param {Readonly<Record<string, Operation>>} operations
 * @param {{ paceMs: number }} options
 */
export async function work({ nodes, ...given }, operations, { paceMs }) {
  const { name, random, tally, stopped, scene } = given;
  const client = new Client(tally, scene.token);
  let made = 0;
  const anyAddress = () => random.pick(nodes).address;
  /** @type {Worker['send']} */
  const send = async (sent, address = anyAddress()) => {
    const outcome = await client.send(address, sent);
    if (outcome.status === 0 || outcome.status === 503) await pause(BACK_OFF_MS);
    return outcome;
  };
  /** @type {Worker} */
  const worker = {
    ...given,
    own: [],
    tags: Array.from({ length: TAGS }, (_, index) => `${name}g${index}`),
    marker: () => `${name}n${++made}`,
    send,
    insist: async (sent) => {
      let outcome = await send(sent);
      for (let tries = 1; tries < TRIES_MAX && !stopped(); tries++) {
        const undecided = outcome.certainty === 'maybe' || outcome.status === 503 || LATER.has(outcome.code);
        if (!undecided) return outcome;
        if (LATER.has(outcome.code)) await pause(BACK_OFF_MS);
        count(tally.counted, 'requests sent again with the same key');
        outcome = await send(sent);
      }
      // The end of the round came first: an earlier try may have been done, whatever the last one was told.
      return outcome.certainty === 'done' ? outcome : { ...outcome, certainty: 'maybe' };
    },
    operator: (sent) => client.operator(anyAddress(), { replyMs: 15_000, ...sent }),
    violation: (what) => tally.violations.push(what),
  };
  try {
    while (!stopped()) {
      const chosen = random.weighted(operations, ({ weight }) => weight);
      await operations[chosen]?.run(worker);
      count(tally.counted, chosen);
      if (paceMs > 0) await pause(random.integer(paceMs));
    }
  } finally {
    client.close();
  }
}

/**
 * A refusal that is no fault's: counted as a violation, since what these operations ask for is always right.
 * @param {Pick<Worker, 'tally' | 'violation'>} worker
 * @param {import('./client.mjs').Outcome} outcome
 * @param {string} what
 */
export function judgeRefusal({ tally, violation }, { certainty, status, code, body }, what) {
  if (certainty !== 'refused' || status === 503) return;
  count(tally.unexpected, `${status} ${code}`);
  violation(`${what} was refused with ${status} ${code} ${JSON.stringify(body?.params ?? {})}`);
}
