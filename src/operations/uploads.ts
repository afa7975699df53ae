// Announced uploads: the metadata first, by which records can hold the attachment at once, and the bytes later, as often
// and as far as the client gets. Whatever interrupts it leaves a row that tells how far that was; what nobody goes on with
// is cleared away by the sweep (operations/attachment-sweep).

import type { Context } from '../context.ts';
import { Fault, fault, tooBusy } from '../faults.ts';
import { deleteCondemned } from '../store/attachments.ts';
import { listeningNodes } from '../store/hearing.ts';
import { StaleDefinition } from '../store/sqlstate.ts';
import {
  claimUpload,
  condemnUpload,
  findUpload,
  insertUpload,
  type Piece,
  releaseUpload,
  type StoredUpload,
} from '../store/uploads.ts';
import type { AttachmentMetadata } from '../wire/attachments.ts';
import { creatorOf, type NewUpload } from './attachments.ts';
import { type InCollection, inCollection } from './in-collection.ts';
import { IncomingBytes } from './incoming-bytes.ts';
import { isoTime } from './record-drafts.ts';
import { expiryOf, joinPieces, storePieces } from './upload-pieces.ts';
import { isTaken, takeTurn } from './upload-turns.ts';

const RELEASE_AGAIN_MS = 3_000;
const RELEASES_MAX = 20;

export interface UploadView extends AttachmentMetadata {
  /** So many bytes are durable; all of them when it is an attachment, and only then. */
  readonly received: number;
  /** Undefined once it is an attachment. */
  readonly expiresAtMs: number | undefined;
}

export interface UploadPlace {
  readonly collectionId: string;
  readonly attachmentId: string;
}

