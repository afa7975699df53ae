// Clears away what nobody needs of attachments: uploads whose server has gone, removals that were begun, attachments
// that no record has held for a while, and those of collections that are gone. Every step may be repeated, stopped
// anywhere and done by several servers at once: the row says `removing` first, then the bytes go, then the row.

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
import { forEveryApplication, type UpkeepContext } from '../every-application.ts';
import { clearUnfinished } from './unfinished-attachments.ts';

/** What was removed of one application, by the reason for it. */
interface Swept {
  interrupted: number;
  halfRemoved: number;
  unheld: number;
  strays: number;
}

interface Sweeping {
  readonly applicationId: string;
  /** Aborted when the server is stopped: what is left is done the next time. */
  readonly signal: AbortSignal;
  readonly done: (kind: keyof Swept, removals: Removals) => void;
}

/** What a server that has ended may have left. Little is looked at: only rows that are on their way in or out. */
export async function sweepUnfinished(context: UpkeepContext, { signal }: { signal: AbortSignal }): Promise<void> {
  const gone = new Set<string>();
  await sweepEach(context, signal, async (sweeping) => {
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
  /** For how many days no record may hold an attachment before it goes. */
  readonly unheldDays: number;
  readonly signal: AbortSignal;
}

/** Looks at every attachment, page by page, and whether a record holds it. */
export async function sweepUnheldAndStray(context: UpkeepContext, { unheldDays, signal }: SweepOptions): Promise<void> {
  const cutoff = isoTime(context.now() - unheldDays * DAY_MS);
  await sweepEach(context, signal, async (sweeping) => {
    const stored = await getApplication(context.database.system, sweeping.applicationId);
    if (stored !== undefined) await removeUnheldAndStray(context, prepareApplication(stored), { ...sweeping, cutoff });
  });
}

/** What fails, in one application or of one attachment, is told of and stops nothing else. */
async function sweepEach(
  context: UpkeepContext,
  signal: AbortSignal,
  sweep: (sweeping: Sweeping) => Promise<void>,
): Promise<void> {
  const { observe } = context;
  const tell = (applicationId: string, error: unknown) =>
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
      if (errors.length > 0) tell(applicationId, errors[0]);
      if (Object.values(swept).some((count) => count > 0))
        observe({ event: 'attachments.swept', applicationId, ...swept });
    }
  };
  await forEveryApplication(context, signal, { work, tell });
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
  /** No longer held: their grace begins. */
  readonly freed: string[];
  /** Held after all. */
  readonly held: string[];
  /** Held by nobody for long enough. */
  readonly expired: string[];
  /** Of collections that the definition does not have. */
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
      // An announced upload ends by its own date.
      else if (state !== 'pending') judgement.expired.push(id);
    }
  }
  return judgement;
}
