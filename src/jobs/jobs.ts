// The table of jobs: what runs how often, and on which nodes. The jobs themselves are in operations/upkeep.

import { isoTime } from '../domain/dates/iso-time.ts';
import type { PublishingContext } from '../operations/applications/filling.ts';
import { keepUse } from '../operations/applications/use.ts';
import { removeInterruptedRestores } from '../operations/backup/leftovers.ts';
import type { UpkeepContext } from '../operations/every-application.ts';
import { keepActivityLogs } from '../operations/upkeep/activity-months.ts';
import { sweepUnfinished, sweepUnheldAndStray } from '../operations/upkeep/attachment-sweep.ts';
import { Deliveries, type DeliveryContext } from '../operations/upkeep/deliveries.ts';
import { eraseRemoved } from '../operations/upkeep/erasure.ts';
import { sweepKeys } from '../operations/upkeep/expired-keys.ts';
import { sweepSignIns } from '../operations/upkeep/expired-sign-ins.ts';
import { cleanUpInterruptedPublishes } from '../operations/upkeep/interrupted-publishes.ts';
import { removeFinishedNotifications, restoreDueMarks } from '../operations/upkeep/notification-queues.ts';
import { releaseClaims, releaseKeys } from '../operations/upkeep/unreleased-uploads.ts';
import { settleLeft } from '../operations/upkeep/unsettled-shared-users.ts';
import type { CountedRequests } from '../store/applications/counted-requests.ts';
import { beginRound, returnRound } from '../store/nodes/job-rounds.ts';
import type { TokenUses } from '../store/people/token-uses.ts';
import type { SearchIndexes } from '../store/records/search-indexes.ts';
import type { Job } from './runner.ts';

const HOUR_MS = 60 * 60_000;
/** Bounds how late a round may start if the node that ran the previous one has ended. */
const ROUND_CHECK_MS = 5 * 60_000;

export interface JobsContext extends PublishingContext, UpkeepContext, DeliveryContext {
  readonly searchIndexes: SearchIndexes;
  readonly tokenUses: TokenUses;
  readonly countedRequests: CountedRequests;
}

export interface JobsOptions {
  readonly unheldDays: number;
  readonly activityLogDays: number;
}

export function jobsOf(context: JobsContext, { unheldDays, activityLogDays }: JobsOptions): Job[] {
  const { database, searchIndexes, tokenUses, countedRequests, now } = context;
  const deliveries = new Deliveries(context);
  return [
    { name: 'search-indexes', everyMs: 250, run: (signal) => searchIndexes.tidy(database, signal) },
    { name: 'publishings', everyMs: 2_000, run: () => cleanUpInterruptedPublishes(context) },
    { name: 'unreleased-uploads', everyMs: 2_000, run: () => releaseClaims(context) },
    { name: 'unreleased-keys', everyMs: 2_000, run: () => releaseKeys(context) },
    { name: 'unsettled-shared-users', everyMs: 2_000, run: (signal) => settleLeft(context, signal) },
    { name: 'token-uses', everyMs: 10_000, run: () => tokenUses.write(database) },
    { name: 'request-counts', everyMs: 10_000, run: () => countedRequests.write(database.system, now()) },
    { name: 'notifications', everyMs: 250, run: (signal) => deliveries.run(signal) },
    {
      name: 'noted-notifications',
      everyMs: HOUR_MS,
      // Deliveries that the previous server claimed and did not finish may lack a due mark.
      atStart: true,
      run: (signal) => restoreDueMarks(context, signal),
    },
    onOneNode(context, {
      name: 'finished-notifications',
      everyMs: HOUR_MS,
      run: (signal) => removeFinishedNotifications(context, signal),
    }),
    {
      name: 'interrupted-restores',
      everyMs: HOUR_MS,
      // A server that was killed while it restored a backup is started again.
      atStart: true,
      run: () => removeInterruptedRestores(context),
    },
    { name: 'erasures', everyMs: 2_000, run: (signal) => eraseRemoved(context, signal) },
    {
      name: 'unfinished-attachments',
      everyMs: HOUR_MS,
      // Removes uploads that the previous server was receiving when it ended.
      atStart: true,
      run: (signal) => sweepUnfinished(context, { signal }),
    },
    onOneNode(context, {
      name: 'unneeded-attachments',
      everyMs: HOUR_MS,
      run: (signal) => sweepUnheldAndStray(context, { unheldDays, signal }),
    }),
    onOneNode(context, {
      name: 'expired-sign-ins',
      everyMs: HOUR_MS,
      run: (signal) => sweepSignIns(context, signal),
    }),
    onOneNode(context, {
      name: 'expired-keys',
      everyMs: HOUR_MS,
      run: (signal) => sweepKeys(context, signal),
    }),
    onOneNode(context, {
      name: 'application-use',
      everyMs: HOUR_MS,
      run: (signal) => keepUse(context, signal),
    }),
    onOneNode(context, {
      name: 'activity-logs',
      everyMs: HOUR_MS,
      // After months without a running server, the current month has no table yet.
      atStart: true,
      run: (signal) => keepActivityLogs(context, { days: activityLogDays, signal }),
    }),
  ];
}

/**
 * Runs a job on one node only: the first node to begin a round holds it until `everyMs` has passed. A round that fails or
 * is stopped is given back to the other nodes. A round whose node was killed is skipped: every round starts from the
 * current state, and no such job is urgent enough to matter within the hour.
 */
export function onOneNode({ database, now }: Pick<JobsContext, 'database' | 'now'>, job: Job): Job {
  const { name, everyMs, run } = job;
  return {
    ...job,
    everyMs: Math.min(everyMs, ROUND_CHECK_MS),
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
