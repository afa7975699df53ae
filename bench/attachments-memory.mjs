// @ts-check
// How much memory the server takes for files on their way: over what it has when it is idle, at the most, by the kernel's
// own count where there is one. Also whether slow readers hold connections to the database or delay other requests.

import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { interruption } from '../scripts/processes.mjs';
import { download, MIB, readSlowly, upload } from './attachments-client.mjs';
import { send } from './http-client.mjs';
import { median } from './measure.mjs';
import { inMegabytes, peakDuring, resident } from './memory.mjs';
import { note, warn } from './progress.mjs';
import { milliseconds, table } from './table.mjs';
import { APPLICATION, COLLECTIONS } from './work.mjs';

export const MEMORY_BYTES_MAX = 64 * MIB;
const FILE_BYTES = 50 * MIB;
const SMALL_BYTES = 100 * 1024;
const WARM_FILES = 50;
/** Time for the memory of the warm-up to be freed. */
const IDLE_MS = 3_000;
const SAMPLE_MS = 50;
const SLOW_BYTES_PER_SECOND = 64 * 1024;
/** With the slow readers alone, and then with other requests besides. */
const SLOW_ALONE_MS = 6_000;
const SLOW_OTHERS_MS = 4_000;
const OTHERS_PACE_MS = 20;

/**
 * @typedef {object} Peak
 * @property {string} scenario
 * @property {number | undefined} bytes over the idle level
 * @property {number} seconds
 * @property {number} errors
 *
 * @typedef {object} SlowReaders
 * @property {number} readers
 * @property {number} busyMost connections of the server that were in a statement or a transaction, at the most
 * @property {number} samples
 * @property {number} answered other requests
 * @property {number} refused
 * @property {number | undefined} p50
 * @property {number} longest
 *
 * @typedef {object} Memory
 * @property {string} store
 * @property {number | undefined} idle bytes
 * @property {Peak[]} peaks
 * @property {SlowReaders} slow
 *
 * @typedef {{ store: string, ours: import('./side-ours.mjs').Ours, token: string, atOnce: number }} Task
 */

/** @param {string} address */
export const filesAt = (address) => `${address}/v1/${APPLICATION}/collections/${COLLECTIONS.plain}/attachments`;

/** Runs all at once; failures are printed and counted. @param {number} count @param {() => Promise<unknown>} work */
async function atOnce(count, work) {
  const done = await Promise.allSettled(Array.from({ length: count }, work));
  interruption.throwIfAborted();
  const failures = done.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (failures[0]) warn(`${failures.length} of ${count} FAILED, such as: ${failures[0].message}`);
  return failures.length;
}

/** The connections of the server to its database. @param {import('./side-ours.mjs').Ours['connection']} connection */
async function watchConnections(connection) {
  const client = new pg.Client({ ...connection, application_name: 'bench watching' });
  client.on('error', () => {});
  await client.connect();
  return {
    busy: async () => {
      const { rows } = await client.query(
        `select count(*)::int as busy from pg_stat_activity where application_name = 'cartulary' and state <> 'idle'`,
      );
      return Number(rows[0].busy);
    },
    end: () => client.end(),
  };
}

/**
 * Many readers that take their time; the database and the others are looked at meanwhile.
 * @param {Task} task
 * @param {string} id of a large file
 * @returns {Promise<{ errors: number, slow: SlowReaders }>}
 */
