// @ts-check
// The faults of a soak: mild ones of the torture, one after the other, each kind as often as the others. Each opens a window
// in the meter, which closes when the cluster is ready and has caught up with the requests that were due meanwhile.

import { setTimeout as pause } from 'node:timers/promises';
import { interruption } from '../../scripts/processes.mjs';
import { count } from '../client.mjs';
import { untilReady } from '../cluster.mjs';
import { FAULTS } from '../faults.mjs';

/**
 * A kill meets the other nodes only: the first lives for the whole soak, which proves most about memory and handles, while
 * the others show that a node which is started again comes to the same level.
 */
const KILLS = 'kill a node';
const KINDS = [
  KILLS,
  'kill a backend',
  'cut the database',
  'stop a node',
  'slow database',
  'cut clients',
  'stop a backend',
  'slow clients',
  'mute results',
];
const HOLD_MS = { least: 300, most: 2_500 };
/** Of what was due meanwhile. A cluster that takes longer is measured while it does. */
const CATCH_UP_MS = 20_000;
const AFTER_MS = 2_000;
const UNDER_WAY_MARGIN = 8;

/**
 * @param {import('../cluster.mjs').Cluster} cluster
 * @param {{ random: import('../random.mjs').Random, meter: import('./meter.mjs').Meter, tally: import('../client.mjs').Tally, stopped: () => boolean }} given
 * @param {{ everySeconds: number, seconds: number }} times
 * @returns {Promise<Map<string, number>>} the faults that met something
 */
export async function strikeOften(cluster, { random, meter, tally, stopped }, { everySeconds, seconds }) {
  /** @type {Map<string, number>} */
  const met = new Map();
  const began = performance.now();
  const killed = { ...cluster, nodes: cluster.nodes.slice(1) };
  /** @type {string[]} */
  let left = [];
  // Windows do not overlap: a fault that is due before the last one is over waits for that.
  for (let turn = 1; turn * everySeconds <= seconds - everySeconds / 2; turn++) {
    const due = began + (turn - 1 + 0.5 + random.unit() * 0.5) * everySeconds * 1_000;
    while (!stopped() && performance.now() < due) await pause(Math.min(200, Math.max(1, due - performance.now())));
    interruption.throwIfAborted();
    if (stopped()) break;
    if (left.length === 0) left = KINDS.filter((name) => name !== KILLS || killed.nodes.length > 0);
    const name = random.pick(left);
    left = left.filter((other) => other !== name);
    const fault = FAULTS[name];
    if (fault === undefined) throw new Error(`there is no fault ${name}`);
    const before = meter.underWay;
    /** @type {import('./meter.mjs').Window} */
    const window = { name, from: performance.now(), to: undefined };
    meter.windows.push(window);
    const struck = await fault.strike(name === KILLS ? killed : cluster, random, tally);
    await pause(random.between(HOLD_MS.least, HOLD_MS.most));
    if (struck.met()) count(met, name);
    await struck.mend();
    await untilReady(cluster);
    const late = performance.now() + CATCH_UP_MS;
    while (meter.underWay > before + UNDER_WAY_MARGIN && performance.now() < late) await pause(100);
    await pause(AFTER_MS);
    window.to = performance.now();
  }
  return met;
}
