// Removes attachments and files. A removal that fails, as of a file that is locked, does not stop the others.

import type { Fault } from '../../faults.ts';
import { deleteMarkedForRemoval, forgetPieces } from '../../store/attachments/attachments.ts';
import type { BlobKey } from '../../store/blobs/blobs.ts';
import { storageUnavailable } from '../../store/blobs/writes.ts';
import type { UpkeepContext } from '../every-application.ts';

const REMOVALS_AT_ONCE = 8;

/** The result of several removals. Items that are neither removed nor failed were skipped because the server stops. */
export interface Removals {
  readonly removed: number;
  readonly failed: number;
  /** The first failure. */
  readonly error?: Fault;
}

export interface MarkedForRemoval {
  readonly applicationId: string;
  readonly ids: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Removes the bytes before the rows: as long as bytes are left, the row says which attachment they belong to. */
export async function removeMarked(
  { database, attachments: { blobs } }: UpkeepContext,
  { applicationId, ids, signal }: MarkedForRemoval,
): Promise<Removals> {
  const { done, ...rest } = await removeEach(ids, signal, (attachmentId) =>
    blobs.removeAll({ applicationId, attachmentId }),
  );
  if (done.length > 0) await deleteMarkedForRemoval(database.application(applicationId), done);
  return { removed: done.length, ...rest };
}

/** Removes the upload pieces beside the files of available attachments. */
export async function removeLeftPieces(
  { database, attachments: { blobs } }: UpkeepContext,
  { applicationId, ids, signal }: MarkedForRemoval,
): Promise<Removals> {
  const { done, ...rest } = await removeEach(ids, signal, (attachmentId) =>
    blobs.removeParts({ applicationId, attachmentId }),
  );
  if (done.length > 0) await forgetPieces(database.application(applicationId), done);
  return { removed: done.length, ...rest };
}

export async function removeFiles(
  { attachments: { blobs } }: Pick<UpkeepContext, 'attachments'>,
  keys: readonly BlobKey[],
  signal?: AbortSignal,
): Promise<Removals> {
  const { done, ...rest } = await removeEach(keys, signal, (key) => blobs.remove(key));
  return { removed: done.length, ...rest };
}

interface RemovedEach<Item> extends Omit<Removals, 'removed'> {
  readonly done: Item[];
}

async function removeEach<Item>(
  items: readonly Item[],
  signal: AbortSignal | undefined,
  remove: (item: Item) => Promise<void>,
): Promise<RemovedEach<Item>> {
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
