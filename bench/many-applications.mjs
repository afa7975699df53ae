// @ts-check
// Many small applications on a server: published several at a time, each with a user, a token and records. What is needed
// to ask them is kept in a file, so that a kept folder is filled once and filling goes on where it was interrupted.

import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCaller, publish } from './application.mjs';
import { ask } from './http-client.mjs';
import { recordsPath } from './loading.mjs';
import { median } from './measure.mjs';
import { counter } from './progress.mjs';
import { usageOfDatabase, usageOfServer } from './usage.mjs';
import { publishDocument, valuesOf } from './work.mjs';

export const COLLECTION = /** @type {const} */ ('items');
export const RECORDS_EACH = 10;
/** Of each application: those that are asked for one by one. */
const ASKED_EACH = 2;
/** More than a server publishes at once, so that users and records of some are made meanwhile. */
export const AT_ONCE = 8;
/** The first and the last of them are compared. */
export const COMPARED = 100;
const SAVED_EVERY = 500;

/**
 * @typedef {object} Filled an application
 * @property {string} application
 * @property {string} token
 * @property {string[]} ids of records
 *
 * @typedef {object} Part some of the applications, while they were filled
 * @property {number} publishMs of the request that publishes, the median
 * @property {number} seconds for each, with everything else
 * @property {number | undefined} serverSeconds of a processor for each
 * @property {number | undefined} databaseSeconds
 *
 * @typedef {{ all: Filled[], first: Part | undefined, last: Part | undefined, seconds: number }} Filling without parts if they were there already
 */

/** The last characters differ, as those of assigned identifiers do: they choose the connections of an application. @param {number} n */
const idOf = (n) => `p${'many'.padEnd(20, '0')}${String(n).padStart(6, '0')}`;

/** @param {import('./application.mjs').Ground} ground @param {number} count @returns {Promise<Filling>} */
export async function fillApplications(ground, count) {
  const file = join(ground.folder, 'many.json');
  /** @type {Filled[]} */
  const all = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
  const save = () => writeFileSync(file, JSON.stringify(all), { mode: 0o600 });
  const present = new Set(all.map(({ application }) => application));
  const missing = Array.from({ length: count }, (_, n) => idOf(n)).filter((id) => !present.has(id));
  const tell = counter('Publishing applications', count, all.length);
  const parts = watchParts(ground, missing.length);
  const began = performance.now();
  let next = 0;
  const work = async () => {
    for (let n = next++; n < missing.length; n = next++) {
      const { publishMs, ...filled } = await fillOne(ground, missing[n] ?? '');
      all.push(filled);
      parts.done(publishMs);
      tell(all.length);
      if (all.length % SAVED_EVERY === 0) save();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work)).finally(save);
  return { all: all.slice(0, count), ...parts.read(), seconds: (performance.now() - began) / 1000 };
}

/** @param {import('./application.mjs').Ground} ground @param {string} application */
async function fillOne(ground, application) {
  const { ours, operatorKey } = ground;
  const { collections, ...rest } = publishDocument({}, application);
  const began = performance.now();
  await publish(ground, { ...rest, collections: collections.filter(({ name }) => name === COLLECTION) });
  const publishMs = performance.now() - began;
  // An interrupted filling may have made a user before, whose name is taken, and the records.
  const { token } = await makeCaller(ours.address, operatorKey, application, `Bench ${randomUUID()}`);
  const body = Array.from({ length: RECORDS_EACH }, (_, n) => ({ values: valuesOf(COLLECTION, n, { total: 1 }) }));
  const path = recordsPath(COLLECTION, application);
  /** @type {{ id: string }[]} */
  const present = await ask(ours.address, { method: 'GET', path, token });
  /** @type {typeof present} */
  const made = present.length > 0 ? present : await ask(ours.address, { method: 'POST', path, token, body });
  return { application, token, ids: made.slice(0, ASKED_EACH).map(({ id }) => id), publishMs };
}

/** What the first and the last hundred cost. @param {import('./application.mjs').Ground} ground @param {number} total */
function watchParts({ ours }, total) {
  const databasePid = ours.databasePid();
  const state = () => ({
    at: performance.now(),
    server: usageOfServer(ours.pid, databasePid)?.cpuSeconds,
    database: usageOfDatabase(databasePid)?.cpuSeconds,
  });
  const marks = new Map([[0, state()]]);
  /** @type {number[]} */
  const times = [];
  /** @param {number} from @param {number} to @returns {Part | undefined} */
  const part = (from, to) => {
    const [then, now] = [marks.get(from), marks.get(to)];
    if (then === undefined || now === undefined || to <= from) return undefined;
    /** @param {'server' | 'database'} which */
    const each = (which) => {
      const [before, after] = [then[which], now[which]];
      return before === undefined || after === undefined ? undefined : (after - before) / (to - from);
    };
    const publishMs = median(times.slice(from, to)) ?? 0;
    const seconds = (now.at - then.at) / 1000 / (to - from);
    return { publishMs, seconds, serverSeconds: each('server'), databaseSeconds: each('database') };
  };
  return {
    /** @param {number} publishMs */
    done: (publishMs) => {
      times.push(publishMs);
      if ([COMPARED, total - COMPARED, total].includes(times.length)) marks.set(times.length, state());
    },
    read: () => ({ first: part(0, Math.min(COMPARED, total)), last: part(Math.max(0, total - COMPARED), total) }),
  };
}

/** Records to ask for, in an order in which no two of one application follow each other. @param {readonly Filled[]} all @returns {import('./operations.mjs').Spread[]} */
export const spreadOf = (all) =>
  all
    .flatMap(({ application, token, ids }) => ids.map((id) => ({ application, token, id })))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
