// @ts-check
// The scenario `peers`: ours, the bare limit and other products on the same machine, with the same records as near as each
// can keep them, all sides taking turns in one run.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/prepare.mjs';
import { interruption } from '../scripts/processes.mjs';
import { startLoad } from './load-process.mjs';
import { measure } from './measure.mjs';
import { operationNamed } from './operations.mjs';
import { chart } from './peers/chart.mjs';
import { makeDatabase } from './peers/database.mjs';
import { PEER_OPERATIONS } from './peers/dialect.mjs';
import { installPeer, isInstalled } from './peers/install.mjs';
import { peerSide } from './peers/peer.mjs';
import { PEERS } from './peers/peers.mjs';
import { peerTables } from './peers/report.mjs';
import { note, warn } from './progress.mjs';
import { sideOn, startBareSide } from './scenario-limit.mjs';
import { tryOut } from './trial.mjs';

const CHART = 'performance.svg';
/** A product that creates 3 batches a second needs 11 seconds for those of 32 connections. */
const DRAIN_MS = 60_000;

/** @typedef {{ side: import('./side.mjs').Side, name: string, stop: () => Promise<void> }} Started */

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runPeers(ground, options) {
  const { records, rounds, seconds, connections, only, quick, write } = options;
  const folder = join(ground.folder, 'peers');
  mkdirSync(folder, { recursive: true });
  /** @type {Started[]} */
  const started = [];
  /** @type {string[]} */
  const absent = [];
  const load = startLoad();
  // All at once, and beside the loading: most of it is waiting for the network.
  const installing = PEERS.map((peer) => ({
    peer,
    installed: quick && isSlow(peer, folder) ? undefined : installPeer(peer, folder),
  }));
  const installedAll = Promise.allSettled(installing.map(({ installed }) => installed));
  try {
    const ours = await sideOn(ground, 'ours', { items: records });
    for (const { peer, installed } of installing) {
      const one = installed ? await startPeer(ground, peer, { installed, records }).catch(reasonOf) : TOO_SLOW;
      if (typeof one !== 'string') started.push(one);
      else {
        absent.push(`${peer.name} is not among them: ${one}`);
        warn(absent.at(-1) ?? '');
      }
    }
    const bare = await startBareSide(ground, ours.application);
    started.unshift({ side: bare.side, name: bare.side.name, stop: bare.stop });
    const course = {
      ...{ load, rounds, seconds, sides: [ours, ...started.map(({ side }) => side)] },
      ...{ drainMs: DRAIN_MS, warmConnections: connections, ...(quick ? { warmSeconds: seconds } : {}) },
    };
    /** @type {import('./measure.mjs').Result[]} */
    const results = [];
    for (const operation of PEER_OPERATIONS.map(operationNamed)) {
      if (only.length > 0 && !only.includes(operation.name)) continue;
      const sides = await tryOut(course, operation);
      for (const many of quick ? [connections] : new Set([1, connections]))
        results.push(...(await measure({ ...course, sides }, operation, many)));
    }
    const names = new Map([
      ['ours', 'Cartulary'],
      ...started.map(({ side, name }) => /** @type {const} */ ([side.name, name])),
    ]);
    const named = results.map((result) => ({ ...result, side: names.get(result.side) ?? result.side }));
    const sides = [...names.values()];
    const tables = peerTables(named, { sides, connections });
    const title = `Requests per second, ${connections} connections, ${records.toLocaleString('en')} records`;
    const many = named.filter((result) => result.connections === connections);
    if (write) writeFileSync(join(ROOT, 'docs', CHART), chart(many, sides, title));
    return { results: named, text: [...(write ? [`![${title}](${CHART})`] : []), tables, ...absent].join('\n\n') };
  } finally {
    await installedAll;
    await load.end();
    for (const { stop } of started) await stop();
    note('');
  }
}

/** @param {import('./peers/peer.mjs').Peer} peer @param {string} folder */
const isSlow = (peer, folder) => !peer.quick && !isInstalled(peer, folder);
const TOO_SLOW = 'with --quick only where a folder that is kept (--keep) has it installed';

/** @param {Error} error @returns {string} */
function reasonOf({ message }) {
  interruption.throwIfAborted();
  return message.replace(/\s+/g, ' ').slice(0, 400);
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./peers/peer.mjs').Peer} peer
 * @param {{ installed: ReturnType<typeof installPeer>, records: number }} of
 * @returns {Promise<Started>}
 */
async function startPeer(ground, peer, { installed, records }) {
  const { folder, node, version } = await installed;
  for (const left of ['data', 'output.log']) rmSync(join(folder, left), { recursive: true, force: true });
  const database = await makeDatabase(ground, `peer_${peer.key}`);
  try {
    const { connection, query } = database;
    const place = { folder, node, connection, query, databasePid: ground.ours.databasePid, records };
    const running = await peer.start(place);
    return { side: peerSide(peer, running, place), name: `${peer.name} ${version}`, stop: running.stop };
  } finally {
    await database.close();
  }
}
