// @ts-check
// The scenario `cluster-losses`: nodes of a Citus cluster of its own are killed, hung and restarted while two applications, one on
// each worker, are written to. It tells what the application of the other worker notices, how long the own one is without its
// worker, and whether anything that was acknowledged is missing afterwards.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeCaller, publish } from './application.mjs';
import { send } from './http-client.mjs';
import { recordsPath } from './loading.mjs';
import { median } from './measure.mjs';
import { note, warn } from './progress.mjs';
import { startOurs } from './side-ours.mjs';
import { count, milliseconds, ratio, table } from './table.mjs';
import { COLLECTIONS, publishDocument, valuesOf } from './work.mjs';

/** Together they are the connections of the options. */
const APPLICATIONS = 2;
const APPLICATIONS_MAX = 6;
const WARM_MS = 4_000;
/** A hung worker is noticed within seven seconds. */
const LOST_MS = 10_000;
const BACK_MS_MAX = 60_000;
const P99_RATIO_MAX = 1.5;
/** Citus settles what a lost node leaves prepared; its own default is a minute. */
const SETTLED_EVERY = '1s';
const WAYS = [
  { way: 'coordinator', settings: {} },
  { way: 'direct', settings: { CARTULARY_CITUS_DIRECT: 'true' } },
];

/** @typedef {import('../test/support/own-postgres.ts').OwnPostgres} Node */
/** @typedef {import('../test/support/own-cluster.ts').OwnCluster} Cluster */

/** What is done to a node, and undone. @type {readonly { loss: string, of: 'worker' | 'coordinator', lose: (node: Node) => Promise<void> | void, bring: (node: Node) => Promise<void> | void }[]} */
const LOSSES = [
  { loss: 'kill -9', of: 'worker', lose: (node) => node.end('SIGKILL'), bring: (node) => node.start() },
  { loss: 'SIGSTOP', of: 'worker', lose: (node) => node.freeze(), bring: (node) => node.thaw() },
  { loss: 'restart', of: 'worker', lose: (node) => node.end('SIGINT'), bring: (node) => node.start() },
  { loss: 'kill -9', of: 'coordinator', lose: (node) => node.end('SIGKILL'), bring: (node) => node.start() },
  { loss: 'SIGSTOP', of: 'coordinator', lose: (node) => node.freeze(), bring: (node) => node.thaw() },
  { loss: 'restart', of: 'coordinator', lose: (node) => node.end('SIGINT'), bring: (node) => node.start() },
];

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runClusterLosses(ground, { rounds, connections, logLevel }) {
  /** @type {{ ownCluster: (settings: object) => Promise<Cluster> }} */
  const { ownCluster } = await import(new URL('../dist/test/support/own-cluster.js', import.meta.url).href);
  const cluster = await ownCluster({ 'citus.recover_2pc_interval': SETTLED_EVERY });
  const results = [];
  try {
    for (const { way, settings } of WAYS) {
      const folder = join(ground.folder, way);
      mkdirSync(folder, { recursive: true });
      const { host, port, user, database } = cluster.coordinator.connection;
      const url = `postgres://${user}@${host}:${port}/${database}`;
      const { operatorKey } = ground;
      const ours = await startOurs({ folder, operatorKey, logLevel, settings: { DATABASE_URL: url, ...settings } });
      try {
        const scene = await makeScene({ ...ground, ours }, cluster, way, Math.floor(connections / APPLICATIONS));
        results.push(...(await loseAll(scene, way, rounds)));
      } finally {
        await ours.stop();
      }
    }
  } finally {
    await cluster.database.drop();
  }
  return { results, text: report(results) };
}

/**
 * @typedef {object} Writers of one application, until they are ended
 * @property {string} application
 * @property {Node} worker
 * @property {() => { times: number[], statuses: Map<number, number> }} take since the last call
 * @property {() => number} lastDone when a create last succeeded
 * @property {() => Promise<string[]>} end the identifiers of all acknowledged records
 *
 * @typedef {{ cluster: Cluster, address: string, of: readonly [Writers, Writers] }} Scene
 */

