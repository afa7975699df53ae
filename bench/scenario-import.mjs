// @ts-check
// The scenario `import`: `cartulary import` of a CSV file against batches of 100 that are sent by hand over as many
// connections, and the importer's memory at a tenth of the records and at all of them. Goal: 0.6 of the speed by hand.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCaller, publish } from './application.mjs';
import { ask } from './http-client.mjs';
import { peakDuring } from './memory.mjs';
import { note } from './progress.mjs';
import { count, megabytes, ratio, table } from './table.mjs';

const MAIN = fileURLToPath(new URL('../dist/program/main.js', import.meta.url));
const APPLICATION = 'pimport00000000000000000000';
/** As many as `import` has by default. */
const CONNECTIONS = 4;
const BATCH = 100;

const COLUMNS = [
  { name: 'Code', type: 'String', sortable: true, searchable: true },
  { name: 'Model', type: 'String', searchable: true },
  { name: 'Price', type: 'Number', sortable: true },
  { name: 'Bought', type: 'Date', sortable: true },
  { name: 'Electric', type: 'Boolean' },
  { name: 'Note', type: 'String' },
];

/** @param {number} index */
export const rowOf = (index) => ({
  Code: `B-${index}`,
  Model: `Tourer ${index % 97}`,
  Price: (index % 1000) + 0.5,
  Bought: `2026-0${(index % 9) + 1}-1${index % 10}`,
  Electric: index % 3 === 0,
  Note: `"Quoted", number ${index} of a delivery that came in spring`,
});

/** @param {string} file @param {number} rows */
export async function writeCsv(file, rows) {
  const output = createWriteStream(file);
  output.write(`${COLUMNS.map(({ name }) => name).join(',')}\r\n`);
  for (let index = 0; index < rows; index += 1) {
    const cells = Object.values(rowOf(index)).map((cell) => `"${String(cell).replaceAll('"', '""')}"`);
    if (!output.write(`${cells.join(',')}\r\n`)) await once(output, 'drain');
  }
  output.end();
  await once(output, 'finish');
}

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runImport(ground, { records, rounds }) {
  const { address } = ground.ours;
  const sizes = [Math.max(1, Math.round(records / 10)), records];
  const names = sizes.flatMap((_, at) => Array.from({ length: rounds }, (__, round) => `${at} ${round}`));
  /** @type {{ application: { collections: { id: string, name: string, columns: { id: string }[] }[] } }} */
  const { application } = await publish(ground, {
    id: APPLICATION,
    name: 'Import',
    collections: names.flatMap((name) => ['Hand', 'File'].map((way) => ({ name: `${way} ${name}`, columns: COLUMNS }))),
  });
  const { token } = await makeCaller(address, ground.operatorKey, APPLICATION);
  const results = [];
  for (const [at, rows] of sizes.entries()) {
    const file = join(ground.folder, `import-${rows}.csv`);
    await writeCsv(file, rows);
    for (let round = 0; round < rounds; round += 1) {
      const [hand] = application.collections.filter(({ name }) => name === `Hand ${at} ${round}`);
      if (hand === undefined) throw new Error('the collection was not published');
      const byHand = await sendByHand(address, token, hand, rows);
      const imported = await importFile(ground, token, `File ${at} ${round}`, file);
      note(
        `  ${rows} rows, round ${round + 1}: by hand ${byHand.toFixed(1)} s, imported ${imported.seconds.toFixed(1)} s`,
      );
      results.push({ rows, byHand, ...imported, ratio: byHand / imported.seconds });
    }
  }
  const head = ['rows', 'by hand: rows/s', 'import: rows/s', 'ratio', 'importer: MB'];
  const lines = results.map(({ rows, byHand, seconds, ratio: part, most }) => [
    count(rows),
    count(rows / byHand),
    count(rows / seconds),
    ratio(part),
    megabytes(most),
  ]);
  return { text: table(head, lines), results };
}

/**
 * @param {string} address @param {string} token @param {{ id: string, columns: { id: string }[] }} collection
 * @param {number} rows
 * @returns {Promise<number>} seconds
 */
async function sendByHand(address, token, { id, columns }, rows) {
  const began = performance.now();
  let next = 0;
  const path = `/v1/${APPLICATION}/collections/${id}/records`;
  const work = async () => {
    while (next < rows) {
      const first = next;
      next += BATCH;
      const body = Array.from({ length: Math.min(BATCH, rows - first) }, (_, index) => ({
        values: valuesOf(columns, first + index),
      }));
      await ask(address, { method: 'POST', path, token, body });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  return (performance.now() - began) / 1000;
}

/** @param {readonly { id: string }[]} columns @param {number} index */
function valuesOf(columns, index) {
  const row = Object.values(rowOf(index));
  return Object.fromEntries(columns.map(({ id }, at) => [id, { type: COLUMNS[at]?.type, value: row[at] }]));
}

/**
 * The whole command, from its start to its end.
 * @param {import('./application.mjs').Ground} ground
 * @param {string} token @param {string} collection @param {string} file
 */
async function importFile({ ours, folder }, token, collection, file) {
  const args = [MAIN, 'import', file, collection, '--url', `${ours.address}/v1/${APPLICATION}`];
  const env = { ...process.env, CARTULARY_TOKEN: token, XDG_CONFIG_HOME: folder };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const { most, seconds } = await peakDuring(child.pid ?? 0, async () => {
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`import ended with ${code}: ${said}`);
    return 0;
  });
  return { seconds, most };
}
