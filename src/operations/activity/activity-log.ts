// The export of the user activity log: a walk by key, page by page, that holds no connection between the pages and never
// more than one of them.

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

/** Whatever else is wrong with a request comes behind this. */
export function requireActivityLog({ application }: Pick<Context, 'application'>): void {
  if (!application.definition.activityLogEnabled) throw fault('FEATURE_DISABLED', { feature: 'activityLog' });
}

export function checkPeriod({ start, end }: Period): void {
  if (start > end) throw fault('INVALID_PERIOD', { reason: 'startDate is after endDate' });
  if (end - start > PERIOD_DAYS_MAX * DAY_MS) {
    throw fault('INVALID_PERIOD', { reason: `is longer than ${PERIOD_DAYS_MAX} days` });
  }
}

/** Notes the export before anything of it is given out. */
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
    // A reader who is as fast as we are must not keep all others waiting.
    await setImmediate();
  }
}
