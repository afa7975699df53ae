// @ts-check
// Fills a collection through the interface, in batches of 100 over a few connections, and remembers some of the records.

import { ask } from './http-client.mjs';
import { counter } from './progress.mjs';
import { APPLICATION, COLLECTIONS, valuesOf } from './work.mjs';

const BATCH = 100;
const CONNECTIONS = 4;
/** Enough for 32 connections with batches of 100 to stay out of each other's way. */
const SAMPLE_MAX = 10_000;

/** @param {import('./work.mjs').CollectionName} collection @param {string} [application] */
export const recordsPath = (collection, application = APPLICATION) =>
  `/v1/${application}/collections/${COLLECTIONS[collection]}/records`;

/**
 * @param {string} address
 * @param {{ token: string, application?: string, collection: import('./work.mjs').CollectionName, total: number, placeIds?: readonly string[] }} options
 * @returns {Promise<import('./application.mjs').Filling>}
 */
export async function fill(address, { token, application, collection, total, placeIds = [] }) {
  const tell = counter(`Loading ${collection}`, total);
  const every = Math.max(1, Math.ceil(total / SAMPLE_MAX));
  /** @type {[number, string][]} */
  const sample = [];
  let [next, done, lastId] = [0, 0, ''];
  const work = async () => {
    while (next < total) {
      const first = next;
      const count = Math.min(BATCH, total - first);
      next += count;
      const body = Array.from({ length: count }, (_, i) => ({
        values: valuesOf(collection, first + i, { total, placeIds }),
      }));
      const path = recordsPath(collection, application);
      /** @type {{ id: string }[]} */
      const made = await ask(address, { method: 'POST', path, token, body });
      made.forEach(({ id }, i) => {
        if ((first + i) % every === 0) sample.push([first + i, id]);
        if (id > lastId) lastId = id;
      });
      done += count;
      tell(done);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return { total, lastId, sample };
}

/**
 * Records for one measurement to delete.
 * @param {string} address
 * @param {{ token: string, collection: import('./work.mjs').CollectionName, first: number, count: number }} options
 * @returns {Promise<string[]>} their identifiers
 */
export async function createSpare(address, { token, collection, first, count }) {
  /** @type {string[]} */
  const ids = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const from = next;
      next += BATCH;
      // Nothing rare in them: with such a total only the very first records would have it.
      const body = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => ({
        values: valuesOf(collection, first + from + i, { total: 1 }),
      }));
      const made = await ask(address, { method: 'POST', path: recordsPath(collection), token, body });
      for (const { id } of made) ids.push(id);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return ids;
}
