// Attachments on the local disk: `<folder>/<application>/<last two characters>/<attachment>[.<part>]`. The shards keep
// folders small where the file system has no index; the last characters of an identifier are its random ones.

import { randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { isIdentifier } from '../wire/identifiers.ts';
import { CHUNK_BYTES, unheard, writeAt } from './blob-files.ts';
import { checkApplication, checkKey, checkNewKey, isInterrupted, keyOf, nameOf } from './blob-keys.ts';
import type { BlobKey, Blobs, ByteRange, StoredBlob } from './blobs.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** undefined when the file or folder that the work is about does not exist. */
async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

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

/** Sorted; nothing for a folder that is not there. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = (await ifThere(readdir(folder, { withFileTypes: true }))) ?? [];
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function writeDurably(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, 'wx', FILE_MODE);
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

/** Makes the folder and proves that files can be made, and kept, in it. */
async function prepare(root: string): Promise<void> {
  const first = await mkdir(root, { recursive: true, mode: FOLDER_MODE });
  if (first !== undefined) {
    for (let folder = root; folder !== dirname(first); folder = dirname(folder)) await syncFolder(dirname(folder));
  }
  const probe = join(root, `.probe-${randomBytes(8).toString('hex')}`);
  const handle = await open(probe, 'wx', FILE_MODE);
  try {
    await handle.sync();
  } finally {
    await handle.close();
    await unlink(probe);
  }
  await readdir(root);
}

export function createDiskBlobs(folder: string): Blobs {
  const root = resolve(folder);
  const folderOf = ({ applicationId, attachmentId }: BlobKey) => join(root, applicationId, attachmentId.slice(-2));
  const pathOf = (key: BlobKey) => join(folderOf(key), nameOf(key));

  async function put(key: BlobKey, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    checkNewKey(key);
    const shard = folderOf(key);
    const path = pathOf(key);
    const neighbour = `${path}.uploading-${randomBytes(8).toString('hex')}`;
    let left = neighbour;
    await ensureFolder(dirname(shard));
    await ensureFolder(shard);
    try {
      await writeDurably(neighbour, bytes);
      await rename(neighbour, path);
      left = path;
      // Up to the root each time: whoever made a folder, its entry may not be durable yet. Costs little when it is.
      for (const changed of [shard, dirname(shard), root]) await syncFolder(changed);
    } catch (error) {
      // What went wrong first is what the caller hears.
      await unlink(left).catch(() => undefined);
      throw error;
    }
  }

  async function read(key: BlobKey, range?: ByteRange): Promise<Readable | undefined> {
    checkKey(key);
    const handle = await ifThere<FileHandle>(open(pathOf(key), constants.O_RDONLY | constants.O_NOFOLLOW));
    return handle && unheard(handle.createReadStream({ ...range, highWaterMark: CHUNK_BYTES }));
  }

  async function size(key: BlobKey): Promise<number | undefined> {
    checkKey(key);
    const found = await ifThere(lstat(pathOf(key)));
    return found?.isFile() ? found.size : undefined;
  }

  async function removeNames(shard: string, names: readonly string[]): Promise<void> {
    for (const name of names) await ifThere(unlink(join(shard, name)));
    await ifThere(syncFolder(shard));
  }

  async function removeAll(key: Omit<BlobKey, 'part'>): Promise<void> {
    checkKey(key);
    const shard = folderOf(key);
    const ours = (entry: Dirent) =>
      entry.isFile() && keyOf(key.applicationId, entry.name)?.attachmentId === key.attachmentId;
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
        const key = entry.isFile() ? keyOf(applicationId, entry.name) : undefined;
        // In another shard than its own it could be listed, but never read or removed.
        if (key?.attachmentId.slice(-2) === shard.name) yield key;
      }
    }
  }

  async function* list(applicationId: string): AsyncIterable<StoredBlob> {
    checkApplication(applicationId);
    for await (const key of keysOf(applicationId)) {
      if (isInterrupted(key.part)) {
        yield key;
        continue;
      }
      const bytes = await size(key);
      if (bytes !== undefined) yield { ...key, size: bytes };
    }
  }

  async function* applications(): AsyncIterable<string> {
    // A root that is not there is a failure, and not a store without applications.
    for (const entry of await readdir(root, { withFileTypes: true })) {
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
        throw new Error(`The folder of attachments ${root} cannot be read and written: ${reason}`, { cause: error });
      }
    },
    put,
    read,
    size,
    remove: async (key) => {
      checkKey(key);
      await removeNames(folderOf(key), [nameOf(key)]);
    },
    removeAll,
    applications,
    list,
    close: async () => undefined,
  };
}
