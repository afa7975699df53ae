// Clears away what nobody needs of attachments: uploads whose server has gone, attachments that no record has held for a
// while, those of collections that are gone, and removals that were begun. Every step may be repeated, stopped anywhere
// and done by several servers at once: the row says `removing` first, then the bytes go, then the row.

import { setTimeout as pause } from 'node:timers/promises';
import type { AttachmentMeans, OperatorContext } from '../context.ts';
import { type PreparedApplication, prepareApplication } from '../domain/application.ts';
import { getApplication } from '../store/applications.ts';
import {
  condemnInterrupted,
  condemnStrays,
  condemnUnheld,
  type Judged,
  markHeld,
  markUnheld,
  pageOfApplications,
  pageOfStrays,
  pageOfUnfinished,
  pageToJudge,
  type Unfinished,
  unheldAmong,
} from '../store/attachment-sweeps.ts';
import { deleteCondemned } from '../store/attachments.ts';
import { storageUnavailable } from '../store/blob-writes.ts';
import type { Writer } from '../store/db.ts';
import { listeningNodes } from '../store/hearing.ts';
import { StaleDefinition } from '../store/sqlstate.ts';

export interface SweepContext extends Pick<OperatorContext, 'database' | 'now' | 'observe'> {
  readonly attachments: Pick<AttachmentMeans, 'blobs' | 'node'>;
}

export interface SweepOptions {
  /** For how many days no record may hold an attachment before it goes. */
  readonly unheldDays: number;
  /** Aborted when the server is stopped: what is left is done the next time. */
  readonly signal: AbortSignal;
}

const DAY_MS = 86_400_000;
/** A server that has lost its connection has another by then (store/hearing). */
const SECOND_LOOK_MS = 1_000;
const REMOVALS_AT_ONCE = 8;

/** What was removed of one application, by the reason for it. */
interface Swept {
  interrupted: number;
  unfinished: number;
  unheld: number;
  strays: number;
}

export async function sweepAttachments(context: SweepContext, options: SweepOptions): Promise<void> {
  for await (const applicationId of everyApplication(context)) {
    if (options.signal.aborted) return;
    await sweepApplication(context, applicationId, options);
  }
}

