// Thumbnails of images: made at the first request, stored beside the attachment and removed with it.

import type { Context } from '../../context.ts';
import { Fault, fault } from '../../faults.ts';
import { NotAnImage, THUMBNAIL_SIZES } from '../../images/thumbnails.ts';
import type { Signal } from '../../request/signal.ts';
import { stateOf } from '../../store/attachments/attachments.ts';
import type { BlobKey } from '../../store/blobs/blobs.ts';
import { putVerified, readStored, storageUnavailable } from '../../store/blobs/writes.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { logDownload } from './attachments.ts';

export { THUMBNAIL_SIZES };
export const THUMBNAIL_TYPE = 'image/webp';

/** Only a few sizes are allowed, since each is stored. */
export function readThumbnailSize(written: string): number {
  const size = THUMBNAIL_SIZES.find((known) => String(known) === written);
  if (size === undefined) throw refuse(`must be one of ${THUMBNAIL_SIZES.join(', ')}`);
  return size;
}

export interface Thumbnail {
  readonly length: number;
  /** The bytes, logged as downloaded. */
  readonly read: () => Promise<Uint8Array>;
}

interface ThumbnailRequest {
  readonly collectionId: string;
  readonly attachmentId: string;
  readonly size: number;
  /** Of the attachment's content. */
  readonly hash: string;
}

/** The caller has checked that the attachment may be fetched. */
export async function getThumbnail(
  context: Context,
  { collectionId, attachmentId, size, hash }: ThumbnailRequest,
): Promise<Thumbnail> {
  const at = inCollection(context, collectionId);
  const key = { applicationId: at.application.id, attachmentId };
  const picture =
    (await findStored(at, { ...key, part: partOf(size) })) ??
    (await at.withoutSlot((signal) => make(at, key, { size, hash, signal })));
  return {
    length: picture.length,
    read: async () => {
      await logDownload(at, { attachmentId, size: String(size) });
      return picture;
    },
  };
}

async function findStored({ attachments: { blobs } }: InCollection, key: BlobKey): Promise<Buffer | undefined> {
  try {
    return await blobs.readWhole(key);
  } catch (error) {
    throw storageUnavailable(error);
  }
}

async function make(
  at: InCollection,
  key: BlobKey,
  { size, hash, signal }: { size: number; hash: string; signal: Signal },
): Promise<Buffer> {
  const { blobs, thumbnails } = at.attachments;
  // The same image uploaded again has the same name. Per application, so that timing tells nothing about other applications.
  const name = `${key.applicationId}/${hash}`;
  const image = { name, tenant: key.applicationId, signal, open: () => readStored(blobs, key) };
  const picture = await thumbnails.make(image, size).catch((error: unknown) => {
    if (error instanceof NotAnImage) throw refuse(error.reason);
    throw error instanceof Fault ? error : storageUnavailable(error);
  });
  await store(at, { ...key, part: partOf(size) }, picture);
  return picture;
}

/** A thumbnail that cannot be stored is made again at the next request. That of an attachment removed meanwhile is removed. */
async function store(at: InCollection, key: BlobKey, picture: Buffer): Promise<void> {
  const { blobs } = at.attachments;
  try {
    await putVerified(blobs, key, only(picture));
    if ((await stateOf(at.store, key.attachmentId)) !== 'available') await blobs.remove(key);
  } catch {
    // This request gets the thumbnail nevertheless.
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const partOf = (size: number): string => `${size}.webp`;

const refuse = (reason: string) => fault('INVALID_PARAMETER', { parameter: 'size', reason });
