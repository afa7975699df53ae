// @ts-check
// A lock between processes of one clone: a folder that names its owner. It is created and removed by a rename, so it is
// never visible half made. A lock is stale when its owner is dead, or when it was not touched for a minute: containers
// share the folder but not their pids.

import { access, constants, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, interruption } from './processes.mjs';

const POLL_MS = 100;
const TOUCH_MS = 5_000;
const STALE_MS = 60_000;
const WAIT_MS = 600_000;

let serial = 0;
/** A name beside the lock that no other process and no earlier call uses. @param {string} folder */
const aside = (folder) => `${folder}.${process.pid}.${serial++}`;

/** @param {unknown} error @param {...string} codes */
const isCode = (error, ...codes) => error instanceof Error && 'code' in error && codes.includes(String(error.code));

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

/**
 * The holder of the lock; undefined if it is free.
 * @param {string} folder
 * @returns {Promise<{ pid: number, host: string, stale: boolean } | undefined>}
 */
async function holder(folder) {
  try {
    const owner = join(folder, 'owner');
    const [text, { mtimeMs }] = await Promise.all([readFile(owner, 'utf8'), stat(owner)]);
    const [pid = '', host = ''] = text.split('\n');
    const gone = host === hostname() && !isAlive(Number(pid));
    return { pid: Number(pid), host, stale: gone || Date.now() - mtimeMs > STALE_MS };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** @param {string} folder @returns {Promise<boolean>} whether it is ours now */
async function take(folder) {
  const prepared = aside(folder);
  await mkdir(prepared, { recursive: true });
  await writeFile(join(prepared, 'owner'), `${process.pid}\n${hostname()}\n`);
  try {
    await rename(prepared, folder);
    return true;
  } catch (error) {
    await rm(prepared, { recursive: true, force: true });
    if (isCode(error, 'EEXIST', 'ENOTEMPTY', 'EPERM') && (await holder(folder))) return false;
    if (isCode(error, 'EEXIST', 'ENOTEMPTY')) return false;
    throw error;
  }
}

/** @param {string} folder */
async function discard(folder) {
  const gone = aside(folder);
  await rename(folder, gone);
  await rm(gone, { recursive: true, force: true });
}

/**
 * Removes a stale lock. Two processes may find the same lock stale, and the slower one must not remove a lock that the
 * faster one has taken since: the process that creates the mark inside may remove the lock, after a second check.
 * @param {string} folder
 */
async function clearStale(folder) {
  try {
    await mkdir(join(folder, 'clearing'));
  } catch (error) {
    if (isCode(error, 'EEXIST', 'ENOENT')) return;
    throw error;
  }
  if ((await holder(folder))?.stale) await discard(folder);
  else await rm(join(folder, 'clearing'), { recursive: true, force: true });
}

/** @param {string} folder */
async function makeParent(folder) {
  try {
    await mkdir(dirname(folder), { recursive: true });
    await access(dirname(folder), constants.W_OK);
  } catch (error) {
    if (!isCode(error, 'EACCES', 'EPERM', 'EROFS')) throw error;
    throw new Failure(
      `Something has to be installed or built, but ${dirname(folder)} cannot be written by this account.`,
    );
  }
}

/**
 * Does `work` while holding the lock.
 * @template T
 * @param {string} folder the lock; its parent is made when missing
 * @param {() => Promise<T>} work
 * @param {{ waitMs?: number, onWait?: (pid: number) => void }} [options]
 * @returns {Promise<T>}
 */
export async function withLock(folder, work, { waitMs = WAIT_MS, onWait } = {}) {
  await makeParent(folder);
  const giveUp = Date.now() + waitMs;
  let told = false;
  while (!(await take(folder))) {
    interruption.throwIfAborted();
    const other = await holder(folder);
    if (other?.stale) await clearStale(folder);
    else if (other && !told) {
      told = true;
      onWait?.(other.pid);
    }
    if (Date.now() > giveUp) {
      throw new Failure(
        `Process ${other?.pid} holds ${folder} for too long. If it is not running, remove that folder.`,
      );
    }
    await sleep(POLL_MS);
  }
  const touch = setInterval(() => utimes(join(folder, 'owner'), new Date(), new Date()).catch(() => {}), TOUCH_MS);
  try {
    return await work();
  } finally {
    clearInterval(touch);
    await discard(folder);
  }
}
