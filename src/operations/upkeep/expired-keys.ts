// Removes expired Idempotency-Keys with their replies. They count as absent already; this keeps the tables small.

import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { removeExpiredKeys } from '../../store/idempotency/keys.ts';
import { visitApplications } from '../every-application.ts';
import { KEPT_MS } from '../keyed-requests.ts';

export function sweepKeys(
  context: Pick<OperatorContext, 'database' | 'now' | 'observe'>,
  signal: AbortSignal,
): Promise<void> {
  const { database, now, observe } = context;
  return visitApplications(
    context,
    { job: 'expired-keys', signal },
    {
      work: async (applicationId) => {
        const writer = database.application(applicationId);
        while (!signal.aborted && !(await removeExpiredKeys(writer, isoTime(now() - KEPT_MS))));
      },
      report: (applicationId, error) => observe({ event: 'job.failed', job: 'expired-keys', applicationId, error }),
    },
  );
}
