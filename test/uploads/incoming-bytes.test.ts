// The bytes of a request in pieces: boundaries, bytes that break off, and somebody newer who waits.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IncomingBytes } from '../../src/operations/attachments/incoming-bytes.ts';

const never = new AbortController().signal;

async function* chunks(...sizes: number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (const size of sizes) {
    yield Uint8Array.from({ length: size }, () => at++ % 251);
  }
}

async function pieces(bytes: IncomingBytes, bytesMax: number): Promise<Buffer[]> {
  const taken: Buffer[] = [];
  while (await bytes.more()) {
    const parts: Uint8Array[] = [];
    for await (const part of bytes.take(bytesMax)) parts.push(part);
    taken.push(Buffer.concat(parts));
  }
  return taken;
}

describe('incoming bytes', () => {
  it('are cut where a piece is full, wherever their chunks end', async () => {
    for (const sizes of [[], [0], [10], [3, 3, 4], [4, 4, 2], [1, 9], [25], [0, 12, 0, 0, 13, 0], [4, 4, 4]]) {
      const total = sizes.reduce((sum, size) => sum + size, 0);
      const bytes = new IncomingBytes(chunks(...sizes), never);
      const taken = await pieces(bytes, 4);
      assert.deepEqual(
        Buffer.concat(taken),
        Buffer.from(Uint8Array.from({ length: total }, (_, index) => index % 251)),
      );
      assert.deepEqual(
        taken.map(({ length }) => length),
        [...Array<number>(Math.floor(total / 4)).fill(4), ...(total % 4 === 0 ? [] : [total % 4])],
      );
      assert.equal(bytes.failure, undefined);
    }
  });

  it('are kept as far as they came when they break off', async () => {
    const failure = new Error('gone');
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield* chunks(6);
      throw failure;
    }
    const bytes = new IncomingBytes(breaking(), never);
    const taken = await pieces(bytes, 4);
    assert.deepEqual(
      taken.map(({ length }) => length),
      [4, 2],
    );
    assert.equal(bytes.failure?.error, failure);
    assert.equal(await bytes.more(), false);
  });

  it('end for a newer request with the bytes that have arrived, without waiting for a dead connection', async () => {
    const newer = new AbortController();
    let wake = (): void => undefined;
    const silence = new Promise<void>((resolve) => {
      wake = resolve;
    });
    async function* stalling(): AsyncGenerator<Uint8Array> {
      yield* chunks(3);
      newer.abort('newer');
      yield* chunks(2);
      await silence;
    }
    const bytes = new IncomingBytes(stalling(), newer.signal);
    const taken = await pieces(bytes, 100);
    assert.deepEqual(
      taken.map(({ length }) => length),
      [5],
    );
    assert.equal(bytes.failure?.error, 'newer');
    await bytes.close();
    wake();
  });

  it('end soon for a newer request, also while bytes arrive', async () => {
    const newer = new AbortController();
    async function* flowing(): AsyncGenerator<Uint8Array> {
      for (;;) {
        yield* chunks(1);
        await new Promise(setImmediate);
      }
    }
    const bytes = new IncomingBytes(flowing(), newer.signal);
    setTimeout(() => newer.abort('newer'), 50);
    const startedAt = performance.now();
    await pieces(bytes, 1000);
    assert.equal(bytes.failure?.error, 'newer');
    assert.ok(performance.now() - startedAt < 5_000);
    await bytes.close();
  });

  it('have let go of their source when they are closed', async () => {
    let open = true;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        yield* chunks(3, 3);
      } finally {
        await new Promise(setImmediate);
        open = false;
      }
    }
    const bytes = new IncomingBytes(source(), never);
    assert.equal(await bytes.more(), true);
    await bytes.close();
    assert.equal(open, false);
    assert.equal(bytes.failure, undefined);
  });
});
