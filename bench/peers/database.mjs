// @ts-check
// A database for a product, in the PostgreSQL of the server that it is measured against: the same program with the same
// settings, while nothing else is asked of it.

import pg from 'pg';

/** For the pools of all products together. */
const CONNECTIONS = 200;

/** @param {import('../tables.mjs').Tables} tables @returns {Promise<boolean>} whether the database has to start again for it */
export async function allowConnections({ query }) {
  const [{ max_connections: present = '' } = {}] = await query('show max_connections');
  if (Number(present) >= CONNECTIONS) return false;
  await query(`alter system set max_connections = ${CONNECTIONS}`);
  return true;
}

/**
 * @param {import('../application.mjs').Ground} ground
 * @param {string} name
 */
export async function makeDatabase({ ours, tables }, name) {
  await tables.query(`drop database if exists ${name} with (force)`);
  await tables.query(`create database ${name} template template0 encoding 'UTF8'`);
  const connection = { ...ours.connection, database: name };
  const client = new pg.Client({ ...connection, application_name: 'cartulary bench' });
  client.on('error', () => {});
  await client.connect();
  return {
    connection,
    /** @param {string} text */
    query: (text) => client.query(text),
    close: () => client.end().catch(() => {}),
  };
}
