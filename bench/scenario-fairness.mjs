// @ts-check
// The scenario `fairness`: two applications on one server. First both send their share, which together is all that the
// machine can do; then one of them sends ten times as much, the same or only what the database computes for. What counts is how
// much longer the other one waits.

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
export const MIX = [
  ...['get', 'list newest 100', 'get', 'create 1', 'get', 'equals'],
  ...['get', 'contains rare', 'get', 'list by title', 'get', 'create 1'],
];
/** What keeps a processor of the database busy all the time. */
const SEARCHES = ['skip 5000', 'contains rare by title', 'contains frequent'];
/** @type {readonly { name: Kind, title: string, connections: number, operation: string[] }[]} */
const KINDS = [
  { name: 'calm', title: `both their share (${SHARE} connections)`, connections: SHARE, operation: MIX },
  {
    name: 'loud',
    title: `one ${TIMES} times its share (${SHARE * TIMES})`,
    connections: SHARE * TIMES,
    operation: MIX,
  },
  { name: 'searching', title: `one so many searches alone`, connections: SHARE * TIMES, operation: SEARCHES },
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
 * @typedef {'calm' | 'loud' | 'searching'} Kind
 * @typedef {Record<Kind, [Measured, Measured][]>} Seen
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
    /** Both at once. @param {typeof KINDS[number]} kind what the loud one sends @param {number} length */
    const go = async ({ connections, operation }, length) => {
      for (const { tables, lastId } of parties) await tables.takeBack(COLLECTION, lastId);
      return Promise.all([
        send(loud, { port, connections, operation, seconds: length }),
        send(quiet, { port, connections: SHARE, operation: MIX, seconds: length }),
      ]);
    };
    for (const kind of KINDS) await go(kind, WARM_SECONDS);
    /** @type {Seen} */
    const seen = { calm: [], loud: [], searching: [] };
    for (let round = 0; round < rounds; round++) {
      for (const kind of round % 2 === 0 ? KINDS : [...KINDS].reverse()) {
        const outcome = await go(kind, seconds);
        seen[kind.name].push(outcome);
        const [other, own] = outcome;
        note(
          `  ${kind.name}: the other ${Math.round(own.perSecond)}/s, p99 ${own.p99.toFixed(1)} ms; the loud ${Math.round(other.perSecond)}/s`,
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

/** @param {Party} party @param {{ port: number, connections: number, operation: string[], seconds: number }} how @returns {Promise<Measured>} */
async function send({ load, target }, how) {
  const before = usageOf(load.pid);
  const outcome = await load.run({ target, ...how });
  const after = usageOf(load.pid);
  target.serial += outcome.sent;
  const spent = before && after && after.cpuSeconds - before.cpuSeconds;
  return { ...outcome, perSecond: outcome.requests / outcome.seconds, loadShare: spent && spent / outcome.seconds };
}

/** @param {Seen} seen */
function report(seen) {
  /** @param {readonly [Measured, Measured][]} rounds @param {0 | 1} who @param {(measured: Measured) => number | undefined} what */
  const of = (rounds, who, what) => median(rounds.map((both) => what(both[who])));
  const rows = KINDS.map(({ name, title }) => ({ title, rounds: seen[name] })).map(({ title, rounds }) => [
    title,
    ...[count(of(rounds, 1, (m) => m.perSecond)), milliseconds(of(rounds, 1, (m) => m.p50))],
    ...[milliseconds(of(rounds, 1, (m) => m.p99)), milliseconds(Math.max(...rounds.map(([, own]) => own.longest)))],
    ...[count(of(rounds, 0, (m) => m.perSecond)), milliseconds(of(rounds, 0, (m) => m.p50))],
    milliseconds(of(rounds, 0, (m) => m.p99)),
    ...[1, 0].map((who) => rounds.reduce((sum, both) => sum + (both[who]?.errors ?? 0), 0)),
    percent((of(rounds, 0, (m) => m.loadShare) ?? 0) + (of(rounds, 1, (m) => m.loadShare) ?? 0)),
  ]);
  const p99s = KINDS.map(({ name }) => of(seen[name], 1, (m) => m.p99) ?? Number.NaN);
  const [before = 0, after = 0, besideSearches = 0] = p99s;
  const growth = after / before;
  for (const both of Object.values(seen).flat()) {
    for (const { examples } of both) for (const example of examples) warn(`an error: ${example}`);
  }
  if (!(growth <= GROWTH_MAX)) {
    warn(`the p99 of the other application grew ${growth.toFixed(2)} times; it may ${GROWTH_MAX} times`);
    process.exitCode = 1;
  }
  const head = ['', 'other: requests/s', 'p50 ms', 'p99 ms', 'longest ms', 'loud: requests/s', 'p50 ms', 'p99 ms'];
  return [
    `medians of the rounds; both send the same mix of ${MIX.length}, but for the searches: ${SEARCHES.join(', ')}`,
    '',
    table([...head, 'errors other', 'errors loud', 'load %'], rows),
    '',
    `p99 of the other application with a loud neighbour to without: ${ratio(growth)} (at most ${GROWTH_MAX.toFixed(2)})`,
    `beside one that only searches: ${ratio(besideSearches / before)} (without a bound)`,
  ].join('\n');
}
