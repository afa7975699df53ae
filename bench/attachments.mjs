// @ts-check
// The scenario `attachments`: how much memory files take on their way through the server, on disk and on S3, and how fast
// they go beside the bare limit. It fails when the memory exceeds its bound.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareApplication } from './application.mjs';
import { MEMORY_BYTES_MAX, measureMemory, memoryReport } from './attachments-memory.mjs';
import { measureThroughput, throughputReport } from './attachments-throughput.mjs';
import { startNode } from './children.mjs';
import { note, warn } from './progress.mjs';
import { startOurs } from './side-ours.mjs';
import { openTables } from './tables.mjs';

export const ATTACHMENT_PARTS = /** @type {const} */ (['memory', 'throughput']);

const S3_PROGRAM = fileURLToPath(new URL('./attachments-s3.mjs', import.meta.url));

/**
 * A second server, whose attachments are on S3. The store is a process of its own, so that its memory does not count.
 * @param {import('./application.mjs').Ground} ground
 * @param {string} logLevel
 */
async function startOnS3({ folder, operatorKey }, logLevel) {
  const own = join(folder, 's3');
  mkdirSync(own, { mode: 0o711, recursive: true });
  const s3 = await startNode([S3_PROGRAM], { ready: /^S3 at (s3:\S+)$/m });
  try {
    const ours = await startOurs({ folder: own, operatorKey, logLevel, settings: { CARTULARY_ATTACHMENTS: s3.ready } });
    const tables = await openTables(ours.connection);
    const stop = async () => {
      await tables.close().catch(() => {});
      await ours.stop();
      await s3.end();
    };
    return { ground: { ours, operatorKey, folder: own, tables }, stop };
  } catch (error) {
    await s3.end();
    throw error;
  }
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runAttachments(ground, { rounds, seconds, connections, only, logLevel }) {
  /** @param {typeof ATTACHMENT_PARTS[number]} part */
  const wanted = (part) => only.length === 0 || only.includes(part);
  const { token } = await prepareApplication(ground, {});
  /** @type {import('./attachments-memory.mjs').Memory[]} */
  const memory = [];
  if (wanted('memory')) {
    memory.push(await measureMemory({ store: 'disk', ours: ground.ours, token, atOnce: connections }));
    note('Starting an S3-compatible store, and a server on it');
    const onS3 = await startOnS3(ground, logLevel);
    try {
      const { token: other } = await prepareApplication(onS3.ground, {});
      memory.push(await measureMemory({ store: 's3', ours: onS3.ground.ours, token: other, atOnce: connections }));
    } finally {
      await onS3.stop();
    }
  }
  const throughput = wanted('throughput')
    ? await measureThroughput(ground, { token, rounds, seconds, connections })
    : [];
  const beyond = memory.flatMap(({ store, peaks }) =>
    peaks.filter(({ bytes }) => bytes === undefined || bytes > MEMORY_BYTES_MAX).map((peak) => ({ store, ...peak })),
  );
  for (const { store, scenario } of beyond) warn(`${store}, ${scenario}: the bound of memory is EXCEEDED or unknown`);
  const failed = [...memory.flatMap(({ peaks }) => peaks), ...throughput].some(({ errors }) => errors > 0);
  if (beyond.length > 0 || failed) process.exitCode = 1;
  const text = [...(memory.length > 0 ? [memoryReport(memory)] : []), ...throughputReport(throughput)].join('\n\n');
  return { results: [...memory, ...throughput], text };
}
