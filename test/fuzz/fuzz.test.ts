// Two thousand inputs of one seed, on a real server. `npm run torture -- fuzz` sends as many as one likes, to a server of
// its own, and watches its memory.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, it } from 'node:test';
import { OPERATOR_KEY, startTestServer } from '../support/server.ts';
import { fuzz } from './fuzz.ts';

const SEED = 19;
const INPUTS = 2_000;

/** A server that fails where the one at `address` refuses. */
async function failingProxy(address: string) {
  const { hostname, port } = new URL(address);
  const proxy = createServer((client) => {
    const server = connect({ host: hostname, port: Number(port) });
    client.pipe(server);
    server.on('data', (bytes: Buffer) =>
      client.write(bytes.toString('latin1').replace(/^HTTP\/1\.1 400/, 'HTTP/1.1 500'), 'latin1'),
    );
    const end = () => {
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('close', end).on('error', end);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return { address: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, close: () => proxy.close() };
}

describe('hostile inputs', { timeout: 300_000 }, () => {
  it('are each replied to as the interface promises, and harm nothing', async () => {
    const server = await startTestServer();
    try {
      const { address } = server;
      const report = await fuzz({ address, operatorKey: OPERATOR_KEY, seed: SEED, inputs: INPUTS, connections: 4 });
      assert.deepEqual(report.findings, []);
      assert.equal(report.inputs, INPUTS);
      const untried = report.operations.filter((title) => !report.tried.has(title));
      assert.ok(untried.length < report.operations.length / 20, `not tried: ${untried.join(', ')}`);
      // Inputs that all fail at the door would find nothing.
      assert.ok(report.succeeded.size > report.tried.size / 2, `only ${report.succeeded.size} operations succeeded`);
    } finally {
      await server.close();
    }
  });

  it('are found out where a server fails, and can be sent again one by one', async () => {
    const server = await startTestServer();
    const proxy = await failingProxy(server.address);
    try {
      const options = { operatorKey: OPERATOR_KEY, seed: SEED, connections: 2 };
      const { findings } = await fuzz({ ...options, address: proxy.address, inputs: 60 });
      const found = findings.find(({ reason }) => reason.startsWith('500 '));
      assert.ok(found !== undefined, JSON.stringify(findings));
      const again = await fuzz({ ...options, address: proxy.address, inputs: 60, only: found.input });
      assert.equal(again.inputs, 1);
      assert.deepEqual(
        again.findings.map(({ title }) => title),
        [found.title],
      );
    } finally {
      proxy.close();
      await server.close();
    }
  });
});
