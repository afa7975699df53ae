// @ts-check
// A side of a comparison: a server that can be asked, and what has to be done before it is. Ours and the bare limit are made
// here; they have the same tables, and both are asked in the same words.

import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { firstFreeCode, useCodes } from './codes.mjs';
import { FILE, FILES_PATH } from './files.mjs';
import { send } from './http-client.mjs';
import { createSpare } from './loading.mjs';

/**
 * @typedef {object} Side
 * @property {string} name
 * @property {string} address
 * @property {number} pid
 * @property {() => number | undefined} databasePid of PostgreSQL's first process, where it has one
 * @property {true} [hasDatabaseElsewhere] whose processor time cannot be told from that of other programs
 * @property {object} records sides with the same have the same records under the same identifiers
 * @property {(operation: import('./operations.mjs').Operation, how: Pace) => Promise<import('./operations.mjs').Target>} prepare
 *   everything that the requests need; what earlier ones left is taken back
 *
 * @typedef {{ connections: number, seconds: number }} Pace
 */

/** Deletions that a side is believed to manage in a second; a round that runs out ends early and counts as it is. */
const SPARE_PER_SECOND = { one: 2_500, many: 6_000 };
const SPARE_MIN = 200;
/** Enough to leave the processor's caches, and few enough to be there at once. */
const FILES = 64;

/**
 * @typedef {object} Place
 * @property {string} name
 * @property {string} address
 * @property {number} pid
 * @property {import('./application.mjs').Ground} ground whose database it uses
 * @property {import('./application.mjs').Application} application that it serves
 * @property {import('./work.mjs').CollectionName} collection that is measured, where an operation does not name another
 * @property {string} filesFolder
 */

/** @param {Place} place @returns {Side} */
export function recordsSide({ name, address, pid, ground, application, collection, filesFolder }) {
  /** @type {string[]} */
  const files = [];
  return {
    ...{ name, address, pid, databasePid: ground.ours.databasePid },
    records: fillingOf(application, collection),
    prepare: async (operation, pace) => {
      const asked = operation.collection ?? collection;
      const { total, sample, lastId } = fillingOf(application, asked);
      const { token, userId } = application;
      if (operation.kind === 'write') await ground.tables.takeBack(asked, lastId);
      removeFiles(filesFolder, files);
      ground.ours.trimLog();
      const host = new URL(address).host;
      const caller = userId === undefined ? { token } : { token, userId };
      const target = { host, ...caller, collection: asked, total, sample, serial: firstFreeCode(total) };
      if (operation.files && files.length === 0) files.push(...(await uploadFiles(address, token)));
      if (!operation.spends) return { ...target, files, spare: [] };
      const { one, many } = SPARE_PER_SECOND;
      const count = Math.max(SPARE_MIN, Math.ceil(pace.seconds * (pace.connections === 1 ? one : many)));
      // Always through ours: how they come to be is not measured.
      const first = useCodes(count);
      const spare = await createSpare(ground.ours.address, { token, collection: asked, first, count });
      return { ...target, serial: firstFreeCode(total), files, spare };
    },
  };
}

/** @param {import('./application.mjs').Application} application @param {import('./work.mjs').CollectionName} collection */
function fillingOf({ fillings }, collection) {
  const filling = fillings[collection];
  if (!filling) throw new Error(`${collection} has not been filled`);
  return filling;
}

/** @param {string} address @param {string} token @returns {Promise<string[]>} identifiers */
async function uploadFiles(address, token) {
  const ids = [];
  for (let n = 0; n < FILES; n++) {
    const headers = { 'content-type': 'application/octet-stream' };
    const { status, text } = await send(address, { method: 'POST', path: FILES_PATH, token, headers, body: FILE });
    if (status !== 200) return [];
    ids.push(String(JSON.parse(text).id));
  }
  return ids;
}

/** Files of the size that is uploaded, but for those that are kept: disks are not endless. @param {string} folder @param {readonly string[]} kept identifiers */
export function removeFiles(folder, kept) {
  for (const entry of existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []) {
    const path = join(folder, entry);
    const found = statSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || found.size !== FILE.length) continue;
    if (!kept.some((id) => entry.includes(id))) rmSync(path, { force: true });
  }
}