async function slowReaders({ ours, token, atOnce: readers }, id) {
  const place = { url: filesAt(ours.address), token };
  /** @type {Awaited<ReturnType<typeof readSlowly>>[]} */
  const open = [];
  let errors = await atOnce(readers, async () => open.push(await readSlowly(place, id, SLOW_BYTES_PER_SECOND)));
  const connections = await watchConnections(ours.connection);
  let busyMost = 0;
  let samples = 0;
  const times = [];
  let refused = 0;
  try {
    for (const end = performance.now() + SLOW_ALONE_MS; performance.now() < end; samples++) {
      await wait(SAMPLE_MS, undefined, { signal: interruption });
      busyMost = Math.max(busyMost, await connections.busy());
    }
    for (const end = performance.now() + SLOW_OTHERS_MS; performance.now() < end; ) {
      await wait(OTHERS_PACE_MS, undefined, { signal: interruption });
      const began = performance.now();
      const path = `/v1/${APPLICATION}/collections/${COLLECTIONS.plain}/records`;
      const { status } = await send(ours.address, { method: 'GET', path, token });
      times.push(performance.now() - began);
      if (status !== 200) refused++;
    }
  } finally {
    await connections.end();
    const said = open.map((reader) => reader.stop()).filter((failure) => failure !== '');
    if (said.length > 0) warn(`${said.length} slow readers FAILED, such as: ${said[0]}`);
    errors += said.length;
  }
  const slow = {
    ...{ readers: open.length, busyMost, samples, answered: times.length, refused },
    ...{ p50: median(times), longest: Math.max(0, ...times) },
  };
  return { errors: errors + refused, slow };
}

/** @param {Task} task @returns {Promise<Memory>} */
export async function measureMemory(task) {
  const { store, ours, token, atOnce: many } = task;
  const place = { url: filesAt(ours.address), token };
  for (let file = 0; file < WARM_FILES; file++) {
    await download(place, await upload(place, SMALL_BYTES), SMALL_BYTES);
  }
  await wait(IDLE_MS, undefined, { signal: interruption });
  const idle = resident(ours.pid);
  /** @type {Peak[]} */
  const peaks = [];
  /** @param {string} scenario @param {() => Promise<number>} work */
  const measure = async (scenario, work) => {
    const { most, seconds, errors } = await peakDuring(ours.pid, work);
    const bytes = idle === undefined || most === undefined ? undefined : Math.max(0, most - idle);
    peaks.push({ scenario, bytes, seconds, errors });
    note(`  ${store}, ${scenario}: ${inMegabytes(bytes)} MB over ${inMegabytes(idle)} MB, ${seconds.toFixed(1)} s`);
  };
  let id = '';
  const size = FILE_BYTES / MIB;
  await measure(`1 upload of ${size} MB`, () =>
    atOnce(1, async () => {
      id = await upload(place, FILE_BYTES);
    }),
  );
  await measure(`${many} uploads of ${size} MB at once`, () => atOnce(many, () => upload(place, FILE_BYTES)));
  await measure(`${many} downloads of ${size} MB at once`, () => atOnce(many, () => download(place, id, FILE_BYTES)));
  /** @type {SlowReaders | undefined} */
  let slow;
  await measure(`${many} downloads to slow readers`, async () => {
    const outcome = await slowReaders(task, id);
    slow = outcome.slow;
    return outcome.errors;
  });
  if (slow === undefined) throw new Error('the slow readers were not measured');
  return { store, idle, peaks, slow };
}

/** @param {readonly Memory[]} memory */
export function memoryReport(memory) {
  const rows = memory.flatMap(({ store, idle, peaks }) =>
    peaks.map(({ scenario, bytes, seconds, errors }) => [
      ...[store, scenario, inMegabytes(idle), inMegabytes(bytes), MEMORY_BYTES_MAX / MIB],
      ...[bytes === undefined ? '–' : bytes <= MEMORY_BYTES_MAX ? 'yes' : 'NO', seconds.toFixed(1), errors],
    ]),
  );
  const slow = memory.map(({ store, slow: { readers, busyMost, samples, answered, refused, p50, longest } }) => [
    ...[store, readers, busyMost, samples, answered, refused, milliseconds(p50), milliseconds(longest)],
  ]);
  return [
    'memory of the server process; MB added at the most, over what it had when idle',
    '',
    table(['store', 'scenario', 'idle MB', 'MB added', 'bound', 'within', 'seconds', 'errors'], rows),
    '',
    `while the slow readers hang on, each at ${SLOW_BYTES_PER_SECOND / 1024} KB/s: the connections to the database that are in a statement or a transaction, and then other requests`,
    '',
    table(['store', 'readers', 'busy at most', 'looks', 'other requests', 'refused', 'p50 ms', 'longest ms'], slow),
  ].join('\n');
}
