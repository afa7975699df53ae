// Announced uploads: the metadata first, by which records can hold the attachment at once, and the bytes later, as often
// and as far as the client gets. Whatever interrupts it leaves a row that tells how far that was; what nobody goes on with
// is cleared away by the sweep (operations/upkeep/attachment-sweep).

import type { AttachmentMeans, Context, OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { Fault, fault } from '../../faults.ts';
import {
  claimUpload,
  findUpload,
  insertUpload,
  type Piece,
  releaseUpload,
  type StoredUpload,
} from '../../store/attachments/uploads.ts';
import { mayAppearLater } from '../../store/blobs/writes.ts';
import { goneNodes } from '../../store/nodes/hearing.ts';
import type { AttachmentMetadata } from '../../wire/attachments.ts';
import { staleAsBusy } from '../current-definition.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import { clearAway, creatorOf, discard, type NewUpload } from './attachments.ts';
import { IncomingBytes } from './incoming-bytes.ts';
import { expiryOf, joinPieces, storePieces } from './upload-pieces.ts';

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
  const upload = { id, name, contentType, size };
  if (size > 0) return { ...upload, received: 0, expiresAtMs: Date.parse(expiresAt) };
  try {
    return await inTurn(at, id, (signal) => receive(at, { upload, offset: 0, bytes: nothing(), signal }));
  } catch (error) {
    const found = await discard(at, id, { rowStays: mayAppearLater(error) }).catch(() => undefined);
    // Only the answer of the database was lost.
    if (found === 'available') return finished(upload);
    throw error;
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * How far it is. What has all its bytes and could not be made an attachment of is made one now: clients take an upload
 * for done when all of it was received.
 */
export async function show(
  context: Context,
  { collectionId, attachmentId: id, bytes }: Omit<Continuation, 'offset'>,
): Promise<UploadView> {
  const at = inCollection(context, collectionId);
  const found = await find(at, id);
  if (found.available || found.received < found.size) return viewOf(id, found);
  const upload = { ...found, id };
  try {
    // There are none; but joining what is there may take as long as a file.
    const none = bytes(0);
    return await inTurn(at, id, (signal) => receive(at, { upload, offset: found.size, bytes: none, signal }));
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'UNAVAILABLE') throw error;
    // Clients begin anew, with another upload, on any other failure of this question.
    const busy = fault('UPLOAD_BUSY');
    busy.cause = error.cause;
    throw busy;
  }
}

interface Continuation extends UploadPlace {
  readonly offset: number;
  /** As of an upload in one request (operations/attachments/attachments). */
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
  return inTurn(at, id, (signal) => receive(at, { upload: { ...found, id }, offset, bytes, signal }));
}

export async function cancel(context: Context, { collectionId, attachmentId: id }: UploadPlace): Promise<void> {
  const at = inCollection(context, collectionId);
  if ((await find(at, id)).available) throw notFound(id);
  await inTurn(at, id, async () => {
    if ((await discard(at, id)) !== 'pending') throw notFound(id);
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

/** For its creator and for admins; for others there is none. */
async function find(at: InCollection, id: string): Promise<StoredUpload> {
  const createdBy = at.caller.admin ? undefined : at.caller.id;
  const collectionId = at.collection.definition.id;
  const found = await findUpload(at.store, { id, collectionId, createdBy, at: isoTime(at.now()) });
  if (found === undefined) throw notFound(id);
  return found;
}

async function inTurn<T>(at: InCollection, id: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const turn = await at.attachments.receiving.takeTurn(id);
  try {
    turn.signal.throwIfAborted();
    return await work(turn.signal);
  } catch (error) {
    // Bytes may have been read: the road must not try again.
    throw staleAsBusy(error);
  } finally {
    turn.end();
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
  // Finished since, by the request before this one, of which the client did not hear.
  if (claimed === 'finished') return finished(upload);
  const incoming = new IncomingBytes(bytes, signal);
  try {
    const { pieces, received, expiresAt } = await storePieces(at, { id, size, ...claimed }, incoming);
    if (incoming.breach !== undefined) throw incoming.breach.error;
    if (received < size) return viewOf(id, { ...upload, received, expiresAt: new Date(expiresAt) });
    await joinPieces(at, { id, size, pieces });
    return finished(upload);
  } catch (error) {
    // Somebody may have removed it, or made an attachment of it, while these bytes were being stored.
    if (error !== incoming.breach?.error) await clearAway(at, id).catch(() => undefined);
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

/** The pieces so far; `finished`: it has become an attachment with exactly these bytes. Throws why it is not to be had. */
async function claim(at: InCollection, id: string, offset: number): Promise<Claimed | 'finished'> {
  const free = await claimFrom(at, { id, offset, goneNode: null });
  if (free !== undefined) return free;
  const found = await find(at, id);
  if (found.received !== offset) throw mismatch(found);
  if (found.available) return 'finished';
  const { node } = found;
  const claimants = node === null ? [] : [node];
  const gone = await goneNodes(at.store, claimants, { apartMs: at.attachments.looksApartMs });
  const left = gone.size < claimants.length ? undefined : await claimFrom(at, { id, offset, goneNode: node });
  if (left === undefined) throw fault('UPLOAD_BUSY');
  return left;
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
    // It may have been done before the answer was lost.
    releaseLater(at, id);
    throw error;
  }
}

async function release(at: InCollection, id: string): Promise<void> {
  const { node, receiving } = at.attachments;
  try {
    await releaseUpload(at.store, id, node);
    receiving.unreleased.delete(id);
  } catch {
    releaseLater(at, id);
  }
}

/** The database was away. Until this succeeds, or this server ends, no other server can go on with the upload. */
function releaseLater(at: InCollection, id: string): void {
  at.attachments.receiving.unreleased.set(id, { applicationId: at.application.id, expiresAt: expiryOf(at) });
}

/** Of what nobody sends to this server any more. In a turn, as whoever comes meanwhile claims it. */
export async function releaseLeft({
  database,
  now,
  attachments: { node, receiving },
}: Pick<OperatorContext, 'database' | 'now'> & {
  readonly attachments: Pick<AttachmentMeans, 'node' | 'receiving'>;
}): Promise<void> {
  for (const [id, { applicationId, expiresAt }] of receiving.unreleased) {
    if (receiving.has(id)) continue;
    const turn = await receiving.takeTurn(id);
    try {
      if (now() < Date.parse(expiresAt)) await releaseUpload(database.application(applicationId), id, node);
      receiving.unreleased.delete(id);
    } catch {
      // The next time.
    } finally {
      turn.end();
    }
  }
}