export async function announce(context: Context, input: NewUpload & { readonly size: number }): Promise<UploadView> {
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
  await insertUpload(at.store, row);
  if (size > 0) return { id, name, contentType, size, received: 0, expiresAtMs: Date.parse(expiresAt) };
  try {
    return await inTurn(at, id, (signal) => receive(at, id, { offset: 0, size: 0, bytes: nothing(), signal }));
  } catch (error) {
    await discard(at, id).catch(() => undefined);
    throw error;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * How far it is. What has all its bytes and could not be made an attachment of is made one now: clients take an upload
 * for done when all of it was received.
 */
export async function show(context: Context, { collectionId, attachmentId: id }: UploadPlace): Promise<UploadView> {
  const at = inCollection(context, collectionId);
  const found = await find(at, id);
  if (found.available || found.received < found.size) return viewOf(id, found);
  const { size } = found;
  try {
    return await inTurn(at, id, (signal) => receive(at, id, { offset: size, size, bytes: nothing(), signal }));
  } catch (error) {
    // Clients begin anew, with another upload, on any other failure of this question.
    throw error instanceof Fault && error.code === 'UNAVAILABLE' ? fault('UPLOAD_BUSY') : error;
  }
}

export interface Continuation extends UploadPlace {
  readonly offset: number;
  /** As of an upload in one request (operations/attachments). */
  readonly bytes: (bytesMax: number) => AsyncIterable<Uint8Array>;
}

export async function append(context: Context, input: Continuation): Promise<UploadView> {
  const at = inCollection(context, input.collectionId);
  const { attachmentId: id, offset } = input;
  const found = await find(at, id);
  const { size } = found;
  if (offset > size || (found.available && offset < size)) throw mismatch(found);
  const bytes = input.bytes(size - offset);
  if (found.available) return viewOf(id, found);
  return inTurn(at, id, (signal) => receive(at, id, { offset, size, bytes, signal }));
}

export async function cancel(context: Context, { collectionId, attachmentId: id }: UploadPlace): Promise<void> {
  const at = inCollection(context, collectionId);
  if ((await find(at, id)).available) throw notFound(id);
  await inTurn(at, id, async () => {
    if (!(await discard(at, id))) throw notFound(id);
  });
}

const notFound = (attachmentId: string) => fault('ATTACHMENT_NOT_FOUND', { attachmentId });
const mismatch = ({ received }: StoredUpload) => fault('UPLOAD_OFFSET_MISMATCH', { offset: received });

function viewOf(id: string, { name, contentType, size, received, expiresAt }: StoredUpload): UploadView {
  return { id, name, contentType, size, received, expiresAtMs: expiresAt?.getTime() };
}

/** For its creator and for admins; for others there is none. */
async function find(at: InCollection, id: string): Promise<StoredUpload> {
  const createdBy = at.caller.admin ? undefined : at.caller.id;
  const collectionId = at.collection.definition.id;
  const found = await findUpload(at.store, { id, collectionId, createdBy, at: isoTime(at.now()) });
  if (found === undefined) throw notFound(id);
  return found;
}

const turnOf = (at: InCollection, id: string): string => `${at.attachments.node}/${at.application.id}/${id}`;

async function inTurn<T>(at: InCollection, id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const turn = await takeTurn(turnOf(at, id));
  try {
    turn.signal.throwIfAborted();
    return await work(turn.signal);
  } catch (error) {
    // Bytes may have been read: the road must not try again.
    throw error instanceof StaleDefinition ? tooBusy() : error;
  } finally {
    turn.end();
  }
}

interface Reception {
  readonly offset: number;
  /** As announced. */
  readonly size: number;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

async function receive(at: InCollection, id: string, { offset, size, bytes, signal }: Reception): Promise<UploadView> {
  const claimed = await claim(at, id, offset);
  // Finished since, by the request before this one, of which the client did not hear.
  if (!Array.isArray(claimed)) return viewOf(id, claimed);
  const incoming = new IncomingBytes(bytes, signal);
  try {
    const { pieces, received } = await storePieces(at, { id, size, pieces: claimed }, incoming);
    if (incoming.breach !== undefined) throw incoming.breach.error;
    if (received === size) await joinPieces(at, { id, size, pieces });
  } finally {
    incoming.close();
    await release(at, id);
  }
  return viewOf(id, await find(at, id));
}

/** The pieces so far, or the attachment that it has become with exactly these bytes. Throws why it is not to be had. */
async function claim(at: InCollection, id: string, offset: number): Promise<Piece[] | StoredUpload> {
  const listening = [...(await listeningNodes(at.store))];
  const { node } = at.attachments;
  const times = { at: isoTime(at.now()), expiresAt: expiryOf(at) };
  const pieces = await claimUpload(at.store, { id, node, offset, listening, ...times });
  if (pieces !== undefined) return pieces;
  const found = await find(at, id);
  if (found.received !== offset) throw mismatch(found);
  if (!found.available) throw fault('UPLOAD_BUSY');
  return found;
}

async function release(at: InCollection, id: string): Promise<void> {
  await releaseUpload(at.store, id, at.attachments.node).catch(() => releaseLater(at, id));
}

/** The database was away. Until this succeeds, or this server ends, no other server can go on with the upload. */
function releaseLater(at: InCollection, id: string, attempts = RELEASES_MAX): void {
  const again = () => {
    if (isTaken(turnOf(at, id))) return;
    releaseUpload(at.store, id, at.attachments.node).catch(() => {
      if (attempts > 1) releaseLater(at, id, attempts - 1);
    });
  };
  setTimeout(again, RELEASE_AGAIN_MS).unref();
}

/** False: there is nothing, or an attachment by now. What cannot be removed at once is left to the sweep. */
async function discard(at: InCollection, id: string): Promise<boolean> {
  if (!(await condemnUpload(at.store, id))) return false;
  try {
    await at.attachments.blobs.removeAll({ applicationId: at.application.id, attachmentId: id });
    await deleteCondemned(at.store, [id]);
  } catch {
    // Nobody finds it any more, which is what was asked for.
  }
  return true;
}
