// Verified writes: a file counts as stored once it has been read back unchanged. Also the one place where errors of a
// blob store become faults.

import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { ByteRange } from '../../domain/attachments/byte-range.ts';
import { Fault, fault } from '../../faults.ts';
import { freed } from '../../load/freed-bytes.ts';
import { type BlobKey, type Blobs, type PutOptions, UnknownOutcome } from './blobs.ts';
import { checkNewKey, fileNameOf } from './keys.ts';
import { SMALL_FILE_BYTES_MAX } from './small-files.ts';

interface Measured {
  readonly size: number;
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string;
}

/**
 * Any error of a store means that it cannot serve now: a full or failing disk, no permission, no answer. The client can
 * only try again later; the operator finds the cause in the log.
 */
export function storageUnavailable(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const unavailable = fault('UNAVAILABLE', { reason: 'storage' }, { 'retry-after': '1' });
  unavailable.cause = error;
  return unavailable;
}

/** Whether the bytes may appear later: the row must then stay until a sweep has removed them. */
export const mayAppearLater = (error: unknown): boolean =>
  error instanceof UnknownOutcome || (error instanceof Fault && error.cause instanceof UnknownOutcome);

/**
 * The bytes of an available attachment. Missing bytes are UNAVAILABLE, since they may be back once a disk is mounted;
 * `cartulary doctor` finds those that are lost.
 */
export async function readStored(blobs: Blobs, key: BlobKey, range?: ByteRange): Promise<Readable> {
  try {
    const bytes = await blobs.read(key, range);
    if (bytes !== undefined) return bytes;
  } catch (error) {
    throw storageUnavailable(error);
  }
  throw storageUnavailable(new Error(`the bytes of ${fileNameOf(key)} are not at ${blobs.location}`));
}

/**
 * Like `readStored`, and all bytes at once if the file is small. `size`: of the file, according to its row. A small file of
 * another size is refused like a missing one, before the reply begins; a larger one shows only while it is being sent.
 */
export async function fetchStored(
  blobs: Blobs,
  key: BlobKey,
  { size, range }: { size: number; range?: ByteRange | undefined },
): Promise<Readable | Uint8Array> {
  if (size > SMALL_FILE_BYTES_MAX) return readStored(blobs, key, range);
  const whole = await blobs.readWhole(key, size).catch((error: unknown) => Promise.reject(storageUnavailable(error)));
  if (whole === undefined) {
    throw storageUnavailable(new Error(`${fileNameOf(key)} is not at ${blobs.location}, or has not ${size} bytes`));
  }
  return range === undefined ? whole : whole.subarray(range.start, range.end + 1);
}

/**
 * Stores bytes from memory under a key that has no blob, and returns their size and hash. Nothing is read back from a disk:
 * the bytes that were hashed are those that were written, a disk reports what it did not take, and reading would only show
 * what the operating system has in memory.
 */
export async function putSmall(blobs: Blobs, key: BlobKey, bytes: Uint8Array): Promise<Measured> {
  if (blobs.putNew === undefined) return putVerified(blobs, key, Readable.from([bytes]));
  checkNewKey(key);
  const hash = createHash('sha256').update(bytes).digest('hex');
  await blobs.putNew(key, bytes).catch((error: unknown) => Promise.reject(storageUnavailable(error)));
  return { size: bytes.length, hash };
}

/** Counts and hashes the bytes as they pass. */
function measure(bytes: AsyncIterable<Uint8Array>) {
  const hash: Hash = createHash('sha256');
  let size = 0;
  let ended = false;
  /** Kept, because the store's error afterwards may be this one, wrapped, or a consequence of it. */
  let failure: { readonly error: unknown } | undefined;
  async function* pass(): AsyncIterable<Uint8Array> {
    try {
      for await (const chunk of bytes) {
        size += chunk.length;
        hash.update(chunk);
        yield chunk;
      }
      ended = true;
    } catch (error) {
      failure = { error };
      throw error;
    }
  }
  return {
    bytes: pass(),
    ended: () => ended,
    failure: () => failure,
    result: (): Measured => ({ size, hash: hash.digest('hex') }),
  };
}

async function readBack(blobs: Blobs, key: BlobKey): Promise<Measured> {
  const stream = await blobs.read(key);
  if (stream === undefined) throw new Error('what was stored is not there');
  const measured = measure(freed(stream));
  for await (const _ of measured.bytes);
  return measured.result();
}

/**
 * Stores the bytes under the key and returns their size and hash. An error of the source is thrown unchanged; any other
 * becomes UNAVAILABLE, after the bytes have been removed if possible.
 */
export const putVerified = (blobs: Blobs, key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<Measured> =>
  verified(blobs, { key, bytes, shared: false });

/** Like `putVerified`, but another node may store the same bytes: after a failure, a file under the key stays. */
export const replaceVerified = (blobs: Blobs, key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<Measured> =>
  verified(blobs, { key, bytes, shared: true });

interface Put extends Required<PutOptions> {
  readonly key: BlobKey;
  readonly bytes: AsyncIterable<Uint8Array>;
}

async function verified(blobs: Blobs, { key, bytes, shared }: Put): Promise<Measured> {
  checkNewKey(key);
  const measured = measure(bytes);
  let stored = false;
  try {
    await blobs.put(key, measured.bytes, { shared });
    stored = true;
    // Otherwise the beginning of the file would be taken for all of it, and would verify.
    if (!measured.ended()) throw new Error('the store did not take all bytes');
    const expected = measured.result();
    const found = await readBack(blobs, key);
    if (found.size === expected.size && found.hash === expected.hash) return expected;
    throw new Error(
      `${found.size} bytes with hash ${found.hash} were read back for ${expected.size} with ${expected.hash}`,
    );
  } catch (error) {
    if (stored && !shared) await blobs.remove(key).catch(() => undefined);
    const failure = measured.failure();
    throw failure === undefined ? storageUnavailable(error) : failure.error;
  }
}
