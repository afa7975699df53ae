// @ts-check
// How fast files go through the server on disk, beside the bare limit (attachments-bare.mjs) on the same disk. The sides take
// turns, and the median of the rounds is reported.

import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { interruption } from '../scripts/processes.mjs';
import { download, exchangeMany, MIB, upload } from './attachments-client.mjs';
import { filesAt } from './attachments-memory.mjs';
import { startNode } from './children.mjs';
import { median } from './measure.mjs';
import { note, warn } from './progress.mjs';
import { ratio, table } from './table.mjs';
import { usageOf, usageOfDatabase } from './usage.mjs';

const BARE_PROGRAM = fileURLToPath(new URL('./attachments-bare.mjs', import.meta.url));
const KIB = 1024;
/** Large files go one at a time, small ones over the many connections. */
const FILES = /** @type {const} */ ([
  { name: 'upload 50 MB', kind: 'upload', bytes: 50 * MIB, isSmall: false },
  { name: 'upload 100 KB', kind: 'upload', bytes: 100 * KIB, isSmall: true },
  { name: 'download 50 MB', kind: 'download', bytes: 50 * MIB, isSmall: false },
  { name: 'download 100 KB', kind: 'download', bytes: 100 * KIB, isSmall: true },
]);
/** Small files before the first round of each side: code gets compiled, statements prepared. */
const WARM_FILES = 4_000;

/**
 * @typedef {{ name: string, kind: 'upload' | 'download', bytes: number, isSmall: boolean, connections: number }} Operation
 *
 * @typedef {object} Side
 * @property {string} name
 * @property {import('./attachments-client.mjs').Place} place
 * @property {number} pid
 * @property {() => number | undefined} databasePid none: it has no database
 * @property {string} folder
 *
 * @typedef {object} Result of one side
 * @property {string} operation
 * @property {number} connections
 * @property {number} bytes of a file
 * @property {string} side
 * @property {number} perSecond
 * @property {number | undefined} serverMicros processor time of the server for one file
 * @property {number | undefined} databaseMicros
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

/** @param {Side} side @param {Operation} operation @param {{ seconds: number, isFirst: boolean }} options */
async function runRound({ name, place, pid, databasePid, folder }, operation, { seconds, isFirst }) {
  interruption.throwIfAborted();
  const { kind, bytes, connections, isSmall } = operation;
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const at = { ...place, agent };
  let errors = 0;
  try {
    // Both kinds: it opens the connections and warms the code, and a download needs something to ask for.
    const ids = await Promise.all(Array.from({ length: connections }, () => upload(at, bytes)));
    await Promise.all(ids.map((id) => download(at, id, bytes)));
    const small = { kind, bytes, ids, connections };
    if (isSmall && isFirst) await exchangeMany(place, small, (done) => done >= WARM_FILES);
    let files = 0;
    const used = () => [usageOf(pid)?.cpuSeconds, usageOfDatabase(databasePid())?.cpuSeconds];
    const usedBefore = used();
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
    if (isSmall) {
      const outcome = await exchangeMany(place, small, () => performance.now() >= end);
      files = outcome.files;
      errors = outcome.failures.length;
      if (errors > 0) warn(`${operation.name}, ${name}: FAILED: ${outcome.failures[0]?.slice(0, 300)}`);
    } else await Promise.all(ids.map(go));
    const took = (performance.now() - began) / 1000;
    const [serverMicros, databaseMicros] = used().map((now, i) => {
      const then = usedBefore[i];
      return now === undefined || then === undefined || files === 0 ? undefined : ((now - then) * 1e6) / files;
    });
    return { perSecond: files / took, serverMicros, databaseMicros, errors };
  } finally {
    agent.destroy();
    takeBack(folder, bytes);
  }
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {{ token: string, rounds: number, seconds: number, connections: number }} options
 * @returns {Promise<Result[]>}
 */
export async function measureThroughput({ ours, folder }, { token, rounds, seconds, connections }) {
  const bareFolder = join(folder, 'bare');
  mkdirSync(bareFolder, { recursive: true });
  const bare = await startNode([BARE_PROGRAM, bareFolder], { ready: /^bare limit at (http:\S+)$/m });
  /** @type {Side[]} */
  const sides = [
    {
      name: 'ours',
      place: { url: filesAt(ours.address), token },
      pid: ours.pid,
      databasePid: ours.databasePid,
      folder: join(folder, 'data', 'attachments'),
    },
    { name: 'bare', place: { url: bare.ready }, pid: bare.pid, databasePid: () => undefined, folder: bareFolder },
  ];
  /** @type {Result[]} */
  const results = [];
  try {
    for (const file of FILES) {
      const operation = { ...file, connections: file.isSmall ? connections : 1 };
      /** @type {Map<string, Awaited<ReturnType<typeof runRound>>[]>} */
      const all = new Map(sides.map(({ name }) => [name, []]));
      for (let round = 0; round < rounds; round++) {
        for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
          all.get(side.name)?.push(await runRound(side, operation, { seconds, isFirst: round === 0 }));
        }
      }
      for (const [side, measured] of all) {
        results.push({
          ...{ operation: operation.name, connections: operation.connections, bytes: operation.bytes, side },
          perSecond: median(measured.map(({ perSecond }) => perSecond)) ?? 0,
          serverMicros: median(measured.map(({ serverMicros }) => serverMicros)),
          databaseMicros: median(measured.map(({ databaseMicros }) => databaseMicros)),
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
  const rows = FILES.map(({ name, bytes }) => {
    const [ours, bare] = ['ours', 'bare'].map((side) => results.find((r) => r.operation === name && r.side === side));
    const pair = (/** @type {(result: Result) => string | undefined} */ show) =>
      `${(ours && show(ours)) ?? '–'} / ${(bare && show(bare)) ?? '–'}`;
    return [
      ...[name, ours?.connections ?? '–', pair(({ perSecond }) => perSecond.toFixed(1))],
      pair(({ perSecond }) => ((perSecond * bytes) / MIB).toFixed(1)),
      ratio(ours && bare && ours.perSecond / bare.perSecond),
      pair(({ serverMicros }) => serverMicros?.toFixed(0)),
      ours?.databaseMicros?.toFixed(0) ?? '–',
      pair(({ errors }) => String(errors)),
    ];
  });
  const head = ['operation', 'connections', 'files/s', 'MB/s', 'ratio', 'server µs', 'database µs', 'errors'];
  return [['ours on disk / bare limit; medians of the rounds', '', table(head, rows)].join('\n')];
}
