// The bytes of an announced upload: stored in pieces as they come, and joined into the attachment when all are there.
// Whoever calls has claimed the upload (store/attachments/uploads).

import { createHash, randomBytes } from 'node:crypto';
import { DAY_MS } from '../../domain/dates/days.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { fault, tooBusy } from '../../faults.ts';
import { forgetPieces } from '../../store/attachments/attachments.ts';
import { notePieces, type Piece } from '../../store/attachments/uploads.ts';
import type { BlobKey } from '../../store/blobs/blobs.ts';
import { putVerified, replaceVerified, storageUnavailable } from '../../store/blobs/writes.ts';
import type { InCollection } from '../in-collection.ts';
import { complete } from './attachments.ts';
import type { IncomingBytes } from './incoming-bytes.ts';

/** What a crash may cost a client, at the most, of the bytes that it has sent. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** Every request makes one at least. */
const PIECES_MAX = 1_000;

/** Of the pieces that there may be, half are enough for the largest file; the others are for requests that break off. */
export const pieceBytes = (size: number): number => Math.max(PIECE_BYTES, Math.ceil((size * 2) / PIECES_MAX));

export const expiryOf = (at: InCollection): string => isoTime(at.now() + at.attachments.announcedDays * DAY_MS);

const fileKey = (at: InCollection, attachmentId: string): BlobKey => ({
  applicationId: at.application.id,
  attachmentId,
});
const pieceKey = (at: InCollection, attachmentId: string, part: string): BlobKey => ({
  ...fileKey(at, attachmentId),
  part,
});

interface ClaimedUpload {
  readonly id: string;
  /** As announced. */
  readonly size: number;
  readonly pieces: readonly Piece[];
  readonly expiresAt: string;
}

interface Progress extends Pick<ClaimedUpload, 'pieces' | 'expiresAt'> {
  readonly received: number;
}

const receivedIn = (pieces: readonly Piece[]): number => pieces.reduce((sum, { size }) => sum + size, 0);

/** Each piece is durable and noted before the next begins. */
export async function storePieces(at: InCollection, upload: ClaimedUpload, bytes: IncomingBytes): Promise<Progress> {
  const pieces = [...upload.pieces];
  let received = receivedIn(pieces);
  let { expiresAt } = upload;
  while (await bytes.more()) {
    if (pieces.length >= PIECES_MAX) throw tooManyPieces();
    const piece = await storePiece(at, { ...upload, offset: received }, bytes);
    pieces.push(piece);
    received += piece.size;
    expiresAt = expiryOf(at);
    const noted = { id: upload.id, node: at.attachments.node, pieces, received, expiresAt };
    if (await notePieces(at.store, { ...noted, offset: piece.offset })) continue;
    // Removed meanwhile, or another server took this one for dead.
    await at.attachments.blobs.remove(pieceKey(at, upload.id, piece.part)).catch(() => undefined);
    throw tooBusy();
  }
  return { pieces, received, expiresAt };
}

const tooManyPieces = () =>
  fault('INVALID_BODY', {
    reason: `the upload has come in ${PIECES_MAX} pieces, which is all that there may be; announce it anew and send more at once`,
  });

async function storePiece(
  at: InCollection,
  { id, size: announced, offset }: ClaimedUpload & { offset: number },
  bytes: IncomingBytes,
): Promise<Piece> {
  // Never a name that was used before: who was taken for dead, or repeats what may have been noted after all, must not
  // write over what is noted.
  const part = `piece-${offset}-${randomBytes(8).toString('hex')}`;
  const { size, hash } = await putVerified(
    at.attachments.blobs,
    pieceKey(at, id, part),
    bytes.take(pieceBytes(announced)),
  );
  return { offset, size, hash, part };
}

/** All bytes are there: makes the attachment of them. */
export async function joinPieces(
  at: InCollection,
  { id, size, pieces }: Pick<ClaimedUpload, 'id' | 'size' | 'pieces'>,
): Promise<void> {
  const { blobs } = at.attachments;
  const key = fileKey(at, id);
  // Another server that took this one for dead may have made the attachment by now, of the same bytes.
  const whole = await replaceVerified(blobs, key, joined(at, id, pieces));
  if (whole.size !== size) throw storageUnavailable(new Error(`${whole.size} bytes of ${id} were stored for ${size}`));
  await complete(at, { id, ...whole });
  try {
    await blobs.removeBeside(key);
    await forgetPieces(at.store, [id]);
  } catch {
    // The attachment is there; the row still tells the sweep that something may lie beside it.
  }
}

async function* joined(at: InCollection, id: string, pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    try {
      yield* checked(at, id, piece);
    } catch (error) {
      throw storageUnavailable(error);
    }
  }
}

async function* checked(at: InCollection, id: string, { part, hash }: Piece): AsyncGenerator<Uint8Array> {
  const stream = await at.attachments.blobs.read(pieceKey(at, id, part));
  if (stream === undefined) throw new Error(`${part} of ${id} is not at ${at.attachments.blobs.place}`);
  const found = createHash('sha256');
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    found.update(chunk);
    yield chunk;
  }
  if (found.digest('hex') !== hash) throw new Error(`${part} of ${id} is not as it was stored`);
}
