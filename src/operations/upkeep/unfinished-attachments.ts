// Interrupted uploads and removals of attachments, which no request will finish.

import { isoTime } from '../../domain/dates/iso-time.ts';
import { markInterruptedForRemoval, pageOfUnfinished, type Unfinished } from '../../store/attachments/sweeps.ts';
import { goneNodes } from '../../store/nodes/messages.ts';
import { type Removals, removeMarked } from '../attachments/removals.ts';
import type { UpkeepContext } from '../every-application.ts';

export interface Clearing {
  readonly applicationId: string;
  /** Nodes that this walk has found to be gone so far. */
  readonly gone: Set<string>;
  /** Aborted when the server stops; the next sweep continues. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each page. */
  readonly done: (kind: 'interrupted' | 'halfRemoved', removals: Removals) => void;
}

/** Removes uploads whose node is gone, announced uploads that have expired, and attachments marked `removing`. */
export async function clearUnfinished(context: UpkeepContext, clearing: Clearing): Promise<void> {
  const { applicationId, gone, signal, done } = clearing;
  const writer = context.database.application(applicationId);
  for (let after = ''; signal?.aborted !== true; ) {
    const now = isoTime(context.now());
    const page = await pageOfUnfinished(writer, { after, now });
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const marked = page.filter(({ state }) => state === 'removing').map(({ id }) => id);
    done('halfRemoved', await removeMarked(context, { applicationId, ids: marked, signal }));
    const { ids, deadNodes } = await interruptedAmong(context, page, { gone, signal });
    const interrupted = await markInterruptedForRemoval(writer, { ids, deadNodes, now });
    done('interrupted', await removeMarked(context, { applicationId, ids: interrupted, signal }));
  }
}

/**
 * The uploads that no node receives: their node is gone, or is this one and they are not active, or they have none. Adds
 * the nodes that it finds to be gone to `gone`.
 */
export async function interruptedAmong(
  { database, attachments: { node: ours, activeUploads, goneCheckPauseMs } }: UpkeepContext,
  page: readonly Unfinished[],
  { gone, signal }: Pick<Clearing, 'gone' | 'signal'>,
): Promise<{ ids: string[]; deadNodes: string[] }> {
  const uploads = page.filter(
    ({ state, id, node }) => state === 'pending' && !(node === ours && activeUploads.has(id)),
  );
  const nodes = uploads.flatMap(({ node }) => (node === null || node === ours ? [] : node));
  const dead = await goneNodes(database.system, nodes, { pauseMs: goneCheckPauseMs, known: gone, signal });
  for (const node of dead) gone.add(node);
  const ids = uploads.filter(({ node }) => node === null || node === ours || dead.has(node)).map(({ id }) => id);
  return { ids, deadNodes: [...dead, ours] };
}
