// Attachments in an S3-compatible store, under `<prefix><application>/<attachment>[.<part>]`, by calls that every such
// store supports.

import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { S3 } from '@aws-sdk/client-s3';
import type { ByteRange } from '../../domain/attachments/byte-range.ts';
import { type BlobKey, type Blobs, type StoredBlob, StoreUnavailable, StoreUnusable } from './blobs.ts';
import { CHUNK_BYTES, deferErrors } from './files.ts';
import { checkApplication, checkKey, checkNewKey, isInterrupted } from './keys.ts';
import { applicationsIn, objectOf, type S3Bucket, storedBlobs, uploadsInProgress } from './s3-bucket.ts';
import { callWithTimeout, createClient, isAway, isMissing, OPENING_MS, type S3Options } from './s3-client.ts';
import { openSpool, storeBytes } from './s3-upload.ts';

/** How long a store may leave a waiting reader without a byte. */
const STALL_MS = 60_000;
const REMOVALS_AT_ONCE = 4;

interface S3BlobsOptions extends S3Options {
  /** Holds at most 16 MiB of each upload in progress. */
  readonly spoolFolder: string;
}

/** The timeout runs only while the reader waits for bytes: a reader may be as slow as it likes. */
export function withStallTimeout(body: Readable, stallMs = STALL_MS): Readable {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const reader = new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      const stalled = () => this.destroy(new Error(`the store sent nothing for ${stallMs} ms`));
      const timer = setTimeout(stalled, stallMs);
      const pushNext = async () => {
        try {
          const { done, value } = await chunks.next();
          clearTimeout(timer);
          this.push(done ? null : value);
        } catch (error) {
          clearTimeout(timer);
          this.destroy(error as Error);
        }
      };
      void pushNext();
    },
    destroy(error, callback) {
      body.destroy();
      callback(error);
    },
  });
  body.on('error', (error) => reader.destroy(error));
  return deferErrors(reader);
}

/** undefined when the store has no such object. */
async function ifExists<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function read(bucket: S3Bucket, key: BlobKey, range?: ByteRange): Promise<Readable | undefined> {
  checkKey(key);
  const object = { ...objectOf(bucket, key), Range: range && `bytes=${range.start}-${range.end}` };
  const found = await ifExists(callWithTimeout((call) => bucket.client().getObject(object, call)));
  if (found === undefined) return undefined;
  if (!(found.Body instanceof Readable)) throw new Error('the store answered without a body');
  return withStallTimeout(found.Body);
}

async function readWhole(bucket: S3Bucket, key: BlobKey, size?: number): Promise<Buffer | undefined> {
  const stream = await read(bucket, key);
  if (stream === undefined) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > (size ?? length)) return undefined;
    chunks.push(chunk);
  }
  return length === (size ?? length) ? Buffer.concat(chunks, length) : undefined;
}

async function sizeOf(bucket: S3Bucket, key: BlobKey): Promise<number | undefined> {
  checkKey(key);
  const found = await ifExists(callWithTimeout((call) => bucket.client().headObject(objectOf(bucket, key), call)));
  return found?.ContentLength;
}

async function remove(bucket: S3Bucket, key: BlobKey): Promise<void> {
  checkKey(key);
  if (!isInterrupted(key.part)) {
    await callWithTimeout((call) => bucket.client().deleteObject(objectOf(bucket, key), call));
    return;
  }
  for await (const upload of uploadsInProgress(bucket, key.applicationId, key.attachmentId)) {
    if (upload.key.part === key.part) await upload.abort();
  }
}

async function removeWhere(
  bucket: S3Bucket,
  { applicationId, attachmentId }: BlobKey,
  matches: (part: string | undefined) => boolean,
): Promise<void> {
  checkKey({ applicationId, attachmentId });
  // First, so that none of them becomes an object afterwards.
  for await (const upload of uploadsInProgress(bucket, applicationId, attachmentId)) await upload.abort();
  const keys: BlobKey[] = [];
  for await (const key of storedBlobs(bucket, applicationId, attachmentId)) if (matches(key.part)) keys.push(key);
  // One request each: stores demand different checksums for the removal of many in one request.
  for (let from = 0; from < keys.length; from += REMOVALS_AT_ONCE) {
    await Promise.all(keys.slice(from, from + REMOVALS_AT_ONCE).map((key) => remove(bucket, key)));
  }
}

async function* list(bucket: S3Bucket, applicationId: string): AsyncIterable<StoredBlob> {
  checkApplication(applicationId);
  yield* storedBlobs(bucket, applicationId);
  for await (const { key } of uploadsInProgress(bucket, applicationId)) yield key;
}

/** Proves that the bucket can be listed, written, read and cleared. */
async function probe({ name: Bucket, prefix, client }: S3Bucket): Promise<void> {
  const s3 = client();
  const object = { Bucket, Key: `${prefix}.probe-${randomBytes(8).toString('hex')}` };
  await callWithTimeout((call) => s3.listObjectsV2({ Bucket, Prefix: prefix, MaxKeys: 1 }, call), OPENING_MS);
  await callWithTimeout((call) => s3.putObject({ ...object, Body: 'probe' }, call), OPENING_MS);
  await callWithTimeout((call) => s3.headObject(object, call), OPENING_MS);
  await callWithTimeout((call) => s3.deleteObject(object, call), OPENING_MS);
}

export function createS3Blobs(options: S3BlobsOptions): Blobs {
  const { bucket: name, prefix, endpoint, region, spoolFolder } = options;
  const location = `s3://${name}/${prefix} at ${endpoint === undefined ? `AWS ${region}` : new URL(endpoint).origin}`;
  let client: S3 | undefined;
  const bucket: S3Bucket = {
    name,
    prefix,
    client: () => {
      if (client === undefined) throw new Error('the store of attachments is not open');
      return client;
    },
  };

  const close = async () => {
    client?.destroy();
    client = undefined;
  };

  return {
    location,
    open: async () => {
      try {
        await mkdir(spoolFolder, { recursive: true, mode: 0o700 });
        await (await openSpool(spoolFolder)).close();
        client = await createClient(options);
        await probe(bucket);
      } catch (error) {
        const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
        // The client stays open and is used as soon as the store answers.
        if (isAway(error))
          throw new StoreUnavailable(`The attachments in ${location} do not answer: ${reason}`, { cause: error });
        await close();
        throw new StoreUnusable(`The attachments in ${location} cannot be read and written: ${reason}`, {
          cause: error,
        });
      }
    },
    put: async (key, bytes, { shared = false } = {}) => {
      checkNewKey(key);
      const target = { s3: bucket.client(), object: objectOf(bucket, key), shared };
      await storeBytes(target, spoolFolder, bytes);
    },
    read: (key, range) => read(bucket, key, range),
    readWhole: (key, size) => readWhole(bucket, key, size),
    size: (key) => sizeOf(bucket, key),
    remove: (key) => remove(bucket, key),
    removeAll: (key) => removeWhere(bucket, key, () => true),
    removeParts: (key) => removeWhere(bucket, key, (part) => part !== undefined),
    applications: () => applicationsIn(bucket),
    list: (applicationId) => list(bucket, applicationId),
    close,
  };
}
