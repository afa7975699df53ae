// Removes what is stored of applications that were removed. Their rows went with them; the note in cartulary.erasures
// stays until their bytes are gone. Of several servers one works on a note at a time.

import { isoTime } from '../../domain/dates/iso-time.ts';
import { claimErasure, dueErasures, type Erasure, removeErasure } from '../../store/applications/erasures.ts';
import { removeFiles } from '../attachments/removals.ts';
import { filesOf, hasNoRow } from '../attachments/stored-files.ts';
import type { UpkeepContext } from '../every-application.ts';

/** After a failure, or when the server that had begun has ended. Who works on one says so after each batch of files. */
const AGAIN_MS = 60_000;
/** The last finds nothing. Another is needed where an upload ended between the two lists that a store has. */
const WALKS_MAX = 5;

/** One that fails is told of and stops no other. */
export async function eraseRemoved(context: UpkeepContext, signal: AbortSignal): Promise<void> {
  const { database, now, observe } = context;
  for (const erasure of await dueErasures(database.system, isoTime(now() - AGAIN_MS))) {
    if (signal.aborted) return;
    const { applicationId } = erasure;
    try {
      const times = { at: isoTime(now()), before: isoTime(now() - AGAIN_MS) };
      if (!(await claimErasure(database.system, erasure, times))) continue;
      const files = await erase(context, erasure, signal);
      if (files > 0) observe({ event: 'attachments.erased', applicationId, files });
    } catch (error) {
      observe({ event: 'attachments.unswept', applicationId, error });
    }
  }
}

/** How many files it removed. Without any left, the note goes. */
async function erase(context: UpkeepContext, erasure: Erasure, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (let walk = 1; walk <= WALKS_MAX; walk++) {
    const found = await removeStrangers(context, erasure, signal);
    if (signal.aborted) return removed;
    removed += found;
    if (found > 0) continue;
    await removeErasure(context.database.system, erasure);
    return removed;
  }
  throw new Error(`there was something left in each of ${WALKS_MAX} walks`);
}

/** The application may be there again under its identifier: what has a row is its own. */
async function removeStrangers(context: UpkeepContext, erasure: Erasure, signal: AbortSignal): Promise<number> {
  const { database, now } = context;
  let found = 0;
  let failure: Error | undefined;
  for await (const { files } of filesOf(context, erasure.applicationId)) {
    const strangers = files.filter(hasNoRow).map(({ blob }) => blob);
    const { removed, error } = await removeFiles(context, strangers, signal);
    found += removed;
    failure ??= error;
    if (signal.aborted) break;
    await claimErasure(database.system, erasure, { at: isoTime(now()) });
  }
  if (failure !== undefined) throw failure;
  return found;
}
