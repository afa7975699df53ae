// Backups as files: written beside their final name, verified whole, and only then renamed. A file whose name ends in `.gz` is
// compressed. An archive holds password hashes and keys, so that only its owner may read it.

import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { ArchiveTotals, Manifest } from '../domain/backup/archive.ts';
import { ArchiveProblem, readArchive } from '../domain/backup/archive-reader.ts';
import { CommandFailure } from './failure.ts';
import { replaceable } from './files/replaceable.ts';

const MODE = 0o600;
const READ_BYTES = 256 * 1024;
/** Most of the bytes are texts that shrink to a fifth at any level; the lowest takes a third of the time. */
const GZIP_LEVEL = 1;
const GZIP_MAGIC = [0x1f, 0x8b];

export interface CheckedBackup {
  readonly manifest: Manifest;
  readonly totals: ArchiveTotals;
  readonly applications: readonly { readonly id: string; readonly name: string }[];
}

/** `onBytes` is called with the number of bytes of the file that were read. */
export async function checkBackup(path: string, onBytes: (bytes: number) => void): Promise<CheckedBackup> {
  const applications: { id: string; name: string }[] = [];
  let manifest: Manifest | undefined;
  let totals: ArchiveTotals | undefined;
  try {
    for await (const entry of readArchive(await openArchive(path, onBytes))) {
      if (entry.kind === 'manifest') manifest = entry.manifest;
      else if (entry.kind === 'application')
        applications.push({ id: entry.application.id, name: entry.application.name });
      else if (entry.kind === 'end') totals = entry.totals;
    }
  } catch (error) {
    throw readFailure(path, error);
  }
  if (manifest === undefined || totals === undefined) throw new Error('the archive was read without its ends');
  return { manifest, totals, applications };
}

/** The archive in the file, whether it is compressed or not. */
export async function openArchive(path: string, onBytes: (bytes: number) => void): Promise<Readable> {
  try {
    const file = await open(path, 'r');
    const start = Buffer.alloc(GZIP_MAGIC.length);
    await file.read(start, 0, start.length, 0);
    await file.close();
    let bytes = 0;
    const source = createReadStream(path, { highWaterMark: READ_BYTES }).on('data', (chunk) => {
      bytes += chunk.length;
      onBytes(bytes);
    });
    source.pause();
    if (GZIP_MAGIC.some((byte, n) => start[n] !== byte)) return source;
    const archive = createGunzip({ chunkSize: READ_BYTES });
    pipeline(source, archive).catch((error: Error) => archive.destroy(error));
    return archive;
  } catch (error) {
    throw readFailure(path, error);
  }
}

function readFailure(path: string, error: unknown): unknown {
  if (error instanceof ArchiveProblem) return new CommandFailure(`${path}: ${error.message}`, { cause: error });
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (/^Z_|^ERR_STREAM_PREMATURE/.test(code)) {
    const why = code === 'Z_BUF_ERROR' ? 'not complete: it was cut short while it was made or copied' : 'damaged';
    return new CommandFailure(`${path}: The backup is ${why} (${message}).`, { cause: error });
  }
  if (code === 'ENOENT') return new CommandFailure(`There is no file ${path}.`, { cause: error });
  return code.startsWith('E') ? new CommandFailure(`${path} cannot be read: ${message}.`, { cause: error }) : error;
}

/** Writes and verifies the backup; a failure leaves neither a file of this name nor a part of it. */
export async function writeBackup(
  path: string,
  bytes: AsyncIterable<Buffer>,
  onVerified: (bytes: number) => void,
): Promise<CheckedBackup & { readonly bytes: number }> {
  const target = await replaceable(path);
  const partial = `${target}.partial`;
  try {
    await writeDurably(partial, bytes, path.endsWith('.gz'));
    const checked = await checkBackup(partial, onVerified);
    await rename(partial, target);
    await sync(dirname(target));
    return { ...checked, bytes: (await stat(path)).size };
  } catch (error) {
    await unlink(partial).catch(() => undefined);
    throw writeFailure(path, error);
  }
}

async function writeDurably(path: string, bytes: AsyncIterable<Buffer>, compress: boolean): Promise<void> {
  await unlink(path).catch(() => undefined);
  const sink = createWriteStream(path, { flags: 'wx', mode: MODE, highWaterMark: READ_BYTES });
  if (compress) await pipeline(bytes, createGzip({ level: GZIP_LEVEL, chunkSize: READ_BYTES }), sink);
  else await pipeline(bytes, sink);
  await sync(path);
}

/** Of a file or a folder. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function writeFailure(path: string, error: unknown): unknown {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new CommandFailure(`There is no space left in ${dirname(path)} for the backup. Nothing of it was kept.`, {
      cause: error,
    });
  }
  if (code === 'ENOENT') return new CommandFailure(`There is no folder ${dirname(path)}.`, { cause: error });
  if (error instanceof CommandFailure || !code.startsWith('E')) return error;
  return new CommandFailure(`${path} cannot be written: ${message}.`, { cause: error });
}

/** The names of files in a folder of backups: whose they are, and when they were made. */
const FILE = /^cartulary(?:-(p[a-z0-9]{26}))?-\d{8}T\d{6}Z\.tar(?:\.gz)?$/;

export const backupFileName = (now: Date, applicationId: string | undefined): string => {
  const at = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `cartulary-${applicationId === undefined ? '' : `${applicationId}-`}${at}.tar.gz`;
};

/** Removes the oldest backups of the same kind, so that so many are left. Returns the removed names. */
export async function removeOldBackups(path: string, keep: number): Promise<string[]> {
  const kind = FILE.exec(basename(path))?.[1];
  const names = (await readdir(dirname(path))).filter((name) => {
    const found = FILE.exec(name);
    return found !== null && found[1] === kind;
  });
  const old = names.sort().reverse().slice(keep);
  for (const name of old) await unlink(join(dirname(path), name));
  return old;
}
