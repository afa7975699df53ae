// @ts-check
// The data of the neighbour's application: long records, many records, users, a file, a log. Loaded once before the
// measurements, and only as much as the chosen attacks need.

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { firstOfMonth, loadEntries } from '../activity-log.mjs';
import { prepareApplication } from '../application.mjs';
import { MIB, upload } from '../attachments-client.mjs';
import { ask } from '../http-client.mjs';
import { note } from '../progress.mjs';
import { LATIN } from '../vocabulary.mjs';
import { COLLECTIONS, NEIGHBOUR } from '../work.mjs';
import { COLUMNS, collectionPath, neighbourDocument, PLACES, text } from './application.mjs';

/**
 * @typedef {'long' | 'sought' | 'refers' | 'many' | 'spare' | 'plain' | 'entries' | 'crowd' | 'file'} StockName
 *
 * @typedef {object} Stock
 * @property {string} token
 * @property {readonly string[]} long identifiers of the long records
 * @property {readonly string[]} many some of the many records
 * @property {string} file
 */

export const LONG_RECORDS = 100;
const LONG_BYTES = 1_000_000;
export const MANY = 20_000;
export const ENTRIES = 100_000;
export const CROWD = 5_000;
export const FILE_BYTES = 50 * MIB;
/** The last words of the sought record. */
export const SOUGHT_WORDS = Array.from({ length: 63 }, (_, i) => `zq${String(i).padStart(2, '0')}`);
const SCHEMA = `app_${NEIGHBOUR}`;
const COPY = 'bench_spare';
const CONNECTIONS = 4;

/** A long text; no two of them are equal. @param {number} bytes */
function longText(bytes) {
  const words = Array.from({ length: 5_000 }, () => LATIN[Math.floor(Math.random() * LATIN.length)]).join(' ');
  const mark = randomUUID();
  return mark + `${words} `.repeat(Math.ceil(bytes / words.length)).slice(0, bytes - mark.length);
}

/** @param {import('../side-ours.mjs').Ours['connection']} connection @param {(client: pg.Client) => Promise<unknown>} work */
async function inDatabase(connection, work) {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/**
 * @param {import('../application.mjs').Ground} ground
 * @param {ReadonlySet<StockName>} needs
 * @returns {Promise<Stock>}
 */
export async function loadStock(ground, needs) {
  const { address, connection } = ground.ours;
  const sizes = {
    ...(needs.has('many') ? { items: MANY } : {}),
    ...(needs.has('spare') ? { large: MANY } : {}),
    ...(needs.has('plain') ? { plain: MANY } : {}),
  };
  const { token, fillings } = await prepareApplication(ground, sizes, NEIGHBOUR, neighbourDocument());
  const many = fillings.items?.sample.slice(0, 1_000).map(([, id]) => id) ?? [];
  const records = (/** @type {keyof typeof PLACES} */ place) => `${collectionPath(place)}/records`;
  const post = (/** @type {string} */ path, /** @type {object} */ body) =>
    ask(address, { method: 'POST', path, token, body });
  /** @type {string[]} */
  const long = [];
  if (needs.has('long') || needs.has('refers')) {
    note(`Loading ${LONG_RECORDS} records of a megabyte`);
    const { code, text: column, note: remark } = COLUMNS.long;
    const one = async () => {
      for (let n = long.push(''); n <= LONG_RECORDS; n = long.push('')) {
        const values = { [code]: text(`L${n - 1}`), [column]: text(longText(LONG_BYTES)), [remark]: text('') };
        long[n - 1] = (await post(records('long'), { values })).id;
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, one));
    long.length = LONG_RECORDS;
  }
  if (needs.has('sought')) {
    const tail = ` ${SOUGHT_WORDS.join(' ')}`;
    const value = longText(LONG_BYTES - tail.length) + tail;
    await post(records('sought'), {
      values: { [COLUMNS.sought.code]: text('abc'), [COLUMNS.sought.text]: text(value) },
    });
  }
  if (needs.has('refers')) {
    const to = { type: 'ReferenceString', collectionId: PLACES.long, columnId: COLUMNS.long.text };
    await post(
      records('refers'),
      long.map((recordId) => ({ values: { [COLUMNS.refers.to]: { ...to, recordId } } })),
    );
  }
  if (needs.has('entries')) {
    await loadEntries(connection, { application: NEIGHBOUR, start: firstOfMonth(), entries: ENTRIES });
  }
  if (needs.has('crowd')) await addCrowd(connection);
  if (needs.has('spare')) {
    const table = `${SCHEMA}.${COLLECTIONS.large}`;
    await inDatabase(connection, (client) => client.query(`create table public.${COPY} as table ${table}`));
  }
  const place = { url: `${address}${collectionPath('files')}/attachments`, token };
  const file = needs.has('file') ? await upload(place, FILE_BYTES) : '';
  return { token, long, many, file };
}

/** Users with the password of the first one. @param {import('../side-ours.mjs').Ours['connection']} connection */
function addCrowd(connection) {
  return inDatabase(connection, (client) =>
    client.query(
      `insert into ${SCHEMA}.users
       select (jsonb_populate_record(u, jsonb_build_object('id', 'u' || lpad(n::text, 7, '0'),
         'name', 'Crowd ' || n, 'name_folded', 'crowd ' || n))).*
       from ${SCHEMA}.users u, generate_series(0, $1::int - 1) n where u.name = 'Bench'`,
      [CROWD],
    ),
  );
}

/** @param {number} n */
export const crowdId = (n) => `u${String(n % CROWD).padStart(7, '0')}`;

/** Restores the deleted records. @param {import('../side-ours.mjs').Ours['connection']} connection */
export const restoreSpare = (connection) =>
  inDatabase(connection, async (client) => {
    const table = `${SCHEMA}.${COLLECTIONS.large}`;
    await client.query(`insert into ${table} select * from public.${COPY} on conflict do nothing`);
    await client.query(`vacuum (analyze) ${table}`);
  });

/** @param {import('../side-ours.mjs').Ours['connection']} connection */
export const emptySink = (connection) =>
  inDatabase(connection, (client) => client.query(`truncate ${SCHEMA}.${PLACES.sink}`));
