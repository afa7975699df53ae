// @ts-check
// The scenario `fairness`: two applications on one server. First both send their share, which together is all that the
// machine can do; then one of them sends ten times as much. What counts is how much longer the other one waits.

import { prepareApplication } from './application.mjs';
import { startLoad } from './load-process.mjs';
import { median } from './measure.mjs';
import { note, warn } from './progress.mjs';
import { count, milliseconds, percent, ratio, table } from './table.mjs';
import { openTables } from './tables.mjs';
import { usageOf } from './usage.mjs';
import { APPLICATION, NEIGHBOUR } from './work.mjs';

/** Connections of an application that sends its share; each sends its next request when the last answer is there. */
const SHARE = 8;
const TIMES = 10;
/** How much longer the p99 of the other may become. */
const GROWTH_MAX = 2;
const WARM_SECONDS = 2;
/** What both send, in this order over and over. */
const MIX = [
  ...['get', 'list newest 100', 'get', 'create 1', 'get', 'equals'],
  ...['get', 'contains rare', 'get', 'list by title', 'get', 'create 1'],
];
const COLLECTION = /** @type {const} */ ('items');

/**
 * @typedef {object} Party
 * @property {string} application
 * @property {import('./load-process.mjs').Load} load
 * @property {import('./tables.mjs').Tables} tables
 * @property {import('./operations.mjs').Target} target
 * @property {string} lastId
 *
 * @typedef {import('./load.mjs').Outcome & { perSecond: number, loadShare: number | undefined }} Measured
 */

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runFairness(ground, { records, rounds, seconds }) {
  /** @type {Party[]} */
  const parties = [];
  try {
    for (const application of [APPLICATION, NEIGHBOUR]) parties.push(await makeParty(ground, application, records));
    const [loud, quiet] = /** @type {[Party, Party]} */ (parties);
    const port = Number(new URL(ground.ours.address).port);
    /** Both at once. @param {number} connections of the loud one @param {number} length */
    const go = async (connections, length) => {
      for (const { tables, lastId } of parties) await tables.takeBack(COLLECTION, lastId);
      return Promise.all([
        send(loud, { port, connections, seconds: length }),
        send(quiet, { port, connections: SHARE, seconds: length }),
      ]);
    };
    await go(SHARE, WARM_SECONDS);
    /** @type {{ calm: [Measured, Measured][], loud: [Measured, Measured][] }} */
    const seen = { calm: [], loud: [] };
    for (let round = 0; round < rounds; round++) {
      for (const which of round % 2 === 0
        ? /** @type {const} */ (['calm', 'loud'])
        : /** @type {const} */ (['loud', 'calm'])) {
        const outcome = await go(which === 'calm' ? SHARE : SHARE * TIMES, seconds);
        seen[which].push(outcome);
        const [other, own] = outcome;
        note(
          `  ${which}: the other ${Math.round(own.perSecond)}/s, p99 ${own.p99.toFixed(1)} ms; the loud ${Math.round(other.perSecond)}/s`,
        );
      }
    }
    return { results: [seen], text: report(seen) };
  } finally {
    for (const { load, tables } of parties) {
      await load.end();
      await tables.close().catch(() => {});
    }
  }
}

/** @param {import('./application.mjs').Ground} ground @param {string} application @param {number} records @returns {Promise<Party>} */
async function makeParty(ground, application, records) {
  const { connection, address } = ground.ours;
  // Its schema is there once it is published; no statement is run before.
  const tables = await openTables(connection, application);
  const { token, fillings } = await prepareApplication({ ...ground, tables }, { [COLLECTION]: records }, application);
  const filling = fillings[COLLECTION];
  if (!filling) throw new Error('nothing was loaded');
  const { total, sample, lastId } = filling;
  const target = { host: new URL(address).host, token, application, collection: COLLECTION, total, sample };
  return { application, load: startLoad(), tables, lastId, target: { ...target, serial: total, spare: [] } };
}

/** @param {Party} party @param {{ port: number, connections: number, seconds: number }} how @returns {Promise<Measured>} */
async function send({ load, target }, how) {
  const before = usageOf(load.pid);
  const outcome = await load.run({ operation: MIX, target, ...how });
  const after = usageOf(load.pid);
  target.serial += outcome.sent;
  const spent = before && after && after.cpuSeconds - before.cpuSeconds;
  return { ...outcome, perSecond: outcome.requests / outcome.seconds, loadShare: spent && spent / outcome.seconds };
}

/** @param {{ calm: [Measured, Measured][], loud: [Measured, Measured][] }} seen */
function report(seen) {
  /** @param {readonly [Measured, Measured][]} rounds @param {0 | 1} who @param {(measured: Measured) => number | undefined} what */
  const of = (rounds, who, what) => median(rounds.map((both) => what(both[who])));
  const rows = [
    { name: `both their share (${SHARE} connections)`, rounds: seen.calm },
    { name: `one ${TIMES} times its share (${SHARE * TIMES})`, rounds: seen.loud },
  ].map(({ name, rounds }) => [
    name,
    ...[count(of(rounds, 1, (m) => m.perSecond)), milliseconds(of(rounds, 1, (m) => m.p50))],
    ...[milliseconds(of(rounds, 1, (m) => m.p99)), milliseconds(Math.max(...rounds.map(([, own]) => own.longest)))],
    ...[count(of(rounds, 0, (m) => m.perSecond)), milliseconds(of(rounds, 0, (m) => m.p50))],
    milliseconds(of(rounds, 0, (m) => m.p99)),
    ...[1, 0].map((who) => rounds.reduce((sum, both) => sum + (both[who]?.errors ?? 0), 0)),
    percent((of(rounds, 0, (m) => m.loadShare) ?? 0) + (of(rounds, 1, (m) => m.loadShare) ?? 0)),
  ]);
  const [before = 0, after = 0] = [seen.calm, seen.loud].map((rounds) => of(rounds, 1, (m) => m.p99));
  const growth = after / before;
  for (const both of [...seen.calm, ...seen.loud]) {
    for (const { examples } of both) for (const example of examples) warn(`an error: ${example}`);
  }
  if (!(growth <= GROWTH_MAX)) {
    warn(`the p99 of the other application grew ${growth.toFixed(2)} times; it may ${GROWTH_MAX} times`);
    process.exitCode = 1;
  }
  const head = ['', 'other: requests/s', 'p50 ms', 'p99 ms', 'longest ms', 'loud: requests/s', 'p50 ms', 'p99 ms'];
  return [
    `medians of the rounds; both send the same mix of ${MIX.length}`,
    '',
    table([...head, 'errors other', 'errors loud', 'load %'], rows),
    '',
    `p99 of the other application with a loud neighbour to without: ${ratio(growth)} (at most ${GROWTH_MAX.toFixed(2)})`,
  ].join('\n');
}
