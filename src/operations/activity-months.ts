// Keeps the activity logs of all applications in months: those that log have the months ahead, and months that are older
// than logs are kept go as a whole. Every step may be repeated, stopped anywhere and done by several servers at once.

import { DAY_MS } from '../domain/dates/days.ts';
import {
  type ActivityPart,
  activityParts,
  dropPart,
  makeMonths,
  missingMonths,
  TRIM_PAGE,
  trimPage,
} from '../store/activity-months.ts';
import { getApplication } from '../store/applications.ts';
import type { Writer } from '../store/db.ts';
import { StaleDefinition } from '../store/sqlstate.ts';
import { everyApplication, type UpkeepContext } from './upkeep.ts';

type MonthsContext = Pick<UpkeepContext, 'database' | 'now' | 'observe'>;

export interface KeepOptions {
  /** For how many days entries are kept at the least. */
  readonly days: number;
  readonly signal: AbortSignal;
}

/** What fails in one application is told of and stops nothing else. */
export async function keepActivityLogs(context: MonthsContext, { days, signal }: KeepOptions): Promise<void> {
  const { database, now, observe } = context;
  for await (const applicationId of everyApplication(context)) {
    if (signal.aborted) return;
    const writer = database.application(applicationId);
    try {
      const stored = await getApplication(database.system, applicationId);
      const parts = await activityParts(writer);
      if (stored?.definition.activityLogEnabled && missingMonths(parts, now()).length > 0) {
        await makeMonths(writer, now());
      }
      const { months, entries } = await trim(writer, { parts, before: now() - days * DAY_MS, signal });
      if (months + entries > 0) observe({ event: 'activityLog.trimmed', applicationId, months, entries });
    } catch (error) {
      // It was removed meanwhile.
      if (!(error instanceof StaleDefinition)) observe({ event: 'activityLog.unkept', applicationId, error });
    }
  }
}

/** For an application that begins to log. What fails is done by the next round; the entries are kept meanwhile. */
export async function beginActivityLog(context: MonthsContext, applicationId: string): Promise<void> {
  try {
    await makeMonths(context.database.application(applicationId), context.now());
  } catch (error) {
    context.observe({ event: 'activityLog.unkept', applicationId, error });
  }
}

interface Trimming {
  readonly parts: readonly ActivityPart[];
  readonly before: number;
  readonly signal: AbortSignal;
}

async function trim(writer: Writer, { parts, before, signal }: Trimming): Promise<{ months: number; entries: number }> {
  const past = parts.filter(({ to }) => to <= before);
  for (const part of past) await dropPart(writer, part);
  const former = parts.find(({ from, to }) => from === Number.NEGATIVE_INFINITY && to > before);
  let entries = await trimPart(writer, { before, signal });
  if (former !== undefined) entries += await trimPart(writer, { before, signal, part: former });
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
