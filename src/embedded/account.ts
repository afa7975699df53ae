// The account that PostgreSQL runs under, and what that account can reach. PostgreSQL refuses to run as root, so a server
// started by root runs it under an unprivileged account; any other account runs it itself. No process is started here.
import type { SpawnOptions } from 'node:child_process';
import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

export interface SystemAccount {
  readonly uid: number;
  readonly gid: number;
  /** True when we are root and must step down to start PostgreSQL. */
  readonly isUnprivileged: boolean;
}

/** The account "nobody" on all common systems; it needs no entry in /etc/passwd. */
const UNPRIVILEGED_ID = 65534;

/** Where root puts files that the unprivileged account must reach. */
export const SHELF = '/var/lib/cartulary';

export function currentAccount(): SystemAccount {
  const uid = process.geteuid?.() ?? 0;
  const gid = process.getegid?.() ?? 0;
  return uid === 0
    ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID, isUnprivileged: true }
    : { uid, gid, isUnprivileged: false };
}

/**
 * The environment is not inherited: PGDATA, PGOPTIONS and the like would change the server, and messages must be English
 * because some are matched. The working folder is / because ours may not be accessible to the account. A session of its
 * own keeps Ctrl-C in the terminal from reaching PostgreSQL before our orderly stop.
 */
export function spawnOptions(account: SystemAccount): SpawnOptions {
  return {
    cwd: '/',
    detached: true,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(account.isUnprivileged ? { uid: account.uid, gid: account.gid } : {}),
  };
}

interface Permission {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/** The kernel's rule for mode bits. Access control lists are not read: a folder that only a list opens counts as closed. */
function allows(account: SystemAccount, entry: Permission, bits: number): boolean {
  const shift = entry.uid === account.uid ? 6 : entry.gid === account.gid ? 3 : 0;
  return ((entry.mode >> shift) & bits) === bits;
}

export async function canRead(account: SystemAccount, file: string): Promise<boolean> {
  if (!account.isUnprivileged) return true;
  return allows(account, await stat(file), 4);
}

function ancestors(folder: string): string[] {
  const found = [folder];
  for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) found.push(path.dirname(at));
  return found;
}

/** Whether the account may pass through `folder` (a real path, without links) and everything above it. */
export async function canEnter(account: SystemAccount, folder: string): Promise<boolean> {
  if (!account.isUnprivileged) return true;
  for (const ancestor of ancestors(folder)) {
    if (!allows(account, await stat(ancestor), 1)) return false;
  }
  return true;
}

/**
 * Makes a folder that no other account can have prepared or can replace: a real folder that we own, not writable for
 * others, below folders with the same property or with the sticky bit, such as /tmp. False if that is not possible.
 */
export async function ensureTrustedFolder(folder: string): Promise<boolean> {
  const self = process.geteuid?.() ?? 0;
  try {
    await mkdir(folder);
    await chmod(folder, 0o755);
  } catch {
    // An existing entry is checked below, like a folder that we made.
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