/** @param {import('./application.mjs').Ground} ground @param {Cluster} cluster @param {string} way @param {number} each @returns {Promise<Scene>} */
async function makeScene(ground, cluster, way, each) {
  const { address } = ground.ours;
  /** @type {Map<number, Writers>} */
  const writers = new Map();
  for (let n = 0; n < APPLICATIONS_MAX && writers.size < APPLICATIONS; n++) {
    const id = `p${`${way}${n}`.slice(0, 26).padEnd(26, '0')}`;
    await publish(ground, publishDocument({}, id));
    const port = await workerOf(cluster, id);
    const worker = cluster.workers.find((node) => node.connection.port === port);
    if (worker === undefined || writers.has(port)) continue;
    const { token } = await makeCaller(address, ground.operatorKey, id);
    writers.set(port, startWriters({ address, application: id, token, worker, each }));
  }
  const [first, second] = [...writers.values()];
  if (first === undefined || second === undefined) throw new Error('all applications lie on one worker');
  await pause(WARM_MS);
  return { cluster, address, of: [first, second] };
}

/** @param {Cluster} cluster @param {string} application @returns {Promise<number>} the port of its worker */
async function workerOf({ database }, application) {
  const [[port] = []] = await database.sql(
    `select w.nodeport from pg_dist_shard s join pg_dist_placement p using (shardid) join pg_dist_node w using (groupid)
     where s.logicalrelid = 'app_${application}.fence'::regclass`,
  );
  return Number(port);
}

/** @param {{ address: string, application: string, token: string, worker: Node, each: number }} how @returns {Writers} */
function startWriters({ address, application, token, worker, each }) {
  const path = recordsPath('items', application);
  /** @type {string[]} */
  const acknowledged = [];
  let serial = 0;
  let isOver = false;
  /** @type {ReturnType<Writers['take']>} */
  let seen = { times: [], statuses: new Map() };
  let lastDone = Number.NEGATIVE_INFINITY;
  const write = async () => {
    while (!isOver) {
      const body = { values: valuesOf('items', serial++, { total: 1 }) };
      const began = performance.now();
      // A connection that breaks is one without a reply.
      const { status, text } = await send(address, { method: 'POST', path, token, body }).catch(() => ({
        status: 0,
        text: '',
      }));
      const { times, statuses } = seen;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status === 200) {
        lastDone = performance.now();
        times.push(lastDone - began);
        acknowledged.push(JSON.parse(text).id);
      } else await pause(REFUSED_PAUSE_MS);
    }
  };
  const all = Promise.all(Array.from({ length: each }, write));
  return {
    ...{ application, worker },
    take: () => {
      const taken = seen;
      seen = { times: [], statuses: new Map() };
      return taken;
    },
    lastDone: () => lastDone,
    end: async () => {
      isOver = true;
      await all;
      return acknowledged;
    },
  };
}

/** A client that is refused waits a moment. */
const REFUSED_PAUSE_MS = 50;

/**
 * @typedef {object} Lost a loss, measured
 * @property {string} way
 * @property {string} what
 * @property {{ perSecond: number, p99: number | undefined, errors: number }[]} quiet of the application of the other worker, by round
 * @property {{ perSecond: number, p99: number | undefined, errors: number }[]} meanwhile
 * @property {number[]} backSeconds from the return of the node to the next success of its application
 * @property {number} refused 503 of its application
 * @property {number} others other errors of its application
 */

/** @param {Scene} scene @param {string} way @param {number} rounds */
async function loseAll({ cluster, of }, way, rounds) {
  const [own, other] = of;
  /** @type {Map<string, Lost>} */
  const losses = new Map();
  for (let round = 0; round < rounds; round++) {
    for (const { loss, of: kind, lose, bring } of LOSSES) {
      const what = `${kind}, ${loss}`;
      note(`${way}, round ${round + 1} of ${rounds}: ${what}`);
      const one = losses.get(what) ?? { way, what, quiet: [], meanwhile: [], backSeconds: [], refused: 0, others: 0 };
      losses.set(what, one);
      const node = kind === 'worker' ? own.worker : cluster.coordinator;
      one.quiet.push(summary((await during(other, () => pause(LOST_MS))).seen, LOST_MS));
      own.take();
      const { seen, ms } = await during(other, async () => {
        await lose(node);
        await pause(LOST_MS);
      });
      one.meanwhile.push(summary(seen, ms));
      await bring(node);
      const back = performance.now();
      one.backSeconds.push(((await doneAfter(own, back)) - back) / 1000);
      await doneAfter(other, back);
      for (const [status, number] of own.take().statuses) {
        if (status === 503) one.refused += number;
        else if (status !== 200) one.others += number;
      }
      await pause(WARM_MS);
    }
  }
  /** @type {[number, number][]} */
  const missing = [];
  for (const writers of of) missing.push(await countMissing(cluster, writers));
  const [acknowledged, lost] = [0, 1].map((n) => missing.reduce((sum, each) => sum + (each[n] ?? 0), 0));
  if (lost) warn(`${lost} acknowledged records or entries are missing`);
  return [...losses.values(), { way, acknowledged, lost }];
}

