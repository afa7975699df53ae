// @ts-check
// What the server holds while inputs are sent: whether it has more of it in the last third than in the first.

import { readdirSync } from 'node:fs';
import { resident } from '../../bench/memory.mjs';

/** @typedef {{ memory: number, files: number }} Sample */

/** What garbage collection and the allocator leave to chance. */
const MEMORY_MARGIN = 64 * 2 ** 20;
/** Connections of the pool and of clients come and go. */
const FILES_MARGIN = 24;

/** Sockets and pipes count as well; where there is no /proc nothing is counted. @param {number} pid */
export function openFiles(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** @param {number} pid @returns {Sample} */
export const sampleOf = (pid) => ({ memory: resident(pid) ?? 0, files: openFiles(pid) });

/** @param {readonly number[]} numbers */
export const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** @param {readonly Sample[]} samples in order */
export function growthOf(samples) {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const of = (/** @type {readonly Sample[]} */ part) => ({
    memory: median(part.map(({ memory }) => memory)),
    files: median(part.map(({ files }) => files)),
  });
  const [first, last] = [of(samples.slice(0, third)), of(samples.slice(-third))];
  const problems = [
    ...(last.memory > first.memory * 1.25 + MEMORY_MARGIN ? ['the server’s memory grew'] : []),
    ...(last.files > first.files + FILES_MARGIN ? ['the server’s open files grew'] : []),
  ];
  return { first, last, problems };
}
