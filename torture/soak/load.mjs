// @ts-check
// The two ways to ask: as fast as replies come, which finds the capacity, and at a given rate whatever replies do, which is
// how people ask. Times of the second begin when a request was due, so that a server that stalls hides nothing.

import { setTimeout as pause } from 'node:timers/promises';
import { interruption } from '../../scripts/processes.mjs';
import { Client } from '../client.mjs';
import { nextStep } from './work.mjs';

/** @typedef {import('./work.mjs').Workplace} Workplace */

/** The one that was used last is used first, so that there are as many as the load needs: the server closes the others. */
const CONNECTIONS = 96;
/** A cluster that is away for seconds gets no more at once than it would from people who wait. */
const UNDER_WAY_MAX = 400;
const END_MS = 30_000;

/** Until the next of independent requests. @param {import('../random.mjs').Random} random @param {number} rate */
const waitMs = (random, rate) => (-Math.log(1 - random.unit()) * 1_000) / rate;

/**
 * @param {{ at: Workplace, nodes: readonly { address: string }[], meter: import('./meter.mjs').Meter }} given
 */
export function openLoad({ at, nodes, meter }) {
  const client = new Client(at.tally, at.scene.token, CONNECTIONS);
  /** @param {number} due */
  const one = async (due) => {
    const { sent, judge } = nextStep(at);
    meter.underWay += 1;
    const outcome = await client.send(at.random.pick(nodes).address, sent);
    meter.underWay -= 1;
    meter.add(due, outcome);
    judge(outcome);
  };

  return {
    /** @param {number} loops @param {number} seconds @returns {Promise<number>} requests a second */
    asFastAsReplies: async (loops, seconds) => {
      const end = performance.now() + seconds * 1_000;
      let done = 0;
      const loop = async () => {
        for (; performance.now() < end; done++) {
          interruption.throwIfAborted();
          await one(performance.now());
        }
      };
      await Promise.all(Array.from({ length: loops }, loop));
      return done / seconds;
    },

    /** @param {number} rate requests a second @param {number} seconds @param {() => boolean} stopped */
    atRate: async (rate, seconds, stopped) => {
      const end = performance.now() + seconds * 1_000;
      /** @type {Set<Promise<void>>} */
      const running = new Set();
      /** @type {unknown} */
      let failure;
      for (let due = performance.now(); due < end && !stopped(); ) {
        interruption.throwIfAborted();
        if (failure !== undefined) throw failure;
        if (due > performance.now()) await pause(due - performance.now());
        for (const now = performance.now(); due <= now; due += waitMs(at.random, rate)) {
          if (running.size >= UNDER_WAY_MAX) {
            meter.skip(due);
            continue;
          }
          const request = one(due).catch((error) => {
            failure ??= error;
          });
          running.add(request);
          void request.then(() => running.delete(request));
        }
      }
      await Promise.race([Promise.all(running), pause(END_MS, undefined, { ref: false })]);
      if (failure !== undefined) throw failure;
    },

    close: () => client.close(),
  };
}
