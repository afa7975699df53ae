// @ts-check
// The scenario `limit`: ours against the bare limit on the same database and the same records, or against another commit,
// Node or number of processes with a database of its own. Every operation, at one connection and at many. Reads come
// first, on the tables as they were loaded.

import { join } from 'node:path';
import { prepareApplication } from './application.mjs';
import { startLoad } from './load-process.mjs';
import { measure } from './measure.mjs';
import { OPERATIONS } from './operations.mjs';
import { note } from './progress.mjs';
import { recordsSide } from './side.mjs';
import { hasOpponent, onOtherGround } from './side-against.mjs';
import { startBare } from './side-bare.mjs';
import { count, megabytes, milliseconds, percent, ratio, table } from './table.mjs';
import { tryOut } from './trial.mjs';

/** Of the small collections: referred to, and the page with references; only the newest hundred are ever asked for. */
const PLACES = 1_000;
const LINKED = 10_000;
/** What belongs to growth: how ours alone fares where there is no index to help. */
const ELSEWHERE = /letter|figures/;

export const LIMIT_OPERATIONS = OPERATIONS.filter(({ name }) => !ELSEWHERE.test(name));

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runLimit(ground, options) {
  const { records, rounds, seconds, connections, only } = options;
  const operations = LIMIT_OPERATIONS.filter(({ name }) => only.length === 0 || only.includes(name));
  const sizes = sizesFor(operations, records);
  const ours = await sideOn(ground, 'ours', sizes);
  /** @param {import('./side.mjs').Side} other */
  const compare = async (other) => {
    const load = startLoad();
    try {
      const course = { load, sides: [ours, other], rounds, seconds, warmConnections: connections };
      /** @type {import('./measure.mjs').Result[]} */
      const results = [];
      for (const operation of operations) {
        if ((await tryOut(course, operation)).length < course.sides.length) continue;
        for (const many of new Set([1, connections])) results.push(...(await measure(course, operation, many)));
      }
      return { results, text: report(results, other.name) };
    } finally {
      await load.end();
      note('');
    }
  };
  if (hasOpponent(options)) {
    return onOtherGround(ground.folder, options, async (other, name) => compare(await sideOn(other, name, sizes)));
  }
  const bare = await startBareSide(ground, ours.application);
  try {
    return await compare(bare.side);
  } finally {
    await bare.stop();
  }
}

/** Records of the collections that these operations need. @param {readonly import('./operations.mjs').Operation[]} operations @param {number} records */
export function sizesFor(operations, records) {
  const needsLinked = operations.some(({ collection }) => collection === 'linked');
  return { items: records, ...(needsLinked ? { places: PLACES, linked: LINKED } : {}) };
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {string} name
 * @param {Parameters<typeof prepareApplication>[1]} sizes
 * @returns {Promise<import('./side.mjs').Side & { ground: import('./application.mjs').Ground, application: import('./application.mjs').Application }>}
 */
export async function sideOn(ground, name, sizes) {
  const application = await prepareApplication(ground, sizes);
  const { address, pid } = ground.ours;
  const place = { name, address, pid, ground, application, collection: /** @type {const} */ ('items') };
  const side = recordsSide({ ...place, filesFolder: join(ground.folder, 'data', 'attachments') });
  return { ...side, ground, application };
}

/** @param {import('./application.mjs').Ground} ground @param {import('./application.mjs').Application} application */
export async function startBareSide(ground, application) {
  const filesFolder = join(ground.folder, 'bare-files');
  const { address, pid, stop } = await startBare(ground.ours.connection, filesFolder);
  const place = { name: 'bare limit', address, pid, ground, application, collection: /** @type {const} */ ('items') };
  return { side: recordsSide({ ...place, filesFolder }), stop };
}

/** @param {readonly import('./measure.mjs').Result[]} results @param {string} opponent name of the other side */
function report(results, opponent) {
  const rows = results
    .filter(({ side }) => side === 'ours')
    .map((ours) => {
      const other = results.find(
        ({ side, operation, connections }) =>
          side === opponent && operation === ours.operation && connections === ours.connections,
      );
      const pair = (/** @type {(result: import('./measure.mjs').Result) => import('./table.mjs').Cell} */ show) =>
        `${show(ours) ?? '–'} / ${(other && show(other)) ?? '–'}`;
      return [
        ours.operation,
        ours.connections,
        pair(({ perSecond }) => count(perSecond)),
        ratio(other && ours.perSecond / other.perSecond),
        pair(({ p50 }) => milliseconds(p50)),
        pair(({ p99 }) => milliseconds(p99)),
        pair(({ serverMicros }) => count(serverMicros)),
        pair(({ databaseMicros }) => count(databaseMicros)),
        pair(({ serverBytes }) => megabytes(serverBytes)),
        pair(({ databaseBytes }) => megabytes(databaseBytes)),
        pair(({ generatorShare }) => percent(generatorShare)),
        pair(({ othersShare }) => percent(othersShare)),
        pair(({ errors }) => errors),
      ];
    });
  const head = [
    'operation',
    'connections',
    'requests/s',
    'ratio',
    'p50 ms',
    'p99 ms',
    'server µs',
    'database µs',
    'server MB',
  ];
  return [
    `ours / ${opponent}; medians of the rounds; µs are processor time for one request, % the share of a core that the load generator and all other programs took`,
    '',
    table([...head, 'database MB', 'load %', 'others %', 'errors'], rows),
    ...within(results),
  ].join('\n');
}

/** Ratios of ours to ours. @param {readonly import('./measure.mjs').Result[]} results */
function within(results) {
  /** @param {string} name @param {number} connections */
  const rate = (name, connections) =>
    results.find((r) => r.side === 'ours' && r.operation === name && r.connections === connections)?.perSecond;
  const lines = [];
  for (const connections of new Set(results.map((result) => result.connections))) {
    const [basic, bearer] = [rate('get Basic', connections), rate('get', connections)];
    if (basic && bearer)
      lines.push(`get with Basic to get with Bearer, ${connections} connections: ${ratio(basic / bearer)}`);
    const [linked, plain] = [rate('list two references', connections), rate('list newest 100', connections)];
    if (linked && plain)
      lines.push(`page with two references to page without, ${connections} connections: ${ratio(linked / plain)}`);
    const [batch, single] = [rate('create 100', connections), rate('create 1', connections)];
    if (batch && single)
      lines.push(
        `records/s of batches of 100 to single creates, ${connections} connections: ${ratio((batch * 100) / single)}`,
      );
  }
  return lines.length === 0 ? [] : ['', ...lines];
}
