// @ts-check
// The memory of a process: as it is, and at the most while something is done, by the kernel's own count where there is one.

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { interruption } from '../scripts/processes.mjs';
import { MIB } from './attachments-client.mjs';

const SAMPLE_MS = 50;

/** @param {number | undefined} bytes */
export const inMegabytes = (bytes) => (bytes === undefined ? '–' : (bytes / MIB).toFixed(1));

/** Bytes of a line of /proc/PID/status. @param {number} pid @param {'VmRSS' | 'VmHWM'} name */
function fromKernel(pid, name) {
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

/** Nothing of a process that has gone. @param {number} pid */
function highest(pid) {
  try {
    return fromKernel(pid, 'VmHWM');
  } catch {
    return undefined;
  }
}

/** @param {number} pid @returns {number | undefined} */
export function resident(pid) {
  try {
    if (process.platform === 'linux') return fromKernel(pid, 'VmRSS');
    return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024 || undefined;
  } catch {
    return undefined;
  }
}

/** Lets the kernel count the highest level anew. @param {number} pid @returns {boolean} whether it does */
function restartPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return true;
  } catch {
    return false;
  }
}

/**
 * Does the work and gives the most memory that the process had meanwhile.
 * @param {number} pid
 * @param {() => Promise<number>} work gives the number of errors
 */
export async function peakDuring(pid, work) {
  interruption.throwIfAborted();
  const exact = restartPeak(pid);
  let most = resident(pid);
  const look = () => {
    const now = resident(pid);
    if (now !== undefined) most = Math.max(most ?? 0, now);
  };
  // Where the kernel counts, looking would only take processor time from what is measured.
  const watch = exact ? undefined : setInterval(look, SAMPLE_MS);
  const began = performance.now();
  try {
    const errors = await work();
    const seconds = (performance.now() - began) / 1000;
    const counted = exact ? highest(pid) : undefined;
    return { most: counted ?? most, seconds, errors };
  } finally {
    clearInterval(watch);
  }
}
