// Attachments in an S3-compatible store, under `<prefix><application>/<attachment>[.<part>]`. Only calls that every such
// store has are needed; where one lacks the list of uploads under way, it has to clear those away by itself.

import { createHash, randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ListMultipartUploadsCommandOutput, ListObjectsV2CommandOutput, S3 } from '@aws-sdk/client-s3';
import type { ByteRange } from '../../domain/attachments/byte-range.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import { type BlobKey, type Blobs, type PutOptions, StoreAway, type StoredBlob, UnusableStore } from './blobs.ts';
import { CHUNK_BYTES, unheard } from './files.ts';
import { checkApplication, checkKey, checkNewKey, fileNameOf, isInterrupted, keyOfFileName } from './keys.ts';
import {
  callWithTimeout,
  createClient,
  isAway,
  isMissing,
  isUnknownCall,
  OPENING_MS,
  type S3Options,
} from './s3-client.ts';
import { openSpool, storeThroughSpool } from './s3-upload.ts';

/** How long a store may leave a waiting reader without a byte. */
const STALL_MS = 60_000;
const REMOVALS_AT_ONCE = 4;

interface S3BlobsOptions extends S3Options {
  /** For at most 16 MiB of each upload that is under way. */
  readonly spoolFolder: string;
}

/** What is under way, as `list` names it: the store's own identifier has characters that a part may not have. */
const markOf = (uploadId: string): string =>
  `uploading-${createHash('sha256').update(uploadId).digest('hex').slice(0, 16)}`;

/** The body as it is asked for. Its time runs only while somebody waits for bytes: readers may be as slow as they like. */
export function paced(body: Readable, stallMs = STALL_MS): Readable {
  const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const reader = new Readable({
    highWaterMark: CHUNK_BYTES,
    read() {
      const late = () => this.destroy(new Error(`the store sent nothing for ${stallMs} ms`));
      const timer = setTimeout(late, stallMs);
      const take = async () => {
        try {
          const { done, value } = await chunks.next();
          clearTimeout(timer);
          this.push(done ? null : value);
        } catch (error) {
          clearTimeout(timer);
          this.destroy(error as Error);
        }
      };
      void take();
    },
    destroy(error, callback) {
      body.destroy();
      callback(error);
    },
  });
  body.on('error', (error) => reader.destroy(error));
  return unheard(reader);
}

type Page<T> = { items: T; next: string | undefined };

/** All pages of a list; a store that gives the same mark twice would give it for ever. */
async function* pages<T>(ask: (mark: string | undefined) => Promise<Page<T>>): AsyncIterable<T> {
  let mark: string | undefined;
  for (;;) {
    const { items, next } = await ask(mark);
    yield items;
    if (next === undefined) return;
    if (next === mark) throw new Error('the store repeats a page of its list');
    mark = next;
  }
}

