// @ts-check
// How fast files go through the server on disk, beside the bare limit (attachments-bare.mjs) on the same disk. The sides take
// turns, and the median of the rounds is reported.

import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interruption } from '../scripts/processes.mjs';
import { download, MIB, upload } from './attachments-client.mjs';
import { filesAt } from './attachments-memory.mjs';
import { startNode } from './children.mjs';
import { median } from './measure.mjs';
import { note, warn } from './progress.mjs';
import { ratio, table } from './table.mjs';
import { usageOf } from './usage.mjs';

const BARE_PROGRAM = fileURLToPath(new URL('./attachments-bare.mjs', import.meta.url));
const KIB = 1024;
const OPERATIONS = /** @type {const} */ ([
  { name: 'upload 50 MB', kind: 'upload', bytes: 50 * MIB, connections: 1 },
  { name: 'upload 100 KB', kind: 'upload', bytes: 100 * KIB, connections: 8 },
  { name: 'download 50 MB', kind: 'download', bytes: 50 * MIB, connections: 1 },
  { name: 'download 100 KB', kind: 'download', bytes: 100 * KIB, connections: 8 },
]);

/**
 * @typedef {typeof OPERATIONS[number]} Operation
 * @typedef {{ name: string, place: import('./attachments-client.mjs').Place, pid: number, folder: string }} Side
 *
 * @typedef {object} Result of one side
 * @property {string} operation
 * @property {number} connections
 * @property {number} bytes of a file
 * @property {string} side
 * @property {number} perSecond
 * @property {number | undefined} serverMillis processor time of the server for one file
 * @property {number} errors
 */

/** What a side has stored of this size since the last look is removed: disks are not endless. @param {string} folder @param {number} bytes */
function takeBack(folder, bytes) {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found?.isFile() && found.size === bytes) rmSync(path);
  }
}

/** @param {Side} side @param {Operation} operation @param {number} seconds */
async function runRound({ name, place, pid, folder }, operation, seconds) {
  interruption.throwIfAborted();
  const { kind, bytes, connections } = operation;
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const at = { ...place, agent };
  let errors = 0;
  try {
    // Both kinds: it opens the connections and warms the code, and a download needs something to ask for.
    const ids = await Promise.all(Array.from({ length: connections }, () => upload(at, bytes)));
    await Promise.all(ids.map((id) => download(at, id, bytes)));
    let files = 0;
    const usedBefore = usageOf(pid)?.cpuSeconds;
    const began = performance.now();
    const end = began + seconds * 1000;
    const go = async (/** @type {string} */ id) => {
      do {
        try {
          await (kind === 'upload' ? upload(at, bytes) : download(at, id, bytes));
          files++;
        } catch (error) {
          if (errors++ === 0)
            warn(`${operation.name}, ${name}: FAILED: ${error instanceof Error ? error.message : error}`);
        }
      } while (performance.now() < end && errors < 10 && !interruption.aborted);
    };
    await Promise.all(ids.map(go));
    const took = (performance.now() - began) / 1000;
    const used = usageOf(pid)?.cpuSeconds;
    const serverMillis =
      used === undefined || usedBefore === undefined || files === 0 ? undefined : ((used - usedBefore) * 1000) / files;
    return { perSecond: files / took, serverMillis, errors };
  } finally {
    agent.destroy();
    takeBack(folder, bytes);
  }
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {{ token: string, rounds: number, seconds: number }} options
 * @returns {Promise<Result[]>}
 */
export async function measureThroughput({ ours, folder }, { token, rounds, seconds }) {
  const bareFolder = join(folder, 'bare');
  mkdirSync(bareFolder, { recursive: true });
  const bare = await startNode([BARE_PROGRAM, bareFolder], { ready: /^bare limit at (http:\S+)$/m });
  /** @type {Side[]} */
  const sides = [
    {
      name: 'ours',
      place: { url: filesAt(ours.address), token },
      pid: ours.pid,
      folder: join(folder, 'data', 'attachments'),
    },
    { name: 'bare', place: { url: bare.ready }, pid: bare.pid, folder: bareFolder },
  ];
  /** @type {Result[]} */
  const results = [];
  try {
    for (const operation of OPERATIONS) {
      /** @type {Map<string, Awaited<ReturnType<typeof runRound>>[]>} */
      const all = new Map(sides.map(({ name }) => [name, []]));
      for (let round = 0; round < rounds; round++) {
        for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
          all.get(side.name)?.push(await runRound(side, operation, seconds));
        }
      }
      for (const [side, measured] of all) {
        results.push({
          ...{ operation: operation.name, connections: operation.connections, bytes: operation.bytes, side },
          perSecond: median(measured.map(({ perSecond }) => perSecond)) ?? 0,
          serverMillis: median(measured.map(({ serverMillis }) => serverMillis)),
          errors: measured.reduce((sum, { errors }) => sum + errors, 0),
        });
      }
      const told = results.filter((one) => one.operation === operation.name);
      note(`  ${operation.name}: ${told.map(({ side, perSecond }) => `${side} ${perSecond.toFixed(1)}/s`).join(', ')}`);
    }
  } finally {
    await bare.end();
  }
  return results;
}

/** @param {readonly Result[]} results @returns {string[]} */
export function throughputReport(results) {
  if (results.length === 0) return [];
  const rows = OPERATIONS.map(({ name, connections, bytes }) => {
    const [ours, bare] = ['ours', 'bare'].map((side) => results.find((r) => r.operation === name && r.side === side));
    const pair = (/** @type {(result: Result) => string | undefined} */ show) =>
      `${(ours && show(ours)) ?? '–'} / ${(bare && show(bare)) ?? '–'}`;
    return [
      ...[name, connections, pair(({ perSecond }) => perSecond.toFixed(1))],
      pair(({ perSecond }) => ((perSecond * bytes) / MIB).toFixed(1)),
      ratio(ours && bare && ours.perSecond / bare.perSecond),
      pair(({ serverMillis }) => serverMillis?.toFixed(1)),
      pair(({ errors }) => String(errors)),
    ];
  });
  const head = ['operation', 'connections', 'files/s', 'MB/s', 'ratio', 'server ms', 'errors'];
  return [['ours on disk / bare limit; medians of the rounds', '', table(head, rows)].join('\n')];
}
