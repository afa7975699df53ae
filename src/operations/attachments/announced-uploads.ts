// Announced uploads (tus): the metadata comes first, so that records can hold the attachment at once; the bytes follow in
// any number of requests. The row says how many bytes are durable. The sweep removes uploads that were not continued in
// time (operations/upkeep/attachment-sweep).

import type { Context, KeptReply } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { Fault, fault } from '../../faults.ts';
import {
  claimUpload,
  findUpload,
  insertUpload,
  type Piece,
  releaseUpload,
  type StoredUpload,
} from '../../store/attachments/announced-uploads.ts';
import { mayAppearLater } from '../../store/blobs/writes.ts';
import { goneNodes } from '../../store/nodes/messages.ts';
import type { AttachmentMetadata } from '../../wire/attachments.ts';
import { staleAsBusy } from '../current-definition.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { keyedTransaction } from '../keyed-requests.ts';
import { IncomingBytes } from './incoming-bytes.ts';
import { expiryOf, joinPieces, removePieces, storePieces } from './upload-pieces.ts';
import { abandonUpload, completeUpload, creatorOf, type NewUpload, removeUnneededBytes } from './uploads.ts';

export interface UploadView extends AttachmentMetadata {
  /** Durable bytes; equal to `size` only once it is an attachment. */
  readonly received: number;
  /** Undefined once it is an attachment. */
  readonly expiresAtMs: number | undefined;
}

export interface UploadPath {
  readonly collectionId: string;
  readonly attachmentId: string;
}

export async function announce<R extends KeptReply>(
  context: Context,
  input: NewUpload & { readonly size: number },
  reply: (view: UploadView) => R,
): Promise<R> {
  const at = inCollection(context, input.collectionId);
  const { name, contentType, size, collectionId } = input;
  const maxBytes = at.application.definition.maxAttachmentBytes;
  if (size > maxBytes) {
    throw fault('INVALID_BODY', { reason: `the announced file is larger than ${maxBytes} bytes`, maxBytes });
  }
  const createdBy = await creatorOf(at, input.creatorId);
  const id = at.ids.long('a');
  const expiresAt = expiryOf(at);
  const row = { id, collectionId, name, contentType, size, createdBy, createdAt: isoTime(at.now()), expiresAt };
  const inserting = insertUpload(at.store.schema, row);
  const upload = { id, name, contentType, size };
  const announced = { ...upload, received: 0, expiresAtMs: Date.parse(expiresAt) };
  if (at.keyed !== undefined) {
    const finish = { statements: [inserting], reply: () => reply(announced) };
    const kept = await keyedTransaction(at, at.keyed, async () => finish);
    // The reply is given already: what cannot be completed now is completed when the client looks (`show`).
    if (size === 0) await completeEmpty(at, upload).catch(() => undefined);
    return kept;
  }
  await at.store.write(inserting.text, inserting.params);
  return reply(size > 0 ? announced : await completeOrAbandon(at, upload));
}

const completeEmpty = (at: InCollection, upload: AttachmentMetadata): Promise<UploadView> =>
  asActiveUpload(at, upload.id, (signal) => receive(at, { upload, offset: 0, bytes: noBytes(), signal }));

