// @ts-check
// The scenario `neighbours`: one application does its worst within its rights while another, on the same server, asks for
// little. What counts is how much longer the other waits, whether it is refused, and whether the server lives.

import { Failure, interruption } from '../scripts/processes.mjs';
import { prepareApplication } from './application.mjs';
import { provenanceOf } from './description.mjs';
import { ATTACKS } from './neighbours/attacks.mjs';
import { faultsOf, GROWTH_MAX, mainTable, otherTable, writeDocument } from './neighbours/report.mjs';
import { measureRow, tell, VICTIM } from './neighbours/row.mjs';
import { loadStock } from './neighbours/stock.mjs';
import { note, warn } from './progress.mjs';
import { openTables } from './tables.mjs';
import { APPLICATION, NEIGHBOUR } from './work.mjs';

export const ATTACK_NAMES = ATTACKS.map(({ name }) => name);

/** @param {import('./neighbours/attack.mjs').Attack} attack @param {string | undefined} wanted @returns {import('./neighbours/row.mjs').Heap[]} */
function heapsOf({ takesMemory = false }, wanted) {
  if (wanted === 'both') return ['default', '512 MB'];
  if (wanted === 'default') return ['default'];
  if (wanted === '512') return ['512 MB'];
  return takesMemory ? ['default', '512 MB'] : ['default'];
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runNeighbours(ground, options) {
  const { only, heap, write, keep, rounds, seconds, logLevel, profile } = options;
  if (keep !== undefined) throw new Failure('The neighbours leave nothing that could be used again; not with --keep.');
  if (write && only.length > 0) throw new Failure('--write replaces the whole table; not with --only.');
  const attacks = ATTACKS.filter(({ name }) => only.length === 0 || only.includes(name));
  const stage = await load(ground, attacks);
  // From here on each row has a server of its own, on the same data.
  await ground.ours.stop();
  /** @type {import('./neighbours/row.mjs').Row[]} */
  const rows = [];
  for (const attack of attacks) {
    for (const size of heapsOf(attack, heap)) {
      interruption.throwIfAborted();
      const how = { heap: size, rounds, seconds, logLevel, profile };
      const row = await measureRow(stage, attack, how).catch((error) => {
        interruption.throwIfAborted();
        const nothing = {
          quiet: [],
          loud: [],
          again: 0,
          idleBytes: undefined,
          leftBytes: undefined,
          recoverySeconds: 0,
        };
        return {
          attack: attack.name,
          heap: size,
          ...nothing,
          lives: /** @type {const} */ ('died'),
          problem: error.message,
        };
      });
      rows.push(row);
      tell(row);
      for (const example of new Set(row.quiet.flatMap(({ victim }) => victim.examples)))
        warn(`${attack.name}: an error without the attack: ${example}`);
    }
  }
  if (rows.some((row) => faultsOf(row).length > 0)) process.exitCode = 1;
  const text = report(rows);
  if (write) writeDocument(rows, `${await provenanceOf(options)}\n\n${text.goal}.`);
  return { results: rows, text: `${text.head}\n\n${text.main}\n\n${text.other}` };
}

/** @param {import('./application.mjs').Ground} ground @param {readonly import('./neighbours/attack.mjs').Attack[]} attacks */
async function load(ground, attacks) {
  const { folder, operatorKey, ours } = ground;
  const { token, fillings } = await prepareApplication(ground, { items: VICTIM.records });
  const filling = fillings.items;
  if (!filling) throw new Error('nothing was loaded');
  const tables = await openTables(ours.connection, NEIGHBOUR);
  try {
    const stock = await loadStock({ ...ground, tables }, new Set(attacks.flatMap(({ needs = [] }) => needs)));
    note(`Measuring ${attacks.length} attacks`);
    return { folder, operatorKey, stock, victim: { token, filling, serial: filling.total } };
  } finally {
    await tables.close();
  }
}

/** @param {readonly import('./neighbours/row.mjs').Row[]} rows */
function report(rows) {
  const good = rows.filter((row) => faultsOf(row).length === 0).length;
  const { connections, perSecond } = VICTIM;
  const goal = `${good} of ${rows.length} rows reach the goal`;
  const head = [
    `${APPLICATION} asks ${perSecond} times a second over ${connections} connections; medians of the rounds, without → with the attack`,
    `goal: its p99 grows at most ${GROWTH_MAX} times, nothing is refused, the server lives. ${goal}`,
  ].join('\n');
  return { head, goal, main: mainTable(rows), other: otherTable(rows) };
}
