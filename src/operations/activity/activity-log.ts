// The export of the user activity log: reads page by page in the order of keys, with no connection checked out between
// pages and one page in memory at a time.

import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { DAY_MS } from '../../domain/dates/days.ts';
import { fault } from '../../faults.ts';
import { insertEntries, readEntries } from '../../store/activity/activity.ts';
import { activityEntryOf } from './entries.ts';

export const PERIOD_DAYS_MAX = 90;

export interface Period {
  /** Inclusive; milliseconds since 1970. */
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Checked before everything else in a request. */
export function requireActivityLog({ application }: Pick<Context, 'application'>): void {
  if (!application.definition.activityLogEnabled) throw fault('FEATURE_DISABLED', { feature: 'activityLog' });
}

export function checkPeriod({ start, end }: Period): void {
  if (start > end) throw fault('INVALID_PERIOD', { reason: 'startDate is after endDate' });
  if (end - start > PERIOD_DAYS_MAX * DAY_MS) {
    throw fault('INVALID_PERIOD', { reason: `is longer than ${PERIOD_DAYS_MAX} days` });
  }
}

/** Logs the export before it returns the first entry. */
export async function exportEntries(context: Context, period: Period): Promise<AsyncIterable<string>> {
  const { store } = context;
  const extra = { startDate: new Date(period.start).toISOString(), endDate: new Date(period.end).toISOString() };
  const { text, params } = insertEntries(store.schema, activityEntryOf(context, 'activityLog.export', extra));
  await store.write(text, params);
  return pages(context, period);
}

async function* pages({ store }: Context, { start, end }: Period): AsyncGenerator<string> {
  for (let after: string | undefined; start < end; ) {
    const page = await readEntries(store, { start, end, after });
    if (page.lines !== '') yield page.lines;
    if (page.last === undefined) return;
    after = page.last;
    // A client that reads without pausing must not starve other requests of the event loop.
    await setImmediate();
  }
}
