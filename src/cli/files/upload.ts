// Uploads a file as an attachment. The client sends a large file in parts, each read when it is sent, and continues after a
// cut connection.

import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import type { AttachmentMetadata } from '../../../client/src/shapes.ts';
import { type FileSource, uploadFile } from '../../../client/src/uploads.ts';
import { CommandFailure } from '../failure.ts';
import type { UserSession } from '../user-session.ts';
import { transferLine, withProgress } from './progress.ts';

export interface UploadedFile {
  /** `-` is standard input. */
  readonly file: string;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
}

/** What programs that show files need to know; anything else is only bytes. */
const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.heic': 'image/heic',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.m4a': 'audio/mp4',
  '.md': 'text/markdown',
  '.mov': 'video/quicktime',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.tif': 'image/tiff',
  '.tiff': 'image/tiff',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.zip': 'application/zip',
};

export async function sendFile(
  { raw }: UserSession,
  collectionId: string,
  { file, name = file === '-' ? undefined : basename(file), type }: UploadedFile,
): Promise<AttachmentMetadata> {
  const contentType = type ?? TYPES[extname(name ?? '').toLowerCase()];
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
    if ((await stat(file)).isDirectory()) throw new Error('it is a folder');
    return await openAsBlob(file);
  } catch (error) {
    throw new CommandFailure(`Cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}
