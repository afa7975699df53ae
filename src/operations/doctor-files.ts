// What is stored and should not be: files of no attachment or of no application, and pieces of uploads that are over.

import { setTimeout as pause } from 'node:timers/promises';
import { type CheckedRow, existingAttachments } from '../store/attachment-checks.ts';
import { isInterrupted } from '../store/blob-keys.ts';
import type { BlobKey, StoredBlob } from '../store/blobs.ts';
import type { DoctorLine, Finding, FindingKind } from '../wire/doctor.ts';
import { removeBytes } from './attachment-sweep.ts';
import { findingsOf, isDue, unavailable, type Walk } from './doctor-walk.ts';
import { batchesOf } from './erasure.ts';

const KINDS: readonly FindingKind[] = ['bytesWithoutAttachment', 'bytesWithoutApplication', 'leftovers'];
const BATCH = 500;
/** Of one application. More are found when these are gone. */
const LEFTOVERS_MAX = 1_000;
/** A small picture that is being put beside its attachment is there by then. */
const SETTLED_MS = 2_000;

export async function* examineFiles(walk: Walk): AsyncGenerator<DoctorLine> {
  const { blobs } = walk.context.attachments;
  for await (const applicationId of asked(blobs.applications())) {
    if (isDue(walk, applicationId, KINDS)) yield* examineApplication(walk, applicationId);
  }
}

async function* examineApplication(walk: Walk, applicationId: string): AsyncGenerator<DoctorLine> {
  const { looked } = walk;
  const suspects = new Set<string>();
  for await (const { blob, row, batchEnds } of filesOf(walk, applicationId)) {
    if (blob !== undefined) {
      looked.files += 1;
      if (row !== undefined && isLeftover(blob, row) && suspects.size < LEFTOVERS_MAX) suspects.add(nameOf(blob));
    }
    if (batchEnds !== undefined) {
      yield* await removeStrangers(walk, applicationId, batchEnds);
      yield walk.progress('files', looked.files);
    }
  }
  if (suspects.size === 0) return;
  await pause(SETTLED_MS);
  for await (const { blob, row, batchEnds } of filesOf(walk, applicationId)) {
    if (batchEnds !== undefined) yield walk.progress('files', looked.files);
    if (blob === undefined || row === undefined || !suspects.has(nameOf(blob)) || !isLeftover(blob, row)) continue;
    yield* findingsOf(walk, [{ kind: 'leftovers', ...describe(blob), name: row.name }]);
    if (!walk.mending) continue;
    await walk.context.attachments.blobs.remove(keyOf(blob)).catch(unavailable);
    walk.tallies.leftovers.mended += 1;
  }
}

const nameOf = ({ attachmentId, part = '' }: BlobKey): string => `${attachmentId}.${part}`;

const keyOf = ({ applicationId, attachmentId, part }: BlobKey): BlobKey => ({
  applicationId,
  attachmentId,
  ...(part === undefined ? {} : { part }),
});

/** While the attachment is pending they are the upload itself. */
const isLeftover = ({ part }: StoredBlob, { state }: CheckedRow): boolean =>
  (state === 'available' || state === 'missing') && (part?.startsWith('piece-') === true || isInterrupted(part));

interface Strangers {
  readonly applicationExists: boolean;
  readonly blobs: readonly StoredBlob[];
}

/** Each file with its row; behind each batch, those of it that have none. */
async function* filesOf(
  { context: { database, attachments } }: Walk,
  applicationId: string,
): AsyncGenerator<{ blob?: StoredBlob; row?: CheckedRow; batchEnds?: Strangers }> {
  for await (const batch of batchesOf(asked(attachments.blobs.list(applicationId)), BATCH)) {
    const ids = [...new Set(batch.map(({ attachmentId }) => attachmentId))];
    const rows = await existingAttachments(database.application(applicationId), ids);
    const strangers: StoredBlob[] = [];
    for (const blob of batch) {
      const row = rows?.get(blob.attachmentId);
      if (row === undefined) strangers.push(blob);
      yield row === undefined ? { blob } : { blob, row };
    }
    yield { batchEnds: { applicationExists: rows !== undefined, blobs: strangers } };
  }
}

async function removeStrangers(
  walk: Walk,
  applicationId: string,
  { applicationExists, blobs }: Strangers,
): Promise<Finding[]> {
  const kind = applicationExists ? 'bytesWithoutAttachment' : 'bytesWithoutApplication';
  const told = findingsOf(
    walk,
    blobs.map((blob) => ({ kind, ...describe(blob) })),
  );
  if (walk.mending && blobs.length > 0) {
    const ids = [...new Set(blobs.map(({ attachmentId }) => attachmentId))];
    await removeBytes(walk.context, applicationId, ids);
    walk.tallies[kind].mended += blobs.length;
  }
  return told;
}

const describe = ({ size, ...blob }: StoredBlob) => ({ ...keyOf(blob), ...(size === undefined ? {} : { size }) });

async function* asked<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next().catch(unavailable);
      if (done === true) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
