// The bodies of small uploads, collected in memory, so that a file is written at once. They count in the byte budget; a body
// that does not fit now is stored as it arrives.

import { BytesNeeded } from '../../load/byte-budget.ts';
import type { InCollection } from '../in-collection.ts';

/** The largest body that is collected. */
const COLLECTED_BYTES_MAX = 256 * 1024;
/** Buffers that are kept for the next bodies: new ones would be garbage outside of the heap, which is collected late. */
const BUFFERS_KEPT_MAX = 16;

const buffers: Buffer[] = [];

/**
 * Calls `store` with all bytes of a body whose declared length is small. They are valid until it has ended. Undefined if the
 * body has to be stored as it arrives; none of it has been read then.
 */
export async function withCollected<T>(
  at: Pick<InCollection, 'byteBudget' | 'scope'>,
  { bytes, length }: { bytes: AsyncIterable<Uint8Array>; length: number | undefined },
  store: (collected: Uint8Array) => Promise<T>,
): Promise<T | undefined> {
  if (length === undefined || length > COLLECTED_BYTES_MAX || !reserves(at)) return undefined;
  const buffer = buffers.pop() ?? Buffer.allocUnsafeSlow(COLLECTED_BYTES_MAX);
  try {
    return await store(await copyInto(buffer, bytes));
  } finally {
    if (buffers.length < BUFFERS_KEPT_MAX) buffers.push(buffer);
    at.byteBudget.release(at.scope);
  }
}

function reserves({ byteBudget, scope }: Pick<InCollection, 'byteBudget' | 'scope'>): boolean {
  try {
    byteBudget.require(scope, COLLECTED_BYTES_MAX);
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
