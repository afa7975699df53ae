// Partitions of the activity logs: creates the coming months for applications that log, and drops months beyond the
// retention. Every step is idempotent, may be interrupted, and may run on several nodes at once.

import { monthAfter } from '../../domain/activity/activity-months.ts';
import { DAY_MS } from '../../domain/dates/days.ts';
import {
  type ActivityPart,
  activityParts,
  dropPart,
  makeMonths,
  TRIM_PAGE,
  trimPage,
} from '../../store/activity/months.ts';
import { getApplication } from '../../store/applications/applications.ts';
import type { Writer } from '../../store/database/handles.ts';
import { forEveryApplication, type UpkeepContext } from '../every-application.ts';

type MonthsContext = Pick<UpkeepContext, 'database' | 'now' | 'observe'>;

export interface KeepOptions {
  /** Minimum retention of entries. */
  readonly days: number;
  readonly signal: AbortSignal;
}

export async function keepActivityLogs(context: MonthsContext, { days, signal }: KeepOptions): Promise<void> {
  const { observe } = context;
  await forEveryApplication(context, signal, {
    work: (applicationId) => keepActivityLog(context, applicationId, { days, signal }),
    report: (applicationId, error) => observe({ event: 'activityLog.unkept', applicationId, error }),
  });
}

async function keepActivityLog(
  { database, now, observe }: MonthsContext,
  applicationId: string,
  { days, signal }: KeepOptions,
): Promise<void> {
  const writer = database.application(applicationId);
  const stored = await getApplication(database.system, applicationId);
  const parts = await activityParts(writer);
  if (stored?.definition.activityLogEnabled) await makeMonths(writer, now());
  const { months, entries } = await trim(writer, { parts, before: now() - days * DAY_MS, signal });
  if (months + entries > 0) observe({ event: 'activityLog.trimmed', applicationId, months, entries });
}

interface Trimming {
  readonly parts: readonly ActivityPart[];
  readonly before: number;
  readonly signal: AbortSignal;
}

async function trim(writer: Writer, { parts, before, signal }: Trimming): Promise<{ months: number; entries: number }> {
  const past = parts.filter(({ to }) => to <= before);
  for (const part of past) await dropPart(writer, part);
  // A part that spans several months is trimmed row by row instead of waiting until all of it is too old.
  const long = parts.filter(({ from, to }) => from < before && before < to && to !== monthAfter(from));
  let entries = await trimPart(writer, { before, signal });
  for (const part of long) entries += await trimPart(writer, { before, signal, part });
  return { months: past.length, entries };
}

async function trimPart(
  writer: Writer,
  { before, signal, part }: { before: number; signal: AbortSignal; part?: ActivityPart },
): Promise<number> {
  for (let entries = 0; ; ) {
    const trimmed = await trimPage(writer, { before, ...(part === undefined ? {} : { part }) });
    entries += trimmed;
    if (trimmed < TRIM_PAGE || signal.aborted) return entries;
  }
}
