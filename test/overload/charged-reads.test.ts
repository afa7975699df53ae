// Reads that take the event loop long are charged to the address that they came from: what its other connections send waits,
// as long as the address rests. The clock stands still here, so that it rests until the test has looked.

import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { chargeRead, queueRead } from '../../src/http/clients/read-queue.ts';
import { head, Wire } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const CHUNKED = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' };
const PROBE = head('GET', '/healthz');

describe('the price of an expensive read', { timeout: 60_000 }, () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  /** What has not been answered when the loop has turned so often is not being read. */
  async function settled(): Promise<void> {
    for (let n = 0; n < 300; n++) await turn();
  }

  const reads: { readonly what: string; readonly bytes: string; readonly status: number; readonly paid: boolean }[] = [
    { what: 'a few pipelined requests', bytes: PROBE.repeat(20), status: 200, paid: false },
    { what: 'many pipelined requests', bytes: PROBE.repeat(100), status: 200, paid: true },
    {
      what: 'a body in tiny chunks',
      bytes: head('POST', '/v1/aabcdefg/session', CHUNKED) + '1\r\n \r\n'.repeat(1_000),
      status: 400,
      paid: true,
    },
  ];
  for (const { what, bytes, status, paid } of reads) {
    it(`is ${paid ? 'paid' : 'not paid'} for ${what}`, async ({ mock }) => {
      const costly = await Wire.open(server.address);
      const silent = await Wire.open(server.address);
      await settled();
      const began = performance.now();
      const clock = mock.method(performance, 'now', () => began);
      try {
        costly.write(bytes);
        assert.equal((await costly.answer()).status, status);
        silent.write(PROBE);
        await settled();
        if (paid) assert.equal(silent.socket.bytesRead, 0, 'its address has to rest');
        else assert.equal((await silent.answer()).status, 200);
      } finally {
        clock.mock.restore();
      }
      if (paid) assert.equal((await silent.answer()).status, 200);
      for (const wire of [costly, silent]) wire.close();
    });
  }

  it('is higher for a refused body than for one of as many chunks that is taken', async ({ mock }) => {
    const crowd = `16\r\n${' '.repeat(22)}\r\n`;
    const restAfter = async (chunks: string): Promise<number> => {
      const costly = await Wire.open(server.address);
      const silent = await Wire.open(server.address);
      await settled();
      const began = performance.now();
      let passed = 0;
      const clock = mock.method(performance, 'now', () => began + passed);
      try {
        costly.write(head('POST', '/v1/aabcdefg/session', CHUNKED) + chunks);
        await costly.answer();
        silent.write(PROBE);
        for (; silent.socket.bytesRead === 0; passed += 4) {
          assert.ok(passed <= 100, 'the address rests for too long');
          await settled();
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
      } finally {
        clock.mock.restore();
      }
      for (const wire of [costly, silent]) wire.close();
      return passed;
    };
    const taken = await restAfter(`${crowd.repeat(520)}0\r\n\r\n`);
    const refused = await restAfter('1\r\n \r\n'.repeat(520));
    // Four times, but the clock goes on in steps, of which a slow machine may miss some.
    assert.ok(refused > 3 * taken, `${refused} ms after ${taken} ms`);
  });

  it('lets no other address wait', async ({ mock }) => {
    const [long, short] = ['192.0.2.1', '192.0.2.2'].map((remoteAddress) => ({ remoteAddress }) as Socket);
    const began = performance.now();
    let passed = 0;
    const clock = mock.method(performance, 'now', () => began + passed);
    mock.timers.enable({ apis: ['setTimeout'] });
    const pass = async (milliseconds: number) => {
      passed += milliseconds;
      mock.timers.tick(milliseconds);
      await settled();
    };
    const read: string[] = [];
    try {
      chargeRead(long!, 10);
      queueRead(long!, () => read.push('long'));
      await settled();
      chargeRead(short!, 1);
      queueRead(short!, () => read.push('short'));
      await settled();
      await pass(10);
      assert.deepEqual(read, ['short']);
      await pass(90);
      assert.deepEqual(read, ['short', 'long']);
    } finally {
      mock.timers.reset();
      clock.mock.restore();
    }
  });
});
