// The table of jobs.

import { type PublishingContext, settleInterrupted } from '../operations/preparation.ts';
import type { SearchIndexes } from '../store/search-indexes.ts';
import type { Job } from './runner.ts';

export function jobsOf(context: PublishingContext & { readonly searchIndexes: SearchIndexes }): Job[] {
  const { database, searchIndexes } = context;
  return [
    { name: 'search-indexes', everyMs: 250, run: () => searchIndexes.tidy(database) },
    { name: 'publishings', everyMs: 2_000, run: () => settleInterrupted(context) },
  ];
}
