// @ts-check
// The parent's side of the load generator (load.mjs).

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { interruption } from '../scripts/processes.mjs';

const PROGRAM = fileURLToPath(new URL('./load.mjs', import.meta.url));

/** @typedef {ReturnType<typeof startLoad>} Load */

export function startLoad() {
  const child = fork(PROGRAM, { serialization: 'advanced' });
  return {
    pid: child.pid ?? 0,
    /** @param {import('./load.mjs').Job} job @returns {Promise<import('./load.mjs').Outcome>} */
    run: async (job) => {
      interruption.throwIfAborted();
      const ended = new AbortController();
      const stop = AbortSignal.any([interruption, ended.signal]);
      const answer = once(child, 'message', { signal: stop });
      const gone = once(child, 'exit', { signal: stop }).then(() => {
        throw new Error('the load generator has ended');
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
