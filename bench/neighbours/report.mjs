// @ts-check
// The tables of the neighbours: the measurements that decide the goal, which also go into the documentation, and all others.

import { writeTables } from '../document.mjs';
import { median, OTHERS_SHARE_MAX } from '../measure.mjs';
import { megabytes, milliseconds, percent, ratio, table } from '../table.mjs';
import { SUBJECTS } from './attacks.mjs';
import { growthOf, othersShare } from './row.mjs';

/** @typedef {import('./row.mjs').Row} Row */

/** The goal. */
export const GROWTH_MAX = 2;
/** How much more memory a server may use after an attack than before it. */
const LEFT_BYTES_MAX = 512 * 2 ** 20;

/** @param {readonly import('./row.mjs').Phase[]} phases @param {(phase: import('./row.mjs').Phase) => number | undefined} what */
const middle = (phases, what) => median(phases.map(what));
/** @param {readonly (number | undefined)[]} values */
const most = (values) => {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
};
/** @param {Row} row */
const refusals = ({ loud }) => loud.reduce((sum, { victim }) => sum + victim.errors, 0);
/** The faults of a row; empty if it is good. @param {Row} row @returns {string[]} */
export function faultsOf(row) {
  if (row.problem !== undefined) return ['not measured'];
  const { idleBytes, leftBytes } = row;
  const staying =
    row.lives === 'yes' && idleBytes !== undefined && leftBytes !== undefined && leftBytes - idleBytes > LEFT_BYTES_MAX;
  return [
    ...(row.lives === 'yes' ? [] : [row.lives]),
    ...(growthOf(row) <= GROWTH_MAX ? [] : ['slow']),
    ...(refusals(row) === 0 ? [] : ['refused']),
    ...(staying ? ['memory stays'] : []),
  ];
}

/** With a question mark if other programs used much of the machine. @param {Row} row */
const verdict = (row) => {
  const faults = faultsOf(row);
  const doubt = othersShare(row) > OTHERS_SHARE_MAX ? '?' : '';
  return (faults.length === 0 ? 'good' : faults.join(', ')) + doubt;
};

/** @param {Row} row @param {'p50' | 'p99'} which */
function fromTo({ quiet, loud }, which) {
  const [before, after] = [quiet, loud].map((phases) => milliseconds(middle(phases, ({ victim }) => victim[which])));
  return `${before ?? '–'} → ${after ?? '–'}`;
}

/** Includes the quiet phases, because an attack may leave work behind. @param {Row} row */
const sinceAttack = ({ quiet, loud }) => [...loud, ...quiet.slice(1)];

/** The measurements that decide the goal. @param {readonly Row[]} rows */
export function mainTable(rows) {
  const cells = rows.map((row) => [
    ...[row.attack, row.heap, row.loud.length, fromTo(row, 'p99'), ratio(growthOf(row))],
    `${refusals(row)} of ${row.loud.reduce((sum, { victim }) => sum + victim.sent + victim.late, 0)}`,
    megabytes(most([...sinceAttack(row).map(({ serverBytes }) => serverBytes), row.leftBytes])),
    megabytes(most(sinceAttack(row).map(({ databaseBytes }) => databaseBytes))),
    ...[row.lives, verdict(row)],
  ]);
  const head = ['attack', 'heap', 'rounds', 'p99 ms', 'ratio', 'refused'];
  return table([...head, 'server MB', 'database MB', 'lives', 'verdict'], cells);
}

/** All other measurements. @param {readonly Row[]} rows */
export function otherTable(rows) {
  const cells = rows.map((row) => {
    const share = (/** @type {keyof import('./row.mjs').Phase['shares']} */ who) =>
      percent(middle(row.loud, ({ shares }) => shares[who]));
    return [
      ...[row.attack, row.heap, fromTo(row, 'p50')],
      milliseconds(most(row.loud.map(({ victim }) => victim.longest))),
      row.loud.reduce((sum, { victim }) => sum + victim.late, 0),
      ...[megabytes(row.idleBytes), megabytes(row.leftBytes), row.recoverySeconds.toFixed(1), Math.max(0, row.again)],
      ...[share('server'), share('database'), share('attacker'), share('victim'), share('others')],
      sentBy(row),
    ];
  });
  const head = ['attack', 'heap', 'p50 ms', 'longest ms', 'late', 'idle MB', 'left MB', 'recovers s', 'again'];
  const shares = ['server %', 'database %', 'attacker %', 'victim %', 'others %'];
  return table([...head, ...shares, 'attacker: sent, answers'], cells);
}

/** @param {Row} row */
function sentBy({ loud }) {
  /** @type {Record<string, number>} */
  const all = {};
  let [sent, broken] = [0, 0];
  for (const { attack } of loud) {
    if (attack === undefined) continue;
    sent += attack.sent;
    broken += attack.broken;
    for (const [status, count] of Object.entries(attack.statuses)) all[status] = (all[status] ?? 0) + count;
  }
  const answers = Object.entries(all).map(([status, count]) => `${status}: ${count}`);
  return [sent, ...answers, ...(broken > 0 ? [`broken: ${broken}`] : [])].join(', ');
}

/**
 * Writes the tables between their markers, subject by subject: what the neighbour does, and what came of it.
 * @param {readonly Row[]} rows
 * @param {string} measured
 */
export function writeDocument(rows, measured) {
  const parts = SUBJECTS.map(({ subject, attacks }) => {
    const names = new Set(attacks.map(({ name }) => name));
    const sentences = attacks.map(({ name, sentence }) => `| ${name} | ${sentence} |`);
    const legend = ['| attack | what the neighbour does |', '|---|---|', ...sentences].join('\n');
    return [`### ${subject}`, legend, mainTable(rows.filter(({ attack }) => names.has(attack)))].join('\n\n');
  });
  writeTables('neighbours.md', 'bench -- neighbours', [measured, ...parts].join('\n\n'));
}
