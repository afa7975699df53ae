// What applications hold and how much they are used, for the operator.

import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { HOUR_MS, hourOf } from '../../domain/quota.ts';
import { getApplication, listApplicationIds } from '../../store/applications/applications.ts';
import {
  listRequestCounts,
  removeOldRequestCounts,
  sumRequestCounts,
} from '../../store/applications/request-counts.ts';
import { getSize, keepSize, listSizes, measureSize, type StoredSize } from '../../store/applications/sizes.ts';
import { StaleDefinition, unavailable } from '../../store/database/database-errors.ts';
import { type Size, USE_DAYS, type UseOverview, type UseView } from '../../wire/use.ts';
import { visitApplications } from '../every-application.ts';
import { requireApplication } from './applications.ts';

const DAY_HOURS = 24;
/** A size that is not older is not measured again for the operator. */
const SIZE_MS = 60_000;
/** New applications that are measured for a list; a job measures the others. */
const MEASURED_MAX = 10;

type Measuring = Pick<OperatorContext, 'database' | 'now'>;

/** All applications, with the requests of the last 24 hours. */
export async function list(context: OperatorContext): Promise<UseOverview> {
  const { system } = context.database;
  const since = isoTime(hourOf(context.now()) - (DAY_HOURS - 1) * HOUR_MS);
  const ids = await listApplicationIds(system);
  const sizes = await listSizes(system);
  const counts = await sumRequestCounts(system, since);
  for (const id of ids.filter((each) => !sizes.has(each)).slice(0, MEASURED_MAX)) {
    const size = await measure(context, id).catch((error: unknown) => {
      // One application cannot be asked, such as those of a worker that is away: the others are listed all the same.
      if (unavailable(error) === undefined) throw error;
      return undefined;
    });
    if (size !== undefined) sizes.set(id, size);
  }
  return ids.map((applicationId) => {
    const size = sizes.get(applicationId);
    const { requests = 0, refused = 0, failed = 0 } = counts.get(applicationId) ?? {};
    return { applicationId, size: size === undefined ? null : sizeView(size), requests, refused, failed };
  });
}

export async function show(context: OperatorContext, applicationId: string): Promise<UseView> {
  await requireApplication(context, applicationId);
  const { system } = context.database;
  const now = context.now();
  const kept = await getSize(system, applicationId);
  const isFresh = kept !== undefined && now - kept.measuredAt < SIZE_MS;
  const size = isFresh ? kept : await measure(context, applicationId);
  if (size === undefined) throw new StaleDefinition();
  const since = hourOf(now) - (USE_DAYS * DAY_HOURS - 1) * HOUR_MS;
  const hours = await listRequestCounts(system, applicationId, isoTime(since));
  return {
    size: sizeView(size),
    since: isoTime(since),
    hours: hours.map(({ hour, ...counts }) => ({ hour: isoTime(hour), ...counts })),
  };
}

const sizeView = ({ measuredAt, ...size }: StoredSize): Size => ({ ...size, measuredAt: isoTime(measuredAt) });

/** Undefined if the application is gone, or published anew meanwhile. */
async function measure({ database, now }: Measuring, applicationId: string): Promise<StoredSize | undefined> {
  const stored = await getApplication(database.system, applicationId);
  if (stored === undefined) return undefined;
  const collectionIds = stored.definition.collections.map(({ id }) => id);
  try {
    const measured = await measureSize(database.system, database.application(applicationId), collectionIds);
    const size = { ...measured, measuredAt: now() };
    await keepSize(database.system, applicationId, size);
    return size;
  } catch (error) {
    if (error instanceof StaleDefinition) return undefined;
    throw error;
  }
}

/** A job: measures every application, and forgets counts that nobody sees any more. */
export async function keepUse(
  context: Measuring & Pick<OperatorContext, 'observe'>,
  signal: AbortSignal,
): Promise<void> {
  const { database, now, observe } = context;
  await removeOldRequestCounts(database.system, isoTime(hourOf(now()) - USE_DAYS * DAY_HOURS * HOUR_MS));
  await visitApplications(
    context,
    { job: 'application-use', signal },
    {
      work: async (applicationId) => {
        await measure(context, applicationId);
      },
      report: (applicationId, error) => observe({ event: 'job.failed', job: 'application-use', applicationId, error }),
    },
  );
}
