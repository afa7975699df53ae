// @ts-check
// The parent's side of a process that is given jobs (jobs.mjs): the load generator, unless another program is named.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { interruption } from '../scripts/processes.mjs';

/** @typedef {Worker<import('./load.mjs').Job, import('./load.mjs').Outcome>} Load */

/** @returns {Load} */
export const startLoad = () => startWorker(new URL('./load.mjs', import.meta.url), 'the load generator');

/**
 * @template Job, Outcome
 * @typedef {{ pid: number, run: (job: Job) => Promise<Outcome>, stop: () => void, end: () => Promise<void> }} Worker
 */

/**
 * @template {object} Job
 * @template Outcome
 * @param {URL} program
 * @param {string} name
 * @returns {Worker<Job, Outcome>}
 */
export function startWorker(program, name) {
  const child = fork(fileURLToPath(program), { serialization: 'advanced' });
  return {
    pid: child.pid ?? 0,
    run: async (job) => {
      interruption.throwIfAborted();
      const ended = new AbortController();
      const stop = AbortSignal.any([interruption, ended.signal]);
      const answer = once(child, 'message', { signal: stop });
      const gone = once(child, 'exit', { signal: stop }).then(() => {
        throw new Error(`${name} has ended`);
      });
      gone.catch(() => {});
      child.send(job);
      try {
        const [{ outcome, failure }] = await Promise.race([answer, gone]);
        if (failure !== undefined) throw new Error(failure);
        return outcome;
      } catch (error) {
        throw interruption.aborted ? interruption.reason : error;
      } finally {
        ended.abort();
      }
    },
    /** Ends the job under way early. */
    stop: () => child.send('stop'),
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}
