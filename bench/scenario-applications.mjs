// @ts-check
// The scenario `applications`: many published applications on one server, requests spread over all of them against the same
// requests spread over ten. It also tells what publishing costs, what the catalogue takes, how long a start takes, and what
// the server does by itself for applications that nobody asks.

import { setTimeout as wait } from 'node:timers/promises';
import { firstFreeCode } from './codes.mjs';
import { ask, send } from './http-client.mjs';
import { startLoad } from './load-process.mjs';
import { AT_ONCE, COLLECTION, COMPARED, fillApplications, RECORDS_EACH, spreadOf } from './many-applications.mjs';
import { measure, median } from './measure.mjs';
import { operationNamed } from './operations.mjs';
import { note, warn } from './progress.mjs';
import { startOurs } from './side-ours.mjs';
import { count, megabytes, milliseconds, percent, ratio, table } from './table.mjs';
import { usageOfDatabase, usageOfServer } from './usage.mjs';
import { CODE_DIGITS } from './work.mjs';

const FEW = 10;
const CREATE = 'create 1';
const OPERATIONS = ['get', 'list newest 100', CREATE];
const LISTED_TIMES = 5;
/** Jobs that run at the start have ended by then. */
const SETTLED_SECONDS = 20;
/** PostgreSQL looks at all tables once a minute. */
const IDLE_SECONDS = 60;
const WARM_TIMES = 4;
const WARM_SECONDS = 3;
/** Creates to 10,000 applications come to it after four minutes. With a third of that, most were the first on their connection. */
const WARM_TURNS_MAX = 150;
/**
 * A run is too short to ask all of them, so each begins this part of all after the one before. The golden section leaves no large
 * gap, whatever the number of runs. When all runs began at the first, they asked only one application in ten, and the records that
 * they created made the pages of those longer than the pages of the ten that they were compared with.
 */
const BEGINNINGS_APART = (Math.sqrt(5) - 1) / 2;
/**
 * In each round every application gets several creates: the first after a checkpoint logs whole pages, and in a shorter round
 * creates to all applications would be such ones alone.
 */
const CREATES_EACH_ROUND = 3;
/** About as many as there are at many connections. */
const CREATES_PER_SECOND = 1_000;
/** The most that a request to one of all may take of one to a few, and the most memory of the server. */
const RATIO_MAX = 1.5;
/** After publishing thousands of applications, PostgreSQL tidies its catalogue for minutes. */
const TIDY_SECONDS_MAX = 900;
/** It looks for more to do every minute, for which it takes a part of a core. */
const TIDY_LOOK_SECONDS = 60;
const TIDY_SHARE_MAX = 0.15;
/** A kept folder has the codes of earlier runs. */
const CODES_EACH_SECOND = 100_000;
const SERVER_MB_MAX = 400;

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runApplications(ground, { applications, rounds, seconds, connections, logLevel }) {
  const filling = await fillApplications(ground, applications);
  await untilTidy(ground);
  const { address, pid, databasePid } = ground.ours;
  const firstCode =
    RECORDS_EACH + (Math.floor(Date.now() / 1000) % (10 ** CODE_DIGITS / CODES_EACH_SECOND)) * CODES_EACH_SECOND;
  const load = startLoad();
  /** @type {import('./measure.mjs').Result[]} */
  const results = [];
  try {
    /** @param {string} name @param {typeof filling.all} some @returns {import('./side.mjs').Side} */
    const side = (name, some) => {
      const target = {
        host: new URL(address).host,
        token: '',
        collection: COLLECTION,
        total: 1,
        sample: [],
        spare: [],
      };
      const spread = spreadOf(some);
      let runs = 0;
      const prepare = async () => ({
        ...target,
        spread: beginningAt((runs++ * BEGINNINGS_APART) % 1, spread),
        serial: firstFreeCode(firstCode),
      });
      return { name, address, pid, databasePid, records: some, prepare };
    };
    // From everywhere, so that their pages are as long as those of all: earlier runs left more records in the applications
    // that were published first. Others each time, because a run leaves many in its ten.
    const [part, place] = [filling.all.length / FEW, Math.random()];
    const few = Array.from({ length: FEW }, (_, n) => filling.all[Math.floor((n + place) * part)]).filter(
      (one) => !!one,
    );
    const sides = [
      side(`${FEW} applications`, few),
      side(`${applications.toLocaleString('en')} applications`, filling.all),
    ];
    const course = { load, sides, rounds, seconds, warmConnections: connections };
    const createSeconds = Math.max(seconds, (CREATES_EACH_ROUND * filling.all.length) / CREATES_PER_SECOND);
    for (const name of OPERATIONS) {
      const operation = operationNamed(name);
      for (const one of sides) await warmAll(course, { operation, side: one, connections });
      const measured = name === CREATE ? { ...course, seconds: createSeconds } : course;
      for (const many of new Set([1, connections])) results.push(...(await measure(measured, operation, many)));
      ground.ours.trimLog();
    }
  } finally {
    await load.end();
    note('');
  }
  const catalogue = await readCatalogue(ground);
  const lists = await listAll(ground);
  const start = await startAgain(ground, logLevel);
  const figures = { catalogue, lists, start };
  return {
    results: [...results, { filling: { ...filling, all: undefined }, ...figures }],
    text: report(results, { filling, applications, ...figures }),
  };
}

