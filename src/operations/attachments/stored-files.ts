// The stored files of one application, each with its row. Files are listed before rows are looked up: a row exists before
// its bytes and until after them, so a file without a row that is still there belongs to no attachment.

import { type CheckedRow, existingAttachments } from '../../store/attachments/doctor-statements.ts';
import type { StoredBlob } from '../../store/blobs/blobs.ts';
import { storageUnavailable } from '../../store/blobs/writes.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import { applicationExists, type UpkeepContext } from '../every-application.ts';

const BATCH = 500;
/** A statement that fails only for a moment succeeds at the second attempt (store/database/database-errors). */
const ATTEMPTS_MAX = 2;

export interface FileBatch {
  readonly applicationExists: boolean;
  readonly files: readonly StoredFile[];
}

export interface StoredFile {
  readonly blob: StoredBlob;
  /** Absent: the file belongs to no attachment. */
  readonly row?: CheckedRow;
}

export async function* filesOf(context: UpkeepContext, applicationId: string): AsyncGenerator<FileBatch> {
  const blobs = listStoredFiles(context.attachments.blobs.list(applicationId));
  for await (const batch of batchesOf(blobs, BATCH)) {
    const ids = [...new Set(batch.map(({ attachmentId }) => attachmentId))];
    const rows = await rowsOf(context, applicationId, ids);
    const files = batch.map((blob) => {
      const row = rows?.get(blob.attachmentId);
      return row === undefined ? { blob } : { blob, row };
    });
    yield { applicationExists: rows !== undefined, files };
  }
}

export const hasNoRow = ({ row }: StoredFile): boolean => row === undefined;

/** undefined when the application does not exist. */
async function rowsOf(
  context: UpkeepContext,
  applicationId: string,
  ids: readonly string[],
): Promise<Map<string, CheckedRow> | undefined> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await existingAttachments(context.database.application(applicationId), ids);
    } catch (error) {
      if (!(error instanceof StaleDefinition)) throw error;
      if (!(await applicationExists(context, applicationId))) return undefined;
      if (attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

async function* batchesOf<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** The items that a store lists; its errors become UNAVAILABLE. */
export async function* listStoredFiles<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next().catch(throwStorageUnavailable);
      if (done === true) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

export function throwStorageUnavailable(error: unknown): never {
  throw storageUnavailable(error);
}
