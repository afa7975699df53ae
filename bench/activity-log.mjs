// @ts-check
// The scenario `activity-log`: the export of a million entries while others write. How soon it begins, how fast it goes,
// how much memory the server takes for it; and every line is looked at. It fails beyond its bounds.

import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { interruption } from '../scripts/processes.mjs';
import { prepareApplication } from './application.mjs';
import { MIB } from './attachments-client.mjs';
import { send } from './http-client.mjs';
import { inMegabytes, peakDuring, resident } from './memory.mjs';
import { note, warn } from './progress.mjs';
import { count, milliseconds, table } from './table.mjs';
import { APPLICATION, COLLECTIONS, valuesOf } from './work.mjs';

const ENTRIES = 1_000_000;
const MEMORY_BYTES_MAX = 32 * MIB;
const FIRST_BYTE_MS_MAX = 200;
const WRITERS = 4;
/** Between two of one writer: the export is measured beside work, not beside a flood. */
const WRITE_PACE_MS = 5;
const WARM_MS = 5_000;
/** Time for the memory of the warm-up to be freed. */
const IDLE_MS = 3_000;

/**
 * @typedef {object} Exported
 * @property {number} lines
 * @property {number} misplaced
 * @property {number} bytes
 * @property {number} firstByteMs
 * @property {number} seconds
 */

/** The first millisecond of this month, whose table there is. */
export function firstOfMonth() {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
}

/**
 * One entry each millisecond, as the creation of a record makes it.
 * @param {import('./side-ours.mjs').Ours['connection']} connection
 * @param {{ application: string, start: number, entries: number }} wanted
 */
export async function loadEntries(connection, { application, start, entries }) {
  note(`Writing ${count(entries)} entries`);
  const table = `app_${application}.activity`;
  const client = new pg.Client(connection);
  await client.connect();
  try {
    await client.query(`delete from ${table}`);
    const line = JSON.stringify({
      ...{ type: 'record', subType: 'create', user: { id: 'u0000000', name: 'Bench' } },
      application: { id: application, name: 'Bench', version: 1 },
      collection: { id: COLLECTIONS.plain, name: 'plain' },
      ...{ source: { context: 'api', ip: '127.0.0.1' }, extra: { recordId: `r${'0'.repeat(26)}` } },
    });
    await client.query(
      `insert into ${table} (id, entry)
       select (overlay(lpad(to_hex($1::bigint + n), 12, '0') placing '-' from 9 for 0) || '-7000-8000-000000000000')::uuid,
         '{"date":"' || to_char(to_timestamp(($1::bigint + n) / 1000.0) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
           || '",' || substr($3, 2)
       from generate_series(0, $2::int - 1) as n`,
      [start, entries, line],
    );
    await client.query(`vacuum (analyze) ${table}`);
  } finally {
    await client.end();
  }
}

/**
 * Reads the export to its end and compares the date of every line with the one that is due.
 * @param {{ address: string, token: string, start: number, entries: number }} task
 * @returns {Promise<Exported>}
 */
async function readExport({ address, token, start, entries }) {
  const dates = `startDate=${new Date(start).toISOString()}&endDate=${new Date(start + entries).toISOString()}`;
  const url = `${address}/v1/${APPLICATION}/management/userActivityLogs?${dates}`;
  const began = performance.now();
  /** @type {import('node:http').IncomingMessage} */
  const response = await new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get(url, { headers, agent: false, signal: interruption }, resolve).on('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`the export answered ${response.statusCode}`);
  let firstByteMs = Number.NaN;
  let [lines, misplaced, bytes] = [0, 0, 0];
  let rest = '';
  for await (const chunk of response.setEncoding('utf8')) {
    if (bytes === 0) firstByteMs = performance.now() - began;
    bytes += chunk.length;
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) {
      if (!line.startsWith(`{"date":"${new Date(start + lines).toISOString()}"`)) misplaced++;
      lines++;
    }
  }
  if (rest !== '') misplaced++;
  return { lines, misplaced, bytes, firstByteMs, seconds: (performance.now() - began) / 1000 };
}

