// @ts-check
// What was run, and where, in one line: it stands above every result.

import { availableParallelism, cpus, totalmem } from 'node:os';
import { workersName } from './side-against.mjs';

/** Those that `--records` says nothing to. */
const UNFILLED = ['attachments', 'activity-log', 'neighbours'];

/** Those without rounds. */
const ONCE = ['profile', 'road'];

/** @param {import('./options.mjs').Options} options */
export function describeRun({ scenario, records, rounds, seconds, logLevel, workers }) {
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const filled = UNFILLED.includes(scenario) ? '' : `${records.toLocaleString('en')} records, `;
  const measured =
    scenario === 'activity-log'
      ? `${rounds} rounds`
      : ONCE.includes(scenario)
        ? `${seconds} s`
        : `${rounds} rounds of ${seconds} s`;
  const run = `${filled}${measured}, log level ${logLevel}${workers === undefined ? '' : `, ${workersName(workers)}`}`;
  return `${scenario}: ${run}; ${machine}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 16)}Z`;
}
