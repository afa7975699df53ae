// @ts-check
// What a web framework around our handlers would cost: the same short reply behind the same table of routes, once with
// node:http and find-my-way as src/http/server.ts uses them, once with Fastify and a handler that leaves it at once.
// Processor time of the serving process for each request; it holds on a busy machine, where times do not.
//
//   npm run build && npm install --no-save fastify@5.12.8 && node bench/framework.mjs

import { fork } from 'node:child_process';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import findMyWay from 'find-my-way';

const ROUNDS = 9;
const REQUESTS = 20_000;
const CONNECTIONS = 8;
const BODY = '{"status":"ok"}';
const PATHS = {
  '/healthz': '/healthz',
  get: `/v1/p${'0'.repeat(26)}/collections/c${'0'.repeat(26)}/records/r${'0'.repeat(26)}`,
};

/** @typedef {{ method: any, path: string }} Row */

/** @returns {Promise<Row[]>} */
async function readRows() {
  const table = '../dist/src/http/routes/table.js';
  return [...(await import(table)).ROUTES, { method: 'GET', path: '/healthz' }];
}

/** @param {import('node:http').ServerResponse} response */
function reply(response) {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length });
  response.end(BODY);
}

/** @type {Record<string, (rows: Row[]) => Promise<import('node:http').Server>>} */
const SIDES = {
  async bare(rows) {
    const router = findMyWay({ querystringParser: () => undefined });
    for (const { method, path } of rows) router.on(method, path, (_request, response) => reply(response));
    router.compile();
    return createServer((request, response) => router.lookup(request, response)).listen(0, '127.0.0.1');
  },
  async fastify(rows) {
    const name = 'fastify';
    const app = (await import(name)).fastify({ genReqId: () => '1', requestIdHeader: false });
    for (const method of app.supportedMethods) app.addHttpMethod(method, { overrideExisting: true });
    for (const { method, path } of rows) {
      const handler = (/** @type {any} */ _request, /** @type {any} */ answer) => {
        answer.hijack();
        reply(answer.raw);
      };
      app.route({ method, url: path, handler });
    }
    await app.listen({ host: '127.0.0.1', port: 0 });
    return app.server;
  },
};

/** The serving process: tells its parent the port, and its processor time whenever it is asked. @param {string} side */
async function serve(side) {
  const server = await /** @type {(rows: Row[]) => Promise<import('node:http').Server>} */ (SIDES[side])(
    await readRows(),
  );
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.on('message', () => process.send?.({ usage: process.cpuUsage() }));
  process.on('disconnect', () => process.exit());
  process.send?.({ port });
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<any>} */
const messageOf = (child) => new Promise((resolve) => child.once('message', resolve));

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<number>} microseconds */
async function processorTime(child) {
  child.send('usage');
  const { usage } = await messageOf(child);
  return usage.user + usage.system;
}

/** One connection that sends its next request when the reply is there. @param {number} port @param {string} path @param {number} count */
const converse = (port, path, count) =>
  /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      const request = `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`;
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      let left = count;
      socket.on('error', reject).on('data', (bytes) => {
        if (!bytes.toString('latin1').endsWith(BODY)) return;
        left -= 1;
        if (left > 0) socket.write(request);
        else socket.end(() => resolve());
      });
    })
  );

/** @param {number[]} numbers */
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

async function compare() {
  const sides = await Promise.all(
    Object.keys(SIDES).map(async (name) => {
      const child = fork(new URL(import.meta.url), ['serve', name]);
      return { name, child, port: Number((await messageOf(child)).port) };
    }),
  );
  for (const [label, path] of Object.entries(PATHS)) {
    /** @type {Record<string, number[]>} */
    const measured = Object.fromEntries(sides.map(({ name }) => [name, []]));
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const { name, child, port } of round % 2 === 0 ? sides : sides.toReversed()) {
        const before = await processorTime(child);
        const each = REQUESTS / CONNECTIONS;
        await Promise.all(Array.from({ length: CONNECTIONS }, () => converse(port, path, each)));
        if (round > 0) measured[name]?.push(((await processorTime(child)) - before) / REQUESTS);
      }
    }
    const [bare = 0, framework = 0] = sides.map(({ name }) => median(measured[name] ?? []));
    const ratio = (framework / bare).toFixed(2);
    console.log(`${label}: bare ${bare.toFixed(1)} µs, fastify ${framework.toFixed(1)} µs, ratio ${ratio}`);
  }
  for (const { child } of sides) child.disconnect();
}

if (process.argv[2] === 'serve') await serve(process.argv[3] ?? '');
else await compare();
