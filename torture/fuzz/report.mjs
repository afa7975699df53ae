// @ts-check
// The result of a run as a table, for the terminal and for docs/reliability.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { count, megabytes, table, wrapped } from '../../bench/table.mjs';
import { ROOT } from '../../scripts/prepare.mjs';
import { Failure, run } from '../../scripts/processes.mjs';

/**
 * @typedef {{ input: number, title: string, reason: string, sent: string }} Finding
 * @typedef {{ inputs: number, raw: number, replies: number, busy: number, statuses: ReadonlyMap<number, number>,
 *   operations: readonly string[], succeeded: ReadonlySet<string>, tried: ReadonlySet<string>, scenes: number,
 *   findings: readonly Finding[] }} Fuzzed
 * @typedef {{ fuzzed: Fuzzed, growth: ReturnType<typeof import('./growth.mjs').growthOf>, logged: number, seconds: number }} Result
 */

const DOCUMENT = 'reliability.md';
const BEGIN = '<!-- table of npm run torture -- fuzz --write -->';
const END = '<!-- end of the table -->';

/** @param {string} title */
const coded = (title) => `\`${title}\``;

/** @param {import('./options.mjs').Options} options @param {Result} result */
export function reportOf({ seed, connections, heap }, { fuzzed, growth, logged, seconds }) {
  const { first, last } = growth;
  const statuses = [...fuzzed.statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, times]) => `${status}: ${count(times)}`);
  const failures = [...fuzzed.statuses].reduce((sum, [status, times]) => (status === 500 ? sum + times : sum), 0);
  const rows = [
    ['inputs', count(fuzzed.inputs)],
    ['of these to the HTTP layer itself', count(fuzzed.raw)],
    ['operations and pages', fuzzed.tried.size],
    ['of these reached with a success', fuzzed.succeeded.size],
    ['replies', count(fuzzed.replies)],
    ['replies 500', count(failures)],
    ['replies 503 that ask to come again', count(fuzzed.busy)],
    ['inputs with a wrong reply or none', count(fuzzed.findings.length)],
    ['failures that the server logged', count(logged)],
    ['memory, median of the first and the last third', `${megabytes(first.memory)} → ${megabytes(last.memory)} MB`],
    ['open files, likewise', `${first.files} → ${last.files}`],
  ];
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'processor'}, ${Math.round(totalmem() / 2 ** 30)} GB`;
  const small = heap === undefined ? '' : `, heap of ${heap} MB`;
  const head = `fuzz: seed ${seed}, ${connections} connections${small}, ${Math.round(seconds)} s; ${machine}, Node ${process.versions.node}`;
  const unreached = [...fuzzed.tried].filter((title) => !fuzzed.succeeded.has(title)).sort();
  return [
    head,
    table(['what', 'how many'], rows),
    wrapped(`Replies by status: ${statuses.join(', ')}.`),
    ...(unreached.length === 0 ? [] : [wrapped(`Reached without a success: ${unreached.map(coded).join(', ')}.`)]),
  ].join('\n\n');
}

/** @param {number} seed @param {Finding} finding */
export const describeFinding = (seed, { input, title, reason, sent }) =>
  `--seed ${seed} --only ${input}: ${title}\n  ${reason}\n  sent ${sent}`;

/** @param {string} report @param {readonly string[]} args */
export async function writeReport(report, args) {
  const file = join(ROOT, 'docs', DOCUMENT);
  const before = readFileSync(file, 'utf8');
  const begin = before.indexOf(BEGIN);
  const end = before.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Failure(`docs/${DOCUMENT} has no place for the table.`);
  const { output } = await run('git', ['rev-parse', '--short', 'HEAD'], { cwd: ROOT });
  const text = `${new Date().toISOString().slice(0, 10)}, commit ${output.trim()}, \`npm run torture -- fuzz ${args.join(' ')}\`\n\n${report}`;
  writeFileSync(file, `${before.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${before.slice(end)}`);
}
