// A file is stored when it has been read back the same. Also the one place where what a store of blobs says becomes a
// fault.

import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../domain/attachments/byte-range.ts';
import { Fault, fault } from '../../faults.ts';
import { type BlobKey, type Blobs, type PutOptions, UnknownOutcome } from './blobs.ts';
import { checkNewKey, fileNameOf } from './keys.ts';

interface Measured {
  readonly size: number;
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string;
}

/**
 * Whatever a store throws means that it cannot serve now: a full or failing disk, no permission, no answer. The caller
 * can only come back later, and the operator finds the cause in the log.
 */
export function storageUnavailable(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const away = fault('UNAVAILABLE', { reason: 'storage' }, { 'retry-after': '1' });
  away.cause = error;
  return away;
}

/** Whether what was to be stored may appear later: its row must stay until a sweep has removed it again. */
export const mayAppearLater = (error: unknown): boolean =>
  error instanceof UnknownOutcome || (error instanceof Fault && error.cause instanceof UnknownOutcome);

/**
 * The bytes of what a row says is there, or a fault UNAVAILABLE: they may be back as soon as a disk is mounted again.
 * `cartulary doctor` tells whether they are.
 */
export async function readStored(blobs: Blobs, key: BlobKey, range?: ByteRange): Promise<Readable> {
  try {
    const bytes = await blobs.read(key, range);
    if (bytes !== undefined) return bytes;
  } catch (error) {
    throw storageUnavailable(error);
  }
  throw storageUnavailable(new Error(`the bytes of ${fileNameOf(key)} are not at ${blobs.place}`));
}

/** Bytes that are counted and hashed on their way. */
function measure(bytes: AsyncIterable<Uint8Array>) {
  const hash: Hash = createHash('sha256');
  let size = 0;
  let ended = false;
  /** Remembered, as what a store throws afterwards may be this error, wrapped, or a consequence of it. */
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
  const measured = measure(stream);
  for await (const _ of measured.bytes);
  return measured.result();
}

/**
 * Stores the bytes under the key and gives their size and hash. What the source throws is thrown as it is; everything
 * else is a fault UNAVAILABLE, after which nothing is left, as far as can be.
 */
export const putVerified = (blobs: Blobs, key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<Measured> =>
  verified(blobs, { key, bytes, shared: false });

/** As `putVerified`, where another server may have stored the same by now: what is there after a failure stays, to be replaced. */
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
    // Else the beginning of the file would be taken for all of it, and read back the same.
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
