// Removes what is stored of applications that were removed. Their rows went with them; the note in cartulary.erasures
// stays until their bytes are gone.

import { existingAttachments } from '../store/attachment-checks.ts';
import type { StoredBlob } from '../store/blobs.ts';
import { type Erasure, listErasures, removeErasure } from '../store/erasures.ts';
import { removeBytes, type SweepContext } from './attachment-sweep.ts';

const BATCH = 500;

/** One that fails is told of and stops no other. */
export async function eraseRemoved(context: SweepContext, signal: AbortSignal): Promise<void> {
  for (const erasure of await listErasures(context.database.system)) {
    if (signal.aborted) return;
    const { applicationId } = erasure;
    try {
      const attachments = await erase(context, erasure, signal);
      if (attachments > 0) context.observe({ event: 'attachments.erased', applicationId, attachments });
    } catch (error) {
      context.observe({ event: 'attachments.unswept', applicationId, error });
    }
  }
}

/**
 * How many attachments it removed. The application may be there again under its identifier: what was stored before a look
 * for rows finds none is nobody's, as every row is there before its bytes.
 */
async function erase(context: SweepContext, erasure: Erasure, signal: AbortSignal): Promise<number> {
  const { applicationId } = erasure;
  const { database, attachments } = context;
  let removed = 0;
  for await (const blobs of batchesOf(attachments.blobs.list(applicationId), BATCH)) {
    if (signal.aborted) return removed;
    const ids = [...new Set(blobs.map(({ attachmentId }) => attachmentId))];
    const rows = await existingAttachments(database.application(applicationId), ids);
    const strange = ids.filter((id) => rows?.has(id) !== true);
    await removeBytes(context, applicationId, strange);
    removed += strange.length;
  }
  await removeErasure(database.system, erasure);
  return removed;
}

export async function* batchesOf(blobs: AsyncIterable<StoredBlob>, size: number): AsyncGenerator<StoredBlob[]> {
  let batch: StoredBlob[] = [];
  for await (const blob of blobs) {
    batch.push(blob);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
