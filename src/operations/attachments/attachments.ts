// Fetching attachments. Uploads are in operations/attachments/uploads and operations/attachments/announced-uploads.

import type { Readable } from 'node:stream';
import type { Context } from '../../context.ts';
import type { ByteRange } from '../../domain/attachments/byte-range.ts';
import { fault } from '../../faults.ts';
import { findFetchable, type StoredAttachment } from '../../store/attachments/attachments.ts';
import { fetchStored } from '../../store/blobs/writes.ts';
import type { AttachmentMetadata } from '../../wire/attachments.ts';
import { activityEntries } from '../activity/entries.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { fetcherOf, fetchJoined, logDownloadJoined } from './joined-attachments.ts';

/** The attachments of the collection that the caller may fetch, pending ones included. */
export function fetchable(at: InCollection, ids: readonly string[]): Promise<Map<string, StoredAttachment>> {
  return findFetchable(at.store, at.collection, { ids, fetcher: fetcherOf(at) });
}

/** An attachment that the caller may fetch and whose bytes are stored. */
export interface AttachmentView extends AttachmentMetadata {
  readonly hash: string;
  readonly uploadedAtMs: number;
}

export async function get(
  context: Context,
  input: { collectionId: string; attachmentId: string },
): Promise<AttachmentView> {
  const at = inCollection(context, input.collectionId);
  const { attachmentId } = input;
  const found = await fetchJoined(at, attachmentId);
  if (found?.state !== 'available' || found.hash === null || found.uploadedAt === null) {
    throw fault('ATTACHMENT_NOT_FOUND', { attachmentId });
  }
  const { id, name, contentType, size, hash, uploadedAt } = found;
  return { id, name, contentType, size, hash, uploadedAtMs: uploadedAt.getTime() };
}

interface Fetch {
  readonly collectionId: string;
  readonly attachmentId: string;
  /** Of the whole file. */
  readonly size: number;
  readonly range: ByteRange | undefined;
}

/** The bytes, logged as downloaded. No database connection is held while they are sent. */
export async function read(context: Context, input: Fetch): Promise<Readable | Uint8Array> {
  const at = inCollection(context, input.collectionId);
  const { attachmentId, size, range } = input;
  const key = { applicationId: at.application.id, attachmentId };
  const bytes = await fetchStored(at.attachments.blobs, key, { size, range });
  try {
    await logDownload(at, { attachmentId });
  } catch (error) {
    if (!(bytes instanceof Uint8Array)) bytes.destroy();
    throw error;
  }
  return bytes;
}

export async function logDownload(at: InCollection, extra: Readonly<Record<string, string>>): Promise<void> {
  const [entry] = activityEntries(at, { kind: 'attachment.download', member: 'attachmentId' }, [extra]);
  if (entry !== undefined) await logDownloadJoined(at, entry);
}
