// Bytes are read back before they count as stored, and a failure stays attributed to the source or the store.

import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { Fault, fault } from '../../src/faults.ts';
import { type Blobs, UnknownOutcome } from '../../src/store/blobs/blobs.ts';
import {
  mayAppearLater,
  putVerified,
  readStored,
  replaceVerified,
  storageUnavailable,
} from '../../src/store/blobs/writes.ts';
import {
  bytesOf,
  collect,
  content,
  failing,
  inPieces,
  newKey,
  sha256,
  startDisk,
  startS3Blobs,
  type TestBlobs,
} from './blob-stores.ts';

const isUnavailable = (error: unknown): boolean => {
  assert.ok(error instanceof Fault);
  assert.equal(error.code, 'UNAVAILABLE');
  assert.deepEqual(error.params, { reason: 'storage' });
  assert.deepEqual(error.headers, { 'retry-after': '1' });
  assert.ok(error.cause instanceof Error);
  return true;
};

for (const [name, start] of [
  ['disk', startDisk],
  ['S3', startS3Blobs],
] as [string, () => Promise<TestBlobs>][]) {
  describe(`verified writes on ${name}`, { concurrency: true }, () => {
    let store: TestBlobs;
    before(async () => {
      store = await start();
    });
    after(() => store.close());

    /** The store with some of its behaviour replaced. */
    const but = (changes: Partial<Blobs>): Blobs => ({ ...store.blobs, ...changes });
    const nothingLeft = async (applicationId: string) =>
      assert.deepEqual(await collect(store.blobs.list(applicationId)), []);

    for (const size of [0, 1, 9_000_000]) {
      it(`gives size and hash of ${size} bytes`, async () => {
        const key = newKey();
        const bytes = content(size);
        assert.deepEqual(await putVerified(store.blobs, key, inPieces(bytes)), { size, hash: sha256(bytes) });
        assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
      });
    }

    const spoilt: [string, (bytes: Buffer) => Buffer][] = [
      [
        'a flipped bit',
        (bytes) => {
          bytes[bytes.length - 1]! ^= 1;
          return bytes;
        },
      ],
      ['a missing end', (bytes) => bytes.subarray(0, -1)],
      ['an end too much', (bytes) => Buffer.concat([bytes, Buffer.alloc(1)])],
    ];
    for (const [what, spoil] of spoilt) {
      it(`notices ${what}`, async () => {
        const key = newKey();
        const blobs = but({
          put: async (to, bytes) =>
            store.blobs.put(to, inPieces(spoil(Buffer.concat(await collect<Uint8Array>(bytes))))),
        });
        await assert.rejects(putVerified(blobs, key, inPieces(content(1000))), isUnavailable);
        await nothingLeft(key.applicationId);
      });
    }

    it('notices a store that takes a part for the whole', async () => {
      const key = newKey();
      const blobs = but({
        put: async (to, bytes) => {
          for await (const chunk of bytes) return store.blobs.put(to, inPieces(chunk));
        },
      });
      await assert.rejects(putVerified(blobs, key, inPieces(content(1000), 100)), isUnavailable);
      await nothingLeft(key.applicationId);
    });

    it('notices a file that is missing or cut short when it is read back', async () => {
      const key = newKey();
      const broken = Readable.from(failing(content(10), new Error('EIO')));
      for (const read of [async () => undefined, async () => broken]) {
        await assert.rejects(putVerified(but({ read }), key, inPieces(content(1000))), isUnavailable);
        await nothingLeft(key.applicationId);
      }
    });

    it('leaves a replaced file that it cannot verify, as another request may have stored the same', async () => {
      const key = newKey();
      const bytes = content(1000);
      await store.blobs.put(key, inPieces(bytes));
      const read = () => Promise.reject(new Error('EIO'));
      await assert.rejects(replaceVerified(but({ read }), key, inPieces(bytes)), isUnavailable);
      assert.ok((await bytesOf(await store.blobs.read(key)))?.equals(bytes));
    });

    it('passes on the error of the source, even if the store wraps or hides it', async () => {
      const tooLarge = fault('INVALID_BODY', { reason: 'tooLarge' });
      const wraps = but({
        put: (to, bytes) =>
          store.blobs.put(to, bytes).catch((cause) => Promise.reject(new Error('upload failed', { cause }))),
      });
      const hides = but({ put: (to, bytes) => store.blobs.put(to, bytes).catch(() => undefined) });
      for (const blobs of [store.blobs, wraps, hides]) {
        for (const error of [tooLarge, new Error('aborted'), 'a word']) {
          const key = newKey();
          const outcome = await putVerified(blobs, key, failing(content(1000), error)).catch((thrown) => ({ thrown }));
          assert.deepEqual(outcome, { thrown: error });
          await nothingLeft(key.applicationId);
        }
      }
    });

    for (const code of ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EACCES', 'EMFILE', 'ECONNREFUSED', 'ETIMEDOUT']) {
      it(`turns ${code} of the store into UNAVAILABLE`, async () => {
        const put = async () => {
          throw Object.assign(new Error(code), { code });
        };
        await assert.rejects(putVerified(but({ put }), newKey(), inPieces(content(10))), isUnavailable);
      });
    }

    it('reads a stored file, and throws UNAVAILABLE for one that is missing or unreadable', async () => {
      const key = newKey();
      const bytes = content(1000);
      await putVerified(store.blobs, key, inPieces(bytes));
      assert.ok((await bytesOf(await readStored(store.blobs, key)))?.equals(bytes));
      const range = await bytesOf(await readStored(store.blobs, key, { start: 1, end: 2 }));
      assert.ok(range?.equals(bytes.subarray(1, 3)));
      const thumbnail = { ...key, part: '64.webp' };
      await assert.rejects(readStored(store.blobs, thumbnail), (error) => {
        assert.ok(isUnavailable(error));
        const { message } = (error as Fault).cause as Error;
        assert.equal(message, `the bytes of ${key.attachmentId}.64.webp are not at ${store.blobs.location}`);
        return true;
      });
      const read = () => Promise.reject(new Error('EIO'));
      await assert.rejects(readStored(but({ read }), key), isUnavailable);
    });

    it('knows whether a file that could not be stored may appear later', async () => {
      for (const error of [new UnknownOutcome(), new Error('refused')]) {
        const put = () => Promise.reject(error);
        const thrown = await putVerified(but({ put }), newKey(), inPieces(content(1))).catch((reason) => reason);
        assert.ok(isUnavailable(thrown));
        assert.equal(mayAppearLater(thrown), error instanceof UnknownOutcome);
      }
    });

    it('takes a key that is none for a mistake of ours', async () => {
      const wrong = putVerified(store.blobs, { ...newKey(), part: '../x' }, inPieces(content(1)));
      await assert.rejects(wrong, (error) => !(error instanceof Fault));
    });
  });
}

it('a store that is away is UNAVAILABLE', async () => {
  const store = await startS3Blobs();
  try {
    await store.s3.close();
    await assert.rejects(putVerified(store.blobs, newKey(), inPieces(content(10))), isUnavailable);
    const error: unknown = await store.blobs.read(newKey()).catch((reason) => reason);
    assert.ok(isUnavailable(storageUnavailable(error)));
  } finally {
    await store.close();
  }
});

it('faults are not wrapped', () => {
  const known = fault('NOT_FOUND');
  assert.equal(storageUnavailable(known), known);
});
