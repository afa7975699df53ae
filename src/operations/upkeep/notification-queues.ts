// Upkeep of the notification queues of all applications: deletes old finished notifications and restores missing due marks.

import type { OperatorContext } from '../../context.ts';
import { DAY_MS } from '../../domain/dates/days.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { bringDueForward, isMarkedDue, markDue } from '../../store/notifications/due.ts';
import { nextDue, removedAll, removeFinished } from '../../store/notifications/notifications.ts';
import { visitApplications } from '../every-application.ts';

/** How long the outcome of a notification can be read. */
export const FINISHED_DAYS = 7;
const EVER = isoTime(0);

type QueueContext = Pick<OperatorContext, 'database' | 'now' | 'observe'>;

/** A node that ends between writing the queue and its due mark leaves a queue without one. */
export function restoreDueMarks(context: QueueContext, signal: AbortSignal): Promise<void> {
  const { database, now, observe } = context;
  return visitApplications(
    context,
    { job: 'noted-notifications', signal },
    {
      work: async (applicationId) => {
        const due = await nextDue(database.application(applicationId));
        if (due === undefined) return;
        const at = isoTime(Math.max(due.getTime(), now()));
        if (await isMarkedDue(database.system, applicationId, EVER))
          await bringDueForward(database.system, applicationId, at);
        else await markDue(database.system, applicationId, isoTime(now()));
      },
      report: (applicationId, error) =>
        observe({ event: 'job.failed', job: 'noted-notifications', applicationId, error }),
    },
  );
}

export function removeFinishedNotifications(context: QueueContext, signal: AbortSignal): Promise<void> {
  const { database, now, observe } = context;
  return visitApplications(
    context,
    { job: 'finished-notifications', signal },
    {
      work: async (applicationId) => {
        const writer = database.application(applicationId);
        while (!signal.aborted && !removedAll(await removeFinished(writer, now() - FINISHED_DAYS * DAY_MS)));
      },
      report: (applicationId, error) =>
        observe({ event: 'job.failed', job: 'finished-notifications', applicationId, error }),
    },
  );
}
