// Removes the files of deleted applications. Their rows are already gone; the row in cartulary.erasures stays until the
// files are, too. One node at a time works on an erasure.

import { isoTime } from '../../domain/dates/iso-time.ts';
import { claimErasure, dueErasures, type Erasure, removeErasure } from '../../store/applications/erasures.ts';
import { removeFiles } from '../attachments/removals.ts';
import { filesOf, hasNoRow } from '../attachments/stored-files.ts';
import type { UpkeepContext } from '../every-application.ts';

/** When another node may take over: the claim is renewed after each batch of files, so an older one failed or ended. */
const CLAIM_MS = 60_000;
/** The last walk finds nothing. An upload that ends while a store is being listed makes another walk necessary. */
const WALKS_MAX = 5;

/** Errors of one erasure are reported and do not hold up the others. */
export async function eraseRemoved(context: UpkeepContext, signal: AbortSignal): Promise<void> {
  const { database, now, observe } = context;
  for (const erasure of await dueErasures(database.system, isoTime(now() - CLAIM_MS))) {
    if (signal.aborted) return;
    const { applicationId } = erasure;
    try {
      const times = { at: isoTime(now()), before: isoTime(now() - CLAIM_MS) };
      if (!(await claimErasure(database.system, erasure, times))) continue;
      const files = await erase(context, erasure, signal);
      if (files > 0) observe({ event: 'attachments.erased', applicationId, files });
    } catch (error) {
      observe({ event: 'attachments.unswept', applicationId, error });
    }
  }
}

/** Returns the number of removed files. Removes the erasure once a walk finds no file. */
async function erase(context: UpkeepContext, erasure: Erasure, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (let walk = 1; walk <= WALKS_MAX; walk++) {
    const found = await removeOrphans(context, erasure, signal);
    if (signal.aborted) return removed;
    removed += found;
    if (found > 0) continue;
    await removeErasure(context.database.system, erasure);
    return removed;
  }
  throw new Error(`each of ${WALKS_MAX} walks still found files`);
}

/** A new application may have the same identifier: files with a row belong to it and stay. */
async function removeOrphans(context: UpkeepContext, erasure: Erasure, signal: AbortSignal): Promise<number> {
  const { database, now } = context;
  let found = 0;
  let failure: Error | undefined;
  for await (const { files } of filesOf(context, erasure.applicationId)) {
    const orphans = files.filter(hasNoRow).map(({ blob }) => blob);
    const { removed, error } = await removeFiles(context, orphans, signal);
    found += removed;
    failure ??= error;
    if (signal.aborted) break;
    await claimErasure(database.system, erasure, { at: isoTime(now()) });
  }
  if (failure !== undefined) throw failure;
  return found;
}
