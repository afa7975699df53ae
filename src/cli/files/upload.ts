// Uploads a file as an attachment. The client sends a large file in parts, each read when it is sent, and continues after a
// cut connection.

import { createReadStream, openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { AttachmentMetadata } from '../../../client/src/shapes.ts';
import { type FileSource, uploadFile } from '../../../client/src/uploads.ts';
import { CommandFailure } from '../failure.ts';
import type { UserSession } from '../user-session.ts';
import { contentTypeOf } from './content-types.ts';
import { transferLine, withProgress } from './progress.ts';

export interface UploadedFile {
  /** `-` is standard input. */
  readonly file: string;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
}

export async function sendFile(
  { raw }: UserSession,
  collectionId: string,
  { file, name = file === '-' ? undefined : basename(file), type }: UploadedFile,
): Promise<AttachmentMetadata> {
  const contentType = type ?? contentTypeOf(name ?? '');
  const line = transferLine(`Uploading ${name ?? 'standard input'}`);
  try {
    return await uploadFile(raw, collectionId, await contentOf(file), { name, contentType, onProgress: line.show });
  } finally {
    line.clear();
  }
}

async function contentOf(file: string): Promise<FileSource> {
  if (file === '-') return withProgress(process.stdin, 'Uploading standard input');
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new Error('it is a folder');
    // The size of a pipe is known at its end.
    if (!found.isFile()) return withProgress(createReadStream(file), `Uploading ${file}`);
    return await openAsBlob(file);
  } catch (error) {
    throw new CommandFailure(`Cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}
