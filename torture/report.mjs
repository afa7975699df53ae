// @ts-check
// What a run has to say: the faults that really happened, what was asked and checked, and what was wrong.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/prepare.mjs';
import { Failure } from '../scripts/processes.mjs';
import { count } from './client.mjs';
import { FAULTS } from './faults.mjs';

/**
 * @typedef {object} Report
 * @property {number} rounds
 * @property {Map<string, number>} struck
 * @property {Map<string, number>} met
 * @property {Map<string, string>} impossible why, by fault
 * @property {Map<string, number>} checked
 * @property {Map<string, number>} counted
 * @property {Map<string, number>} settings rounds by how their nodes were started
 * @property {number} requests
 * @property {number} unanswered
 * @property {number} internalErrors
 * @property {{ seed: number, what: string }[]} violations
 * @property {{ seed: number, what: string }[]} unfinished rounds that ended before they were checked, such as those whose servers did not start in time
 */

const BEGIN = '<!-- tables of npm run torture -- --write -->';
const END = '<!-- end of the tables -->';

/** @returns {Report} */
export const newReport = () => ({
  ...{ rounds: 0, requests: 0, unanswered: 0, internalErrors: 0, violations: [], unfinished: [] },
  ...{ struck: new Map(), met: new Map(), impossible: new Map(), checked: new Map(), counted: new Map() },
  settings: new Map(),
});

/** @param {Report} report @param {import('./round.mjs').RoundResult} result @param {import('./cluster.mjs').Cluster} cluster */
export function addRound(report, { seed, struck, met, checked, tally, nodes }, cluster) {
  report.rounds += 1;
  report.requests += tally.requests;
  report.unanswered += tally.unanswered;
  report.internalErrors += tally.internalErrors;
  for (const name of struck) count(report.struck, name);
  for (const [name, times] of met) count(report.met, name, times);
  for (const [name, times] of checked) count(report.checked, name, times);
  for (const [name, times] of tally.counted) count(report.counted, name, times);
  if (nodes.some(({ workers }) => workers > 1)) count(report.settings, 'a node with `--workers 2`');
  for (const megabytes of [256, 512]) {
    if (nodes.some(({ heapMegabytes }) => heapMegabytes === megabytes)) {
      count(report.settings, `a node with \`--max-old-space-size=${megabytes}\``);
    }
  }
  if (nodes.some(({ storage }) => storage === 's3')) count(report.settings, 'files in an object store');
  for (const [name, { impossible }] of Object.entries(FAULTS)) {
    const reason = impossible?.(cluster);
    if (reason !== undefined) report.impossible.set(name, reason);
  }
  for (const what of tally.violations) report.violations.push({ seed, what });
}

const shown = (/** @type {number} */ value) => value.toLocaleString('en');

/** @param {string} head @param {Iterable<[string, string | number]>} rows */
const table = (head, rows) =>
  [
    `| ${head} | |`,
    '|---|---:|',
    ...[...rows].map(([name, value]) => `| ${name} | ${typeof value === 'number' ? shown(value) : value} |`),
  ].join('\n');

/** @param {Map<string, number>} counts @returns {[string, number][]} */
const sorted = (counts) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

/** In the form of the documentation. @param {Report} report */
export function tablesOf(report) {
  /** @type {[string, string | number][]} */
  const faults = Object.entries(FAULTS).map(([name, { group }]) => {
    const reason = report.impossible.get(name);
    return [`${group}: ${name}`, reason === undefined ? (report.met.get(name) ?? 0) : `not possible here: ${reason}`];
  });
  const isUpload = (/** @type {string} */ name) => name.startsWith('uploads cut');
  const work = sorted(report.counted).filter(([name]) => !isUpload(name));
  /** @type {[string, number][]} */
  const totals = [
    ['rounds that were checked', report.rounds],
    [
      'rounds that ended before that: a server did not start, or did not reply to the checks, in time',
      report.unfinished.length,
    ],
    ...sorted(report.settings).map(
      ([name, rounds]) => /** @type {[string, number]} */ ([`rounds with ${name}`, rounds]),
    ),
    ['requests', report.requests],
    ['requests without a reply', report.unanswered],
    ['replies with 500', report.internalErrors],
    ['violations: lost, half done, doubled, not linearizable …', report.violations.length],
  ];
  return [
    table('In all', totals),
    table('Faults that happened', faults),
    table('Compared after the rounds', sorted(report.checked)),
    table('Done meanwhile', work),
    table(
      'Resumable uploads',
      sorted(report.counted).filter(([name]) => isUpload(name)),
    ),
  ].join('\n\n');
}

/** @param {string} text */
export function writeReport(text) {
  const file = join(ROOT, 'docs', 'reliability.md');
  const before = readFileSync(file, 'utf8');
  const begin = before.indexOf(BEGIN);
  const end = before.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Failure('docs/reliability.md has no place for the tables.');
  writeFileSync(file, `${before.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${before.slice(end)}`);
}
