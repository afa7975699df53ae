// @ts-check
// The scenario `cluster`: a server on plain PostgreSQL, one on a Citus cluster, and one that goes to the workers itself, with the
// same version of PostgreSQL on the same machine.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeCaller, publish } from './application.mjs';
import { withClusterDatabases } from './cluster-databases.mjs';
import { firstFreeCode } from './codes.mjs';
import { startLoad } from './load-process.mjs';
import { fill } from './loading.mjs';
import { measure } from './measure.mjs';
import { operationNamed } from './operations.mjs';
import { startOurs } from './side-ours.mjs';
import { count, milliseconds, ratio, table } from './table.mjs';
import { APPLICATION, publishDocument } from './work.mjs';

const OPERATIONS = ['get', 'list newest 100', 'equals', 'create 1', 'update 1'];
const COLLECTION = 'items';
const [PLAIN, COORDINATOR, DIRECT] = ['plain', 'coordinator', 'direct'];

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runCluster(ground, options) {
  return withClusterDatabases(async ({ plain, cluster }) => {
    const settings = {
      [PLAIN]: { DATABASE_URL: plain },
      [COORDINATOR]: { DATABASE_URL: cluster },
      [DIRECT]: { DATABASE_URL: cluster, CARTULARY_CITUS_DIRECT: 'true' },
    };
    /** @type {{ name: string, ours: import('./side-ours.mjs').Ours }[]} */
    const servers = [];
    try {
      for (const [name, each] of Object.entries(settings)) {
        const folder = join(ground.folder, name);
        mkdirSync(folder, { recursive: true });
        const { operatorKey } = ground;
        const ours = await startOurs({ folder, operatorKey, logLevel: options.logLevel, settings: each });
        servers.push({ name, ours });
      }
      const results = await compare(ground, options, servers);
      return { results, text: report(results) };
    } finally {
      for (const { ours } of servers) await ours.stop();
    }
  });
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 * @param {readonly { name: string, ours: import('./side-ours.mjs').Ours }[]} servers
 */
async function compare({ operatorKey, folder, tables }, { records, rounds, seconds, connections }, servers) {
  /** @type {{ token: string, filling: import('./application.mjs').Filling } | undefined} */
  let filled;
  /** @type {import('./side.mjs').Side[]} */
  const sides = [];
  for (const { name, ours } of servers) {
    // The last two have one database.
    if (name !== DIRECT || filled === undefined) {
      await publish({ ours, operatorKey, folder, tables }, publishDocument({}));
      const { token } = await makeCaller(ours.address, operatorKey, APPLICATION);
      filled = { token, filling: await fill(ours.address, { token, collection: COLLECTION, total: records }) };
    }
    const { token, filling } = filled;
    const { host } = new URL(ours.address);
    sides.push({
      ...{ name, address: ours.address, pid: ours.pid, databasePid: () => undefined, records: filling },
      hasDatabaseElsewhere: true,
      prepare: async () => {
        const { total, sample } = filling;
        return { host, token, collection: COLLECTION, total, sample, serial: firstFreeCode(total), spare: [] };
      },
    });
  }
  const load = startLoad();
  try {
    const course = { load, sides, rounds, seconds, warmConnections: connections };
    /** @type {import('./measure.mjs').Result[]} */
    const results = [];
    for (const operation of OPERATIONS.map(operationNamed)) {
      for (const many of new Set([1, connections])) results.push(...(await measure(course, operation, many)));
    }
    return results;
  } finally {
    await load.end();
  }
}

/** @param {readonly import('./measure.mjs').Result[]} results */
function report(results) {
  const rows = results.map((result) => {
    const { operation, connections, side, perSecond, p50, p99, serverMicros, errors } = result;
    const plain = results.find(
      (one) => one.side === PLAIN && one.operation === operation && one.connections === connections,
    );
    const slower = side === PLAIN || plain === undefined ? undefined : p50 / plain.p50;
    const times = [count(perSecond), milliseconds(p50), ratio(slower), milliseconds(p99)];
    return [operation, connections, side, ...times, count(serverMicros), errors];
  });
  const head = ['operation', 'connections', 'server on', 'per second', 'p50 ms', 'times plain', 'p99 ms', 'server µs'];
  return table([...head, 'errors'], rows);
}
