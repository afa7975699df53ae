// The account that PostgreSQL runs under, and what that account can reach. PostgreSQL refuses to run as root, so root
// lends it an unprivileged account; anybody else runs it as themselves. No process is started here.
import type { SpawnOptions } from 'node:child_process';
import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** True when we are root and must step down to start PostgreSQL. */
  readonly lent: boolean;
}

/** "nobody" on every system that we know; needs no entry in /etc/passwd. */
const UNPRIVILEGED_ID = 65534;

/** Where root keeps what must be reachable for the lent account. */
export const SHELF = '/var/lib/cartulary';

export function currentAccount(): Account {
  const uid = process.geteuid?.() ?? 0;
  const gid = process.getegid?.() ?? 0;
  return uid === 0 ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID, lent: true } : { uid, gid, lent: false };
}

/**
 * The environment is made from nothing: PGDATA, PGOPTIONS and their kin would steer the server, and messages must be
 * English because some are recognised. The working folder is the root because ours may be closed to the account.
 * An own session keeps a Ctrl-C in the terminal from reaching PostgreSQL before our orderly stop.
 */
export function spawnOptions(account: Account): SpawnOptions {
  return {
    cwd: '/',
    detached: true,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(account.lent ? { uid: account.uid, gid: account.gid } : {}),
  };
}

interface Permission {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/** The kernel's rule for plain modes; access lists are not read, so a folder opened only by one counts as closed. */
function allows(account: Account, entry: Permission, bits: number): boolean {
  const shift = entry.uid === account.uid ? 6 : entry.gid === account.gid ? 3 : 0;
  return ((entry.mode >> shift) & bits) === bits;
}

export async function canRead(account: Account, file: string): Promise<boolean> {
  if (!account.lent) return true;
  return allows(account, await stat(file), 4);
}

function ancestors(folder: string): string[] {
  const found = [folder];
  for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) found.push(path.dirname(at));
  return found;
}

/** Whether the account may pass through `folder` (a real path, without links) and everything above it. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  if (!account.lent) return true;
  for (const ancestor of ancestors(folder)) {
    if (!allows(account, await stat(ancestor), 1)) return false;
  }
  return true;
}

/**
 * Makes a folder that nobody else could have prepared or can exchange: a real folder of ours, closed to other writers,
 * below folders of which the same is true or which are sticky as /tmp is. False when that cannot be had.
 */
export async function ensureTrustedFolder(folder: string): Promise<boolean> {
  const self = process.geteuid?.() ?? 0;
  try {
    await mkdir(folder);
    await chmod(folder, 0o755);
  } catch {
    // Whatever stands there is judged below, like what we made ourselves.
  }
  for (const ancestor of ancestors(folder)) {
    const entry = await lstat(ancestor).catch(() => null);
    if (!entry?.isDirectory()) return false;
    if (entry.uid !== self && (entry.uid !== 0 || ancestor === folder)) return false;
    const othersWrite = (entry.mode & 0o022) !== 0;
    const sticky = (entry.mode & 0o1000) !== 0;
    if (othersWrite && (ancestor === folder || !sticky)) return false;
  }
  return true;
}
