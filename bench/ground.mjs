// @ts-check
// What a scenario works on: a server with a data folder, a database and an operator key of its own.

import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Failure } from '../scripts/processes.mjs';
import { note } from './progress.mjs';
import { startOurs } from './side-ours.mjs';
import { openTables } from './tables.mjs';

/** @typedef {(tables: import('./tables.mjs').Tables) => Promise<boolean>} SetDatabase sets what PostgreSQL reads at its start; whether it has to start again */

/** Also tells a folder of the bench from others. @param {string} folder */
const keyFile = (folder) => join(folder, 'operator.key');

/**
 * The folder of this run. The account that the database runs under when root starts it has to pass through it, and a
 * socket's path has to stay short, which a folder for temporary files may not be.
 * @param {string} [keep]
 */
export function makeFolder(keep) {
  if (keep === undefined) {
    const folder = mkdtempSync(join(existsSync('/tmp') ? '/tmp' : tmpdir(), 'ct-bench-'));
    chmodSync(folder, 0o711);
    return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
  }
  const folder = resolve(keep);
  const isNew = mkdirSync(folder, { recursive: true }) !== undefined;
  if (isNew) chmodSync(folder, 0o711);
  else if (!existsSync(keyFile(folder)))
    throw new Failure(`${folder} is there and was not made by the bench; name another.`);
  return { folder, remove: () => {} };
}

/** @param {string} folder */
function operatorKeyIn(folder) {
  if (!existsSync(keyFile(folder))) writeFileSync(keyFile(folder), randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(keyFile(folder), 'utf8');
}

/**
 * @template T
 * @param {string} folder
 * @param {Omit<Parameters<typeof startOurs>[0], 'folder' | 'operatorKey'> & { setDatabase?: SetDatabase | undefined }} how
 * @param {(ground: import('./application.mjs').Ground) => Promise<T>} work after it the server is stopped
 * @returns {Promise<T>}
 */
export async function onGround(folder, { setDatabase, ...server }, work) {
  const operatorKey = operatorKeyIn(folder);
  note(`Starting a server in ${folder}`);
  const start = () => startOurs({ folder, operatorKey, ...server });
  let ours = await start();
  try {
    if (setDatabase && (await withTables(ours, setDatabase))) {
      await ours.stop();
      ours = await start();
    }
    return await withTables(ours, (tables) => work({ ours, operatorKey, folder, tables }));
  } finally {
    await ours.stop();
  }
}

/**
 * @template T
 * @param {import('./side-ours.mjs').Ours} ours
 * @param {(tables: import('./tables.mjs').Tables) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withTables({ connection }, work) {
  const tables = await openTables(connection);
  try {
    return await work(tables);
  } finally {
    await tables.close().catch(() => {});
  }
}
