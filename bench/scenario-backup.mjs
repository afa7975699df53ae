// @ts-check
// The scenario `backup`: a backup of all records, and its restoration as another application on the same server: how fast
// both are, and the server's memory meanwhile. Goal: the same memory at a tenth of the records and at all of them.

import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { prepareApplication } from './application.mjs';
import { peakDuring, resident } from './memory.mjs';
import { note } from './progress.mjs';
import { count, megabytes, table } from './table.mjs';
import { APPLICATION } from './work.mjs';

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runBackup(ground, { records, rounds }) {
  await prepareApplication(ground, { plain: records });
  const file = join(ground.folder, 'backup.tar');
  /** @type {{ what: string, bytes: number, seconds: number, before: number | undefined, most: number | undefined }[]} */
  const results = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const [what, work] of /** @type {const} */ ([
      ['backup', () => receive(ground, file)],
      ['restore', () => send(ground, file, `?application=${APPLICATION}&as=Copy${round}`)],
    ])) {
      const before = resident(ground.ours.pid);
      const began = performance.now();
      const { most } = await peakDuring(ground.ours.pid, work);
      const seconds = (performance.now() - began) / 1000;
      const bytes = (await stat(file)).size;
      note(`  ${what}, round ${round}: ${(bytes / 1e6 / seconds).toFixed(1)} MB/s`);
      results.push({ what, bytes, seconds, before, most });
    }
  }
  const head = ['', 'MB', 'seconds', 'MB/s', 'memory before: MB', 'at the most: MB'];
  const lines = results.map(({ what, bytes, seconds, before, most }) => [
    what,
    count(bytes / 1e6),
    seconds.toFixed(1),
    (bytes / 1e6 / seconds).toFixed(1),
    megabytes(before),
    megabytes(most),
  ]);
  return { text: table(head, lines), results };
}

/** @param {import('./application.mjs').Ground} ground @param {string} method @param {string} path */
const begin = ({ ours, operatorKey }, method, path) =>
  request(`${ours.address}/operator/v1${path}`, { method, headers: { authorization: `Bearer ${operatorKey}` } });

/** @param {import('node:http').ClientRequest} sent @returns {Promise<import('node:http').IncomingMessage>} */
const reply = (sent) =>
  new Promise((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`the server replied ${response.statusCode}`));
    });
  });

/** @param {import('./application.mjs').Ground} ground @param {string} file */
async function receive(ground, file) {
  const sent = begin(ground, 'GET', '/backup');
  const replied = reply(sent);
  sent.end();
  await pipeline(await replied, createWriteStream(file));
  return 0;
}

/** @param {import('./application.mjs').Ground} ground @param {string} file @param {string} query */
async function send(ground, file, query) {
  const sent = begin(ground, 'POST', `/restore${query}`);
  const replied = reply(sent);
  await pipeline(createReadStream(file), sent);
  for await (const _ of await replied);
  return 0;
}
