// Uploads of a file in one request, and how any upload ends. The row comes first, as `pending`, then the bytes, then the
// row becomes `available`. An interruption at any point leaves a row by which the sweep finds what to remove
// (operations/upkeep/attachment-sweep).

import type { Context } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { fault, tooBusy } from '../../faults.ts';
import { loggedWrite } from '../../store/activity/logged-write.ts';
import {
  type AttachmentState,
  completeAttachment,
  deleteMarkedForRemoval,
  markUploadForRemoval,
  stateOf,
} from '../../store/attachments/attachments.ts';
import { mayAppearLater, putSmall, putVerified } from '../../store/blobs/writes.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import { userNames } from '../../store/people/users.ts';
import type { AttachmentMetadata } from '../../wire/attachments.ts';
import { activityEntries } from '../activity/entries.ts';
import { staleAsBusy } from '../current-definition.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { withCollected } from './collected-bytes.ts';
import { announceJoined, completeJoined } from './joined-attachments.ts';

export interface NewUpload {
  readonly collectionId: string;
  readonly name: string;
  readonly contentType: string;
  /** Undefined: the caller. */
  readonly creatorId: string | undefined;
}

export interface Upload extends Pick<NewUpload, 'collectionId' | 'creatorId'> {
  /** Throws at once when the length is known to be greater than `bytesMax`. */
  readonly open: (bytesMax: number) => IncomingFile | Promise<IncomingFile>;
}

export interface IncomingFile extends Pick<NewUpload, 'name' | 'contentType'> {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Of the body, if it is declared: there are at most as many bytes. */
  readonly length: number | undefined;
}

export async function upload(context: Context, input: Upload): Promise<AttachmentMetadata> {
  const at = inCollection(context, input.collectionId);
  const file = await input.open(at.application.definition.maxAttachmentBytes);
  const createdBy = await creatorOf(at, input.creatorId);
  const id = at.ids.long('a');
  const active = await at.attachments.activeUploads.begin(id);
  try {
    return await storeUpload(at, { id, file, createdBy, complete: completeJoined });
  } finally {
    active.end();
  }
}

interface Reception {
  readonly id: string;
  readonly file: IncomingFile;
  readonly createdBy: string;
  readonly complete: typeof completeJoined;
}

/** An upload from its row to the attachment. It is among the active ones meanwhile. */
export async function storeUpload(at: InCollection, reception: Reception): Promise<AttachmentMetadata> {
  const { id, file, createdBy } = reception;
  const { name, contentType } = file;
  const collectionId = at.collection.definition.id;
  const createdAt = isoTime(at.now());
  await announceJoined(at, { id, collectionId, name, contentType, createdBy, createdAt, node: at.attachments.node });
  return { id, name, contentType, size: await receive(at, reception) };
}

/** Stores the bytes, completes the attachment and returns its size. */
async function receive(at: InCollection, { id, file, complete }: Reception): Promise<number> {
  const key = { applicationId: at.application.id, attachmentId: id };
  let storedBytes: number | undefined;
  try {
    const { blobs } = at.attachments;
    const { size, hash } =
      (await withCollected(at, file, (collected) => putSmall(blobs, key, collected))) ??
      (await putVerified(blobs, key, file.bytes));
    storedBytes = size;
    await completeUpload(at, { id, size, hash }, complete);
    return size;
  } catch (error) {
    const found = await abandonUpload(at, id, { keepRow: mayAppearLater(error) }).catch(() => undefined);
    // The attachment is complete; only the result of the statement was lost.
    if (found === 'available' && storedBytes !== undefined) return storedBytes;
    // The body has been read, so the request must not be handled a second time.
    throw staleAsBusy(error);
  }
}

/** INVALID_CREATOR for a user that does not exist, ADMIN_REQUIRED for a caller who names a creator and is not an admin. */
export async function creatorOf(at: InCollection, creatorId: string | undefined): Promise<string> {
  if (creatorId === undefined) return at.caller.id;
  if (!at.caller.admin) throw fault('ADMIN_REQUIRED');
  const names = await userNames(at.store, [creatorId]);
  if (!names.has(creatorId)) throw fault('INVALID_CREATOR', { creatorId });
  return creatorId;
}

/** Makes the attachment available. Its bytes are durable by now. */
export async function completeUpload(
  at: InCollection,
  { id, size, hash }: { id: string; size: number; hash: string },
  complete: typeof completeJoined = completeAlone,
): Promise<void> {
  const done = { id, size, hash, at: isoTime(at.now()), node: at.attachments.node };
  const entries = activityEntries(at, { kind: 'attachment.create', member: 'attachmentId' }, [{ attachmentId: id }]);
  const rows = await complete(at, done, entries);
  // Another node took this one for dead and has removed the upload.
  if (rows.length === 0) throw tooBusy();
}

const completeAlone: typeof completeJoined = (at, done, entries) =>
  loggedWrite(at.store, completeAttachment(at.store.schema, done), entries);

interface RemovalOptions {
  /** Keeps the row for the sweep, because bytes may still appear after the removal. */
  readonly keepRow?: boolean;
}

/** Ends an upload unless it is an attachment by now. Returns its state before: `pending` if this call has ended it. */
export async function abandonUpload(
  at: InCollection,
  id: string,
  options?: RemovalOptions,
): Promise<AttachmentState | undefined> {
  const marked = await markUploadForRemoval(at.store, id).catch((error: unknown) => {
    if (error instanceof StaleDefinition) return false;
    throw error;
  });
  const found = await removeUnneededBytes(at, id, options);
  return marked ? 'pending' : found;
}

/**
 * Removes the bytes that no row needs: all of an upload that was removed, even if its last bytes arrived after that, and
 * the pieces beside a complete file. Returns the state of the row. Bytes that cannot be removed now are left to the sweep
 * and to `cartulary doctor`.
 */
export async function removeUnneededBytes(
  at: InCollection,
  id: string,
  { keepRow = false }: RemovalOptions = {},
): Promise<AttachmentState | undefined> {
  const { blobs } = at.attachments;
  const key = { applicationId: at.application.id, attachmentId: id };
  const found = await stateOf(at.store, id);
  try {
    if (found === 'available') await blobs.removeParts(key);
    if (found === 'removing' || found === undefined) await blobs.removeAll(key);
    if (found === 'removing' && !keepRow) await deleteMarkedForRemoval(at.store, [id]);
  } catch {
    // No caller can reach what is left.
  }
  return found;
}
