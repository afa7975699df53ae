// @ts-check
// The soak: a cluster, its capacity, then a part of it for a long time with faults, and the whole state at the end.

import { note } from '../../bench/progress.mjs';
import { megabytes } from '../../bench/table.mjs';
import { Client, newTally } from '../client.mjs';
import { openCluster, takeFailures, untilQuiet, untilReady } from '../cluster.mjs';
import { seeded } from '../random.mjs';
import { publishScene, THINGS } from '../scene.mjs';
import { checkSoaked } from './check.mjs';
import { openLoad } from './load.mjs';
import { Meter } from './meter.mjs';
import { sampleOften } from './samples.mjs';
import { Stock } from './stock.mjs';
import { strikeOften } from './strikes.mjs';
import { judge } from './verdict.mjs';
import { acknowledge, newValues } from './work.mjs';

/**
 * @typedef {object} Result
 * @property {number} capacity requests a second
 * @property {number} rate
 * @property {Meter} meter
 * @property {import('./samples.mjs').Sample[]} samples
 * @property {{ from: number, to: number, name: string }[]} windows in seconds since the load began
 * @property {Map<string, number>} met faults
 * @property {import('./verdict.mjs').Judged[]} judged
 * @property {{ compared: number, deleted: number, files: number }} checked
 * @property {number} internalErrors
 * @property {string[]} violations
 * @property {string[]} problems for which the run fails
 */

const BATCH = 100;
/** A request that no fault met may still be refused: one in so many. */
const ERRORS_ONE_IN = 1_000;
const SHOWN_EVERY = 6;

/** Records that are there before anything is measured. @param {import('./work.mjs').Workplace} at @param {string} address */
async function fill(at, address) {
  const { stock, scene, tally, records } = at;
  const client = new Client(tally, scene.token);
  try {
    while (stock.records < records) {
      const made = Array.from({ length: Math.min(BATCH, records - stock.records) }, () => {
        const track = stock.add();
        return { track, values: newValues(at, track.marker) };
      });
      const json = made.map(({ values }) => ({ values }));
      const sent = { method: 'POST', path: scene.records(THINGS), json, replyMs: 60_000 };
      const { certainty, status, body } = await client.send(address, sent);
      if (certainty !== 'done') throw new Error(`the first records are not there: ${status} ${JSON.stringify(body)}`);
      for (const [index, { track, values }] of made.entries()) {
        acknowledge(at, track, { change: 'create', values, record: body[index] });
        stock.giveBack(track);
      }
    }
  } finally {
    client.close();
  }
}

/** @param {import('./options.mjs').Options} options @returns {Promise<Result>} */
export async function soak(options) {
  const cluster = await openCluster({ nodes: options.nodes, disks: false });
  try {
    for (const node of cluster.nodes) {
      await cluster.start(node, { workers: 1, heapMegabytes: options.heap, storage: 'disk' });
    }
    await untilReady(cluster);
    return await soakCluster(cluster, options);
  } finally {
    await cluster.close();
  }
}

