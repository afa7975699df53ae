// The folders of attachments on the local disk: created with the first file in them, removed with the last, and flushed so
// that new and removed entries are durable.

import { closeSync, constants, type Stats } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BoundedMap } from '../../load/bounded-map.ts';
import { openFile, stateOfFile, statPath, syncFile } from './files.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** Attempts to create the folders of a file: a concurrent removal deletes folders that it finds empty. */
const FOLDER_ATTEMPTS_MAX = 6;

export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** A new or removed entry is durable only after its folder has been synced. Returns the identity of the folder. */
export async function syncFolder(folder: string): Promise<string> {
  const file = await openFile(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const [state] = await Promise.all([stateOfFile(file), syncFile(file)]);
    return identityOf(state);
  } finally {
    // Of a folder there is nothing left to write, so this does not wait for a disk, and a turn of the thread pool is spared.
    closeSync(file);
  }
}

const identityOf = ({ dev, ino, birthtimeMs }: Stats): string => `${dev} ${ino} ${birthtimeMs}`;

interface FolderSync {
  readonly running: Promise<string>;
  /** Begins when `running` has ended. */
  next: Promise<string> | undefined;
}

/** By folder. */
const syncs = new Map<string, FolderSync>();

/** Like `syncFolder`, shared by all callers that came while the last one was running: it begins after their changes. */
function syncFolderTogether(folder: string): Promise<string> {
  const last = syncs.get(folder);
  if (last === undefined) return beginSync(folder);
  const begin = () => beginSync(folder);
  last.next ??= last.running.then(begin, begin);
  return last.next;
}

function beginSync(folder: string): Promise<string> {
  const running = syncFolder(folder);
  const sync: FolderSync = { running, next: undefined };
  syncs.set(folder, sync);
  const end = () => {
    if (sync.next === undefined) syncs.delete(folder);
  };
  running.then(end, end);
  return running;
}

/** A shard as it was first seen under its path. */
interface SeenFolder {
  readonly identity: string;
  readonly seenAt: number;
  readonly isBirthKnown: boolean;
  /** Whether its own entry, and those of the folders above it, are durable. */
  durable: boolean;
}

/** Enough for the shards of several applications; a forgotten one only costs two more syncs. */
const SEEN_MAX = 20_000;
/** Longer than the steps of any file system's clock. */
const SETTLED_MS = 2_000;

const seenFolders = new BoundedMap<string, SeenFolder>(SEEN_MAX);

/**
 * Makes the entry of a new file in `shard` durable, and the folders that lead to it: any of them may have been created just
 * now, also by another node that has not synced it yet. Two of the three syncs are spared for a shard whose path was synced
 * before. It is known by its inode and time of birth, and only if it had been seen long before that sync: one that was
 * removed and created again since has another time of birth. Where a file system does not tell it, nothing is spared.
 */
export async function syncPath(root: string, shard: string): Promise<void> {
  const seen = seenFolders.get(shard);
  if (seen?.durable === true && (await syncFolderTogether(shard)) === seen.identity) return;
  const folder = await lookAt(shard);
  const settled = performance.now() - folder.seenAt > SETTLED_MS;
  const above = folder.durable ? [] : [dirname(shard), root];
  await Promise.all([shard, ...above].map(syncFolderTogether));
  if (settled && folder.isBirthKnown) folder.durable = true;
}

async function lookAt(shard: string): Promise<SeenFolder> {
  const state = await statPath(shard);
  const { birthtimeMs } = state;
  const identity = identityOf(state);
  const seen = seenFolders.get(shard);
  if (seen?.identity === identity) return seen;
  // If it is not known, zero stands for it, or the time of the last change, which the new file has just set.
  const isBirthKnown = birthtimeMs > 0;
  const folder = { identity, seenAt: performance.now(), isBirthKnown, durable: false };
  seenFolders.set(shard, folder);
  return folder;
}

/** Not recursive: while the disk is not mounted, nothing may be created at its mount point. */
async function ensureFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: FOLDER_MODE });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
/**
 * A write to a file that was opened like this is durable when it returns, which spares the turn of a sync. Elsewhere than on
 * Linux such a write may only have reached the memory of the disk.
 */
const DURABLE_WRITES = process.platform === 'linux' ? constants.O_DSYNC : undefined;

interface NewFileOptions {
  /** The folders are created only if it resolves. */
  readonly rootChecked?: Promise<void>;
  readonly flags?: number;
}

/** Opens a new file for one write of all of its bytes. `isDurable`: they are when the write returns. */
export async function openForOneWrite(
  path: string,
  rootChecked: Promise<void>,
): Promise<{ file: number; isDurable: boolean }> {
  const isDurable = DURABLE_WRITES !== undefined;
  return { file: await openNew(path, { rootChecked, flags: CREATE | (DURABLE_WRITES ?? 0) }), isDurable };
}

/** Opens a new file for writing, and creates the folders of its shard and application if they do not exist. */
export async function openNew(path: string, { rootChecked, flags = CREATE }: NewFileOptions = {}): Promise<number> {
  const shard = dirname(path);
  for (let attempt = 1; ; attempt += 1) {
    try {
      // The folders of most files exist.
      return await openFile(path, flags, FILE_MODE);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || attempt === FOLDER_ATTEMPTS_MAX) throw error;
    }
    await rootChecked;
    await ensureFolder(dirname(shard));
    await ensureFolder(shard).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
  }
}

/** Removes the folders of a shard and its application if they are empty. A folder that cannot be removed is no failure. */
export async function removeEmpty(shard: string): Promise<void> {
  for (const folder of [shard, dirname(shard)]) {
    try {
      await rmdir(folder);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') return;
    }
  }
}
