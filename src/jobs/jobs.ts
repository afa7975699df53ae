// The table of jobs.

import { isoTime } from '../domain/dates/iso-time.ts';
import type { PublishingContext } from '../operations/applications/prepare.ts';
import { releaseClaims } from '../operations/attachments/announced-uploads.ts';
import type { UpkeepContext } from '../operations/every-application.ts';
import { Deliveries, type DeliveryContext } from '../operations/notifications/deliveries.ts';
import { settleLeft } from '../operations/people/settling.ts';
import { keepActivityLogs } from '../operations/upkeep/activity-months.ts';
import { sweepUnfinished, sweepUnheldAndStray } from '../operations/upkeep/attachment-sweep.ts';
import { eraseRemoved } from '../operations/upkeep/erasure.ts';
import { sweepSignIns } from '../operations/upkeep/expired-sign-ins.ts';
import { cleanUpInterruptedPublishes } from '../operations/upkeep/interrupted-publishes.ts';
import { noteWaiting, removeFinishedLong } from '../operations/upkeep/notifications.ts';
import { beginRound, returnRound } from '../store/nodes/job-rounds.ts';
import type { TokenUses } from '../store/people/token-uses.ts';
import type { SearchIndexes } from '../store/records/search-indexes.ts';
import type { Job } from './runner.ts';

const HOUR_MS = 60 * 60_000;
/** How late the round of an hour may be, after the server that did the one before has ended. */
const ROUND_LOOK_MS = 5 * 60_000;

export interface JobsContext extends PublishingContext, UpkeepContext, DeliveryContext {
  readonly searchIndexes: SearchIndexes;
  readonly tokenUses: TokenUses;
}

export interface JobsOptions {
  readonly unheldDays: number;
  readonly activityLogDays: number;
}

export function jobsOf(context: JobsContext, { unheldDays, activityLogDays }: JobsOptions): Job[] {
  const { database, searchIndexes, tokenUses } = context;
  const deliveries = new Deliveries(context);
  return [
    { name: 'search-indexes', everyMs: 250, run: () => searchIndexes.tidy(database) },
    { name: 'publishings', everyMs: 2_000, run: () => cleanUpInterruptedPublishes(context) },
    { name: 'unreleased-uploads', everyMs: 2_000, run: () => releaseClaims(context) },
    { name: 'unsettled-shared-users', everyMs: 2_000, run: (signal) => settleLeft(context, signal) },
    { name: 'token-uses', everyMs: 10_000, run: () => tokenUses.write(database) },
    { name: 'notifications', everyMs: 250, run: (signal) => deliveries.run(signal) },
    {
      name: 'noted-notifications',
      everyMs: HOUR_MS,
      // What the server before this one had taken and not delivered has a note, whatever happened.
      atStart: true,
      run: (signal) => noteWaiting(context, signal),
    },
    onceForAll(context, {
      name: 'finished-notifications',
      everyMs: HOUR_MS,
      run: (signal) => removeFinishedLong(context, signal),
    }),
    { name: 'erasures', everyMs: 2_000, run: (signal) => eraseRemoved(context, signal) },
    {
      name: 'unfinished-attachments',
      everyMs: HOUR_MS,
      // What the server before this one was receiving when it ended is gone before it is looked for.
      atStart: true,
      run: (signal) => sweepUnfinished(context, { signal }),
    },
    onceForAll(context, {
      name: 'unneeded-attachments',
      everyMs: HOUR_MS,
      run: (signal) => sweepUnheldAndStray(context, { unheldDays, signal }),
    }),
    onceForAll(context, {
      name: 'expired-sign-ins',
      everyMs: HOUR_MS,
      run: (signal) => sweepSignIns(context, signal),
    }),
    onceForAll(context, {
      name: 'activity-logs',
      everyMs: HOUR_MS,
      // After months without any server there is no table left for the present one.
      atStart: true,
      run: (signal) => keepActivityLogs(context, { days: activityLogDays, signal }),
    }),
  ];
}

/**
 * A job that one of the servers does, whichever comes first, and none again before its time. A round that fails, or whose
 * server is stopped, is given back. One whose server was killed is not missed before the next: each begins with what is
 * there then, and none is about anything that could not wait for an hour.
 */
export function onceForAll({ database, now }: Pick<JobsContext, 'database' | 'now'>, job: Job): Job {
  const { name, everyMs, run } = job;
  return {
    ...job,
    everyMs: Math.min(everyMs, ROUND_LOOK_MS),
    run: async (signal) => {
      const round = { job: name, at: isoTime(now()), since: isoTime(now() - everyMs) };
      if (!(await beginRound(database.system, round))) return;
      let done = false;
      try {
        await run(signal);
        done = !signal.aborted;
      } finally {
        if (!done) await returnRound(database.system, round).catch(() => undefined);
      }
    },
  };
}
