// The chunks of files on their way to clients: one in each turn of the event loop, and applications alternate.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { chunkTurn, DOWNLOAD_CHUNK_BYTES } from '../../src/http/clients/file-chunk-queue.ts';

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