/** Measures a server that was not filled just now. @param {import('./application.mjs').Ground} ground */
async function untilTidy({ ours }) {
  const databasePid = ours.databasePid();
  const used = () => usageOfDatabase(databasePid)?.cpuSeconds ?? 0;
  let share = 1;
  for (let seconds = 0; share > TIDY_SHARE_MAX; seconds += TIDY_LOOK_SECONDS) {
    if (seconds >= TIDY_SECONDS_MAX) {
      warn(`PostgreSQL still tidied its tables after ${seconds} s, with ${percent(share)} % of a core`);
      return;
    }
    note(`PostgreSQL tidies its tables, ${seconds} s`);
    const before = used();
    await wait(TIDY_LOOK_SECONDS * 1000);
    share = (used() - before) / TIDY_LOOK_SECONDS;
  }
}

/** @template T @param {number} part of all that come at the end @param {readonly T[]} all @returns {T[]} */
function beginningAt(part, all) {
  const from = Math.floor(part * all.length);
  return [...all.slice(from), ...all.slice(0, from)];
}

/**
 * Until each application was asked several times: its first requests make every connection of the database read what it has to
 * know of its tables, which takes longer than ten requests.
 * @param {import('./measure.mjs').Course} course
 * @param {{ operation: import('./operations.mjs').Operation, side: import('./side.mjs').Side, connections: number }} of
 */
async function warmAll({ load }, { operation, side, connections }) {
  const port = Number(new URL(side.address).port);
  for (let [turn, answered, wanted] = [0, 0, 1]; turn < WARM_TURNS_MAX && answered < wanted; turn++) {
    const target = await side.prepare(operation, { connections, seconds: WARM_SECONDS });
    wanted = WARM_TIMES * (target.spread?.length ?? 0);
    const { requests, sent } = await load.run({
      operation: operation.name,
      port,
      target,
      connections,
      seconds: WARM_SECONDS,
    });
    answered += requests;
    firstFreeCode(target.serial + sent);
  }
}

/** @param {import('./application.mjs').Ground} ground */
async function readCatalogue({ tables }) {
  const [row] = await tables.query(
    `select count(*)::int as relations, pg_database_size(current_database())::float8 as bytes,
       (select sum(pg_total_relation_size(c.oid))::float8 from pg_class c
        where c.relnamespace = 'pg_catalog'::regnamespace and c.relkind = 'r') as catalogue
     from pg_class`,
  );
  return /** @type {{ relations: number, bytes: number, catalogue: number }} */ (row);
}

/** What the operator sees of all of them. @param {import('./application.mjs').Ground} ground */
async function listAll({ ours, operatorKey }) {
  const paths = { applications: '/operator/v1/applications', use: '/operator/v1/use' };
  /** @param {string} path */
  const timed = async (path) => {
    const times = [];
    for (let turn = 0; turn < LISTED_TIMES; turn++) {
      const began = performance.now();
      await ask(ours.address, { method: 'GET', path, token: operatorKey });
      times.push(performance.now() - began);
    }
    return median(times);
  };
  return { applications: await timed(paths.applications), use: await timed(paths.use) };
}

