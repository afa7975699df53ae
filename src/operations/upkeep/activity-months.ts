// Partitions of the activity logs: creates the coming months for applications that log, and drops months beyond the
// retention. Every step is idempotent, may be interrupted, and may run on several nodes at once.

import { monthAfter } from '../../domain/activity/activity-months.ts';
import { DAY_MS } from '../../domain/dates/days.ts';
import {
  type ActivityPartition,
  activityPartitions,
  createMonths,
  dropPartition,
  TRIM_PAGE,
  trimPage,
} from '../../store/activity/months.ts';
import { getApplication } from '../../store/applications/applications.ts';
import type { Writer } from '../../store/database/handles.ts';
import { type UpkeepContext, visitApplications } from '../every-application.ts';

type MonthsContext = Pick<UpkeepContext, 'database' | 'now' | 'observe'>;

export interface KeepOptions {
  /** Minimum retention of entries. */
  readonly days: number;
  readonly signal: AbortSignal;
}

export async function keepActivityLogs(context: MonthsContext, { days, signal }: KeepOptions): Promise<void> {
  const { observe } = context;
  await visitApplications(
    context,
    { job: 'activity-logs', signal },
    {
      work: (applicationId) => keepActivityLog(context, applicationId, { days, signal }),
      report: (applicationId, error) => observe({ event: 'activityLog.unkept', applicationId, error }),
    },
  );
}

async function keepActivityLog(
  { database, now, observe }: MonthsContext,
  applicationId: string,
  { days, signal }: KeepOptions,
): Promise<void> {
  const writer = database.application(applicationId);
  const stored = await getApplication(database.system, applicationId);
  const partitions = await activityPartitions(writer);
  if (stored?.definition.activityLogEnabled) await createMonths(writer, now());
  const { months, entries } = await trim(writer, { partitions, before: now() - days * DAY_MS, signal });
  if (months + entries > 0) observe({ event: 'activityLog.trimmed', applicationId, months, entries });
}

interface Trimming {
  readonly partitions: readonly ActivityPartition[];
  readonly before: number;
  readonly signal: AbortSignal;
}

async function trim(
  writer: Writer,
  { partitions, before, signal }: Trimming,
): Promise<{ months: number; entries: number }> {
  const past = partitions.filter(({ to }) => to <= before);
  for (const partition of past) await dropPartition(writer, partition);
  // A partition of several months is trimmed entry by entry instead of waiting until all of it is too old.
  const long = partitions.filter(({ from, to }) => from < before && before < to && to !== monthAfter(from));
  let entries = await trimPartition(writer, { before, signal });
  for (const partition of long) entries += await trimPartition(writer, { before, signal, partition });
  return { months: past.length, entries };
}

async function trimPartition(
  writer: Writer,
  { before, signal, partition }: { before: number; signal: AbortSignal; partition?: ActivityPartition },
): Promise<number> {
  for (let entries = 0; ; ) {
    const trimmed = await trimPage(writer, { before, ...(partition === undefined ? {} : { partition }) });
    entries += trimmed;
    if (trimmed < TRIM_PAGE || signal.aborted) return entries;
  }
}
