// @ts-check
// The scenario `compression`: pages of records as clients get them in each encoding, with the bytes on the wire and the
// server's processor time for each; and what each level would take for the same bodies, which is why the server has the
// levels that it has (src/http/compression.ts).

import { get } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { prepareApplication } from './application.mjs';
import { note } from './progress.mjs';
import { count, table } from './table.mjs';
import { usageOf } from './usage.mjs';
import { APPLICATION, COLLECTIONS } from './work.mjs';

const RECORDS = 2_000;
const PAGES = [5, 20, 100];
const ENCODINGS = ['identity', 'gzip', 'br'];
/** Processor time is told in hundredths of a second. */
const REQUESTS = 1_500;
const ROUNDS = 200;

/** @type {[string, (body: Buffer) => Buffer][]} */
const LEVELS = [
  ...[1, 2, 3, 6].map(
    (level) =>
      /** @type {[string, (body: Buffer) => Buffer]} */ ([`gzip ${level}`, (body) => gzipSync(body, { level })]),
  ),
  ...[0, 1, 2, 3, 4].map((quality) => {
    const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
    return /** @type {[string, (body: Buffer) => Buffer]} */ ([
      `br ${quality}`,
      (body) => brotliCompressSync(body, { params }),
    ]);
  }),
];

/**
 * @param {import('./application.mjs').Ground} ground
 * @param {import('./options.mjs').Options} options
 */
export async function runCompression(ground, { rounds }) {
  const { token } = await prepareApplication(ground, { items: RECORDS });
  /** @type {Served[]} */
  const served = [];
  /** @type {Compressed[]} */
  const compressed = [];
  for (const records of PAGES) {
    const path = `/v1/${APPLICATION}/collections/${COLLECTIONS.items}/records?limit=${records}`;
    const asked = { address: ground.ours.address, path, token };
    for (let round = 0; round < rounds; round++) {
      for (const encoding of ENCODINGS) served.push(await serve(ground.ours.pid, { ...asked, encoding, records }));
    }
    compressed.push(...levelsOf(await fetchBody({ ...asked, encoding: 'identity' }), records));
  }
  note('');
  return { text: `${servedText(served)}\n\n${compressedText(compressed)}`, results: [...served, ...compressed] };
}

/**
 * @typedef {{ address: string, path: string, token: string, encoding: string }} Asked
 * @typedef {{ records: number, encoding: string, bytes: number, serverMicroseconds: number | undefined }} Served
 * @typedef {{ records: number, level: string, bytes: number, microseconds: number }} Compressed
 */

/** The body as it comes. @param {Asked} asked @returns {Promise<Buffer>} */
function fetchBody({ address, path, token, encoding }) {
  const headers = { authorization: `Bearer ${token}`, 'accept-encoding': encoding };
  return new Promise((resolve, reject) => {
    get(`${address}${path}`, { headers }, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(Buffer.concat(chunks));
        else reject(new Error(`${path} returned ${response.statusCode}`));
      });
    }).on('error', reject);
  });
}

/** One after the other: the time of a request alone. @param {number} pid @param {Asked & { records: number }} asked @returns {Promise<Served>} */
async function serve(pid, { records, ...asked }) {
  note(`${records} records as ${asked.encoding}`);
  const { length: bytes } = await fetchBody(asked);
  for (let request = 0; request < REQUESTS / 5; request++) await fetchBody(asked);
  const before = usageOf(pid)?.cpuSeconds;
  for (let request = 0; request < REQUESTS; request++) await fetchBody(asked);
  const after = usageOf(pid)?.cpuSeconds;
  const serverMicroseconds =
    before === undefined || after === undefined ? undefined : Math.round(((after - before) / REQUESTS) * 1e6);
  return { records, encoding: asked.encoding, bytes, serverMicroseconds };
}

/** @param {Buffer} body @param {number} records @returns {Compressed[]} */
function levelsOf(body, records) {
  return LEVELS.map(([level, compress]) => {
    note(`${records} records with ${level}`);
    for (let round = 0; round < ROUNDS / 5; round++) compress(body);
    const from = process.cpuUsage();
    let bytes = 0;
    for (let round = 0; round < ROUNDS; round++) bytes = compress(body).length;
    const { user, system } = process.cpuUsage(from);
    return { records, level, bytes, microseconds: Math.round((user + system) / ROUNDS) };
  });
}

/** @param {readonly Served[]} rows */
const servedText = (rows) =>
  table(
    ['records', 'encoding', 'bytes', 'server µs'],
    rows.map(({ records, encoding, bytes, serverMicroseconds }) => [
      count(records),
      encoding,
      count(bytes),
      serverMicroseconds === undefined ? '–' : count(serverMicroseconds),
    ]),
  );

/** @param {readonly Compressed[]} rows */
const compressedText = (rows) =>
  table(
    ['records', 'level', 'bytes', 'µs'],
    rows.map(({ records, level, bytes, microseconds }) => [count(records), level, count(bytes), count(microseconds)]),
  );
