// The chunks of files and of long records on their way to clients: one in each turn of the event loop, and applications
// alternate.

import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { chunkTurn, DOWNLOAD_CHUNK_BYTES } from '../../src/http/clients/file-chunk-queue.ts';
import { writeParts } from '../../src/http/write.ts';
import { ByteBudget } from '../../src/load/byte-budget.ts';
import { RequestScope } from '../../src/request/request-scope.ts';

describe('the chunks of downloads', () => {
  it('go out one in each turn of the event loop, and those of another application are next', async () => {
    const sent: string[] = [];
    const send = (tenant: string, name: string, bytes = DOWNLOAD_CHUNK_BYTES) => {
      const waiting = chunkTurn(tenant, bytes);
      if (waiting === undefined) sent.push(name);
      else void waiting.then(() => sent.push(name));
    };
    for (const name of ['loud 1', 'loud 2', 'loud 3', 'loud 4']) send('loud', name);
    send('quiet', 'quiet 1');
    send('quiet', 'short', DOWNLOAD_CHUNK_BYTES - 1);
    assert.deepEqual(sent, ['loud 1', 'short'], 'a short one takes no turn');
    const inTurns: string[][] = [];
    for (let n = 0; n < 5; n++) {
      const before = sent.length;
      await turn();
      inTurns.push(sent.slice(before));
    }
    assert.deepEqual(inTurns, [['loud 2'], ['quiet 1'], ['loud 3'], ['loud 4'], []]);
    send('loud', 'loud 5');
    assert.deepEqual(sent.at(-1), 'loud 5', 'the queue is empty again');
    await turn();
  });
});

describe('a reply of long records', () => {
  it('goes out in chunks as well, however much its connection takes at once', async () => {
    const long = Buffer.alloc(10 * DOWNLOAD_CHUNK_BYTES + 1, 'a');
    const shorter = Array.from({ length: 20 }, (_, n) => Buffer.alloc(20_000, String(n % 10)));
    const parts = ['[', long, ',', ...shorter, ']'];
    const received: Buffer[] = [];
    const gone: (string | Uint8Array)[] = [];
    const connection = new Writable({
      highWaterMark: 2 ** 30,
      write: (chunk: Buffer, _, done) => {
        received.push(Buffer.from(chunk));
        done();
      },
    });
    const sending = writeParts(connection, parts, {
      tenant: 'loud',
      gone: (part) => gone.push(part),
      waiting: (its) => its,
    });
    const bytes = () => received.reduce((sum, { length }) => sum + length, 0);
    for (let before = 0; !connection.writableFinished; before = bytes()) {
      await turn();
      const inThisTurn = bytes() - before;
      assert.ok(inThisTurn < 3 * DOWNLOAD_CHUNK_BYTES, `${inThisTurn} bytes in one turn of the event loop`);
    }
    await sending;
    assert.ok(Buffer.concat(received).equals(Buffer.concat(parts.map((part) => Buffer.from(part)))));
    assert.deepEqual(gone, parts, 'each part is told once, when all of it has gone out');
  });

  it('is not taken for that of a slow client while it waits for the chunks of others', async () => {
    const budget = new ByteBudget({ eachBytesMax: 1_000, allBytesMax: 1_000, slowReaderMs: 20 });
    const scope = new RequestScope('fast', 10_000);
    scope.tenant = 'fast';
    budget.require(scope, 1_000);
    let isCut = false;
    budget.send(scope, () => {
      isCut = true;
    });
    const waiter = new RequestScope('waiter', 10_000);
    waiter.tenant = 'other';
    const admitted = budget.wait(waiter, 1_000);
    // Each chunk of the others takes the event loop for a while.
    const others = Array.from({ length: 60 }, async () => {
      await chunkTurn('others', DOWNLOAD_CHUNK_BYTES);
      const until = performance.now() + 20;
      while (performance.now() < until);
    });
    const connection = new Writable({ write: (_chunk, _, done) => done() });
    const parts = Array.from({ length: 60 }, () => Buffer.alloc(DOWNLOAD_CHUNK_BYTES));
    const waiting = (its: Promise<void>) => budget.whileNotSending(scope, its);
    await writeParts(connection, parts, { tenant: 'fast', gone: () => undefined, waiting });
    await Promise.all(others);
    assert.equal(isCut, false);
    budget.release(scope);
    await admitted;
    budget.release(waiter);
  });
});
