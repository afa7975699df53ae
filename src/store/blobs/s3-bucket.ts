// One bucket of an S3-compatible store: which object belongs to which blob, and the lists of stored objects and of
// multipart uploads in progress. Where a store cannot list the uploads, it has to expire them by itself.

import { createHash } from 'node:crypto';
import type { ListMultipartUploadsCommandOutput, ListObjectsV2CommandOutput, S3 } from '@aws-sdk/client-s3';
import { isIdentifier } from '../../wire/identifiers.ts';
import type { BlobKey, StoredBlob } from './blobs.ts';
import { fileNameOf, keyOfFileName } from './keys.ts';
import { callWithTimeout, isMissing, isUnknownCall } from './s3-client.ts';

export interface S3Bucket {
  readonly name: string;
  readonly prefix: string;
  /** Throws unless the store is open. */
  client(): S3;
}

const homeOf = ({ prefix }: S3Bucket, applicationId: string): string => `${prefix}${applicationId}/`;

export const objectOf = (bucket: S3Bucket, key: BlobKey): { Bucket: string; Key: string } => ({
  Bucket: bucket.name,
  Key: homeOf(bucket, key.applicationId) + fileNameOf(key),
});

/** The part under which `list` shows an upload in progress: the store's identifier has characters that a part may not have. */
const interruptedPartOf = (uploadId: string): string =>
  `uploading-${createHash('sha256').update(uploadId).digest('hex').slice(0, 16)}`;

interface Page<T> {
  readonly items: T;
  readonly next: string | undefined;
}

/** All pages of a list. A store that returns the same marker twice would do so for ever. */
async function* pages<T>(fetchPage: (marker: string | undefined) => Promise<Page<T>>): AsyncIterable<T> {
  let marker: string | undefined;
  for (;;) {
    const { items, next } = await fetchPage(marker);
    yield items;
    if (next === undefined) return;
    if (next === marker) throw new Error('the store repeats a page of its list');
    marker = next;
  }
}

function pagesOfObjects(
  bucket: S3Bucket,
  Prefix: string,
  Delimiter?: string,
): AsyncIterable<ListObjectsV2CommandOutput> {
  return pages(async (ContinuationToken) => {
    const query = { Bucket: bucket.name, Prefix, Delimiter, ContinuationToken };
    const page = await callWithTimeout((call) => bucket.client().listObjectsV2(query, call));
    return { items: page, next: page.IsTruncated ? page.NextContinuationToken : undefined };
  });
}

async function* pagesOfUploads(
  bucket: S3Bucket,
  Prefix: string,
  Delimiter?: string,
): AsyncIterable<ListMultipartUploadsCommandOutput> {
  const all = pages(async (marker) => {
    const [KeyMarker, UploadIdMarker] = marker?.split('\n') ?? [];
    const query = { Bucket: bucket.name, Prefix, Delimiter, KeyMarker, UploadIdMarker };
    const page = await callWithTimeout((call) => bucket.client().listMultipartUploads(query, call));
    const next = [page.NextKeyMarker, page.NextUploadIdMarker].filter((part) => part !== undefined).join('\n');
    return { items: page, next: page.IsTruncated ? next : undefined };
  });
  try {
    yield* all;
  } catch (error) {
    if (!isUnknownCall(error)) throw error;
  }
}

/** The stored objects of an application, or those whose names begin with `name`. */
export async function* storedBlobs(bucket: S3Bucket, applicationId: string, name = ''): AsyncIterable<StoredBlob> {
  const home = homeOf(bucket, applicationId);
  for await (const page of pagesOfObjects(bucket, home + name)) {
    for (const { Key = '', Size = 0 } of page.Contents ?? []) {
      const key = keyOfFileName(applicationId, Key.slice(home.length));
      if (key !== undefined) yield { ...key, size: Size };
    }
  }
}

interface UploadInProgress {
  readonly key: BlobKey;
  abort(): Promise<void>;
}

export async function* uploadsInProgress(
  bucket: S3Bucket,
  applicationId: string,
  name = '',
): AsyncIterable<UploadInProgress> {
  const home = homeOf(bucket, applicationId);
  for await (const page of pagesOfUploads(bucket, home + name)) {
    for (const { Key = '', UploadId = '' } of page.Uploads ?? []) {
      const key = keyOfFileName(applicationId, `${Key.slice(home.length)}.${interruptedPartOf(UploadId)}`);
      if (key !== undefined) yield { key, abort: () => abortUpload(bucket, Key, UploadId) };
    }
  }
}

async function abortUpload(bucket: S3Bucket, Key: string, UploadId: string): Promise<void> {
  const upload = { Bucket: bucket.name, Key, UploadId };
  try {
    await callWithTimeout((call) => bucket.client().abortMultipartUpload(upload, call));
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Applications with at least one object or upload in progress. */
export async function* applicationsIn(bucket: S3Bucket): AsyncIterable<string> {
  const { prefix } = bucket;
  const seen = new Set<string>();
  for (const pagesOf of [pagesOfObjects, pagesOfUploads]) {
    for await (const page of pagesOf(bucket, prefix, '/')) {
      for (const { Prefix = '' } of page.CommonPrefixes ?? []) {
        const applicationId = Prefix.slice(prefix.length, -1);
        if (seen.has(applicationId) || !isIdentifier('applicationId', applicationId)) continue;
        seen.add(applicationId);
        yield applicationId;
      }
    }
  }
}
