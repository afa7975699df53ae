// @ts-check
// `npm run torture -- soak`: the soak, its report, and whether it was good.

import { note, warn } from '../../bench/progress.mjs';
import { Failure } from '../../scripts/processes.mjs';
import { readOptions } from './options.mjs';
import { reportOf, writeReport } from './report.mjs';
import { soak } from './soak.mjs';

const VIOLATIONS_SHOWN = 20;

/** @param {readonly string[]} args */
export async function run(args) {
  const options = readOptions(args);
  if (options === undefined) return;
  note(`Seed ${options.seed}`);
  const result = await soak(options);
  const report = reportOf(options, result);
  process.stdout.write(`${report}\n`);
  for (const what of result.violations.slice(0, VIOLATIONS_SHOWN)) warn(what.slice(0, 1_500));
  // What grows is shown as well; a report with violations is none.
  if (options.write && result.violations.length === 0) writeReport(report, { options, result, args });
  if (result.problems.length > 0) throw new Failure(`Failed: ${result.problems.join('; ')}.`);
}
