// The context of upkeep, walks through all applications, and the rounds of jobs through those that need it.

import type { AttachmentDependencies, OperatorContext } from '../context.ts';
import { isoTime } from '../domain/dates/iso-time.ts';
import { HOUR_MS, hourOf } from '../domain/quota.ts';
import { countApplications, getApplication, pageOfApplications } from '../store/applications/applications.ts';
import { pageOfUsed } from '../store/applications/request-counts.ts';
import { StaleDefinition } from '../store/database/database-errors.ts';
import { getPosition, putPosition } from '../store/nodes/walks.ts';

export interface UpkeepContext extends Pick<OperatorContext, 'database' | 'now' | 'observe'> {
  readonly attachments: Pick<AttachmentDependencies, 'blobs' | 'node' | 'activeUploads' | 'goneCheckPauseMs'>;
}

/** `after`: only those after this one. */
export function everyApplication({ database }: Pick<UpkeepContext, 'database'>, after = ''): AsyncGenerator<string> {
  return inPages((last) => pageOfApplications(database.system, last), after);
}

async function* inPages(pageAfter: (last: string) => Promise<string[]>, after = ''): AsyncGenerator<string> {
  for (let last: string | undefined = after; last !== undefined; ) {
    const page: string[] = await pageAfter(last);
    yield* page;
    last = page.at(-1);
  }
}

interface Upkeep {
  readonly work: (applicationId: string) => Promise<void>;
  readonly report: (applicationId: string, error: unknown) => void;
}

interface Visiting {
  /** Its name, under which it goes on where the last round ended. */
  readonly job: string;
  readonly signal: AbortSignal;
  /** How many of the applications that nobody uses; more if a day would not suffice for all. */
  readonly unused?: number;
}

type VisitContext = Pick<UpkeepContext, 'database' | 'now'>;

/** What a request may have left is looked at in the hours after it. */
const USED_HOURS = 3;
const UNUSED_EACH_ROUND = 500;
const ROUNDS_A_DAY = 24;

/**
 * For the hourly rounds of a job: the applications with requests in the last hours, and in turn some of the others. So a round
 * costs as much as is used, and not as much as there is: an application has about 20 tables, and the first statement on each of
 * them makes the database read its catalogue. Errors of one application are reported and do not end the round.
 */
export async function visitApplications(
  context: VisitContext,
  { job, signal, unused = UNUSED_EACH_ROUND }: Visiting,
  upkeep: Upkeep,
): Promise<void> {
  const { system } = context.database;
  const visited = new Set<string>();
  const since = isoTime(hourOf(context.now()) - USED_HOURS * HOUR_MS);
  for await (const id of inPages((after) => pageOfUsed(system, { since, after }))) {
    if (signal.aborted) return;
    visited.add(id);
    await visit(id, upkeep);
  }
  const begin = await getPosition(system, job);
  let position = begin;
  let left = Math.max(unused, Math.ceil((await countApplications(system)) / ROUNDS_A_DAY));
  for await (const id of inTurn(context, begin)) {
    if (signal.aborted || left === 0) break;
    left -= 1;
    position = id;
    if (!visited.has(id)) await visit(id, upkeep);
  }
  if (position !== begin) await putPosition(system, job, position);
}

/** All once, beginning after the given one. */
async function* inTurn(context: Pick<UpkeepContext, 'database'>, begin: string): AsyncGenerator<string> {
  yield* everyApplication(context, begin);
  for await (const id of everyApplication(context)) {
    if (id > begin) return;
    yield id;
  }
}

async function visit(applicationId: string, { work, report }: Upkeep): Promise<void> {
  try {
    await work(applicationId);
  } catch (error) {
    // The application was published again or removed meanwhile; the next round reads the current definition.
    if (!(error instanceof StaleDefinition)) report(applicationId, error);
  }
}

/**
 * Confirms that an application is gone before its data is treated as orphaned: a StaleDefinition alone may also come from
 * a transient failure (store/database/database-errors).
 */
export async function applicationExists(
  { database }: Pick<UpkeepContext, 'database'>,
  applicationId: string,
): Promise<boolean> {
  return (await getApplication(database.system, applicationId)) !== undefined;
}
