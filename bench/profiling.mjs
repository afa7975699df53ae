// @ts-check
// Profiles the measured seconds of one operation: the server is filled and warm, and nothing else is asked of it.

import { readFileSync } from 'node:fs';
import { Failure } from '../scripts/processes.mjs';
import { startLoad } from './load-process.mjs';
import { runOnce } from './measure.mjs';
import { placesOf } from './profile.mjs';
import { note, warn } from './progress.mjs';
import { readStatistics, resetStatistics } from './statistics.mjs';
import { tryOut } from './trial.mjs';
import { mainThreadSeconds } from './usage.mjs';

/** More than elsewhere: a profile of code that is still being compiled shows the compiler. */
const WARM = { requests: 10_000, seconds: 2, timesMax: 5 };

/**
 * @typedef {object} Profiled
 * @property {string} operation
 * @property {number} requests
 * @property {number} perSecond
 * @property {import('./profile.mjs').Place[]} places
 * @property {number | undefined} mainMicros processor time of the main thread for one request
 * @property {number | undefined} serverMicros of all threads
 * @property {number | undefined} databaseMicros
 * @property {string} statistics of the database, as text
 */

/**
 * @param {import('./side.mjs').Side & { ground: import('./application.mjs').Ground }} side
 * @param {import('./operations.mjs').Operation} operation
 * @param {{ connections: number, seconds: number, file: string, root: string }} how the profile goes into the file
 * @returns {Promise<Profiled>}
 */
export async function profileOperation(side, operation, { connections, seconds, file, root }) {
  const { ours, tables } = side.ground;
  const load = startLoad();
  try {
    const course = { load, sides: [side], rounds: 1, seconds };
    if ((await tryOut(course, operation)).length === 0) throw new Failure(`${operation.name} cannot be profiled.`);
    for (let [times, sent] = [0, 0]; times < WARM.timesMax && sent < WARM.requests; times++) {
      sent += (await runOnce(course, operation, { side, connections, seconds: WARM.seconds })).requests;
    }
    let [statements, mainBefore, mainAfter] = [false, mainThreadSeconds(side.pid), mainThreadSeconds(side.pid)];
    const begin = async () => {
      statements = await resetStatistics(tables);
      await ours.profiler({ start: true });
      mainBefore = mainThreadSeconds(side.pid);
    };
    const end = async () => {
      mainAfter = mainThreadSeconds(side.pid);
      await ours.profiler({ stop: file });
    };
    const { requests, errors, examples, ...round } = await runOnce(course, operation, {
      ...{ side, connections, seconds, begin, end },
    });
    if (errors > 0) warn(`${operation.name}: ${errors} ERRORS, such as ${examples.join(' | ')}`);
    const statistics = await readStatistics(tables, { requests, statements });
    const each = (/** @type {number | undefined} */ used) =>
      used === undefined ? undefined : (used * 1e6) / Math.max(1, requests);
    note(`  ${operation.name}: ${Math.round(requests / round.seconds)}/s while it was profiled`);
    return {
      ...{ operation: operation.name, requests, perSecond: requests / round.seconds, statistics },
      places: placesOf(JSON.parse(readFileSync(file, 'utf8')), root),
      mainMicros: each(mainBefore === undefined || mainAfter === undefined ? undefined : mainAfter - mainBefore),
      serverMicros: each(round.server?.cpuSeconds),
      databaseMicros: each(round.database?.cpuSeconds),
    };
  } finally {
    await load.end();
  }
}
