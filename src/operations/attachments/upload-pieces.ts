// The bytes of an announced upload: stored in pieces as they arrive and joined into one file when complete. The caller
// has claimed the upload (operations/attachments/announced-uploads).

import { createHash, randomBytes } from 'node:crypto';
import { DAY_MS } from '../../domain/dates/days.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { fault, tooBusy } from '../../faults.ts';
import { freed } from '../../load/freed-bytes.ts';
import { type Piece, recordPieces } from '../../store/attachments/announced-uploads.ts';
import { forgetPieces } from '../../store/attachments/attachments.ts';
import type { BlobKey } from '../../store/blobs/blobs.ts';
import { putVerified, replaceVerified, storageUnavailable } from '../../store/blobs/writes.ts';
import type { InCollection } from '../in-collection.ts';
import type { IncomingBytes } from './incoming-bytes.ts';

/** The most bytes that a client has to send again after a crash. */
const PIECE_BYTES = 8 * 1024 * 1024;
/** Each request with bytes stores at least one piece. */
const PIECES_MAX = 1_000;

/** Half of the allowed pieces hold the whole file; the other half is for requests that break off. */
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

/** Each piece is durable and recorded before the next begins. */
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
    const progress = { id: upload.id, node: at.attachments.node, pieces, received, expiresAt };
    if (await recordPieces(at.store, { ...progress, offset: piece.offset })) continue;
    // The upload was removed meanwhile, or another node took this one for dead.
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
  // A new name each time: a node that was taken for dead, or that repeats a piece whose record may have succeeded, must
  // not overwrite a recorded piece.
  const part = `piece-${offset}-${randomBytes(8).toString('hex')}`;
  const { size, hash } = await putVerified(
    at.attachments.blobs,
    pieceKey(at, id, part),
    bytes.take(pieceBytes(announced)),
  );
  return { offset, size, hash, part };
}

/** Stores the pieces as one file. */
export async function joinPieces(
  at: InCollection,
  { id, size, pieces }: Pick<ClaimedUpload, 'id' | 'size' | 'pieces'>,
): Promise<{ size: number; hash: string }> {
  // Another node that took this one for dead may have stored the file by now, of the same bytes.
  const file = await replaceVerified(at.attachments.blobs, fileKey(at, id), bytesOf(at, id, pieces));
  if (file.size !== size) throw storageUnavailable(new Error(`${file.size} bytes of ${id} were stored for ${size}`));
  return file;
}

/** Removes the pieces of an attachment that is available. If that fails, the row keeps them for the sweep. */
export async function removePieces(at: InCollection, id: string): Promise<void> {
  try {
    await at.attachments.blobs.removeParts(fileKey(at, id));
    await forgetPieces(at.store, [id]);
  } catch {
    // The sweep removes them.
  }
}

async function* bytesOf(at: InCollection, id: string, pieces: readonly Piece[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    try {
      yield* verifiedBytesOf(at, id, piece);
    } catch (error) {
      throw storageUnavailable(error);
    }
  }
}

async function* verifiedBytesOf(at: InCollection, id: string, { part, hash }: Piece): AsyncGenerator<Uint8Array> {
  const stream = await at.attachments.blobs.read(pieceKey(at, id, part));
  if (stream === undefined) throw new Error(`${part} of ${id} is not at ${at.attachments.blobs.location}`);
  const actual = createHash('sha256');
  for await (const chunk of freed(stream)) {
    actual.update(chunk);
    yield chunk;
  }
  if (actual.digest('hex') !== hash) throw new Error(`${part} of ${id} is not as it was stored`);
}
