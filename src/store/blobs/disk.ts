// Attachments on the local disk: `<folder>/<application>/<last two characters>/<attachment>[.<part>]`. The shards keep
// folders small where the file system has no index; the last characters of an identifier are its random ones. A marker
// in the folder tells it from the empty mount point that is there while its disk is not.

import { randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../domain/attachments/byte-range.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import { type BlobKey, type Blobs, type PutOptions, StoreAway, type StoredBlob, UnusableStore } from './blobs.ts';
import { unheard, writeAt } from './files.ts';
import { checkApplication, checkKey, checkNewKey, fileNameOf, isInterrupted, keyOfFileName } from './keys.ts';

/** Read ahead of a slow reader, at the most. */
const READ_BYTES = 64 * 1024;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
const MARKER = '.cartulary-attachments';
/** To make the folders of a file, which whoever empties them at the same time removes. */
const FOLDER_ATTEMPTS_MAX = 5;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Entries are durable once their folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Never with its parents: when the disk of the attachments is not mounted, nothing may be written in its place. */
async function ensureFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: FOLDER_MODE });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** The new file, in its folder and that of its application, which are made where they are not there. */
async function openNew(path: string): Promise<FileHandle> {
  const shard = dirname(path);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await ensureFolder(dirname(shard));
      await ensureFolder(shard);
      return await open(path, 'wx', FILE_MODE);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || attempt === FOLDER_ATTEMPTS_MAX) throw error;
    }
  }
}

