// @ts-check
// What the client costs a program beside `fetch` itself: the same requests to a server that only replies, once with `fetch`
// and JSON, once with the raw form of the client, once with plain values. Processor time of the client's process for each
// request; it holds on a busy machine, where times do not.
//
//   npm run build && node bench/client.mjs

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';

const ROUNDS = 7;
const REQUESTS = 600;
const PAGES = 60;

const APPLICATION = `p${'0'.repeat(26)}`;
const COLLECTION = 't0000000';
const TYPES = ['String', 'Number', 'Boolean', 'DateTime', 'Date', 'String', 'Number', 'String'];
const columns = TYPES.map((type, index) => ({ id: `c000000${index}`, name: `Column ${index}`, type }));
/** @type {Record<string, unknown>} */
const SAMPLES = {
  String: 'A text of some words',
  Number: 12.5,
  Boolean: true,
  DateTime: '2026-11-16T10:00:00.000Z',
  Date: '2026-11-16',
};
const values = Object.fromEntries(columns.map(({ id, type }) => [id, { type, value: SAMPLES[type] }]));
const plain = Object.fromEntries(columns.map(({ name, type }) => [name, SAMPLES[type]]));
const user = { id: 'u0000000', name: 'Naomi Sato' };
const at = '2026-11-16T10:00:00.000Z';
const RECORD = {
  id: `r${'0'.repeat(26)}`,
  createdAt: at,
  createdBy: user,
  timestamp: at,
  hash: '0'.repeat(26),
  updatedAt: at,
  updatedBy: user,
  values,
};
const DEFINITION = {
  id: APPLICATION,
  name: 'Bench',
  version: 1,
  collections: [{ id: COLLECTION, name: 'Things', columns }],
};
const PAGE = Array.from({ length: 100 }, () => RECORD);

function serve() {
  const [record, page, definition] = [RECORD, PAGE, DEFINITION].map((value) => JSON.stringify(value));
  const server = createServer((request, response) => {
    let length = 0;
    request.on('data', (chunk) => {
      length += chunk.length;
    });
    request.on('end', () => {
      const isOne = request.method === 'GET' ? request.url?.includes('/records/') : length < 10_000;
      const body = request.url?.endsWith(APPLICATION) ? definition : isOne ? record : page;
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.(/** @type {any} */ (server.address()).port));
}

/** @param {() => Promise<unknown>} work @param {number} count */
async function microseconds(work, count) {
  const before = process.cpuUsage();
  for (let done = 0; done < count; done++) await work();
  const { user: own, system } = process.cpuUsage(before);
  return (own + system) / count;
}

/** @param {number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** @param {number} port */
async function measure(port) {
  const main = '../dist/client/src/main.js';
  const { createClient } = await import(main);
  const url = `http://127.0.0.1:${port}`;
  const client = createClient({ url, application: APPLICATION, token: 'a.b' });
  const things = client.collection('Things');
  const path = `${url}/v1/${APPLICATION}/collections/${COLLECTION}/records`;
  const headers = { authorization: 'Bearer a.b' };
  const json = { ...headers, 'content-type': 'application/json' };
  const post = { method: 'POST', headers: json };
  const at = { collectionId: COLLECTION };
  const new100 = Array.from({ length: 100 }, () => ({ values }));
  const plain100 = Array.from({ length: 100 }, () => plain);
  const rest = { headers, redirect: /** @type {const} */ ('manual') };
  /** @type {Record<string, { count: number, sides: Record<string, () => Promise<unknown>> }>} */
  const operations = {
    get: {
      count: REQUESTS,
      sides: {
        fetch: async () => (await fetch(`${path}/${RECORD.id}`, rest)).json(),
        raw: () => client.raw.getRecord({ ...at, recordId: RECORD.id }),
        plain: () => things.get(RECORD.id),
      },
    },
    'list 100': {
      count: PAGES,
      sides: {
        fetch: async () => (await fetch(`${path}?limit=100`, rest)).json(),
        raw: () => client.raw.listRecords({ ...at, limit: 100 }),
        plain: () => things.page({ limit: 100 }),
      },
    },
    create: {
      count: REQUESTS,
      sides: {
        fetch: async () => (await fetch(path, { ...post, body: JSON.stringify({ values }) })).json(),
        raw: () => client.raw.createRecords({ ...at, body: { values } }),
        plain: () => things.create(plain),
      },
    },
    'create 100': {
      count: PAGES,
      sides: {
        fetch: async () => (await fetch(path, { ...post, body: JSON.stringify(new100) })).json(),
        raw: () => client.raw.createRecords({ ...at, body: new100 }),
        plain: () => things.createMany(plain100, { concurrency: 1 }).finish(),
      },
    },
  };
  for (const [operation, { count, sides }] of Object.entries(operations)) {
    /** @type {Record<string, number[]>} */
    const taken = Object.fromEntries(Object.keys(sides).map((side) => [side, []]));
    for (const work of Object.values(sides)) await microseconds(work, count);
    for (let round = 0; round < ROUNDS; round++) {
      for (const [side, work] of Object.entries(sides)) taken[side]?.push(await microseconds(work, count));
    }
    const figures = Object.entries(taken).map(([side, all]) => `${side} ${median(all).toFixed(0)} µs`);
    console.log(`${operation.padEnd(10)} ${figures.join(', ')}`);
  }
}

if (process.argv[2] === 'serve') serve();
else {
  const server = fork(new URL(import.meta.url), ['serve']);
  const [port] = await once(server, 'message');
  await measure(Number(port));
  server.kill();
}
