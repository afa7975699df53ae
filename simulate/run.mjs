// @ts-check
// `npm run simulate`: from the measured cost of a request to fleets, and what becomes of one while its applications grow.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeTables } from '../bench/document.mjs';
import { note } from '../bench/progress.mjs';
import { ROOT } from '../scripts/prepare.mjs';
import { run } from '../scripts/processes.mjs';
import { BUSY_MAX, limitOf, needOf } from './capacity.mjs';
import { loadChart, needChart, sizeChart } from './charts.mjs';
import { costOfRequest, measureRecordBytes } from './costs.mjs';
import { play, RULES } from './fleet.mjs';
import { readOptions } from './options.mjs';
import { populationOf } from './population.mjs';
import { reportOf } from './report.mjs';

/** Of the cores in the busiest hour, on the average of all databases: what growth and the unequal leave free. */
const AIMED_LOAD = 0.45;
/** Parts of the users that the table of needs has. */
const SCALES = [0.0001, 0.001, 0.01, 0.1, 1];

/** @param {import('./options.mjs').Options} options @param {{ cost: import('./costs.mjs').Cost, recordBytes: number }} measured */
export function simulate(options, measured) {
  const { users, applications, cores, requests, records, days, seed } = options;
  const needs = SCALES.map((part) =>
    needOf({ users: users * part, applications: Math.ceil(applications * part) }, options, measured),
  );
  const coresPerUser = (requests * measured.cost.database) / 1e6 / 3_600;
  const [, needed] = limitOf(
    needOf({ users, applications }, { ...options, cores: cores * (AIMED_LOAD / BUSY_MAX) }, measured),
  );
  const databases = Math.max(2, needed);
  const population = populationOf(options);
  const terms = {
    databases,
    cores,
    hours: days * 24,
    coresPerUser,
    bytesPerUser: records * measured.recordBytes,
    seed,
  };
  const played = RULES.map((rule) => {
    note(`Playing ${days} days: ${rule.name}`);
    return play(population, rule, terms);
  });
  return { needs, databases, population, played, coresPerUser };
}

/** @param {readonly string[]} args */
export async function runSimulation(args) {
  const options = readOptions(args);
  if (options === undefined) return;
  const cost = costOfRequest();
  if (options.recordBytes === undefined) note('Measuring what a record takes on the disk');
  const measured = { cost, recordBytes: options.recordBytes ?? (await measureRecordBytes()) };
  const result = simulate(options, measured);
  const report = reportOf(options, measured, result);
  process.stdout.write(`${report}\n`);
  if (!options.write) return;
  const folder = join(ROOT, 'docs', 'scaling');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'load.svg'), loadChart(result.played, options.days));
  writeFileSync(join(folder, 'sizes.svg'), sizeChart(result.population.users));
  writeFileSync(join(folder, 'needs.svg'), needChart(result.needs));
  const { output } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT });
  writeTables(
    'scaling.md',
    'simulate --',
    `commit ${output.trim()}, \`npm run simulate -- ${args.join(' ')}\`\n\n${report}`,
  );
}
