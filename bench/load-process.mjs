// @ts-check
// The parent's side of a process that is given jobs (jobs.mjs): the load generator, unless another program is named.

import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interruption } from '../scripts/processes.mjs';

/** @typedef {Worker<import('./load.mjs').Job, import('./load.mjs').Outcome>} Load */

/** @param {{ niceness?: number, realTime?: boolean }} [how] @returns {Load} */
export const startLoad = (how) => startWorker(new URL('./load.mjs', import.meta.url), 'the load generator', how);

/**
 * @template Job, Outcome
 * @typedef {{ pid: number, run: (job: Job) => Promise<Outcome>, stop: () => void, kill: () => void, end: () => Promise<void> }} Worker
 */

/**
 * @template {object} Job
 * @template Outcome
 * @param {URL} program
 * @param {string} name
 * @param {{ niceness?: number, idle?: boolean, realTime?: boolean }} [how] niceness: of its processor time; idle: it gives way to
 *   all others at once; realTime: all others give way to it at once; each as far as the system allows it
 * @returns {Worker<Job, Outcome>}
 */
export function startWorker(program, name, { niceness, idle = false, realTime = false } = {}) {
  const child = fork(fileURLToPath(program), { serialization: 'advanced', detached: niceness !== undefined });
  if (niceness !== undefined && child.pid !== undefined) setNiceness(child.pid, niceness);
  if (idle && child.pid !== undefined) child.once('exit', setIdle(child.pid));
  if (realTime && child.pid !== undefined) setRealTime(child.pid);
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
    /** For one that does not end. */
    kill: () => child.kill('SIGKILL'),
    end: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
}

/**
 * Of a process that has just been started, before it has threads, and of the session that it leads: Linux divides the
 * processors among sessions first, where it is set to (`sched_autogroup_enabled`).
 * @param {number} pid @param {number} niceness
 */
function setNiceness(pid, niceness) {
  const attempts = [() => setPriority(pid, niceness), () => writeFileSync(`/proc/${pid}/autogroup`, String(niceness))];
  for (const attempt of attempts) {
    try {
      attempt();
    } catch {
      // Only root may go ahead of others, and only Linux has sessions of that kind.
    }
  }
}

/**
 * A process that others give way to by niceness still waits until the one that has the processor has run to the end of its turn:
 * beside an attacker that sends nothing the victim's p99 was 1.7 times the quiet one, and 1.3 times with this. Only root may do this, and only Linux has the program.
 * @param {number} pid
 */
function setRealTime(pid) {
  spawnSync('chrt', ['--all-tasks', '--rr', '--pid', '1', String(pid)], { stdio: 'ignore' });
}

/** Where Linux keeps groups of processes that share the processors: its first version of them, and its second. */
const GROUPS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/**
 * Linux lets a process of the lowest niceness run to the end of its turn, some milliseconds, although others wait. Those of an
 * idle group give way at once. Only root may make one. @param {number} pid @returns {() => void} removes the group
 */
function setIdle(pid) {
  for (const parent of GROUPS) {
    const group = join(parent, `cartulary-bench-${pid}`);
    try {
      mkdirSync(group);
    } catch {
      continue;
    }
    const remove = () => rmdirSync(group);
    try {
      writeFileSync(join(group, 'cpu.idle'), '1');
      writeFileSync(join(group, 'cgroup.procs'), String(pid));
      return remove;
    } catch {
      remove();
    }
  }
  return () => {};
}
