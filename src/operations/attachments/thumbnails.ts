// Small pictures of images, made when they are first asked for and kept beside the attachment, with which they go.

import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Context } from '../../context.ts';
import { Fault, fault } from '../../faults.ts';
import { NotAnImage, THUMBNAIL_SIZES } from '../../images/thumbnails.ts';
import type { Signal } from '../../request/signal.ts';
import { stateOf } from '../../store/attachments/attachments.ts';
import type { BlobKey } from '../../store/blobs/blobs.ts';
import { putVerified, readStored, storageUnavailable } from '../../store/blobs/writes.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { noteDownload } from './attachments.ts';

export const THUMBNAIL_TYPE = 'image/webp';

/** A few sizes, each of which is made once. */
export function readThumbnailSize(written: string): number {
  const size = THUMBNAIL_SIZES.find((known) => String(known) === written);
  if (size === undefined) throw refuse(`must be one of ${THUMBNAIL_SIZES.join(', ')}`);
  return size;
}

export interface Thumbnail {
  readonly length: number;
  /** Its bytes, noted as downloaded. */
  readonly read: () => Promise<Readable>;
}

interface ThumbnailPlace {
  readonly collectionId: string;
  readonly attachmentId: string;
  readonly size: number;
  /** Of the attachment's content. */
  readonly hash: string;
}

/** Of an attachment that the caller was found to be allowed to fetch. */
export async function getThumbnail(
  context: Context,
  { collectionId, attachmentId, size, hash }: ThumbnailPlace,
): Promise<Thumbnail> {
  const at = inCollection(context, collectionId);
  const key = { applicationId: at.application.id, attachmentId };
  const picture =
    (await kept(at, { ...key, part: partOf(size) })) ??
    (await at.withoutSlot((signal) => make(at, key, { size, hash, signal })));
  return {
    length: picture.length,
    read: async () => {
      await noteDownload(at, { attachmentId, size: String(size) });
      return Readable.from([picture]);
    },
  };
}

async function kept({ attachments: { blobs } }: InCollection, key: BlobKey): Promise<Buffer | undefined> {
  try {
    const bytes = await blobs.read(key);
    return bytes && (await buffer(bytes));
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
  // The same image uploaded anew is no other one, but what an application has is told to no other.
  const name = `${key.applicationId}/${hash}`;
  const image = { name, tenant: key.applicationId, signal, open: () => readStored(blobs, key) };
  const picture = await thumbnails.make(image, size).catch((error: unknown) => {
    if (error instanceof NotAnImage) throw refuse(error.reason);
    throw error instanceof Fault ? error : storageUnavailable(error);
  });
  await keep(at, { ...key, part: partOf(size) }, picture);
  return picture;
}

/** What cannot be kept is made anew the next time. What was removed meanwhile leaves nothing behind. */
async function keep(at: InCollection, key: BlobKey, picture: Buffer): Promise<void> {
  const { blobs } = at.attachments;
  try {
    await putVerified(blobs, key, only(picture));
    if ((await stateOf(at.store, key.attachmentId)) !== 'available') await blobs.remove(key);
  } catch {
    // It is given out nevertheless.
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

const partOf = (size: number): string => `${size}.webp`;

const refuse = (reason: string) => fault('INVALID_PARAMETER', { parameter: 'size', reason });
