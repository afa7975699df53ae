// @ts-check
// What the database counts of its own work: statements, tables, indexes. The statements need an extension that PostgreSQL
// loads when it starts; where the installation has none, the tables and indexes alone are shown.

import { setTimeout as wait } from 'node:timers/promises';
import { note } from './progress.mjs';
import { table } from './table.mjs';

/** Idle connections report what they have done at most this late. */
const REPORT_MS = 1_500;
const STATEMENTS_MAX = 30;
const TEXT_CHARACTERS = 4_000;

/** @typedef {import('./tables.mjs').Tables} Tables */

/** @param {Tables} tables @returns {Promise<boolean>} whether the database has to start again for it */
export async function loadStatistics({ query }) {
  const [{ shared_preload_libraries: loaded = '' } = {}] = await query('show shared_preload_libraries');
  const [available] = await query(`select 1 from pg_available_extensions where name = 'pg_stat_statements'`);
  if (loaded !== '' || available === undefined) return false;
  await query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
  return true;
}

/** Counts from nought. @param {Tables} tables @returns {Promise<boolean>} whether statements are counted too */
export async function resetStatistics({ query }) {
  await query('select pg_stat_reset()');
  try {
    await query('create extension if not exists pg_stat_statements');
    await query('select pg_stat_statements_reset()');
    return true;
  } catch (error) {
    note(`Statements are not counted: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

/**
 * @param {Tables} tables
 * @param {{ requests: number, statements: boolean }} of
 * @returns {Promise<string>} for people
 */
export async function readStatistics({ query }, { requests, statements }) {
  await wait(REPORT_MS);
  const parts = statements ? await statementsOf(query, requests) : ['The statements were not counted.'];
  const tables = await query(
    `select relname as "table", seq_scan, idx_scan, n_tup_ins as inserted, n_tup_upd as updated,
            n_tup_hot_upd as "updated hot", n_tup_del as deleted, n_dead_tup as dead
       from pg_stat_user_tables where coalesce(seq_scan, 0) + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del > 0
      order by coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd desc`,
  );
  const indexes = await query(
    `select indexrelname as index, relname as "table", idx_scan as scans, idx_tup_read as "entries read",
            idx_tup_fetch as "rows fetched", pg_relation_size(indexrelid) / 1024 as "size KB"
       from pg_stat_user_indexes where idx_scan > 0 order by idx_scan desc`,
  );
  return `${[...parts, 'Tables', shown(tables), 'Indexes', shown(indexes)].join('\n\n')}\n`;
}

/** @param {Tables['query']} query @param {number} requests */
async function statementsOf(query, requests) {
  const rows = await query(
    `select calls::float8, rows::float8, total_exec_time, total_plan_time, shared_blks_hit::float8 as hit,
            shared_blks_read::float8 as read, wal_bytes::float8, regexp_replace(query, '\\s+', ' ', 'g') as text
       from pg_stat_statements where query not like '%pg_stat_%' order by total_exec_time desc limit ${STATEMENTS_MAX}`,
  );
  const each = (/** @type {number} */ value) => (value / requests).toFixed(2);
  const head = [
    'statement',
    'calls/request',
    'rows/call',
    'µs/call',
    'µs/request',
    'blocks/call',
    'read/call',
    'WAL bytes/call',
  ];
  const cells = rows.map(({ calls, rows: many, total_exec_time, hit, read, wal_bytes }, i) => [
    i + 1,
    each(calls),
    (many / calls).toFixed(2),
    ((total_exec_time * 1000) / calls).toFixed(1),
    ((total_exec_time * 1000) / requests).toFixed(1),
    ...[hit + read, read, wal_bytes].map((value) => (value / calls).toFixed(1)),
  ]);
  const texts = rows.map(({ text }, i) => `${i + 1}. ${String(text).slice(0, TEXT_CHARACTERS)}`);
  return [`Statements, by time of execution; ${requests} requests`, table(head, cells), ...texts];
}

/** @param {Record<string, any>[]} rows */
function shown(rows) {
  const [first] = rows;
  if (first === undefined) return 'none';
  return table(
    Object.keys(first),
    rows.map((row) => Object.values(row).map((value) => (value === null ? undefined : String(value)))),
  );
}
