// @ts-check
// The scenario `applications`: many published applications on one server, requests spread over all of them against the same
// number of requests to one. It also tells what the server does by itself for them while nobody asks for anything.

import { setTimeout as wait } from 'node:timers/promises';
import { makeCaller, prepareApplication, publish } from './application.mjs';
import { ask } from './http-client.mjs';
import { startLoad } from './load-process.mjs';
import { recordsPath } from './loading.mjs';
import { measure } from './measure.mjs';
import { operationNamed } from './operations.mjs';
import { counter, note, warn } from './progress.mjs';
import { recordsSide } from './side.mjs';
import { count, megabytes, milliseconds, percent, ratio, table } from './table.mjs';
import { usageOfDatabase, usageOfServer } from './usage.mjs';
import { publishDocument, valuesOf } from './work.mjs';

const RECORDS_EACH = 10;
/** Of each application; `get` asks for this many different records when there are 1,000 of them. */
const ASKED_EACH = 2;
const PUBLISHED_AT_ONCE = 4;
const IDLE_SECONDS = 10;
const WARM_TIMES = 6;
const WARM_SECONDS = 3;
const WARM_TURNS_MAX = 12;
const COLLECTION = /** @type {const} */ ('items');
/** The least that requests to all may reach of requests to one, and the most memory of the server. */
const RATIO_MIN = 0.8;
const SERVER_MB_MAX = 400;

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runApplications(ground, { applications, rounds, seconds, connections }) {
  const began = performance.now();
  const spread = await publishMany(ground, applications);
  const publishSeconds = (performance.now() - began) / 1000;
  const idle = await watchIdle(ground);
  const one = await prepareApplication(ground, { [COLLECTION]: applications * RECORDS_EACH });
  const load = startLoad();
  try {
    const { address, pid, databasePid } = ground.ours;
    const single = { name: 'one application', address, pid, ground, application: one, collection: COLLECTION };
    const host = new URL(address).host;
    const all = {
      ...{ name: `${applications.toLocaleString('en')} applications`, address, pid, databasePid, records: spread },
      prepare: async () => ({
        ...{ host, token: '', collection: COLLECTION, total: 1, sample: [], serial: 1, spare: [], spread },
      }),
    };
    const sides = [recordsSide({ ...single, filesFolder: '' }), all];
    const course = { load, sides, rounds, seconds, warmConnections: connections };
    await warmAll(load, {
      operation: 'get',
      port: Number(new URL(address).port),
      target: await all.prepare(),
      connections,
    });
    const results = await measure(course, operationNamed('get'), connections);
    return { results: [...results, idle], text: report(results, { idle, publishSeconds, applications }) };
  } finally {
    await load.end();
    note('');
  }
}

/**
 * Until each record was asked for several times: the first requests to an application make every connection of the database
 * read what it has to know of its tables, which takes longer than a hundred requests.
 * @param {import('./load-process.mjs').Load} load
 * @param {Omit<import('./load.mjs').Job, 'seconds'>} job
 */
async function warmAll(load, job) {
  const wanted = WARM_TIMES * (job.target.spread?.length ?? 0);
  for (let [turn, answered] = [0, 0]; turn < WARM_TURNS_MAX && answered < wanted; turn++) {
    answered += (await load.run({ ...job, seconds: WARM_SECONDS })).requests;
  }
}

/** The last characters differ, as those of assigned identifiers do: they choose the connections of an application. @param {number} n */
const idOf = (n) => `p${'many'.padEnd(20, '0')}${String(n).padStart(6, '0')}`;

/** @param {import('./application.mjs').Ground} ground @param {number} applications @returns {Promise<import('./operations.mjs').Spread[]>} */
async function publishMany(ground, applications) {
  const { ours, operatorKey } = ground;
  const tell = counter('Publishing applications', applications);
  /** @type {import('./operations.mjs').Spread[]} */
  const spread = [];
  let [next, done] = [0, 0];
  const work = async () => {
    while (next < applications) {
      const application = idOf(next++);
      const { collections, ...rest } = publishDocument({}, application);
      await publish(ground, { ...rest, collections: collections.filter(({ name }) => name === COLLECTION) });
      const { token } = await makeCaller(ours.address, operatorKey, application);
      const body = Array.from({ length: RECORDS_EACH }, (_, n) => ({ values: valuesOf(COLLECTION, n, { total: 1 }) }));
      const path = recordsPath(COLLECTION, application);
      /** @type {{ id: string }[]} */
      const made = await ask(ours.address, { method: 'POST', path, token, body });
      for (const { id } of made.slice(0, ASKED_EACH)) spread.push({ application, token, id });
      tell(++done);
    }
  };
  await Promise.all(Array.from({ length: PUBLISHED_AT_ONCE }, work));
  // In an order in which no two requests of one application follow each other.
  return spread.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What is done for applications that nobody asks, as shares of a core. @param {import('./application.mjs').Ground} ground */
async function watchIdle({ ours }) {
  const databasePid = ours.databasePid();
  const used = () => [usageOfServer(ours.pid, databasePid), usageOfDatabase(databasePid)];
  const before = used();
  await wait(IDLE_SECONDS * 1000);
  const [server, database] = used().map((usage, i) => {
    const then = before[i];
    return usage && then && (usage.cpuSeconds - then.cpuSeconds) / IDLE_SECONDS;
  });
  return { server, database };
}

/**
 * @param {readonly import('./measure.mjs').Result[]} results
 * @param {{ idle: Awaited<ReturnType<typeof watchIdle>>, publishSeconds: number, applications: number }} about
 */
function report(results, { idle, publishSeconds, applications }) {
  const [one, all] = results;
  const reached = one && all && all.perSecond / one.perSecond;
  const most = Math.max(...results.map(({ serverBytes = 0 }) => serverBytes)) / 2 ** 20;
  if (!((reached ?? 0) >= RATIO_MIN)) warn(`requests to all reach ${reached?.toFixed(2)} of those to one`);
  if (most > SERVER_MB_MAX) warn(`the server took ${Math.round(most)} MB; it may take ${SERVER_MB_MAX}`);
  const rows = results.map((result) => [
    ...[result.side, count(result.perSecond), milliseconds(result.p50), milliseconds(result.p99)],
    ...[count(result.serverMicros), count(result.databaseMicros)],
    ...[megabytes(result.serverBytes), megabytes(result.databaseBytes), percent(result.othersShare), result.errors],
  ]);
  const head = ['get', 'requests/s', 'p50 ms', 'p99 ms', 'server µs', 'database µs', 'server MB', 'database MB'];
  return [
    `${applications.toLocaleString('en')} applications with ${RECORDS_EACH} records each, ${results[0]?.connections} connections; medians of the rounds`,
    '',
    table([...head, 'others %', 'errors'], rows),
    '',
    `requests/s to all to those to one: ${ratio(reached)} (at least ${RATIO_MIN.toFixed(2)})`,
    `publishing one, with a user, a token and records: ${Math.round((publishSeconds * 1000) / applications)} ms, ${PUBLISHED_AT_ONCE} at a time`,
    `without requests, of a core: server ${percent(idle.server)} %, database ${percent(idle.database)} %`,
  ].join('\n');
}
