// Uploads a file as an attachment. A large file is streamed, never held whole.

import { open, readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { Readable } from 'node:stream';
import type { AttachmentMetadata } from '../../../client/src/shapes.ts';
import { CommandFailure } from '../failure.ts';
import type { UserSession } from '../user-session.ts';
import { withProgress } from './progress.ts';

export interface UploadedFile {
  /** `-` is standard input. */
  readonly file: string;
  readonly name?: string | undefined;
  readonly type?: string | undefined;
}

/** A smaller file is sent from memory, so that it can be sent again if the server was busy. */
const WHOLE_BYTES_MAX = 1024 * 1024;

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

export async function uploadFile(
  { raw }: UserSession,
  collectionId: string,
  { file, name, type }: UploadedFile,
): Promise<AttachmentMetadata> {
  const title = name ?? (file === '-' ? undefined : basename(file));
  const contentType = type ?? TYPES[extname(title ?? '').toLowerCase()];
  const contentDisposition = title === undefined ? undefined : `attachment; filename*=UTF-8''${encoded(title)}`;
  const body = await contentOf(file, title ?? 'standard input');
  const { body: stored } = await raw.uploadAttachment({ collectionId, body, contentType, contentDisposition });
  return stored;
}

/** As RFC 8187 wants it, which allows fewer characters than URLs do. */
const encoded = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

async function contentOf(file: string, title: string): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  if (file === '-') return streamed(process.stdin, title);
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new Error('it is a folder');
    if (stats.isFile() && stats.size <= WHOLE_BYTES_MAX) {
      await handle.close();
      return new Uint8Array(await readFile(file));
    }
    return streamed(handle.createReadStream(), title, stats.size);
  } catch (error) {
    throw new CommandFailure(`Cannot read ${file}: ${(error as Error).message}`, { cause: error });
  }
}

const streamed = (source: Readable, title: string, total?: number): ReadableStream<Uint8Array> =>
  Readable.toWeb(
    Readable.from(withProgress(source, `Uploading ${title}`, total), { objectMode: false }),
  ) as ReadableStream<Uint8Array>;
