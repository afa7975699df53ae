// @ts-check
// One round: a whole cluster, a new application, clients at work, faults one after the other, and then the whole state
// against the model.

import { setTimeout as pause } from 'node:timers/promises';
import { checkRecords } from './check-records.mjs';
import { checkFiles, checkLog, checkRegisters, checkTables, checkUsers, checkVersions } from './check-stored.mjs';
import { Client, count, newTally } from './client.mjs';
import { control, takeFailures, untilQuiet, untilReady } from './cluster.mjs';
import { FAULTS } from './faults.mjs';
import { newModel } from './model.mjs';
import { CLOCK } from './preload.mjs';
import { seeded } from './random.mjs';
import { publishScene, removeScene } from './scene.mjs';
import { FILE_OPERATIONS } from './work-files.mjs';
import { KEY_OPERATIONS } from './work-keys.mjs';
import { PUBLISHING_OPERATIONS, SHIFTING_OPERATIONS } from './work-publishing.mjs';
import { RECORD_OPERATIONS } from './work-records.mjs';
import { REGISTER_OPERATIONS } from './work-registers.mjs';
import { USER_OPERATIONS } from './work-users.mjs';
import { work } from './worker.mjs';

/**
 * @typedef {object} RoundOptions
 * @property {number} seed
 * @property {readonly string[]} only kinds of faults; empty: all
 * @property {number} clients
 * @property {number} faults at most, one after the other
 * @property {number} paceMs at most, between two requests of a client
 * @property {number} holdMs at most, that a fault lasts
 * @property {boolean} isPlain whether all nodes are started alike, in every round
 * @property {(scene: import('./scene.mjs').Scene) => Promise<void>} [meddle] with the state before it is checked, to see that the checks notice
 *
 * @typedef {object} RoundResult
 * @property {number} seed
 * @property {string[]} struck faults in their order
 * @property {Map<string, number>} met faults that really met something
 * @property {Map<string, number>} checked
 * @property {import('./client.mjs').Tally} tally
 * @property {import('./cluster.mjs').NodeSettings[]} nodes
 */

const MIXED = {
  ...RECORD_OPERATIONS,
  ...KEY_OPERATIONS,
  ...FILE_OPERATIONS,
  ...USER_OPERATIONS,
  ...SHIFTING_OPERATIONS,
};
/** Neighbouring seeds start their nodes alike: a start takes as long as the rest of a round. */
const ROUNDS_ALIKE = 4;
const PUBLISH_PACE_MS = 400;
const HOLD_MS_MIN = 100;
/** How often a second fault strikes while the first lasts. */
const TWO_AT_ONCE = 0.25;
/** How often a fault lasts so many times longer: longer than a server takes over a request. */
const LONG = 0.15;
const LONG_TIMES = 4;
/** So long after that a fault waits for something to meet. */
const MEET_MS = 4_000;
/** Replies between two faults, so that a slow machine has as much at stake as a fast one. */
const CALM_REPLIES = 80;
const CALM_MS = 20_000;

/** @param {import('./cluster.mjs').Cluster} cluster @param {readonly string[]} only */
export const possibleFaults = (cluster, only) =>
  Object.entries(FAULTS).filter(
    ([name, { impossible, applies }]) =>
      (only.length === 0 || only.includes(name)) && impossible?.(cluster) === undefined && (applies?.(cluster) ?? true),
  );

/** @param {import('./random.mjs').Random} random @param {Pick<RoundOptions, 'only' | 'isPlain'>} options @returns {import('./cluster.mjs').NodeSettings} */
function settingsFor(random, { only, isPlain }) {
  if (isPlain) return { workers: 1, heapMegabytes: 256, storage: 'disk' };
  const needsStore = only.length > 0 && only.every((name) => name.startsWith('object store'));
  return {
    workers: random.chance(0.25) ? 2 : 1,
    heapMegabytes: random.pick([0, 0, 256, 512]),
    storage: needsStore || random.chance(0.3) ? 's3' : 'disk',
  };
}

/** Nodes that already run as they should stay. @param {import('./cluster.mjs').Cluster} cluster @param {import('./random.mjs').Random} random @param {Pick<RoundOptions, 'only' | 'isPlain'>} options */
async function setUp(cluster, random, options) {
  // All nodes keep files in the same place.
  const { storage } = settingsFor(random, options);
  for (const node of cluster.nodes) {
    const wanted = { ...settingsFor(random, options), storage };
    if (node.process !== undefined && JSON.stringify(wanted) === JSON.stringify(node.settings)) continue;
    await cluster.end(node, 'SIGTERM');
    await cluster.start(node, wanted);
  }
  await untilReady(cluster);
}

