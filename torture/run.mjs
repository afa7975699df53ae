// @ts-check
// `npm run torture`: rounds on a cluster of its own, and the report.

import { availableParallelism } from 'node:os';
import { note, warn } from '../bench/progress.mjs';
import { interruption } from '../scripts/processes.mjs';
import { openCluster } from './cluster.mjs';
import { prepareClock } from './faults.mjs';
import { readOptions } from './options.mjs';
import { addRound, newReport, tablesOf, writeReport } from './report.mjs';
import { runRound } from './round.mjs';

const VIOLATIONS_SHOWN = 12;

/**
 * Rounds on clusters of their own, next to each other: most of a round is waiting.
 * @param {import('./options.mjs').Options} options
 * @returns {Promise<import('./report.mjs').Report>}
 */
export async function torture(options) {
  const report = newReport();
  const late = performance.now() + options.minutes * 60_000;
  let begun = 0;
  /** @returns {number | undefined} the seed of the next round */
  const next = () => (begun < options.rounds && performance.now() < late ? options.seed + begun++ : undefined);
  await Promise.all(Array.from({ length: options.clusters }, () => runRounds(options, report, next)));
  return report;
}

/** @param {import('./options.mjs').Options} options @param {import('./report.mjs').Report} report @param {() => number | undefined} next */
async function runRounds(options, report, next) {
  let cluster = await openWhole(options);
  try {
    for (let seed = next(); seed !== undefined; seed = next()) {
      interruption.throwIfAborted();
      const began = performance.now();
      try {
        const result = await runRound(cluster, { ...options, seed });
        addRound(report, result, cluster);
        tell(result, (performance.now() - began) / 1000, report.rounds);
      } catch (error) {
        interruption.throwIfAborted();
        // Such as a server that does not come back: the next round begins with a new cluster.
        report.unfinished.push({ seed, what: String(error) });
        warn(`round with seed ${seed}: ${error instanceof Error ? error.stack : error}`);
        await cluster.close();
        cluster = await openWhole(options);
      }
    }
  } finally {
    await cluster.close();
  }
}

/** @param {import('./options.mjs').Options} options */
async function openWhole({ nodes, disks }) {
  const cluster = await openCluster({ nodes, disks });
  await prepareClock(cluster);
  return cluster;
}

/** @param {import('./round.mjs').RoundResult} result @param {number} seconds @param {number} rounds */
function tell({ seed, tally, struck, met }, seconds, rounds) {
  const faults = struck.map((name) => (met.has(name) ? name : `${name} (met nothing)`)).join(', ');
  note(`round ${rounds}, seed ${seed}, ${seconds.toFixed(1)} s, ${tally.requests} requests: ${faults}`);
  for (const what of tally.violations.slice(0, VIOLATIONS_SHOWN)) warn(what.slice(0, 1_500));
  const { length } = tally.violations;
  if (length > 0) warn(`${length} violations; again: npm run torture -- --seed ${seed} --rounds 1`);
}

/** @param {readonly string[]} args */
export async function runTorture(args) {
  const options = readOptions(args);
  if (options === undefined) return;
  const report = await torture(options);
  const words = args.map((word) => (word.includes(' ') ? `'${word}'` : word));
  const command = `npm run torture${words.length === 0 ? '' : ` -- ${words.join(' ')}`}`;
  const machine = `Node ${process.versions.node} on ${process.platform}, ${availableParallelism()} processors`;
  const head = `\`${command}\`,\nseeds from ${options.seed}, ${new Date().toISOString().slice(0, 10)}, ${machine}.`;
  const text = `${head}\n\n${tablesOf(report)}`;
  process.stdout.write(`${text}\n`);
  if (report.violations.length + report.unfinished.length > 0) process.exitCode = 1;
  if (options.write && report.violations.length === 0) writeReport(text);
}
