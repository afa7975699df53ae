// Memory of chunks that is freed before the collector comes.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { freeBytes, freed } from '../../src/load/freed-bytes.ts';

const KB = 1024;

describe('freed bytes', () => {
  it('are gone at once, and so is their memory', () => {
    const before = process.memoryUsage().arrayBuffers;
    for (let n = 0; n < 100; n++) {
      const chunk = Buffer.allocUnsafeSlow(1024 * KB).fill(n);
      freeBytes(chunk);
      assert.equal(chunk.length, 0);
    }
    assert.ok(process.memoryUsage().arrayBuffers - before < 8 * 1024 * KB);
  });

  it('are not those of others: parts of a larger buffer stay', () => {
    const whole = Buffer.alloc(64 * KB, 'x');
    freeBytes(whole.subarray(0, 32 * KB));
    freeBytes(Buffer.from('from the pool'));
    assert.equal(whole.toString(), 'x'.repeat(64 * KB));
  });

  it('of a stream are valid until the next chunk is asked for', async () => {
    async function* source() {
      for (let n = 0; n < 5; n++) yield Buffer.allocUnsafeSlow(32 * KB).fill(n);
    }
    const seen: Uint8Array[] = [];
    for await (const chunk of freed(source())) {
      assert.equal(chunk[32 * KB - 1], seen.length);
      assert.ok(seen.every(({ length }) => length === 0));
      seen.push(chunk);
    }
    assert.equal(seen.length, 5);
  });
});
