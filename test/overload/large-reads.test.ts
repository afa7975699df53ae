// The order in which large bodies are read, and the pauses between the reads.

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { queueLargeRead } from '../../src/http/clients/large-reads.ts';

const socket = new PassThrough();

/** The timers of the queue fire when the test says so; its turns of the event loop are real. */
async function startReads({ mock }: TestContext, pauseTimes: number) {
  // Until the pauses of other tests are over: the queue is that of the whole process.
  await wait(10);
  const turn = setImmediate;
  mock.timers.enable({ apis: ['setTimeout'] });
  // A clock that stands still: a pause ends only with its timer.
  const now = performance.now();
  mock.method(performance, 'now', () => now);
  const read: string[] = [];
  return {
    read,
    queue: (tenant: string) =>
      queueLargeRead(socket, { tenant, kind: 'file', pauseTimes: () => pauseTimes }, () => read.push(tenant)),
    settle: async () => {
      for (let n = 0; n < 20; n++) await new Promise((resolve) => turn(resolve));
    },
  };
}

describe('the queue for reading large bodies', () => {
  it('reads one in each turn of the event loop, tenant by tenant', async (t) => {
    const { read, queue, settle } = await startReads(t, 0);
    for (const tenant of ['a', 'a', 'a', 'b']) queue(tenant);
    await settle();
    assert.deepEqual(read, ['a', 'b', 'a', 'a']);
  });

  it('pauses after each read beside other tenants', async (t) => {
    const { read, queue, settle } = await startReads(t, 4);
    for (const tenant of ['a', 'a', 'a']) queue(tenant);
    await settle();
    assert.equal(read.length, 1);
    t.mock.timers.tick(1);
    await settle();
    assert.equal(read.length, 2);
    // With the clock at a stand, the second pause comes on top of the first.
    t.mock.timers.tick(1);
    await settle();
    assert.equal(read.length, 2);
    t.mock.timers.tick(1);
    await settle();
    assert.equal(read.length, 3);
  });
});