async function writeDurably(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await openNew(path);
  try {
    let position = 0;
    for await (const chunk of bytes) {
      await writeAt(handle, chunk, position);
      position += chunk.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Those of a shard and of its application that are empty now. What keeps one there is no failure: its files are gone. */
async function removeEmpty(shard: string): Promise<void> {
  for (const folder of [shard, dirname(shard)]) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') return;
    }
  }
}

async function makeDurably(path: string, flags: 'a' | 'wx'): Promise<void> {
  const handle = await open(path, flags, FILE_MODE);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the folder, proves that files can be made, and kept, in it, and marks it. */
async function prepare(root: string): Promise<void> {
  const first = await mkdir(root, { recursive: true, mode: FOLDER_MODE });
  if (first !== undefined) {
    for (let folder = root; folder !== dirname(first); folder = dirname(folder)) await syncFolder(dirname(folder));
  }
  const probe = join(root, `.probe-${randomBytes(8).toString('hex')}`);
  await makeDurably(probe, 'wx');
  await unlink(probe);
  await readdir(root);
  await makeDurably(join(root, MARKER), 'a');
  await syncFolder(root);
}

export function createDiskBlobs(folder: string): Blobs {
  const root = resolve(folder);
  const folderOf = ({ applicationId, attachmentId }: BlobKey) => join(root, applicationId, attachmentId.slice(-2));
  const pathOf = (key: BlobKey) => join(folderOf(key), fileNameOf(key));

  /** Rejects unless the folder is the one that was opened. */
  async function checkRoot(): Promise<void> {
    try {
      await stat(join(root, MARKER));
    } catch (cause) {
      if (!['ENOENT', 'ENOTDIR'].includes(String(codeOf(cause)))) throw cause;
      throw new StoreAway(`it has no ${MARKER}, so its disk is not mounted or it is another folder`, { cause });
    }
  }

  /** undefined when the file or folder that the work is about does not exist, in a root that does. */
  async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      await checkRoot();
      return undefined;
    }
  }

  /** Sorted; nothing for a folder that is not there. */
  async function entriesOf(folder: string): Promise<Dirent[]> {
    const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async function put(
    key: BlobKey,
    bytes: AsyncIterable<Uint8Array>,
    { shared = false }: PutOptions = {},
  ): Promise<void> {
    checkNewKey(key);
    const shard = folderOf(key);
    const path = pathOf(key);
    const neighbour = `${path}.uploading-${randomBytes(8).toString('hex')}`;
    let left = neighbour;
    await checkRoot();
    try {
      await writeDurably(neighbour, bytes);
      await rename(neighbour, path);
      left = path;
      // Up to the root each time: whoever made a folder, its entry may not be durable yet. Costs little when it is.
      for (const changed of [shard, dirname(shard), root]) await syncFolder(changed);
    } catch (error) {
      // What went wrong first is what the caller hears.
      if (left === neighbour || !shared) await unlink(left).catch(() => undefined);
      await removeEmpty(shard);
      throw error;
    }
  }

  async function read(key: BlobKey, range?: ByteRange): Promise<Readable | undefined> {
    checkKey(key);
    await checkRoot();
    const handle = await ifThere<FileHandle>(open(pathOf(key), constants.O_RDONLY | constants.O_NOFOLLOW));
    return handle && unheard(handle.createReadStream({ ...range, highWaterMark: READ_BYTES }));
  }

  async function sizeOf(key: BlobKey): Promise<number | undefined> {
    const found = await ifThere(lstat(pathOf(key)));
    return found?.isFile() ? found.size : undefined;
  }

  async function removeNames(shard: string, names: readonly string[]): Promise<void> {
    await checkRoot();
    for (const name of names) await ifThere(unlink(join(shard, name)));
    await ifThere(syncFolder(shard));
    await removeEmpty(shard);
  }

  async function removeWhere(
    { applicationId, attachmentId }: BlobKey,
    wanted: (part: string | undefined) => boolean,
  ): Promise<void> {
    checkKey({ applicationId, attachmentId });
    const shard = folderOf({ applicationId, attachmentId });
    const ours = (entry: Dirent) => {
      const found = entry.isFile() ? keyOfFileName(applicationId, entry.name) : undefined;
      return found?.attachmentId === attachmentId && wanted(found.part);
    };
    await removeNames(
      shard,
      (await entriesOf(shard)).filter(ours).map(({ name }) => name),
    );
  }

  async function* keysOf(applicationId: string): AsyncIterable<BlobKey> {
    const home = join(root, applicationId);
    for (const shard of await entriesOf(home)) {
      if (!shard.isDirectory()) continue;
      for (const entry of await entriesOf(join(home, shard.name))) {
        const key = entry.isFile() ? keyOfFileName(applicationId, entry.name) : undefined;
        // In another shard than its own it could be listed, but never read or removed.
        if (key?.attachmentId.slice(-2) === shard.name) yield key;
      }
    }
  }

  async function* list(applicationId: string): AsyncIterable<StoredBlob> {
    checkApplication(applicationId);
    await checkRoot();
    for await (const key of keysOf(applicationId)) {
      if (isInterrupted(key.part)) {
        yield key;
        continue;
      }
      const size = await sizeOf(key);
      if (size !== undefined) yield { ...key, size };
    }
  }

  async function* applications(): AsyncIterable<string> {
    const entries = await entriesOf(root);
    // A root that is not there is a failure, and not a store without applications.
    await checkRoot();
    for (const entry of entries) {
      if (!entry.isDirectory() || !isIdentifier('applicationId', entry.name)) continue;
      for await (const _ of keysOf(entry.name)) {
        yield entry.name;
        break;
      }
    }
  }

  return {
    place: root,
    open: async () => {
      try {
        await prepare(root);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new UnusableStore(`The folder of attachments ${root} cannot be read and written: ${reason}`, {
          cause: error,
        });
      }
    },
    put,
    read,
    size: async (key) => {
      checkKey(key);
      await checkRoot();
      return sizeOf(key);
    },
    remove: async (key) => {
      checkKey(key);
      await removeNames(folderOf(key), [fileNameOf(key)]);
    },
    removeAll: (key) => removeWhere(key, () => true),
    removeBeside: (key) => removeWhere(key, (part) => part !== undefined),
    applications,
    list,
    close: async () => undefined,
  };
}
