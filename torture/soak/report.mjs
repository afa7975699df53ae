// @ts-check
// The result of a soak as tables, for the terminal and for docs/reliability.md, and as a picture beside it.

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { count, table } from '../../bench/table.mjs';
import { ROOT } from '../../scripts/prepare.mjs';
import { Failure } from '../../scripts/processes.mjs';
import { chartOf } from './chart.mjs';

/**
 * @typedef {import('./options.mjs').Options} Options
 * @typedef {import('./soak.mjs').Result} Result
 */

const DOCUMENT = 'reliability.md';
const PICTURE = 'soak.svg';
const BEGIN = '<!-- tables of npm run torture -- soak --write -->';
const END = '<!-- end of the tables of the soak -->';

/** @param {number | undefined} value @param {string} unit */
function shown(value, unit) {
  if (value === undefined) return undefined;
  return `${value < 10 && unit === 'ms' ? value.toFixed(1) : Math.round(value)}${unit === '' ? '' : ` ${unit}`}`;
}

/** @param {ReadonlyMap<string, number>} counts */
const listed = (counts) => [...counts].map(([name, times]) => `${name}: ${count(times)}`).join(', ') || 'none';

/** @param {Options} options @param {Result} result */
export function reportOf({ minutes, load, nodes, seed, heap }, result) {
  const { capacity, rate, meter, met, judged, checked, internalErrors, violations } = result;
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const head = [
    `${minutes} minutes, ${nodes} servers with a heap of ${heap} MB each, seed ${seed};`,
    `${machine}, Node ${process.versions.node}`,
  ].join('\n');
  const all = [
    ['capacity, requests a second', count(capacity)],
    [`load, ${load} % of it`, count(rate)],
    ['requests', count(meter.requests)],
    ['of these, such as no fault met', count(meter.calm)],
    ['of these, refused or without a reply', listed(meter.errors)],
    ['of the others, refused or without a reply', listed(meter.metErrors)],
    ['replies with 500', count(internalErrors)],
    ['faults', listed(met)],
    ['records compared at the end, at every server', count(checked.compared)],
    ['deletions compared', count(checked.deleted)],
    ['contents of files compared', count(checked.files)],
    ['violations: lost, changed, back again', count(violations.length)],
  ];
  const growth = judged.map(({ figure, first, middle, last, verdict }) => {
    const { name, unit } = figure;
    return [name, shown(first, unit), shown(middle, unit), shown(last, unit), verdict];
  });
  const figures = table(['median of', 'first fifth', 'middle fifth', 'last fifth', 'verdict'], growth);
  return `${head}\n\n${table(['what', 'how many'], all)}\n\n${figures}`;
}

/** @param {string} report @param {{ options: Options, result: Result, args: readonly string[] }} of */
export function writeReport(report, { options, result, args }) {
  const file = join(ROOT, 'docs', DOCUMENT);
  const before = readFileSync(file, 'utf8');
  const begin = before.indexOf(BEGIN);
  const end = before.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Failure(`docs/${DOCUMENT} has no place for the tables of the soak.`);
  const picture = `![Memory, file handles, connections and p99 over the time of the soak](${PICTURE})`;
  const command = `\`npm run torture -- soak ${args.join(' ')}\`, ${new Date().toISOString().slice(0, 10)}`;
  const text = `${command}\n\n${report}\n\n${picture}`;
  writeFileSync(file, `${before.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${before.slice(end)}`);
  const { samples, windows } = result;
  writeFileSync(join(ROOT, 'docs', PICTURE), chartOf(samples, { ...options, windows }));
}
