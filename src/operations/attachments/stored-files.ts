// What is stored of one application, file by file, with the row that each belongs to. Files are listed first and rows
// looked for afterwards: a row is there before its bytes and until after them, so that a file without a row is nobody's.

import { type CheckedRow, existingAttachments } from '../../store/attachments/checks.ts';
import type { StoredBlob } from '../../store/blobs/blobs.ts';
import { storageUnavailable } from '../../store/blobs/writes.ts';
import { StaleDefinition } from '../../store/database/sqlstate.ts';
import { applicationExists, type UpkeepContext } from '../every-application.ts';

const BATCH = 500;
/** What fails for a moment works when it is tried again (store/database/sqlstate). */
const LOOKS_MAX = 2;

export interface FileBatch {
  readonly applicationExists: boolean;
  readonly files: readonly StoredFile[];
}

export interface StoredFile {
  readonly blob: StoredBlob;
  /** Absent: it is nobody's. */
  readonly row?: CheckedRow;
}

export async function* filesOf(context: UpkeepContext, applicationId: string): AsyncGenerator<FileBatch> {
  const blobs = asked(context.attachments.blobs.list(applicationId));
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

export const isStranger = ({ row }: StoredFile): boolean => row === undefined;

/** undefined when there is no such application. */
async function rowsOf(
  context: UpkeepContext,
  applicationId: string,
  ids: readonly string[],
): Promise<Map<string, CheckedRow> | undefined> {
  for (let look = 1; ; look++) {
    try {
      return await existingAttachments(context.database.application(applicationId), ids);
    } catch (error) {
      if (!(error instanceof StaleDefinition)) throw error;
      if (!(await applicationExists(context, applicationId))) return undefined;
      if (look === LOOKS_MAX) throw error;
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

/** What a store lists; what it throws means that it cannot serve now. */
export async function* asked<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next().catch(unavailable);
      if (done === true) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

export function unavailable(error: unknown): never {
  throw storageUnavailable(error);
}
