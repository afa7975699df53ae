// @ts-check
// What every other product needs: a folder with its packages, a process, records, files. What is particular to one of
// them is in the file with its name.

import { openSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { firstFreeCode } from '../codes.mjs';
import { send } from '../http-client.mjs';
import { counter } from '../progress.mjs';
import { removeFiles } from '../side.mjs';
import { BATCH, plainOf } from './dialect.mjs';

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} key of its folder
 * @property {(machine: string) => readonly string[]} packages of npm, with versions; `machine` such as linux-x64
 * @property {() => Promise<string>} [version] where it does not come from npm, and has no packages
 * @property {readonly string[]} [compiled] packages among them that are compiled on this machine
 * @property {boolean} quick whether it installs and fills within a minute
 * @property {number} [nodeMajor] version of Node, where it has to be a certain one
 * @property {import('./dialect.mjs').Dialect} dialect
 * @property {(at: PeerGround) => Promise<Running>} start production mode, filled, with indexes on the columns that are asked for
 *
 * @typedef {object} PeerGround
 * @property {string} folder with its packages; everything that it writes goes below it
 * @property {string} node the executable
 * @property {import('../side-ours.mjs').Ours['connection']} connection a database of its own
 * @property {(text: string) => Promise<unknown>} query in that database
 * @property {() => number | undefined} databasePid
 * @property {number} records
 *
 * @typedef {object} Running
 * @property {string} address
 * @property {number} pid
 * @property {string} [token]
 * @property {Record<string, string>} [extra]
 * @property {[number, string][]} sample
 * @property {readonly string[]} files
 * @property {string} filesFolder
 * @property {boolean} ownDatabase whether the database is part of its process
 * @property {() => Promise<void>} stop
 */

const CONNECTIONS = 4;
const SAMPLE_MAX = 10_000;
const FILES = 64;
const READY_MS = 180_000;
const LOOK_MS = 250;

/** Identifier of record n, for a product that is given them. @param {number} n */
export const documentId = (n) => `bench${String(n).padStart(19, '0')}`;

/** For what a program prints. @param {string} folder */
export const openLog = (folder) => openSync(join(folder, 'output.log'), 'a');

/** @returns {Promise<number>} a port that nothing listens on: not every product can be told to find one */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

/** Waits until a server answers at all. @param {string} address @param {() => boolean} ended */
export async function untilReady(address, ended) {
  const end = performance.now() + READY_MS;
  while (performance.now() < end && !ended()) {
    const answered = await send(address, { method: 'GET', path: '/' }).catch(() => undefined);
    if (answered) return;
    await wait(LOOK_MS);
  }
  throw new Error(ended() ? 'it ended before it was ready' : `it was not ready within ${READY_MS} ms`);
}

/**
 * Fills it through its interface.
 * @param {string} name
 * @param {number} total
 * @param {(values: import('./dialect.mjs').Plain[]) => Promise<string[]>} create identifiers
 * @param {number} [connections]
 * @returns {Promise<[number, string][]>} some of them
 */
export async function fillPeer(name, total, create, connections = CONNECTIONS) {
  const tell = counter(`Loading ${name}`, total);
  const every = Math.max(1, Math.ceil(total / SAMPLE_MAX));
  /** @type {[number, string][]} */
  const sample = [];
  let [next, done] = [0, 0];
  const work = async () => {
    while (next < total) {
      const first = next;
      const count = Math.min(BATCH, total - first);
      next += count;
      const ids = await create(Array.from({ length: count }, (_, i) => plainOf(first + i, total)));
      ids.forEach((id, i) => {
        if ((first + i) % every === 0) sample.push([first + i, id]);
      });
      done += count;
      tell(done);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return sample;
}

/** @param {() => Promise<string>} upload @returns {Promise<string[]>} what downloads ask for */
export async function someFiles(upload) {
  const files = [];
  for (let n = 0; n < FILES; n++) files.push(await upload());
  return files;
}

/**
 * @param {Peer} peer
 * @param {Running} running
 * @param {PeerGround} ground
 * @returns {import('../side.mjs').Side}
 */
export function peerSide({ name, key }, running, { databasePid, records: total }) {
  const { address, pid, token, extra = {}, sample, files, filesFolder, ownDatabase } = running;
  const kept = files.map((file) => basename(file));
  return {
    ...{ name, address, pid, databasePid: ownDatabase ? () => undefined : databasePid, records: running },
    // Records that earlier rounds added stay: reads come first, and writes do not grow slower with some percent more.
    prepare: async () => {
      removeFiles(filesFolder, kept);
      const who = { peer: key, host: new URL(address).host, ...(token === undefined ? {} : { token }), extra };
      const target = { ...who, collection: 'items', total, sample, files, serial: firstFreeCode(total), spare: [] };
      return /** @type {import('./dialect.mjs').PeerTarget} */ (target);
    },
  };
}
