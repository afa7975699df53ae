// The bodies of small uploads, collected in memory, so that a file is written at once. They count in the byte budget; a body
// that does not fit now is stored as it arrives.

import { BytesNeeded } from '../../load/byte-budget.ts';
import type { InCollection } from '../in-collection.ts';

/** The largest body that is collected. */
const COLLECTED_BYTES_MAX = 256 * 1024;
const HALF_BYTES = COLLECTED_BYTES_MAX / 2;
/** Of buffers that are kept for the next bodies: new ones would be garbage outside of the heap, which is collected late. */
const KEPT_BYTES_MAX = 8 * 1024 * 1024;

const kept: { readonly half: Buffer[]; readonly whole: Buffer[] } = { half: [], whole: [] };
let keptBytes = 0;

function takeBuffer(bytes: number): Buffer {
  const buffer = (bytes === HALF_BYTES ? kept.half : kept.whole).pop();
  if (buffer === undefined) return Buffer.allocUnsafeSlow(bytes);
  keptBytes -= buffer.length;
  return buffer;
}

function keepBuffer(buffer: Buffer): void {
  if (keptBytes + buffer.length > KEPT_BYTES_MAX) return;
  keptBytes += buffer.length;
  (buffer.length === HALF_BYTES ? kept.half : kept.whole).push(buffer);
}

/**
 * Calls `store` with all bytes of a body whose declared length is small. They are valid until it has ended. Undefined if the
 * body has to be stored as it arrives; none of it has been read then.
 */
export async function withCollected<T>(
  at: Pick<InCollection, 'byteBudget' | 'scope'>,
  { bytes, length }: { bytes: AsyncIterable<Uint8Array>; length: number | undefined },
  store: (collected: Uint8Array) => Promise<T>,
): Promise<T | undefined> {
  if (length === undefined || length > COLLECTED_BYTES_MAX) return undefined;
  const size = length > HALF_BYTES ? COLLECTED_BYTES_MAX : HALF_BYTES;
  if (!reserves(at, size)) return undefined;
  const buffer = takeBuffer(size);
  try {
    return await store(await copyInto(buffer, bytes));
  } finally {
    keepBuffer(buffer);
    at.byteBudget.release(at.scope);
  }
}

function reserves({ byteBudget, scope }: Pick<InCollection, 'byteBudget' | 'scope'>, bytes: number): boolean {
  try {
    byteBudget.require(scope, bytes);
    return true;
  } catch (error) {
    if (error instanceof BytesNeeded) return false;
    throw error;
  }
}

/** Copied, because chunks of a few bytes would take many times their length. */
async function copyInto(buffer: Buffer, bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes) {
    if (length + chunk.length > buffer.length) throw new Error('the body is longer than declared');
    buffer.set(chunk, length);
    length += chunk.length;
  }
  return buffer.subarray(0, length);
}
