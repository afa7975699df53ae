// @ts-check
// What requests and records cost: processor time from the table of the bench in docs/performance.md, which was measured,
// and bytes on the disk from a database that is filled for it. Both of plain PostgreSQL: docs/scaling.md says how far a
// Citus cluster is from that.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepareApplication } from '../bench/application.mjs';
import { makeFolder, onGround } from '../bench/ground.mjs';
import { ROOT } from '../scripts/prepare.mjs';
import { Failure } from '../scripts/processes.mjs';

/** What an ordinary program asks for, in parts of all its requests; the names are those of the bench. */
export const MIX = /** @type {const} */ ({
  get: 0.4,
  'list newest 100': 0.2,
  equals: 0.1,
  'contains rare': 0.05,
  'create 1': 0.09,
  'update 1': 0.1,
  'delete 1': 0.01,
  'download 100 KB': 0.04,
  'upload 100 KB': 0.01,
});

/** @typedef {{ server: number, database: number }} Cost microseconds of processor time for one request */

const CONNECTIONS = '32';
const SAMPLE_RECORDS = 20_000;

/** Of a request of the mix. @param {string} [document] @returns {Cost} */
export function costOfRequest(document = readFileSync(join(ROOT, 'docs', 'performance.md'), 'utf8')) {
  const table = document.split('<!-- tables of npm run bench -- limit --write -->')[1] ?? '';
  const lines = table.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const head = lines.find((cells) => cells.includes('server µs')) ?? [];
  /** The side before the slash is ours. @param {readonly string[]} cells @param {string} name */
  const ours = (cells, name) => Number((cells[head.indexOf(name)] ?? '').split('/')[0]?.replaceAll(',', ''));
  let [server, database] = [0, 0];
  for (const [operation, part] of Object.entries(MIX)) {
    const row = lines.find((cells) => cells[1] === operation && cells[2] === CONNECTIONS) ?? [];
    const [forServer, forDatabase] = [ours(row, 'server µs'), ours(row, 'database µs')];
    if (!(forServer > 0 && forDatabase > 0)) {
      throw new Failure(`docs/performance.md has no cost of “${operation}” at ${CONNECTIONS} connections.`);
    }
    server += part * forServer;
    database += part * forDatabase;
  }
  return { server, database };
}

/** Of a record of the bench, about 600 bytes of JSON, with its indexes. @returns {Promise<number>} */
export async function measureRecordBytes() {
  const { folder, remove } = makeFolder();
  try {
    return await onGround(folder, { logLevel: 'error' }, async (ground) => {
      await prepareApplication(ground, { items: SAMPLE_RECORDS });
      await ground.tables.tidy('items');
      const { table, indexes } = await ground.tables.size('items');
      return Math.round((table + indexes) / SAMPLE_RECORDS);
    });
  } finally {
    remove();
  }
}
