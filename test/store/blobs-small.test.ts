// Small files that are read again and again stay in memory: within their bound, shared among applications, and no longer
// than they are stored.

import assert from 'node:assert/strict';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { BlobKey, Blobs } from '../../src/store/blobs/blobs.ts';
import { createDiskBlobs } from '../../src/store/blobs/disk.ts';
import { keepSmallFiles, SMALL_FILE_BYTES_MAX } from '../../src/store/blobs/small-files.ts';
import { content, inPieces, newApplicationId, newKey, startDisk, type TestBlobs } from './blob-stores.ts';

const SIZE = 1_000;

describe('small files', () => {
  let store: TestBlobs;
  before(async () => {
    store = await startDisk();
  });
  after(() => store.close());

  /** With room for this many files. */
  const keeping = (files: number): Blobs => keepSmallFiles(createDiskBlobs(store.folder), files * SIZE);
  const pathOf = ({ applicationId, attachmentId, part }: BlobKey) =>
    join(store.folder, applicationId, attachmentId.slice(-2), part ? `${attachmentId}.${part}` : attachmentId);

  async function stored(blobs: Blobs, key: BlobKey, size = SIZE): Promise<Buffer> {
    const bytes = content(size);
    await blobs.put(key, inPieces(bytes));
    return bytes;
  }
  const readTwice = async (blobs: Blobs, key: BlobKey) => [await blobs.readWhole(key), await blobs.readWhole(key)];
  /** A file that is not kept is missing once it was removed from the disk. */
  async function isKept(blobs: Blobs, key: BlobKey): Promise<boolean> {
    await rm(pathOf(key), { force: true });
    return (await blobs.readWhole(key)) !== undefined;
  }

  it('are kept when they are read a second time', async () => {
    const blobs = keeping(2);
    const [once, twice] = [newKey(), newKey()];
    await stored(blobs, once);
    const bytes = await stored(blobs, twice);
    await blobs.readWhole(once);
    for (const read of await readTwice(blobs, twice)) assert.ok(read?.equals(bytes));
    assert.equal(await isKept(blobs, once), false);
    assert.equal(await isKept(blobs, twice), true);
    assert.ok((await blobs.readWhole(twice, SIZE))?.equals(bytes));
  });

  it('are not kept if they are larger', async () => {
    const blobs = keeping(1_000);
    const key = newKey();
    await stored(blobs, key, SMALL_FILE_BYTES_MAX + 1);
    await readTwice(blobs, key);
    assert.equal(await isKept(blobs, key), false);
  });

  it('make room for newer ones, at the cost of the application that keeps the most', async () => {
    const blobs = keeping(3);
    const other = newKey();
    await stored(blobs, other);
    await readTwice(blobs, other);
    const applicationId = newApplicationId();
    const keys = Array.from({ length: 5 }, () => newKey(applicationId));
    for (const key of keys) {
      await stored(blobs, key);
      await readTwice(blobs, key);
      // Used last, so it is not the one that goes.
      if (key !== keys[0]) await blobs.readWhole(keys[0]!);
    }
    const kept = [];
    for (const key of keys) kept.push(await isKept(blobs, key));
    assert.deepEqual(kept, [true, false, false, false, true]);
    assert.equal(await isKept(blobs, other), true);
  });

  it('are no longer kept once they are removed or replaced', async () => {
    const blobs = keeping(10);
    const removals: ((key: BlobKey) => Promise<void>)[] = [
      (key) => blobs.remove(key),
      ({ applicationId, attachmentId }) => blobs.removeAll({ applicationId, attachmentId }),
      ({ applicationId, attachmentId }) => blobs.removeParts({ applicationId, attachmentId }),
    ];
    for (const remove of removals) {
      const key = { ...newKey(), part: '64.webp' };
      await stored(blobs, key);
      await readTwice(blobs, key);
      await remove(key);
      assert.equal(await blobs.readWhole(key), undefined);
    }
    const key = newKey();
    await stored(blobs, key);
    await readTwice(blobs, key);
    const bytes = await stored(blobs, key);
    assert.ok((await blobs.readWhole(key))?.equals(bytes));
  });

  it('are those of the wanted size only', async () => {
    const blobs = keeping(10);
    const key = newKey();
    await stored(blobs, key);
    for (const size of [0, SIZE - 1, SIZE + 1]) assert.equal(await blobs.readWhole(key, size), undefined, String(size));
    await readTwice(blobs, key);
    for (const size of [0, SIZE - 1, SIZE + 1]) assert.equal(await blobs.readWhole(key, size), undefined, String(size));
    const [shorter, longer, empty] = [newKey(), newKey(), newKey()];
    for (const one of [shorter, longer]) await stored(blobs, one);
    await truncate(pathOf(shorter), SIZE - 1);
    await writeFile(pathOf(longer), 'more', { flag: 'a' });
    for (const one of [shorter, longer]) assert.equal(await blobs.readWhole(one, SIZE), undefined);
    await stored(blobs, empty, 0);
    assert.equal((await blobs.readWhole(empty, 0))?.length, 0);
  });
});