/** @param {import('../cluster.mjs').Cluster} cluster @param {import('./options.mjs').Options} options @returns {Promise<Result>} */
async function soakCluster(cluster, options) {
  const { minutes, load: percent, clients, records, capacitySeconds } = options;
  const random = seeded(options.seed);
  const tally = newTally();
  const scene = await publishScene(cluster, tally);
  const violation = (/** @type {string} */ what) => void tally.violations.push(what);
  const stock = new Stock(random.part('stock'));
  const at = { stock, scene, random: random.part('work'), tally, violation, records };
  await fill(at, cluster.nodes[0]?.address ?? '');
  const first = openLoad({ at, nodes: cluster.nodes, meter: new Meter() });
  // The first half as long again, not counted: caches are filled and code is compiled.
  await first.asFastAsReplies(clients, capacitySeconds / 2);
  const capacity = await first.asFastAsReplies(clients, capacitySeconds);
  first.close();
  const rate = (capacity * percent) / 100;
  note(`Capacity: ${capacity.toFixed(0)} requests a second. ${minutes} minutes at ${rate.toFixed(0)}.`);
  const { meter, samples, met, windows } = await bear(cluster, at, { ...options, rate });
  await untilReady(cluster);
  await untilQuiet(cluster);
  await options.meddle?.(cluster, scene.id);
  const client = new Client(tally, scene.token);
  const checked = await checkSoaked(cluster, at, client).finally(() => client.close());
  for (const node of cluster.nodes) {
    for (const line of takeFailures(node)) violation(`the log of ${node.name} has ${line}`);
  }
  const judged = judge(samples, { minutes, nodes: options.nodes });
  const { internalErrors, violations } = tally;
  const found = { capacity, rate, meter, samples, windows, met, judged, checked, internalErrors, violations };
  return { ...found, problems: problemsOf(found) };
}

/** Load, faults and samples at the same time. @param {import('../cluster.mjs').Cluster} cluster @param {import('./work.mjs').Workplace} at @param {import('./options.mjs').Options & { rate: number }} options */
async function bear(cluster, at, { minutes, rate, everySeconds, sampleSeconds, seed }) {
  const meter = new Meter();
  const load = openLoad({ at, nodes: cluster.nodes, meter });
  const seconds = minutes * 60;
  const began = performance.now();
  let isOver = false;
  /** @type {import('./samples.mjs').Sample[]} */
  const told = [];
  const onSample = (/** @type {import('./samples.mjs').Sample} */ sample) => {
    if (told.push(sample) % SHOWN_EVERY === 0) note(lineOf(sample));
  };
  const stopped = () => isOver;
  const sampling = sampleOften(cluster, meter, { everySeconds: sampleSeconds, stopped, onSample });
  // Waited for below; until then a failure must not end the process.
  sampling.catch(() => {});
  const given = { random: seeded(seed).part('faults'), meter, tally: at.tally, stopped };
  const striking = strikeOften(cluster, given, { everySeconds, seconds });
  const asking = load.atRate(rate, seconds, stopped);
  try {
    const [met] = await Promise.all([striking, asking]);
    isOver = true;
    const windows = meter.windows.map(({ from, to = performance.now(), name }) => ({
      ...{ name, from: (from - began) / 1_000, to: (to - began) / 1_000 },
    }));
    return { meter, met, windows, samples: await sampling };
  } finally {
    // If one of them has failed, the others end before the cluster does.
    isOver = true;
    await Promise.allSettled([striking, asking, sampling]);
    load.close();
  }
}

/** @param {import('./samples.mjs').Sample} sample */
function lineOf({ second, nodes, connections, p99 }) {
  const memory = nodes.map((node) =>
    node === undefined ? 'away' : `${megabytes(node.memory)} MB ${node.handles}+${node.clients} handles`,
  );
  const slowest = p99 === undefined ? '–' : `${p99.toFixed(0)} ms`;
  return `${(second / 60).toFixed(1)} min: ${memory.join(', ')}, ${connections ?? '–'} connections, p99 ${slowest}`;
}

/** @param {Omit<Result, 'problems'>} found */
function problemsOf({ meter, judged, internalErrors, violations }) {
  const errors = [...meter.errors.values()].reduce((sum, times) => sum + times, 0);
  return [
    ...judged
      .filter(({ verdict }) => verdict === 'grows' || verdict === 'too few samples')
      .map(({ figure, verdict }) => `${figure.name}: ${verdict}`),
    ...(internalErrors > 0 ? [`${internalErrors} replies with 500`] : []),
    ...(violations.length > 0 ? [`${violations.length} violations`] : []),
    ...(errors * ERRORS_ONE_IN > meter.calm ? [`${errors} of ${meter.calm} requests that no fault met failed`] : []),
  ];
}
