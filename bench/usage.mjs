// @ts-check
// What processes have used, from /proc where there is one (Linux): processor time, and memory. Elsewhere everything is
// unknown, and the tables say so.

import { readdirSync, readFileSync } from 'node:fs';

/** The kernel's unit of processor time as it shows it; 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** @typedef {{ cpuSeconds: number, bytes: number }} Usage */

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // no such process any more, or no /proc
  }
}

/** @param {number | string} pid @returns {{ parent: number, own: number, ended: number } | undefined} */
function stat(pid) {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name, in parentheses, may hold anything.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { parent, own: (user + system) / TICKS_PER_SECOND, ended: (childUser + childSystem) / TICKS_PER_SECOND };
}

/** Kilobytes of a line of /proc/PID/status. @param {string} status @param {string} name */
const kilobytes = (status, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);

/** Processor time of the first thread of a process, which runs its JavaScript. @param {number} pid */
export const mainThreadSeconds = (pid) => stat(`${pid}/task/${pid}`)?.own;

/** One process. @param {number | undefined} pid @returns {Usage | undefined} */
export function usageOf(pid) {
  if (pid === undefined) return undefined;
  const times = stat(pid);
  const status = read(`/proc/${pid}/status`);
  if (times === undefined || status === undefined) return undefined;
  return { cpuSeconds: times.own, bytes: kilobytes(status, 'VmRSS') * 1024 };
}

/**
 * A server with the processes that it has started, but for its database.
 * @param {number} pid
 * @param {number | undefined} postmaster
 * @returns {Usage | undefined}
 */
export function usageOfServer(pid, postmaster) {
  const all = usageOf(pid);
  if (all === undefined) return undefined;
  for (const child of childrenOf(pid)) {
    if (child === postmaster) continue;
    const { cpuSeconds = 0, bytes = 0 } = usageOf(child) ?? {};
    all.cpuSeconds += cpuSeconds;
    all.bytes += bytes;
  }
  return all;
}

/**
 * Most kernels list the children of a process. Where they do not, the parent of every process is read, which takes
 * milliseconds of a processor that the measured server may need. @param {number} pid
 */
function childrenOf(pid) {
  const listed = read(`/proc/${pid}/task/${pid}/children`);
  if (listed !== undefined) return listed.split(' ').filter(Boolean).map(Number);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && stat(name)?.parent === pid)
    .map(Number);
}

/**
 * PostgreSQL as a whole: its first process and its children, those included that have ended. What they share counts once:
 * the private memory of each, and the largest part that one of them sees of the shared.
 * @param {number | undefined} postmaster
 * @returns {Usage | undefined}
 */
export function usageOfDatabase(postmaster) {
  const first = postmaster === undefined ? undefined : stat(postmaster);
  if (postmaster === undefined || first === undefined) return undefined;
  let cpuSeconds = first.own + first.ended;
  let [own, shared] = [0, 0];
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    const times = stat(pid);
    if (times === undefined) continue;
    if (pid !== postmaster) cpuSeconds += times.own;
    const status = read(`/proc/${pid}/status`) ?? '';
    own += kilobytes(status, 'RssAnon');
    shared = Math.max(shared, kilobytes(status, 'RssShmem') + kilobytes(status, 'RssFile'));
  }
  return { cpuSeconds, bytes: (own + shared) * 1024 };
}

/** Processor time that the whole machine has spent on anything, over all cores. @returns {number | undefined} */
export function machineSeconds() {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] =
    read('/proc/stat')?.split('\n')[0]?.split(/\s+/).map(Number) ?? [];
  const ticks = user + nice + system + irq + softirq + steal;
  return ticks === 0 ? undefined : ticks / TICKS_PER_SECOND;
}
