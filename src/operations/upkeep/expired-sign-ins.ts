// Deletes expired sessions, single sign-ons and password resets. They are already invalid; this keeps the tables small.

import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { SESSION_IDLE_MS } from '../../domain/people/sessions.ts';
import { removeExpired } from '../../store/people/sessions.ts';
import { visitApplications } from '../every-application.ts';

export async function sweepSignIns(
  context: Pick<OperatorContext, 'database' | 'now' | 'observe'>,
  signal: AbortSignal,
): Promise<void> {
  const { database, now, observe } = context;
  await visitApplications(
    context,
    { job: 'expired-sign-ins', signal },
    {
      work: (applicationId) => {
        const times = { now: isoTime(now()), idleSince: isoTime(now() - SESSION_IDLE_MS) };
        return removeExpired(database.application(applicationId), times);
      },
      report: (applicationId, error) => observe({ event: 'job.failed', job: 'expired-sign-ins', applicationId, error }),
    },
  );
}