/** @param {Writers} writers @param {() => Promise<unknown>} work */
async function during(writers, work) {
  writers.take();
  const began = performance.now();
  await work();
  return { seen: writers.take(), ms: performance.now() - began };
}

/** @param {ReturnType<Writers['take']>} seen @param {number} ms */
function summary({ times, statuses }, ms) {
  const sorted = [...times].sort((one, two) => one - two);
  const all = [...statuses.values()].reduce((sum, number) => sum + number, 0);
  return {
    perSecond: (times.length * 1000) / ms,
    p99: sorted[Math.floor(sorted.length * 0.99)],
    errors: all - times.length,
  };
}

/** Resolves with the time of a success after that one. @param {Writers} writers @param {number} after */
async function doneAfter(writers, after) {
  for (; performance.now() - after < BACK_MS_MAX; await pause(20)) {
    if (writers.lastDone() > after) return writers.lastDone();
  }
  throw new Error(`${writers.application} was not served for a minute after the node was back`);
}

/** @param {Cluster} cluster @param {Writers} writers @returns {Promise<[acknowledged: number, missing: number]>} of records, and of their entries */
async function countMissing({ database }, writers) {
  const ids = await writers.end();
  const schema = `app_${writers.application}`;
  const [[records] = []] = await database.sql(
    `select count(*)::int from ${schema}.${COLLECTIONS.items} where id = any($1::text[])`,
    [ids],
  );
  const [[entries] = []] = await database.sql(
    `select count(*)::int from ${schema}.activity where entry::json -> 'extra' ->> 'recordId' = any($1::text[])`,
    [ids],
  );
  return [ids.length, ids.length - Number(records) + (ids.length - Number(entries))];
}

/** @param {readonly any[]} results */
function report(results) {
  const losses = /** @type {readonly Lost[]} */ (results.filter(({ what }) => what !== undefined));
  const rows = losses.map(({ way, what, quiet, meanwhile, backSeconds, refused, others }) => {
    const [before, after] = [quiet, meanwhile].map((some) => ({
      perSecond: median(some.map(({ perSecond }) => perSecond)),
      p99: median(some.flatMap(({ p99 }) => (p99 === undefined ? [] : [p99]))),
      errors: some.reduce((sum, { errors }) => sum + errors, 0),
    }));
    const slower = before?.p99 && after?.p99 ? after.p99 / before.p99 : undefined;
    if (what.startsWith('worker') && ((slower ?? 0) > P99_RATIO_MAX || after?.errors))
      warn(`${way}, ${what}: the other application has ${ratio(slower)} times its p99 and ${after?.errors} errors`);
    return [
      ...[`${way}: ${what}`, count(before?.perSecond), count(after?.perSecond)],
      ...[milliseconds(before?.p99), milliseconds(after?.p99), ratio(slower), after?.errors],
      ...[refused, others, median(backSeconds)?.toFixed(1)],
    ];
  });
  const head = [
    ...['way: node, loss', 'quiet/s', 'meanwhile/s', 'quiet p99 ms', 'p99 ms', 'ratio', 'errors'],
    ...['own 503', 'own others', 'back after s'],
  ];
  const sums = results.filter(({ acknowledged }) => acknowledged !== undefined);
  return [
    table(head, rows),
    '',
    ...sums.map(
      ({ way, acknowledged, lost }) =>
        `${way}: ${count(acknowledged)} creates were acknowledged; of their records and entries ${lost} are missing.`,
    ),
  ].join('\n');
}
