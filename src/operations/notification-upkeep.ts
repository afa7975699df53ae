// Looks into every application's queue: what is finished for long goes, and what is waiting without a note gets one.

import type { OperatorContext } from '../context.ts';
import { DAY_MS } from '../domain/dates/days.ts';
import { hastenNote, isNoted, noteDue } from '../store/due-notifications.ts';
import { nextDue, removedAll, removeFinished } from '../store/notifications.ts';
import { StaleDefinition } from '../store/sqlstate.ts';
import { isoTime } from './record-drafts.ts';
import { everyApplication } from './upkeep.ts';

/** For how long one can see what became of a notification. */
export const FINISHED_DAYS = 7;
const EVER = isoTime(0);

export async function keepNotifications(
  context: Pick<OperatorContext, 'database' | 'now'>,
  signal: AbortSignal,
): Promise<void> {
  for await (const applicationId of everyApplication(context)) {
    if (signal.aborted) return;
    try {
      await keepOne(context, applicationId, signal);
    } catch (error) {
      // Removed meanwhile, or published anew: the next walk comes by again.
      if (!(error instanceof StaleDefinition)) throw error;
    }
  }
}

async function keepOne(
  { database, now }: Pick<OperatorContext, 'database' | 'now'>,
  applicationId: string,
  signal: AbortSignal,
): Promise<void> {
  const writer = database.application(applicationId);
  const due = await nextDue(writer);
  if (due !== undefined) {
    const at = isoTime(Math.max(due.getTime(), now()));
    if (await isNoted(database.system, applicationId, EVER)) await hastenNote(database.system, applicationId, at);
    else await noteDue(database.system, applicationId, isoTime(now()));
  }
  while (!signal.aborted && !removedAll(await removeFinished(writer, now() - FINISHED_DAYS * DAY_MS)));
}