/** @param {import('./cluster.mjs').Cluster} cluster @param {RoundOptions} options @returns {Promise<RoundResult>} */
export async function runRound(cluster, options) {
  const { seed, only, clients, faults, paceMs, holdMs } = options;
  const random = seeded(seed);
  await setUp(cluster, seeded(Math.floor(seed / ROUNDS_ALIKE)).part('settings'), options);
  const tally = newTally();
  const model = newModel();
  const scene = await publishScene(cluster, tally);
  let isOver = false;
  const given = { nodes: cluster.nodes, scene, model, tally, stopped: () => isOver };
  /** @param {string} name @param {Readonly<Record<string, import('./worker.mjs').Operation>>} operations @param {number} pace */
  const start = (name, operations, pace) =>
    work({ ...given, name, random: random.part(name) }, operations, { paceMs: pace });
  const workers = [
    ...Array.from({ length: clients }, (_, index) => start(`w${index}`, MIXED, paceMs)),
    ...Array.from({ length: Math.ceil(clients / 2) }, (_, index) => start(`x${index}`, REGISTER_OPERATIONS, paceMs)),
    start('p0', PUBLISHING_OPERATIONS, PUBLISH_PACE_MS),
  ];
  const working = Promise.all(workers);
  // Waited for below; until then a failure of the torture itself must not end the process.
  working.catch(() => {});
  const { struck, met } = await strikeAll(cluster, random.part('faults'), { only, faults, holdMs, tally });
  isOver = true;
  await working;
  await settle(cluster, scene);
  await options.meddle?.(scene);
  /** @type {Map<string, number>} */
  const checked = new Map();
  const client = new Client(tally, scene.token);
  const violation = (/** @type {string} */ what) => tally.violations.push(what);
  const examination = {
    ...{ cluster, scene, model, client, violation, random: random.part('checks') },
    checked: (/** @type {string} */ what, by = 1) => count(checked, what, by),
  };
  try {
    await checkRecords(examination);
    await checkTables(examination);
    await checkLog(examination);
    await checkFiles(examination);
    await checkUsers(examination);
    await checkVersions(examination);
    checkRegisters(examination, tally);
  } finally {
    client.close();
  }
  for (const [reason, times] of tally.reasons) count(tally.counted, `replies with 503 ${reason}`, times);
  for (const node of cluster.nodes) {
    control(node, CLOCK, undefined);
    for (const line of takeFailures(node)) violation(`the log of ${node.name} has ${line}`);
  }
  await removeScene(cluster, scene, tally);
  return { seed, struck, met, checked, tally, nodes: cluster.nodes.map(({ settings }) => settings) };
}

/** @param {import('./cluster.mjs').Cluster} cluster @param {import('./random.mjs').Random} random @param {Pick<RoundOptions, 'only' | 'faults' | 'holdMs'> & { tally: import('./client.mjs').Tally }} options */
async function strikeAll(cluster, random, { only, faults, holdMs, tally }) {
  /** @type {string[]} */
  const struck = [];
  /** @type {Map<string, number>} */
  const met = new Map();
  for (let turn = 0; turn < faults; turn++) {
    await calm(tally, random.between(CALM_REPLIES / 2, CALM_REPLIES));
    const chosen = [random.pick(possibleFaults(cluster, only))];
    const second = random.pick(possibleFaults(cluster, only));
    if (random.chance(TWO_AT_ONCE) && ![...chosen, second].some(([, { alone }]) => alone)) chosen.push(second);
    /** @type {{ name: string, fault: import('./faults.mjs').Struck }[]} */
    const lasting = [];
    for (const [name, { strike }] of chosen) {
      struck.push(name);
      lasting.push({ name, fault: await strike(cluster, random, tally) });
      await pause(random.between(HOLD_MS_MIN, random.chance(LONG) ? holdMs * LONG_TIMES : holdMs));
    }
    const late = performance.now() + MEET_MS;
    while (performance.now() < late && !lasting.every(({ fault }) => fault.met())) await pause(20);
    for (const { name, fault } of lasting) if (fault.met()) count(met, name);
    // At the same time: a node that is started waits for the database.
    await Promise.all(lasting.map(({ fault }) => fault.mend()));
    await untilReady(cluster);
  }
  await calm(tally, CALM_REPLIES);
  return { struck, met };
}

/** Until so many replies have come. @param {import('./client.mjs').Tally} tally @param {number} replies */
async function calm(tally, replies) {
  const [enough, late] = [tally.replies + replies, performance.now() + CALM_MS];
  while (tally.replies < enough && performance.now() < late) await pause(10);
}

/** Nothing is under way any more, also no publishing whose node was killed. @param {import('./cluster.mjs').Cluster} cluster @param {import('./scene.mjs').Scene} scene */
async function settle(cluster, { id }) {
  for (const { front } of cluster.nodes) front.cut();
  await untilReady(cluster);
  await untilQuiet(cluster);
  const late = performance.now() + 60_000;
  while ((await cluster.sql('select 1 from cartulary.publishing where application_id = $1', [id])).length > 0) {
    if (performance.now() > late) throw new Error('a publishing whose node was killed is not given up');
    await pause(100);
  }
  await untilQuiet(cluster);
}
