// Removes attachments and files. Each removal stands alone: one that fails, as of a file that somebody has locked,
// stops no other.

import type { Fault } from '../../faults.ts';
import { deleteCondemned, forgetPieces } from '../../store/attachments/attachments.ts';
import type { BlobKey } from '../../store/blobs/blobs.ts';
import { storageUnavailable } from '../../store/blobs/writes.ts';
import type { UpkeepContext } from '../every-application.ts';

const REMOVALS_AT_ONCE = 8;

/** What became of some removals. What is neither was not tried any more, as the server is being stopped. */
export interface Removals {
  readonly removed: number;
  readonly failed: number;
  /** Of the first that failed. */
  readonly error?: Fault;
}

export interface Condemned {
  readonly applicationId: string;
  readonly ids: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Bytes first: as long as any are left, the row says whose they were. */
export async function removeCondemned(
  { database, attachments: { blobs } }: UpkeepContext,
  { applicationId, ids, signal }: Condemned,
): Promise<Removals> {
  const { done, ...rest } = await tryEach(ids, signal, (attachmentId) =>
    blobs.removeAll({ applicationId, attachmentId }),
  );
  if (done.length > 0) await deleteCondemned(database.application(applicationId), done);
  return { removed: done.length, ...rest };
}

/** What lies beside the files of attachments that are there: pieces of their uploads. */
export async function removePieces(
  { database, attachments: { blobs } }: UpkeepContext,
  { applicationId, ids, signal }: Condemned,
): Promise<Removals> {
  const { done, ...rest } = await tryEach(ids, signal, (attachmentId) =>
    blobs.removeBeside({ applicationId, attachmentId }),
  );
  if (done.length > 0) await forgetPieces(database.application(applicationId), done);
  return { removed: done.length, ...rest };
}

export async function removeFiles(
  { attachments: { blobs } }: Pick<UpkeepContext, 'attachments'>,
  keys: readonly BlobKey[],
  signal?: AbortSignal,
): Promise<Removals> {
  const { done, ...rest } = await tryEach(keys, signal, (key) => blobs.remove(key));
  return { removed: done.length, ...rest };
}

interface Tried<Item> extends Omit<Removals, 'removed'> {
  readonly done: Item[];
}

async function tryEach<Item>(
  items: readonly Item[],
  signal: AbortSignal | undefined,
  remove: (item: Item) => Promise<void>,
): Promise<Tried<Item>> {
  const done: Item[] = [];
  const errors: unknown[] = [];
  for (let start = 0; start < items.length && signal?.aborted !== true; start += REMOVALS_AT_ONCE) {
    const some = items.slice(start, start + REMOVALS_AT_ONCE);
    const settled = await Promise.allSettled(some.map(remove));
    for (const [index, item] of some.entries()) {
      const outcome = settled[index];
      if (outcome?.status === 'rejected') errors.push(outcome.reason);
      else done.push(item);
    }
  }
  return { done, failed: errors.length, ...(errors.length === 0 ? {} : { error: storageUnavailable(errors[0]) }) };
}
