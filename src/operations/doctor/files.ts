// Files that should not be stored: those of no attachment or no application, and pieces of uploads that have ended.

import { setTimeout as pause } from 'node:timers/promises';
import { fileNameOf, isInterrupted } from '../../store/blobs/keys.ts';
import type { DoctorLine, FindingKind } from '../../wire/doctor.ts';
import { removeFiles } from '../attachments/removals.ts';
import {
  filesOf,
  hasNoRow,
  listStoredFiles,
  type StoredFile,
  throwStorageUnavailable,
} from '../attachments/stored-files.ts';
import { advance, findingsOf, isDue, noteRemovals, type Walk } from './walk.ts';

const KINDS: readonly FindingKind[] = ['bytesWithoutAttachment', 'bytesWithoutApplication', 'leftovers'];
/** For each application. The next run finds more. */
const LEFTOVERS_MAX = 1_000;
/** A thumbnail that is being stored is complete by then. */
const PUTTING_MS = 2_000;

export async function* examineFiles(walk: Walk): AsyncGenerator<DoctorLine> {
  const { blobs } = walk.context.attachments;
  for await (const applicationId of listStoredFiles(blobs.applications())) {
    if (!isDue(walk, applicationId, KINDS)) continue;
    const suspects = yield* examineStrangers(walk, applicationId);
    if (suspects.size === 0) continue;
    await pause(PUTTING_MS);
    yield* examineLeftovers(walk, applicationId, suspects);
  }
}

/** Returns the names of files that may be left over. */
async function* examineStrangers(walk: Walk, applicationId: string): AsyncGenerator<DoctorLine, Set<string>> {
  const { looked } = walk;
  const suspects = new Set<string>();
  for await (const batch of filesOf(walk.context, applicationId)) {
    looked.files += batch.files.length;
    walk.filesOfAttachments += batch.files.filter(({ blob }) => blob.part === undefined).length;
    for (const file of batch.files.filter(isLeftover)) {
      if (suspects.size < LEFTOVERS_MAX) suspects.add(fileNameOf(file.blob));
    }
    const kind = batch.applicationExists ? 'bytesWithoutAttachment' : 'bytesWithoutApplication';
    yield* findAndRemove(walk, { applicationId, kind }, await stillThere(walk, batch.files.filter(hasNoRow)));
    yield advance(walk, { step: 'files', done: looked.files });
  }
  return suspects;
}

/** A file may have been removed with its row after it was listed and before its row was looked for. */
async function stillThere({ context: { attachments } }: Walk, files: readonly StoredFile[]): Promise<StoredFile[]> {
  const there: StoredFile[] = [];
  for (const file of files) {
    const bytes = await attachments.blobs.size(file.blob).catch(throwStorageUnavailable);
    if (bytes !== undefined) there.push(file);
  }
  return there;
}

/** Reports the suspects that are still left over. */
async function* examineLeftovers(
  walk: Walk,
  applicationId: string,
  suspects: ReadonlySet<string>,
): AsyncGenerator<DoctorLine> {
  const isSure = (file: StoredFile) => suspects.has(fileNameOf(file.blob)) && isLeftover(file);
  for await (const { files } of filesOf(walk.context, applicationId)) {
    yield* findAndRemove(walk, { applicationId, kind: 'leftovers' }, files.filter(isSure));
    yield walk.progress;
  }
}

/** While the attachment is pending, its pieces are the upload itself. */
const isLeftover = ({ blob: { part }, row }: StoredFile): boolean =>
  (row?.state === 'available' || row?.state === 'missing') &&
  (part?.startsWith('piece-') === true || isInterrupted(part));

async function* findAndRemove(
  walk: Walk,
  at: { readonly applicationId: string; readonly kind: FindingKind },
  files: readonly StoredFile[],
): AsyncGenerator<DoctorLine> {
  yield* findingsOf(
    walk,
    files.map(({ blob, row }) => ({ kind: at.kind, ...blob, ...(row === undefined ? {} : { name: row.name }) })),
  );
  if (!walk.mending) return;
  const blobs = files.map(({ blob }) => blob);
  noteRemovals(walk, at, await removeFiles(walk.context, blobs));
}