/**
 * Creates records until stopped.
 * @param {{ address: string, token: string }} place
 */
function startWriters({ address, token }) {
  const stopping = new AbortController();
  let [written, refused, longest] = [0, 0, 0];
  const path = `/v1/${APPLICATION}/collections/${COLLECTIONS.plain}/records`;
  const writer = async () => {
    while (!stopping.signal.aborted && !interruption.aborted) {
      const began = performance.now();
      const body = { values: valuesOf('plain', written, { total: ENTRIES }) };
      const { status } = await send(address, { method: 'POST', path, token, body });
      longest = Math.max(longest, performance.now() - began);
      if (status === 200) written++;
      else refused++;
      await wait(WRITE_PACE_MS);
    }
  };
  const writers = Promise.all(Array.from({ length: WRITERS }, writer));
  return async () => {
    stopping.abort();
    await writers;
    return { written, refused, longest };
  };
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runActivityLog(ground, { rounds }) {
  const { ours } = ground;
  const { token } = await prepareApplication(ground, {});
  const start = firstOfMonth();
  await loadEntries(ours.connection, { application: APPLICATION, start, entries: ENTRIES });
  const task = { address: ours.address, token, start };
  note('Warming up');
  const stopWarming = startWriters(task);
  await readExport({ ...task, entries: ENTRIES / 10 });
  await wait(WARM_MS, undefined, { signal: interruption });
  await stopWarming();
  const results = [];
  for (let round = 1; round <= rounds; round++) {
    await wait(IDLE_MS, undefined, { signal: interruption });
    const idle = resident(ours.pid);
    /** @type {Exported | undefined} */
    let exported;
    const stop = startWriters(task);
    const { most } = await peakDuring(ours.pid, async () => {
      exported = await readExport({ ...task, entries: ENTRIES });
      return 0;
    });
    const writes = await stop();
    if (exported === undefined) throw new Error('nothing was exported');
    const added = idle === undefined || most === undefined ? undefined : Math.max(0, most - idle);
    results.push({ round, ...exported, ...writes, idle, added });
    note(`  round ${round}: ${exported.seconds.toFixed(1)} s, ${inMegabytes(added)} MB over ${inMegabytes(idle)} MB`);
  }
  const wrong = results.filter(
    ({ lines, misplaced, firstByteMs, refused, added }) =>
      lines !== ENTRIES ||
      misplaced + refused > 0 ||
      !(firstByteMs <= FIRST_BYTE_MS_MAX) ||
      !((added ?? 0) <= MEMORY_BYTES_MAX),
  );
  for (const { round } of wrong) warn(`round ${round} is beyond a bound, or not complete`);
  if (wrong.length > 0) process.exitCode = 1;
  return { results, text: report(results) };
}

/** @param {readonly (Exported & { round: number, written: number, refused: number, longest: number, idle: number | undefined, added: number | undefined })[]} results */
function report(results) {
  const rows = results.map((result) => [
    ...[
      result.round,
      count(result.lines),
      result.misplaced,
      milliseconds(result.firstByteMs),
      result.seconds.toFixed(1),
    ],
    ...[count(result.lines / result.seconds), (result.bytes / MIB / result.seconds).toFixed(1)],
    ...[inMegabytes(result.idle), inMegabytes(result.added)],
    ...[count(result.written / result.seconds), result.refused, milliseconds(result.longest)],
  ]);
  const head = [
    'round',
    'entries',
    'misplaced',
    'first byte ms',
    'seconds',
    'entries/s',
    'MB/s',
    'idle MB',
    'MB added',
  ];
  return [
    `bounds: first byte within ${FIRST_BYTE_MS_MAX} ms, ${inMegabytes(MEMORY_BYTES_MAX)} MB added, no entry missing or misplaced, no write refused`,
    '',
    table([...head, 'writes/s', 'refused', 'longest ms'], rows),
  ].join('\n');
}
