// Removes attachments that are no longer needed: uploads whose node is gone, interrupted removals, attachments that no
// record has held for a while, and attachments of deleted collections. Every step is idempotent, may be interrupted, and
// may run on several nodes at once: the row is marked `removing`, then the bytes are removed, then the row.

import { DAY_MS } from '../../domain/dates/days.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { type PreparedApplication, prepareApplication } from '../../domain/definition/application.ts';
import { getApplication } from '../../store/applications/applications.ts';
import {
  endUnheldGrace,
  findUnheld,
  markStraysForRemoval,
  markUnheldForRemoval,
  pageOfJoined,
  pageOfSweepCandidates,
  type SweepCandidate,
  startUnheldGrace,
} from '../../store/attachments/sweeps.ts';
import type { Writer } from '../../store/database/handles.ts';
import { type Removals, removeLeftPieces, removeMarked } from '../attachments/removals.ts';
import { type UpkeepContext, visitApplications } from '../every-application.ts';
import { clearUnfinished } from './unfinished-attachments.ts';

/** Removed attachments of one application, by reason. */
interface Swept {
  interrupted: number;
  halfRemoved: number;
  unheld: number;
  strays: number;
}

interface Sweeping {
  readonly applicationId: string;
  /** Aborted when the server stops; the next sweep continues. */
  readonly signal: AbortSignal;
  readonly done: (kind: keyof Swept, removals: Removals) => void;
}

/** Cleans up after nodes that have ended. Cheap: reads only unfinished uploads and removals. */
export async function sweepUnfinished(context: UpkeepContext, { signal }: { signal: AbortSignal }): Promise<void> {
  const gone = new Set<string>();
  await sweepEach(context, { job: 'unfinished-attachments', signal }, async (sweeping) => {
    await clearUnfinished(context, { ...sweeping, gone });
    await clearPieces(context, sweeping);
  });
}

async function clearPieces(context: UpkeepContext, { applicationId, signal, done }: Sweeping): Promise<void> {
  const reader = context.database.application(applicationId);
  for (let after = ''; !signal.aborted; ) {
    const ids = await pageOfJoined(reader, after);
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
    done('halfRemoved', await removeLeftPieces(context, { applicationId, ids, signal }));
  }
}

export interface SweepOptions {
  /** An attachment that no record has held for this long is removed. */
  readonly unheldDays: number;
  readonly signal: AbortSignal;
}

/** Checks every attachment, page by page, for a record that holds it. */
export async function sweepUnheldAndStray(context: UpkeepContext, { unheldDays, signal }: SweepOptions): Promise<void> {
  const cutoff = isoTime(context.now() - unheldDays * DAY_MS);
  await sweepEach(context, { job: 'unneeded-attachments', signal }, async (sweeping) => {
    const stored = await getApplication(context.database.system, sweeping.applicationId);
    if (stored !== undefined) await removeUnheldAndStray(context, prepareApplication(stored), { ...sweeping, cutoff });
  });
}

/** Errors of one application or attachment are reported and do not end the sweep. */
async function sweepEach(
  context: UpkeepContext,
  { job, signal }: { job: string; signal: AbortSignal },
  sweep: (sweeping: Sweeping) => Promise<void>,
): Promise<void> {
  const { observe } = context;
  const report = (applicationId: string, error: unknown) =>
    observe({ event: 'attachments.unswept', applicationId, error });
  const work = async (applicationId: string): Promise<void> => {
    const swept: Swept = { interrupted: 0, halfRemoved: 0, unheld: 0, strays: 0 };
    const errors: unknown[] = [];
    const done: Sweeping['done'] = (kind, { removed, error }) => {
      swept[kind] += removed;
      if (error !== undefined) errors.push(error);
    };
    try {
      await sweep({ applicationId, signal, done });
    } finally {
      if (errors.length > 0) report(applicationId, errors[0]);
      if (Object.values(swept).some((count) => count > 0))
        observe({ event: 'attachments.swept', applicationId, ...swept });
    }
  };
  await visitApplications(context, { job, signal }, { work, report });
}

async function removeUnheldAndStray(
  context: UpkeepContext,
  application: PreparedApplication,
  { applicationId, signal, done, cutoff }: Sweeping & { readonly cutoff: string },
): Promise<void> {
  const writer = context.database.application(applicationId);
  const { generation } = application;
  const collectionIds = [...application.collections.keys()];
  const now = isoTime(context.now());
  for (let after = ''; !signal.aborted; ) {
    const page = await pageOfSweepCandidates(writer, { after, cutoff });
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const { freed, held, expired, stray } = await judge(writer, application, page);
    await startUnheldGrace(writer, { ids: freed, now, generation });
    await endUnheldGrace(writer, held);
    const unheld = await markUnheldForRemoval(writer, { ids: expired, cutoff, generation });
    done('unheld', await removeMarked(context, { applicationId, ids: unheld, signal }));
    const strays = await markStraysForRemoval(writer, { ids: stray, collectionIds, generation });
    done('strays', await removeMarked(context, { applicationId, ids: strays, signal }));
  }
}

interface Judgement {
  /** No longer held: their grace period begins. */
  readonly freed: string[];
  /** Held again before their grace period ended. */
  readonly held: string[];
  /** Not held throughout their grace period. */
  readonly expired: string[];
  /** In collections that the definition no longer has. */
  readonly stray: string[];
}

async function judge(
  writer: Writer,
  { collections }: PreparedApplication,
  page: readonly SweepCandidate[],
): Promise<Judgement> {
  const open = page.filter(({ state }) => state !== 'removing');
  const stray = open.filter(({ collectionId }) => !collections.has(collectionId)).map(({ id }) => id);
  const judgement: Judgement = { freed: [], held: [], expired: [], stray };
  for (const [collectionId, collection] of collections) {
    const rows = open.filter((row) => row.collectionId === collectionId && row.unheld !== 'in grace');
    if (rows.length === 0) continue;
    const unheldIds = await findUnheld(
      writer,
      collection,
      rows.map(({ id }) => id),
    );
    for (const { id, unheld, state } of rows) {
      if (!unheldIds.has(id)) {
        if (unheld === 'beyond grace') judgement.held.push(id);
      } else if (unheld === 'no') judgement.freed.push(id);
      // Announced uploads have an expiry of their own.
      else if (state !== 'pending') judgement.expired.push(id);
    }
  }
  return judgement;
}
