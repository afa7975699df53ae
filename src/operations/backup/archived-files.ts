// The files of attachments in an archive. They are copied after the snapshot has ended: none of them is removed before the
// backup is complete (store/database/backup-locks).

import { createHash } from 'node:crypto';
import { paddingFor } from '../../domain/backup/archive-writer.ts';
import type { Blobs } from '../../store/blobs/blobs.ts';
import { throwStorageUnavailable } from '../attachments/stored-files.ts';
import type { Archiving } from './archiving.ts';
import type { ListedFile } from './file-list.ts';

export async function* archivedFiles({ context, writer, files }: Archiving): AsyncGenerator<Buffer> {
  const { blobs } = context.attachments;
  for await (const file of files.files()) {
    const { applicationId, id, size } = file;
    const key = { applicationId, attachmentId: id };
    // The size is in the header, which goes first.
    const stored = await blobs.size(key).catch(throwStorageUnavailable);
    if (stored !== size) {
      yield writer.missing(applicationId, id);
      continue;
    }
    yield writer.attachmentHeader(applicationId, file);
    const isWhole = yield* bytesOf(blobs, file);
    yield paddingFor(size);
    if (!isWhole) yield writer.missing(applicationId, id);
  }
}

/** As many bytes as the header says, whatever the store has. Returns whether they are the attachment's own. */
async function* bytesOf(blobs: Blobs, { applicationId, id, size, hash }: ListedFile): AsyncGenerator<Buffer, boolean> {
  const stream = await blobs.read({ applicationId, attachmentId: id }).catch(throwStorageUnavailable);
  const sum = createHash('sha256');
  let left = size;
  let isLonger = false;
  try {
    for await (const chunk of (stream ?? []) as AsyncIterable<Buffer>) {
      isLonger ||= chunk.length > left;
      const some = chunk.subarray(0, left);
      left -= some.length;
      sum.update(some);
      yield some;
    }
  } finally {
    stream?.destroy();
  }
  const isWhole = left === 0 && !isLonger && sum.digest('hex') === hash;
  for (; left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, left);
  return isWhole;
}

const ZEROS = Buffer.alloc(64 * 1024);