export function createS3Blobs(options: S3BlobsOptions): Blobs {
  const { bucket: Bucket, prefix, endpoint, region, spoolFolder } = options;
  const place = `s3://${Bucket}/${prefix} at ${endpoint === undefined ? `AWS ${region}` : new URL(endpoint).origin}`;
  let client: S3 | undefined;

  const opened = (): S3 => {
    if (client === undefined) throw new Error('the store of attachments is not open');
    return client;
  };
  const homeOf = (applicationId: string) => `${prefix}${applicationId}/`;
  const objectOf = (key: BlobKey) => ({ Bucket, Key: homeOf(key.applicationId) + fileNameOf(key) });

  const objects = (Prefix: string, Delimiter?: string): AsyncIterable<ListObjectsV2CommandOutput> =>
    pages(async (ContinuationToken) => {
      const page = await callWithTimeout((call) =>
        opened().listObjectsV2({ Bucket, Prefix, Delimiter, ContinuationToken }, call),
      );
      return { items: page, next: page.IsTruncated ? page.NextContinuationToken : undefined };
    });

  async function* uploads(Prefix: string, Delimiter?: string): AsyncIterable<ListMultipartUploadsCommandOutput> {
    const all = pages(async (mark) => {
      const [KeyMarker, UploadIdMarker] = mark?.split('\n') ?? [];
      const page = await callWithTimeout((call) =>
        opened().listMultipartUploads({ Bucket, Prefix, Delimiter, KeyMarker, UploadIdMarker }, call),
      );
      const next = [page.NextKeyMarker, page.NextUploadIdMarker].filter((marker) => marker !== undefined).join('\n');
      return { items: page, next: page.IsTruncated ? next : undefined };
    });
    try {
      yield* all;
    } catch (error) {
      if (!isUnknownCall(error)) throw error;
    }
  }

  async function* underWay(applicationId: string, name = ''): AsyncIterable<{ key: BlobKey; abort(): Promise<void> }> {
    const home = homeOf(applicationId);
    for await (const page of uploads(home + name)) {
      for (const { Key = '', UploadId = '' } of page.Uploads ?? []) {
        const key = keyOfFileName(applicationId, `${Key.slice(home.length)}.${markOf(UploadId)}`);
        if (key === undefined) continue;
        const abort = async () => {
          await callWithTimeout((call) => opened().abortMultipartUpload({ Bucket, Key, UploadId }, call));
        };
        yield { key, abort: () => abort().catch((error) => (isMissing(error) ? undefined : Promise.reject(error))) };
      }
    }
  }

  async function* stored(applicationId: string, name = ''): AsyncIterable<StoredBlob> {
    const home = homeOf(applicationId);
    for await (const page of objects(home + name)) {
      for (const { Key = '', Size = 0 } of page.Contents ?? []) {
        const key = keyOfFileName(applicationId, Key.slice(home.length));
        if (key !== undefined) yield { ...key, size: Size };
      }
    }
  }

  async function put(
    key: BlobKey,
    bytes: AsyncIterable<Uint8Array>,
    { shared = false }: PutOptions = {},
  ): Promise<void> {
    checkNewKey(key);
    const target = { s3: opened(), object: objectOf(key), shared };
    const spool = await openSpool(spoolFolder);
    try {
      await storeThroughSpool(target, spool, bytes);
    } finally {
      await spool.close();
    }
  }

  async function read(key: BlobKey, range?: ByteRange): Promise<Readable | undefined> {
    checkKey(key);
    const Range = range === undefined ? undefined : `bytes=${range.start}-${range.end}`;
    try {
      const { Body } = await callWithTimeout((call) => opened().getObject({ ...objectOf(key), Range }, call));
      if (!(Body instanceof Readable)) throw new Error('the store answered without a body');
      return paced(Body);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async function size(key: BlobKey): Promise<number | undefined> {
    checkKey(key);
    try {
      return (await callWithTimeout((call) => opened().headObject(objectOf(key), call))).ContentLength;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async function remove(key: BlobKey): Promise<void> {
    checkKey(key);
    if (!isInterrupted(key.part)) {
      await callWithTimeout((call) => opened().deleteObject(objectOf(key), call));
      return;
    }
    for await (const one of underWay(key.applicationId, key.attachmentId)) {
      if (one.key.part === key.part) await one.abort();
    }
  }

  async function removeWhere(
    { applicationId, attachmentId }: BlobKey,
    wanted: (part: string | undefined) => boolean,
  ): Promise<void> {
    checkKey({ applicationId, attachmentId });
    // First, so that none of them becomes an object afterwards.
    for await (const { abort } of underWay(applicationId, attachmentId)) await abort();
    const keys: BlobKey[] = [];
    for await (const key of stored(applicationId, attachmentId)) if (wanted(key.part)) keys.push(key);
    // One by one: for the removal of many in one request, stores ask for checksums of different kinds.
    for (let from = 0; from < keys.length; from += REMOVALS_AT_ONCE) {
      await Promise.all(keys.slice(from, from + REMOVALS_AT_ONCE).map(remove));
    }
  }

  async function* list(applicationId: string): AsyncIterable<StoredBlob> {
    checkApplication(applicationId);
    yield* stored(applicationId);
    for await (const { key } of underWay(applicationId)) yield key;
  }

  async function* applications(): AsyncIterable<string> {
    const seen = new Set<string>();
    for (const lists of [objects, uploads]) {
      for await (const page of lists(prefix, '/')) {
        for (const { Prefix = '' } of page.CommonPrefixes ?? []) {
          const applicationId = Prefix.slice(prefix.length, -1);
          if (seen.has(applicationId) || !isIdentifier('applicationId', applicationId)) continue;
          seen.add(applicationId);
          yield applicationId;
        }
      }
    }
  }

  /** Proves that the bucket can be listed, written, read and cleared, and that uploads can pass through the spool. */
  async function prepare(): Promise<void> {
    await mkdir(spoolFolder, { recursive: true, mode: 0o700 });
    await (await openSpool(spoolFolder)).close();
    client = await createClient(options);
    const probe = { Bucket, Key: `${prefix}.probe-${randomBytes(8).toString('hex')}` };
    const s3 = client;
    await callWithTimeout((call) => s3.listObjectsV2({ Bucket, Prefix: prefix, MaxKeys: 1 }, call), OPENING_MS);
    await callWithTimeout((call) => s3.putObject({ ...probe, Body: 'probe' }, call), OPENING_MS);
    await callWithTimeout((call) => s3.headObject(probe, call), OPENING_MS);
    await callWithTimeout((call) => s3.deleteObject(probe, call), OPENING_MS);
  }

  const close = async () => {
    client?.destroy();
    client = undefined;
  };

  return {
    place,
    open: async () => {
      try {
        await prepare();
      } catch (error) {
        const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
        // Stays open: it is used as soon as it answers.
        if (isAway(error))
          throw new StoreAway(`The attachments in ${place} do not answer: ${reason}`, { cause: error });
        await close();
        throw new UnusableStore(`The attachments in ${place} cannot be read and written: ${reason}`, { cause: error });
      }
    },
    put,
    read,
    size,
    remove,
    removeAll: (key) => removeWhere(key, () => true),
    removeBeside: (key) => removeWhere(key, (part) => part !== undefined),
    applications,
    list,
    close,
  };
}
