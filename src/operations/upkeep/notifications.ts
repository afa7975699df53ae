// Looks into every application's queue: what is finished for long goes, and what is waiting without a note gets one.

import type { OperatorContext } from '../../context.ts';
import { DAY_MS } from '../../domain/dates/days.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { hastenNote, isNoted, noteDue } from '../../store/notifications/due.ts';
import { nextDue, removedAll, removeFinished } from '../../store/notifications/notifications.ts';
import { forEveryApplication } from '../every-application.ts';

/** For how long one can see what became of a notification. */
export const FINISHED_DAYS = 7;
const EVER = isoTime(0);

type KeepingContext = Pick<OperatorContext, 'database' | 'now' | 'observe'>;

/** What is waiting without a note, because a server has ended between the two, gets one. */
export function noteWaiting(context: KeepingContext, signal: AbortSignal): Promise<void> {
  const { database, now, observe } = context;
  return forEveryApplication(context, signal, {
    work: async (applicationId) => {
      const due = await nextDue(database.application(applicationId));
      if (due === undefined) return;
      const at = isoTime(Math.max(due.getTime(), now()));
      if (await isNoted(database.system, applicationId, EVER)) await hastenNote(database.system, applicationId, at);
      else await noteDue(database.system, applicationId, isoTime(now()));
    },
    tell: (applicationId, error) => observe({ event: 'job.failed', job: 'noted-notifications', applicationId, error }),
  });
}

export function removeFinishedLong(context: KeepingContext, signal: AbortSignal): Promise<void> {
  const { database, now, observe } = context;
  return forEveryApplication(context, signal, {
    work: async (applicationId) => {
      const writer = database.application(applicationId);
      while (!signal.aborted && !removedAll(await removeFinished(writer, now() - FINISHED_DAYS * DAY_MS)));
    },
    tell: (applicationId, error) =>
      observe({ event: 'job.failed', job: 'finished-notifications', applicationId, error }),
  });
}
