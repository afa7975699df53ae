// @ts-check
// What was run, and where, in one line: it stands above every result.

import { availableParallelism, cpus, totalmem } from 'node:os';
import { ROOT } from '../scripts/prepare.mjs';
import { run } from '../scripts/processes.mjs';
import { workersName } from './side-against.mjs';

/** Those that `--records` says nothing to. */
const UNFILLED = ['attachments', 'activity-log', 'neighbours', 'applications', 'screenshots'];

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

/** Options whose values are paths of this machine. */
const PATHS = ['--keep', '--json', '--profile', '--against-node'];

/** The same for the documentation: with the commit, and the command that measures it again. @param {import('./options.mjs').Options} options */
export async function provenanceOf(options) {
  const { args } = options;
  const git = async (/** @type {string[]} */ ...command) => (await run('git', command, { cwd: ROOT })).output.trim();
  const commit = await git('rev-parse', '--short', 'HEAD');
  const changed = (await git('status', '--porcelain', '--', 'src', 'console')) === '' ? '' : ' with changes';
  const told = args.map((arg, i) => (PATHS.includes(args[i - 1] ?? '') ? 'PATH' : /[ ,]/.test(arg) ? `'${arg}'` : arg));
  // In two lines: the documents are narrower than a terminal.
  const described = describeRun(options).replace('; ', ';\n');
  return `${described}, commit ${commit}${changed}\n\n\`npm run bench -- ${told.join(' ')}\``;
}
