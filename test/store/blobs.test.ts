// The contract of all blob stores, tested on each of them.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import type { BlobKey, StoredBlob } from '../../src/store/blobs/blobs.ts';
import {
  bytesOf,
  collect,
  content,
  failing,
  inPieces,
  newApplicationId,
  newKey,
  startDisk,
  startS3Blobs,
  type TestBlobs,
} from './blob-stores.ts';

const MIB = 1024 * 1024;
const PART = 8 * MIB;

const STORES: [string, () => Promise<TestBlobs>][] = [
  ['disk', startDisk],
  ['S3', startS3Blobs],
  ['S3 without a prefix', () => startS3Blobs('')],
];

/** `uploading-…` has a random end. */
const described = (listed: readonly StoredBlob[]) =>
  listed
    .map(({ attachmentId, part, size }) => [attachmentId, part?.replace(/uploading-.*/, 'uploading'), size].join(' '))
    .sort();

for (const [name, start] of STORES) {
  describe(`blobs on ${name}`, { concurrency: true }, () => {
    let store: TestBlobs;
    before(async () => {
      store = await start();
    });
    after(() => store.close());

    for (const size of [0, 1, PART - 1, PART, PART + 1, 20 * MIB]) {
      it(`gives back ${size} bytes`, async () => {
        const key = newKey();
        const bytes = content(size);
        await store.blobs.put(key, inPieces(bytes));
        assert.equal(await store.blobs.size(key), size);
        // Not deepEqual, which would take minutes to describe 20 MiB.
        assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
        assert.deepEqual(await collect(store.blobs.list(key.applicationId)), [{ ...key, size }]);
      });
    }

    it('takes pieces larger than a part', async () => {
      const key = newKey();
      const bytes = content(20 * MIB);
      await store.blobs.put(key, inPieces(bytes, 19 * MIB));
      assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
    });

    it('reads ranges, both ends inclusive', async () => {
      const key = newKey();
      const bytes = content(300_000);
      await store.blobs.put(key, inPieces(bytes));
      for (const [start, end] of [
        [0, 0],
        [0, 1],
        [1, 1],
        [65_535, 65_536],
        [70_000, 299_999],
        [0, 299_999],
      ] as const) {
        const found = await bytesOf(await store.blobs.read(key, { start, end }));
        assert.ok(found?.equals(bytes.subarray(start, end + 1)), `${start}-${end}`);
      }
    });

    it('replaces a file and keeps those beside it', async () => {
      const key = newKey();
      const beside = { ...key, part: '256.webp' };
      await store.blobs.put(beside, inPieces(content(10)));
      for (const size of [PART + 1, 5]) {
        const bytes = content(size);
        await store.blobs.put(key, inPieces(bytes));
        assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
      }
      assert.deepEqual(described(await collect(store.blobs.list(key.applicationId))), [
        `${key.attachmentId}  5`,
        `${key.attachmentId} 256.webp 10`,
      ]);
    });

    for (const size of [0, 1000, PART, 2 * PART + 1000]) {
      it(`leaves nothing when the source fails after ${size} bytes`, async () => {
        const key = newKey();
        const error = new Error('the client is gone');
        await assert.rejects(store.blobs.put(key, failing(content(size), error)), error);
        assert.equal(await store.blobs.read(key), undefined);
        assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
      });
    }

    it('keeps a file when its replacement breaks off', async () => {
      const key = newKey();
      const bytes = content(1000);
      await store.blobs.put(key, inPieces(bytes));
      await assert.rejects(store.blobs.put(key, failing(content(PART + 1), new Error('gone'))), /gone/);
      assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
    });

    it('removes all files of an attachment, interrupted ones too, and no others', async () => {
      const key = newKey();
      const neighbour = { ...newKey(key.applicationId), part: 'piece-0' };
      for (const one of [key, { ...key, part: '256.webp' }, { ...key, part: 'piece-0' }, neighbour]) {
        await store.blobs.put(one, inPieces(content(100)));
      }
      for (const one of [key, { ...key, part: 'piece-1' }, neighbour]) await store.interrupt(one);
      await store.litter(key.applicationId);
      assert.deepEqual(
        described(await collect(store.blobs.list(key.applicationId))),
        [
          `${key.attachmentId}  100`,
          `${key.attachmentId} 256.webp 100`,
          `${key.attachmentId} piece-0 100`,
          `${key.attachmentId} piece-1.uploading `,
          `${key.attachmentId} uploading `,
          `${neighbour.attachmentId} piece-0 100`,
          `${neighbour.attachmentId} piece-0.uploading `,
        ].sort(),
      );
      await store.blobs.removeAll(key);
      const rest = await collect(store.blobs.list(key.applicationId));
      assert.deepEqual(described(rest), [
        `${neighbour.attachmentId} piece-0 100`,
        `${neighbour.attachmentId} piece-0.uploading `,
      ]);
      for (const one of rest) await store.blobs.remove(one);
      assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
    });

    it('removes all files beside a file, interrupted ones too, and never the file', async () => {
      const key = newKey();
      const neighbour = { ...newKey(key.applicationId), part: 'piece-0-ab' };
      for (const one of [key, { ...key, part: '256.webp' }, { ...key, part: 'piece-0-ab' }, neighbour]) {
        await store.blobs.put(one, inPieces(content(100)));
      }
      for (const one of [key, { ...key, part: 'piece-9-cd' }]) await store.interrupt(one);
      for (let time = 0; time < 2; time += 1) await store.blobs.removeParts(key);
      assert.deepEqual(
        described(await collect(store.blobs.list(key.applicationId))),
        [`${key.attachmentId}  100`, `${neighbour.attachmentId} piece-0-ab 100`].sort(),
      );
      await store.blobs.removeParts(newKey());
    });

    it('removes one file, and ignores a missing one', async () => {
      const key = newKey();
      const beside = { ...key, part: 'piece-0' };
      for (const one of [key, beside]) await store.blobs.put(one, inPieces(content(100)));
      for (let time = 0; time < 2; time += 1) await store.blobs.remove(key);
      assert.equal(await store.blobs.size(key), undefined);
      assert.equal(await store.blobs.size(beside), 100);
      await store.blobs.remove(newKey());
      await store.blobs.removeAll(newKey());
    });

    it('lists the applications with stored files', async () => {
      const [stored, interrupted, littered, emptied] = Array.from({ length: 4 }, newApplicationId);
      await store.blobs.put({ ...newKey(stored), part: 'piece-0' }, inPieces(content(10)));
      await store.interrupt(newKey(interrupted));
      await store.litter('not-an-application');
      const gone = newKey(emptied);
      await store.blobs.put(gone, inPieces(content(10)));
      await store.blobs.removeAll(gone);
      // Others are stored at the same time.
      const named = await collect(store.blobs.applications());
      assert.deepEqual(
        [stored, interrupted, littered, emptied, 'not-an-application'].map((id) => named.includes(id!)),
        [true, true, false, false, false],
      );
      assert.equal(new Set(named).size, named.length);
    });

    it('reports missing files', async () => {
      const key = newKey();
      assert.equal(await store.blobs.read(key), undefined);
      assert.equal(await store.blobs.read(key, { start: 0, end: 5 }), undefined);
      assert.equal(await store.blobs.size(key), undefined);
      assert.deepEqual(await collect(store.blobs.list(key.applicationId)), []);
    });

    it('refuses invalid keys', async () => {
      const key = newKey();
      const wrong: BlobKey[] = [
        { ...key, applicationId: '..' },
        { ...key, applicationId: `${key.applicationId}/..` },
        { ...key, attachmentId: `../${key.attachmentId}` },
        { ...key, attachmentId: `${key.attachmentId}\n` },
        { ...key, attachmentId: key.attachmentId.toUpperCase() },
        { ...key, part: '../x' },
        { ...key, part: '' },
        { ...key, part: 'a\0' },
        { ...key, part: 'x'.repeat(101) },
      ];
      for (const one of wrong) {
        await assert.rejects(store.blobs.put(one, inPieces(content(1))), /not the key/);
        await assert.rejects(store.blobs.read(one), /not the key/);
        await assert.rejects(store.blobs.size(one), /not the key/);
        await assert.rejects(store.blobs.remove(one), /not the key/);
        if (one.part !== undefined) continue;
        await assert.rejects(store.blobs.removeAll(one), /not the key/);
        await assert.rejects(store.blobs.removeParts(one), /not the key/);
      }
      await assert.rejects(store.blobs.put({ ...key, part: 'uploading-1' }, inPieces(content(1))), /reserved/);
      await assert.rejects(collect(store.blobs.list('../x')), /not the identifier/);
    });

    it('lets a reader leave early', async () => {
      const key = newKey();
      const bytes = content(20 * MIB);
      await store.blobs.put(key, inPieces(bytes));
      for (let time = 0; time < 20; time += 1) {
        const stream = await store.blobs.read(key);
        assert.ok(stream);
        if (time % 2 === 0) await once(stream, 'readable');
        stream.destroy();
        await once(stream, 'close');
      }
      assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
    });
  });
}
