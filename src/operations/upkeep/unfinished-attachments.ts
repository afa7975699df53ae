// Attachments on their way in or out that nobody moves on: uploads that were interrupted, and removals that were begun.

import { isoTime } from '../../domain/dates/iso-time.ts';
import { markInterruptedForRemoval, pageOfUnfinished, type Unfinished } from '../../store/attachments/sweeps.ts';
import { goneNodes } from '../../store/nodes/messages.ts';
import { type Removals, removeMarked } from '../attachments/removals.ts';
import type { UpkeepContext } from '../every-application.ts';

export interface Clearing {
  readonly applicationId: string;
  /** Servers that this walk has found to be gone so far. */
  readonly gone: Set<string>;
  /** Given when the server is stopped: what is left is done the next time. */
  readonly signal?: AbortSignal | undefined;
  /** Told after each page. */
  readonly done: (kind: 'interrupted' | 'halfRemoved', removals: Removals) => void;
}

/** Uploads whose server has gone, announced ones that nobody went on with, and removals that were begun. */
export async function clearUnfinished(context: UpkeepContext, clearing: Clearing): Promise<void> {
  const { applicationId, gone, signal, done } = clearing;
  const writer = context.database.application(applicationId);
  for (let after = ''; signal?.aborted !== true; ) {
    const now = isoTime(context.now());
    const page = await pageOfUnfinished(writer, { after, now });
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
    const begun = page.filter(({ state }) => state === 'removing').map(({ id }) => id);
    done('halfRemoved', await removeMarked(context, { applicationId, ids: begun, signal }));
    const { ids, deadNodes } = await interruptedAmong(context, page, { gone, signal });
    const condemned = await markInterruptedForRemoval(writer, { ids, deadNodes, now });
    done('interrupted', await removeMarked(context, { applicationId, ids: condemned, signal }));
  }
}

/**
 * Those of the uploads whose server is gone, or is this one and receives them no more, or that have none. Adds to `gone`
 * what it finds.
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
  const dead = await goneNodes(database.system, nodes, { apartMs: goneCheckPauseMs, known: gone, signal });
  for (const node of dead) gone.add(node);
  const ids = uploads.filter(({ node }) => node === null || node === ours || dead.has(node)).map(({ id }) => id);
  return { ids, deadNodes: [...dead, ours] };
}
