// @ts-check
// The bench's own access to the server's database: to empty a collection, to take back what a measurement has
// added, to leave the tables as an idle server would leave them after a while, and to read its statistics.

import pg from 'pg';
import { APPLICATION, COLLECTIONS } from './work.mjs';

export const SCHEMA = `app_${APPLICATION}`;

/** @typedef {Awaited<ReturnType<typeof openTables>>} Tables */

/** @param {import('./side-ours.mjs').Ours['connection']} connection @param {string} [application] */
export async function openTables(connection, application = APPLICATION) {
  const client = new pg.Client({ ...connection, application_name: 'cartulary bench' });
  client.on('error', () => {});
  await client.connect();
  /** @param {import('./work.mjs').CollectionName} name */
  const table = (name) => `app_${application}.${COLLECTIONS[name]}`;
  return {
    /** @param {import('./work.mjs').CollectionName} name */
    empty: async (name) => {
      await client.query(`truncate ${table(name)}`);
    },
    /** Statistics, visibility and pending parts of indexes, as autovacuum would see to. @param {import('./work.mjs').CollectionName} name */
    tidy: async (name) => {
      await client.query(`vacuum (analyze) ${table(name)}`);
    },
    /** Deletes the records after this one, and vacuums. @param {import('./work.mjs').CollectionName} name @param {string} lastId */
    takeBack: async (name, lastId) => {
      await client.query(`delete from ${table(name)} where id > $1`, [lastId]);
      await client.query(`vacuum (analyze) ${table(name)}`);
    },
    /** Bytes on disk. @param {import('./work.mjs').CollectionName} name @returns {Promise<{ table: number, indexes: number }>} */
    size: async (name) => {
      const { rows } = await client.query(
        `select pg_table_size('${table(name)}')::float8 as table, pg_indexes_size('${table(name)}')::float8 as indexes`,
      );
      return rows[0];
    },
    /** @param {string} text @returns {Promise<Record<string, any>[]>} rows */
    query: async (text) => (await client.query(text)).rows,
    close: () => client.end(),
  };
}
