// Many large files at once are never in memory. In a file of its own, so that nothing else uses memory meanwhile; the
// double of S3 runs in this process and is part of what is measured.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Blobs } from '../../src/store/blobs/blobs.ts';
import { newKey, startDisk, startS3Blobs, type TestBlobs } from './blob-stores.ts';

const MIB = 1024 * 1024;
const AT_ONCE = 16;
/** More than a part each. */
const FILE_BYTES = 10 * MIB;
/** A single part of 8 MiB for each of them would be 128. */
const LIMIT_BYTES = 64 * MIB;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function held(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

/** The most that is held while all are stored, looked at after every 16 MiB. */
async function peakOfPuts(blobs: Blobs): Promise<number> {
  let peak = 0;
  let given = 0;
  async function* source() {
    for (let own = 0; own < FILE_BYTES; own += 65_536) {
      await turn();
      yield Buffer.alloc(65_536, own % 251);
      given += 65_536;
      if (given % (16 * MIB) === 0) peak = Math.max(peak, held());
    }
  }
  const atFirst = held();
  await Promise.all(Array.from({ length: AT_ONCE }, () => blobs.put(newKey(), source())));
  assert.equal(given, AT_ONCE * FILE_BYTES);
  return peak - atFirst;
}

/** Memory held while many downloads are not read. */
async function peakOfReads(blobs: Blobs): Promise<number> {
  const key = newKey();
  async function* source() {
    for (let own = 0; own < FILE_BYTES; own += MIB) yield Buffer.alloc(MIB, 7);
  }
  await blobs.put(key, source());
  const atFirst = held();
  const streams: Readable[] = [];
  for (let count = 0; count < AT_ONCE; count += 1) {
    const stream = (await blobs.read(key))!;
    await once(stream, 'readable');
    streams.push(stream);
  }
  let peak = 0;
  // Time for whatever would be read ahead.
  for (let look = 0; look < 20; look += 1) {
    for (let time = 0; time < 100; time += 1) await turn();
    peak = Math.max(peak, held());
  }
  for (const stream of streams) stream.destroy();
  return peak - atFirst;
}

for (const [name, start] of [
  ['disk', startDisk],
  ['S3', startS3Blobs],
] as [string, () => Promise<TestBlobs>][]) {
  it(`${AT_ONCE} files of ${FILE_BYTES / MIB} MiB go through ${name} in little memory`, async (t) => {
    const store = await start();
    try {
      for (const [what, measure] of [
        ['put', peakOfPuts],
        ['read', peakOfReads],
      ] as const) {
        const peak = await measure(store.blobs);
        t.diagnostic(`${what}: ${(peak / MIB).toFixed(1)} MiB`);
        assert.ok(peak < LIMIT_BYTES, `${what}: ${peak} bytes`);
      }
    } finally {
      await store.close();
    }
  });
}