async function completeOrAbandon(at: InCollection, upload: AttachmentMetadata): Promise<UploadView> {
  try {
    return await completeEmpty(at, upload);
  } catch (error) {
    const found = await abandonUpload(at, upload.id, { keepRow: mayAppearLater(error) }).catch(() => undefined);
    // The attachment is complete; only the result of the statement was lost.
    if (found === 'available') return finished(upload);
    throw error;
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/**
 * The progress of an upload. An upload with all its bytes that could not be completed before is completed now: clients
 * take an upload for done once all bytes were received.
 */
export async function show(
  context: Context,
  { collectionId, attachmentId: id, beginTransfer }: UploadPath & { readonly beginTransfer: () => void },
): Promise<UploadView> {
  const at = inCollection(context, collectionId);
  const found = await find(at, id);
  if (found.available || found.received < found.size) return viewOf(id, found);
  const upload = { ...found, id };
  try {
    // There is no body, but joining the pieces may take as long as receiving a file.
    beginTransfer();
    return await asActiveUpload(at, id, (signal) =>
      receive(at, { upload, offset: found.size, bytes: noBytes(), signal }),
    );
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'UNAVAILABLE') throw error;
    // On any other failure of this request, clients start over with another upload.
    const busy = fault('UPLOAD_BUSY');
    busy.cause = error.cause;
    throw busy;
  }
}

interface Continuation extends UploadPath {
  readonly offset: number;
  /** The bytes of the body; throws at once when the length is known to be greater than `bytesMax`. */
  readonly receiveFile: (bytesMax: number) => AsyncIterable<Uint8Array>;
}

export async function append(context: Context, input: Continuation): Promise<UploadView> {
  const at = inCollection(context, input.collectionId);
  const { attachmentId: id, offset } = input;
  const found = await find(at, id);
  const { size } = found;
  if (offset > size || (found.available && offset < size)) throw mismatch(found);
  const bytes = input.receiveFile(size - offset);
  if (found.available) return viewOf(id, found);
  return asActiveUpload(at, id, (signal) => receive(at, { upload: { ...found, id }, offset, bytes, signal }));
}

export async function cancel(context: Context, { collectionId, attachmentId: id }: UploadPath): Promise<void> {
  const at = inCollection(context, collectionId);
  if ((await find(at, id)).available) throw notFound(id);
  await asActiveUpload(at, id, async () => {
    if ((await abandonUpload(at, id)) !== 'pending') throw notFound(id);
  });
}

const notFound = (attachmentId: string) => fault('ATTACHMENT_NOT_FOUND', { attachmentId });
const mismatch = ({ received }: StoredUpload) => fault('UPLOAD_OFFSET_MISMATCH', { offset: received });

function viewOf(
  id: string,
  { name, contentType, size, received, expiresAt }: Omit<StoredUpload, 'available' | 'node'>,
): UploadView {
  return { id, name, contentType, size, received, expiresAtMs: expiresAt?.getTime() };
}

/** Creators see their own uploads, admins all. */
async function find(at: InCollection, id: string): Promise<StoredUpload> {
  const createdBy = at.caller.admin ? undefined : at.caller.id;
  const collectionId = at.collection.definition.id;
  const found = await findUpload(at.store, { id, collectionId, createdBy, at: isoTime(at.now()) });
  if (found === undefined) throw notFound(id);
  return found;
}

/** Ends an older request to the same upload first. */
async function asActiveUpload<T>(at: InCollection, id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const active = await at.attachments.activeUploads.begin(id);
  try {
    active.signal.throwIfAborted();
    return await work(active.signal);
  } catch (error) {
    // Bytes of the body may have been read, so the request must not be handled a second time.
    throw staleAsBusy(error);
  } finally {
    active.end();
  }
}

interface Reception {
  /** As announced. */
  readonly upload: AttachmentMetadata;
  readonly offset: number;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

async function receive(at: InCollection, { upload, offset, bytes, signal }: Reception): Promise<UploadView> {
  const { id, size } = upload;
  const claimed = await claim(at, id, offset);
  // The request before this one finished it, and the client did not get the reply.
  if (claimed === 'finished') return finished(upload);
  const incoming = new IncomingBytes(bytes, signal);
  try {
    const { pieces, received, expiresAt } = await storePieces(at, { id, size, ...claimed }, incoming);
    if (incoming.failure !== undefined) throw incoming.failure.error;
    if (received < size) return viewOf(id, { ...upload, received, expiresAt: new Date(expiresAt) });
    const file = await joinPieces(at, { id, size, pieces });
    await completeUpload(at, { id, ...file });
    await removePieces(at, id);
    return finished(upload);
  } catch (error) {
    // The upload may have been removed, or completed by another node, while these bytes were being stored.
    if (error !== incoming.failure?.error) await removeUnneededBytes(at, id).catch(() => undefined);
    throw error;
  } finally {
    await incoming.close();
    await release(at, id);
  }
}

const finished = ({ id, name, contentType, size }: AttachmentMetadata): UploadView => {
  const metadata = { id, name, contentType, size };
  return { ...metadata, received: size, expiresAtMs: undefined };
};

interface Claimed {
  readonly pieces: Piece[];
  readonly expiresAt: string;
}

/** The pieces so far; `finished`: it has become an attachment with exactly these bytes. Throws if it cannot be claimed. */
async function claim(at: InCollection, id: string, offset: number): Promise<Claimed | 'finished'> {
  const unclaimed = await claimFrom(at, { id, offset, goneNode: null });
  if (unclaimed !== undefined) return unclaimed;
  const found = await find(at, id);
  if (found.received !== offset) throw mismatch(found);
  if (found.available) return 'finished';
  const { node } = found;
  const claimants = node === null ? [] : [node];
  const { system, goneCheckPauseMs: pauseMs } = at.attachments;
  const gone = await goneNodes(system, claimants, { pauseMs });
  const takenOver = gone.size < claimants.length ? undefined : await claimFrom(at, { id, offset, goneNode: node });
  if (takenOver === undefined) throw fault('UPLOAD_BUSY');
  return takenOver;
}

async function claimFrom(
  at: InCollection,
  { id, offset, goneNode }: { id: string; offset: number; goneNode: string | null },
): Promise<Claimed | undefined> {
  const expiresAt = expiryOf(at);
  const { node } = at.attachments;
  const claim = { id, node, offset, goneNode, at: isoTime(at.now()), expiresAt };
  try {
    const pieces = await claimUpload(at.store, claim);
    return pieces && { pieces, expiresAt };
  } catch (error) {
    // The statement may have succeeded before its result was lost.
    releaseLater(at, id);
    throw error;
  }
}

async function release(at: InCollection, id: string): Promise<void> {
  const { node, activeUploads } = at.attachments;
  try {
    await releaseUpload(at.store, id, node);
    activeUploads.unreleased.delete(id);
  } catch {
    releaseLater(at, id);
  }
}

/** The database was unavailable. Until a release succeeds (operations/upkeep/unreleased-uploads) or this node ends, no other node can continue the upload. */
function releaseLater(at: InCollection, id: string): void {
  at.attachments.activeUploads.unreleased.set(id, { applicationId: at.application.id, expiresAt: expiryOf(at) });
}
