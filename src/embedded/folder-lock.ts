// One server per data folder. Node has no kernel file locks, so the lock is a numbered file that names its holder: the
// highest number owns the folder, and a successor may take the next number only after seeing that the holder is dead.
import { randomBytes } from 'node:crypto';
import { link, open, readdir, readFile, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import { DataFolderInUse, errorCode, folderFailure } from './failure.ts';
import { bornAt } from './processes.ts';

const LOCK_NAME = /^\.lock-(\d{1,15})$/;
const DRAFT_PREFIX = '.lock-draft-';
const ROUNDS_MAX = 100;

export interface FolderLock {
  /** False when the folder was deleted or replaced under us; then nothing in it is ours to touch. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

interface Holder {
  readonly pid: number;
  readonly born: string;
}

/** Files of the lock do not count when a folder is checked for being empty. */
export function isLockName(name: string): boolean {
  return LOCK_NAME.test(name) || name.startsWith(DRAFT_PREFIX);
}

const lockPath = (folder: string, number: number) => path.join(folder, `.lock-${number}`);

async function highestNumber(folder: string): Promise<number> {
  const numbers = (await readdir(folder)).map((name) => Number(LOCK_NAME.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

async function writeDraft(folder: string, text: string): Promise<string> {
  const draft = path.join(folder, `${DRAFT_PREFIX}${process.pid}-${randomBytes(6).toString('hex')}`);
  const file = await open(draft, 'wx', 0o644);
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
  return draft;
}

/** The running holder that a lock file names. Null if it was released, or the holder is dead, or its pid was reused. */
function livingHolder(text: string): Holder | null {
  const [pidText, born = ''] = text.split('\n');
  const pid = Number(pidText);
  if (!Number.isSafeInteger(pid) || pid <= 0) return null;
  const bornNow = bornAt(pid);
  if (bornNow === null) return null;
  // Without a start time a reused pid cannot be detected; assuming that the holder lives is the safe side.
  return bornNow === born || bornNow === '' || born === '' ? { pid, born } : null;
}

async function removeOlder(folder: string, number: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const other = Number(LOCK_NAME.exec(name)?.[1] ?? Number.POSITIVE_INFINITY);
    const abandonedDraft = name.startsWith(DRAFT_PREFIX) && bornAt(Number(name.split('-')[2])) === null;
    if (other < number || abandonedDraft) await rm(path.join(folder, name), { force: true });
  }
}

/**
 * Tries to take the number after the highest: the lock on success, null if another process was first. A number is never
 * used twice, because a release empties its file and does not delete it. After a deletion, a slow process that had seen
 * the file could take a higher number than a new process that starts at one, and both would own the folder.
 */
async function tryLock(folder: string, mine: string): Promise<FolderLock | null> {
  const highest = await highestNumber(folder);
  if (highest > 0) {
    const text = await readFile(lockPath(folder, highest), 'utf8').catch((error) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return null;
    const holder = livingHolder(text);
    if (holder) throw new DataFolderInUse(folder, holder.pid);
  }
  const number = highest + 1;
  const own = lockPath(folder, number);
  const draft = await writeDraft(folder, mine);
  try {
    // link() is atomic and fails if the name exists, which decides between concurrent processes.
    await link(draft, own);
  } catch (error) {
    if (errorCode(error) === 'EEXIST' || errorCode(error) === 'ENOENT') return null;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  if ((await highestNumber(folder)) !== number) {
    await rm(own, { force: true });
    return null;
  }
  await removeOlder(folder, number);
  const isHeld = async () => (await readFile(own, 'utf8').catch(() => '')) === mine;
  return {
    isHeld,
    release: async () => {
      // Truncated and not replaced: a full disk must not keep a server from stopping.
      if (await isHeld()) await truncate(own);
    },
  };
}

/** Locks the folder or rejects with DataFolderInUse; a lock of a dead process does not block. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  // The random third line distinguishes two locks of this process.
  const mine = `${process.pid}\n${bornAt(process.pid) ?? ''}\n${randomBytes(8).toString('hex')}\n`;
  try {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const lock = await tryLock(folder, mine);
      if (lock) return lock;
    }
  } catch (error) {
    throw folderFailure(folder, error);
  }
  throw new Error(`Other processes took the lock of ${folder} first ${ROUNDS_MAX} times.`);
}
