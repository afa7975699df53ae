// The activity log as people look at it: newest first, and counted by day. Unlike an export, looking is not logged.

import type { Context } from '../../context.ts';
import type { EntryFilter } from '../../domain/activity/entry-filter.ts';
import { firstUuidAt, LAST_KEY, uuidMilliseconds } from '../../domain/ids.ts';
import { countByDay, type DayCount, readNewest } from '../../store/activity/newest-entries.ts';
import { checkPeriod, type Period, requireActivityLog } from './activity-log.ts';

export interface NewestInput {
  /** Milliseconds since 1970; absent where there is no bound. */
  readonly start: number | undefined;
  readonly end: number | undefined;
  /** As the page before gave it. */
  readonly after: string | undefined;
  readonly filter: EntryFilter;
  readonly limit: number;
}

export interface NewestPage {
  /** JSON. */
  readonly entries: readonly string[];
  /** Where the next page begins, and the time up to which everything has been looked at. */
  readonly next: { readonly position: string; readonly reached: number } | undefined;
}

export async function newestEntries(
  context: Context,
  { start = 0, end, after, filter, limit }: NewestInput,
): Promise<NewestPage> {
  requireActivityLog(context);
  const bounds = [LAST_KEY, ...(end === undefined ? [] : [firstUuidAt(end)]), ...(after === undefined ? [] : [after])];
  const [before = LAST_KEY] = bounds.sort();
  const { entries, next } = await readNewest(context.store, { start, before, filter, limit });
  return {
    entries,
    next: next === undefined ? undefined : { position: next, reached: uuidMilliseconds(next) },
  };
}

export interface DayCountsInput extends Period {
  readonly filter: EntryFilter;
  /** The application's if it is absent. */
  readonly timezone: string | undefined;
}

export async function activityByDay(context: Context, input: DayCountsInput): Promise<DayCount[]> {
  requireActivityLog(context);
  checkPeriod(input);
  return countByDay(context.store, { ...input, zone: input.timezone ?? context.application.definition.timeZone });
}
