// The table of jobs.

import { type SweepContext, sweepAttachments } from '../operations/attachment-sweep.ts';
import { eraseRemoved } from '../operations/erasure.ts';
import { type PublishingContext, settleInterrupted } from '../operations/preparation.ts';
import type { SearchIndexes } from '../store/search-indexes.ts';
import type { Job } from './runner.ts';

const HOUR_MS = 60 * 60_000;

export interface JobsContext extends PublishingContext, SweepContext {
  readonly searchIndexes: SearchIndexes;
}

export function jobsOf(context: JobsContext, { unheldDays }: { unheldDays: number }): Job[] {
  const { database, searchIndexes } = context;
  return [
    { name: 'search-indexes', everyMs: 250, run: () => searchIndexes.tidy(database) },
    { name: 'publishings', everyMs: 2_000, run: () => settleInterrupted(context) },
    { name: 'erasures', everyMs: 2_000, run: (signal) => eraseRemoved(context, signal) },
    {
      name: 'attachments',
      everyMs: HOUR_MS,
      // What the server before this one was receiving when it ended is gone before it is looked for.
      atStart: true,
      run: (signal) => sweepAttachments(context, { unheldDays, signal }),
    },
  ];
}
