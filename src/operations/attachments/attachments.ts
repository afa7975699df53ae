// Attachments: upload and fetch. The row comes first and says `pending`, then the bytes, then the row says `available`;
// whatever interrupts that leaves a row by which the sweep finds what to clear away (operations/upkeep/attachment-sweep).

import type { Readable } from 'node:stream';
import type { Context } from '../../context.ts';
import type { ByteRange } from '../../domain/attachments/byte-range.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { readScope } from '../../domain/people/access.ts';
import { fault, tooBusy } from '../../faults.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import { loggedWrite } from '../../store/activity/logged-write.ts';
import {
  type AttachmentState,
  completeAttachment,
  condemnUpload,
  deleteCondemned,
  findFetchable,
  insertAttachment,
  type StoredAttachment,
  stateOf,
} from '../../store/attachments/attachments.ts';
import { mayAppearLater, putVerified, readStored } from '../../store/blobs/writes.ts';
import { StaleDefinition } from '../../store/database/sqlstate.ts';
import { userNames } from '../../store/people/users.ts';
import type { AttachmentMetadata } from '../../wire/attachments.ts';
import { activityEntries } from '../activity/entries.ts';
import { staleAsBusy } from '../current-definition.ts';
import { type InCollection, inCollection } from '../in-collection.ts';

export interface NewUpload {
  readonly collectionId: string;
  readonly name: string;
  readonly contentType: string;
  /** Undefined: the caller. */
  readonly creatorId: string | undefined;
}

export interface Upload extends NewUpload {
  /** The bytes, of which there may be so many; refuses at once when it is known that there are more. */
  readonly bytes: (bytesMax: number) => AsyncIterable<Uint8Array>;
}

export async function upload(context: Context, input: Upload): Promise<AttachmentMetadata> {
  const at = inCollection(context, input.collectionId);
  const bytes = input.bytes(at.application.definition.maxAttachmentBytes);
  const createdBy = await creatorOf(at, input.creatorId);
  const { name, contentType, collectionId } = input;
  const { node, receiving } = at.attachments;
  const id = at.ids.long('a');
  const turn = await receiving.takeTurn(id);
  try {
    const createdAt = isoTime(at.now());
    await insertAttachment(at.store, { id, collectionId, name, contentType, createdBy, createdAt, node });
    return { id, name, contentType, size: await receive(at, id, bytes) };
  } finally {
    turn.end();
  }
}

/** How many bytes it has. */
async function receive(at: InCollection, id: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const key = { applicationId: at.application.id, attachmentId: id };
  let stored: number | undefined;
  try {
    const { size, hash } = await putVerified(at.attachments.blobs, key, bytes);
    stored = size;
    await complete(at, { id, size, hash });
    return size;
  } catch (error) {
    const found = await discard(at, id, { rowStays: mayAppearLater(error) }).catch(() => undefined);
    // Only the answer of the database was lost.
    if (found === 'available' && stored !== undefined) return stored;
    // The bytes have been read: the road must not try again.
    throw staleAsBusy(error);
  }
}

/** INVALID_CREATOR for a user that does not exist, ADMIN_REQUIRED for whoever names one without being an admin. */
export async function creatorOf(at: InCollection, creatorId: string | undefined): Promise<string> {
  if (creatorId === undefined) return at.caller.id;
  if (!at.caller.admin) throw fault('ADMIN_REQUIRED');
  const names = await userNames(at.store, [creatorId]);
  if (!names.has(creatorId)) throw fault('INVALID_CREATOR', { creatorId });
  return creatorId;
}

/** The bytes are durable: from here on the attachment is there. */
export async function complete(
  at: InCollection,
  { id, size, hash }: { id: string; size: number; hash: string },
): Promise<void> {
  const date = isoTime(at.now());
  const change = completeAttachment(at.store.schema, { id, size, hash, at: date, node: at.attachments.node });
  const entries = activityEntries(at, { kind: 'attachment.create', member: 'attachmentId' }, [{ attachmentId: id }]);
  const done = await loggedWrite(at.store, change, entries);
  // Another server took this one for dead and has cleared the upload away.
  if (done.length === 0) throw tooBusy();
}

interface Clearing {
  /** For the sweep: bytes may appear behind the removal. */
  readonly rowStays?: boolean;
}

/** Gives an upload up, unless it is an attachment by now. What its row said: `pending`, when this has ended it. */
export async function discard(at: InCollection, id: string, clearing?: Clearing): Promise<AttachmentState | undefined> {
  const condemned = await condemnUpload(at.store, id).catch((error: unknown) => {
    if (error instanceof StaleDefinition) return false;
    throw error;
  });
  const found = await clearAway(at, id, clearing);
  return condemned ? 'pending' : found;
}

/**
 * Removes what is stored and no row needs: all of an upload that was removed, even if that was while its last bytes came, and
 * what lies beside a file that is there. What the row says. What cannot be removed at once is left to the sweep, and to
 * `cartulary doctor`.
 */
export async function clearAway(
  at: InCollection,
  id: string,
  { rowStays = false }: Clearing = {},
): Promise<AttachmentState | undefined> {
  const { blobs } = at.attachments;
  const key = { applicationId: at.application.id, attachmentId: id };
  const found = await stateOf(at.store, id);
  try {
    if (found === 'available') await blobs.removeBeside(key);
    if (found === 'removing' || found === undefined) await blobs.removeAll(key);
    if (found === 'removing' && !rowStays) await deleteCondemned(at.store, [id]);
  } catch {
    // Nobody finds any of it.
  }
  return found;
}

/** Those of the attachments of the collection that are there, with or without bytes, and that the caller may fetch. */
export function fetchable(at: InCollection, ids: readonly string[]): Promise<Map<string, StoredAttachment>> {
  const { caller, collection } = at;
  const fetcher = { userId: caller.id, admin: caller.admin, readScope: readScope(collection.definition, caller) };
  return findFetchable(at.store, collection, { ids, fetcher });
}

/** An attachment that the caller may fetch and whose bytes are there. */
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
  const found = (await fetchable(at, [attachmentId])).get(attachmentId);
  if (found?.state !== 'available' || found.hash === null || found.uploadedAt === null) {
    throw fault('ATTACHMENT_NOT_FOUND', { attachmentId });
  }
  const { id, name, contentType, size, hash, uploadedAt } = found;
  return { id, name, contentType, size, hash, uploadedAtMs: uploadedAt.getTime() };
}

/** Its bytes, noted as downloaded. Holds no connection to the database while they flow. */
export async function read(
  context: Context,
  input: { collectionId: string; attachmentId: string; range?: ByteRange },
): Promise<Readable> {
  const at = inCollection(context, input.collectionId);
  const { attachmentId, range } = input;
  const bytes = await readStored(at.attachments.blobs, { applicationId: at.application.id, attachmentId }, range);
  try {
    await noteDownload(at, { attachmentId });
  } catch (error) {
    bytes.destroy();
    throw error;
  }
  return bytes;
}

export async function noteDownload(at: InCollection, extra: Readonly<Record<string, string>>): Promise<void> {
  const entries = activityEntries(at, { kind: 'attachment.download', member: 'attachmentId' }, [extra]);
  if (entries.length === 0) return;
  const { text, params } = insertEntries(at.store.schema, entries);
  await at.store.write(text, params);
}