export async function* everyApplication({ database }: Pick<SweepContext, 'database'>): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const page = await pageOfApplications(database.system, after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** One that fails is told of and stops no other. */
async function sweepApplication(context: SweepContext, applicationId: string, options: SweepOptions): Promise<void> {
  const { database, observe } = context;
  const swept: Swept = { interrupted: 0, unfinished: 0, unheld: 0, strays: 0 };
  try {
    const { interrupted, unfinished } = await sweepUnfinished(context, applicationId, options.signal);
    Object.assign(swept, { interrupted, unfinished });
    const stored = await getApplication(database.system, applicationId);
    if (stored !== undefined) {
      const application = prepareApplication(stored);
      await sweepStrays(context, application, { ...options, swept });
      await sweepUnheld(context, application, { ...options, swept });
    }
  } catch (error) {
    // It was published anew, or removed, meanwhile: the next sweep knows the new definition.
    if (!(error instanceof StaleDefinition)) observe({ event: 'attachments.unswept', applicationId, error });
  }
  if (Object.values(swept).some((count) => count > 0)) observe({ event: 'attachments.swept', applicationId, ...swept });
}

/** Uploads whose server has gone, announced ones that nobody went on with, and removals that were begun. */
export async function sweepUnfinished(
  context: SweepContext,
  applicationId: string,
  signal?: AbortSignal,
): Promise<{ interrupted: number; unfinished: number }> {
  const writer = context.database.application(applicationId);
  const counts = { interrupted: 0, unfinished: 0 };
  for (let after = ''; signal?.aborted !== true; ) {
    const now = isoNow(context);
    const page = await pageOfUnfinished(writer, { after, now });
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.id;
    const begun = page.filter(({ state }) => state === 'removing').map(({ id }) => id);
    await removeCondemned(context, applicationId, begun);
    counts.unfinished += begun.length;
    const { ids, deadNodes } = await interruptedAmong(context, page);
    const condemned = await condemnInterrupted(writer, { ids, deadNodes, now });
    await removeCondemned(context, applicationId, condemned);
    counts.interrupted += condemned.length;
  }
  return counts;
}

/**
 * Those of the uploads whose server is gone, or that none receives. Servers are looked for after the uploads were seen,
 * as one that has just started may have begun one, and twice, as one that has lost its connection is missing for a moment.
 */
export async function interruptedAmong(
  { database, attachments: { node: ours } }: SweepContext,
  page: readonly Unfinished[],
): Promise<{ ids: string[]; deadNodes: string[] }> {
  const uploads = page.filter(({ state, node }) => state === 'pending' && node !== ours);
  let dead = new Set(uploads.flatMap(({ node }) => node ?? []));
  for (let look = 1; look <= 2 && dead.size > 0; look++) {
    if (look === 2) await pause(SECOND_LOOK_MS);
    const living = await listeningNodes(database.system);
    dead = new Set([...dead].filter((node) => !living.has(node)));
  }
  const ids = uploads.filter(({ node }) => node === null || dead.has(node)).map(({ id }) => id);
  return { ids, deadNodes: [...dead] };
}

interface Sweeping extends SweepOptions {
  readonly swept: Swept;
}

/** Attachments of collections that the definition no longer has. */
async function sweepStrays(
  context: SweepContext,
  { id: applicationId, collections, generation }: PreparedApplication,
  { signal, swept }: Sweeping,
): Promise<void> {
  const writer = context.database.application(applicationId);
  const collectionIds = [...collections.keys()];
  for (let after = ''; !signal.aborted; ) {
    const ids = await pageOfStrays(writer, { after, collectionIds });
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
    const condemned = await condemnStrays(writer, { ids, collectionIds, generation });
    await removeCondemned(context, applicationId, condemned);
    swept.strays += condemned.length;
  }
}

async function sweepUnheld(
  context: SweepContext,
  application: PreparedApplication,
  { unheldDays, signal, swept }: Sweeping,
): Promise<void> {
  const writer = context.database.application(application.id);
  const now = isoNow(context);
  const cutoff = new Date(context.now() - unheldDays * DAY_MS).toISOString();
  const { generation } = application;
  for (let after = ''; !signal.aborted; ) {
    const page = await pageToJudge(writer, { after, cutoff });
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const { freed, held, expired } = await judge(writer, application, page);
    await markUnheld(writer, { ids: freed, now, generation });
    await markHeld(writer, held);
    const condemned = await condemnUnheld(writer, { ids: expired, cutoff, generation });
    await removeCondemned(context, application.id, condemned);
    swept.unheld += condemned.length;
  }
}

interface Judgement {
  /** No longer held: their grace begins. */
  readonly freed: string[];
  /** Held after all. */
  readonly held: string[];
  /** Held by nobody for long enough. */
  readonly expired: string[];
}

async function judge(
  writer: Writer,
  { collections }: PreparedApplication,
  page: readonly Judged[],
): Promise<Judgement> {
  const judgement: Judgement = { freed: [], held: [], expired: [] };
  for (const [collectionId, collection] of collections) {
    const rows = page.filter((row) => row.collectionId === collectionId);
    if (rows.length === 0) continue;
    const unheld = await unheldAmong(
      writer,
      collection,
      rows.map(({ id }) => id),
    );
    for (const { id, expired, pending } of rows) {
      if (!unheld.has(id)) {
        if (expired) judgement.held.push(id);
      } else if (!expired) judgement.freed.push(id);
      // An announced upload ends by its own date.
      else if (!pending) judgement.expired.push(id);
    }
  }
  return judgement;
}

/** Bytes first: as long as any are left, the row says whose they were. */
async function removeCondemned(context: SweepContext, applicationId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await removeBytes(context, applicationId, ids);
  await deleteCondemned(context.database.application(applicationId), ids);
}

export async function removeBytes(
  { attachments: { blobs } }: Pick<SweepContext, 'attachments'>,
  applicationId: string,
  ids: readonly string[],
): Promise<void> {
  await someAtOnce(ids, REMOVALS_AT_ONCE, (attachmentId) => blobs.removeAll({ applicationId, attachmentId })).catch(
    (error: unknown) => {
      throw storageUnavailable(error);
    },
  );
}

/** The results in order. When one fails, those under way are waited for and no other is begun. */
export async function someAtOnce<Item, Result>(
  items: readonly Item[],
  count: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += count) {
    const settled = await Promise.allSettled(items.slice(start, start + count).map(work));
    for (const outcome of settled) {
      if (outcome.status === 'rejected') throw outcome.reason;
      results.push(outcome.value);
    }
  }
  return results;
}

const isoNow = (context: Pick<SweepContext, 'now'>): string => new Date(context.now()).toISOString();