/** Stops the server, starts it on the same folder, and watches it while nobody asks. @param {import('./application.mjs').Ground} ground @param {string} logLevel */
async function startAgain({ ours: former, folder, operatorKey, tables }, logLevel) {
  // A server that was not just filled has done so long ago; without it the stop gives up waiting, and the start recovers.
  await tables.query('checkpoint');
  await tables.close().catch(() => {});
  const stopping = performance.now();
  await former.stop();
  const starting = performance.now();
  const ours = await startOurs({ folder, operatorKey, logLevel });
  try {
    const ready = performance.now();
    const databasePid = ours.databasePid();
    const used = () => [usageOfServer(ours.pid, databasePid)?.cpuSeconds, usageOfDatabase(databasePid)?.cpuSeconds];
    note(`Started in ${((ready - starting) / 1000).toFixed(1)} s; watching it for ${SETTLED_SECONDS + IDLE_SECONDS} s`);
    const first = await send(ours.address, { method: 'GET', path: '/readyz' });
    if (first.status !== 200) warn(`/readyz answered ${first.status} after the start`);
    await wait(SETTLED_SECONDS * 1000);
    const before = used();
    await wait(IDLE_SECONDS * 1000);
    const [server, database] = used().map((now, i) => {
      const then = before[i];
      return now === undefined || then === undefined ? undefined : (now - then) / IDLE_SECONDS;
    });
    const [serverSeconds, databaseSeconds] = before;
    return {
      ...{ stopSeconds: (starting - stopping) / 1000, startSeconds: (ready - starting) / 1000 },
      ...{ serverSeconds, databaseSeconds, server, database },
      serverBytes: usageOfServer(ours.pid, databasePid)?.bytes,
    };
  } finally {
    await ours.stop();
  }
}

/** @param {number | undefined} value in seconds */
const inMs = (value) => (value === undefined ? undefined : Math.round(value * 1000));

/** Nothing where they were published in an earlier run. @param {import('./many-applications.mjs').Filling} filling @returns {string[]} */
function published({ first, last, seconds }) {
  const parts = [
    { name: `first ${COMPARED}`, part: first },
    { name: `last ${COMPARED}`, part: last },
  ];
  const rows = parts.flatMap(({ name, part }) =>
    part === undefined
      ? []
      : [[name, Math.round(part.publishMs), inMs(part.seconds), inMs(part.serverSeconds), inMs(part.databaseSeconds)]],
  );
  if (rows.length === 0) return [];
  return [
    `Publishing, ${AT_ONCE} at a time: the request, and what each took with a user, a token and records; ${Math.round(seconds)} s in all`,
    '',
    table(['', 'publish ms', 'ms each', 'server ms', 'database ms'], rows),
    '',
  ];
}

/**
 * @param {readonly import('./measure.mjs').Result[]} results
 * @param {{ filling: import('./many-applications.mjs').Filling, applications: number, catalogue: Awaited<ReturnType<typeof readCatalogue>>, lists: Awaited<ReturnType<typeof listAll>>, start: Awaited<ReturnType<typeof startAgain>> }} about
 */
function report(results, { filling, applications, catalogue, lists, start }) {
  const most = Math.max(...results.map(({ serverBytes = 0 }) => serverBytes)) / 2 ** 20;
  if (most > SERVER_MB_MAX) warn(`the server took ${Math.round(most)} MB; it may take ${SERVER_MB_MAX}`);
  const rows = results.map((result, i) => {
    const few = i % 2 === 1 ? results[i - 1] : undefined;
    const slower = few && result.p50 / few.p50;
    if ((slower ?? 0) > RATIO_MAX)
      warn(`${result.operation} at ${result.connections}: ${slower?.toFixed(2)} times as long as with ${FEW}`);
    return [
      ...[`${result.operation}, ${result.side}`, result.connections, count(result.perSecond)],
      ...[milliseconds(result.p50), ratio(slower)],
      ...[milliseconds(result.p99), count(result.serverMicros), count(result.databaseMicros)],
      ...[megabytes(result.serverBytes), megabytes(result.databaseBytes), percent(result.othersShare), result.errors],
    ];
  });
  const head = ['requests to', 'connections', 'per second', 'p50 ms', 'ratio', 'p99 ms', 'server µs', 'database µs'];
  const earlier = filling.first === undefined ? ', and those that earlier runs have created' : '';
  return [
    `${applications.toLocaleString('en')} applications with ${RECORDS_EACH} records each${earlier}; medians of the rounds`,
    '',
    table([...head, 'server MB', 'database MB', 'others %', 'errors'], rows),
    '',
    ...published(filling),
    table(
      ['what there is', ''],
      [
        ['tables, indexes and the like', count(catalogue.relations)],
        ['catalogue MB', megabytes(catalogue.catalogue)],
        ['database MB on disk', megabytes(catalogue.bytes)],
        ['list of applications ms', count(lists.applications)],
        ['list of their use ms', count(lists.use)],
        ['stop s', start.stopSeconds.toFixed(1)],
        ['start s', start.startSeconds.toFixed(1)],
        [`server s of a processor in the first ${SETTLED_SECONDS} s`, start.serverSeconds?.toFixed(1)],
        [`database s of a processor in the first ${SETTLED_SECONDS} s`, start.databaseSeconds?.toFixed(1)],
        ['server MB after that', megabytes(start.serverBytes)],
        ['server % of a core without requests', percent(start.server)],
        ['database % of a core without requests', percent(start.database)],
      ],
    ),
  ].join('\n');
}
