// The path that clients use for the socket. The kernel limits the path of a socket to about a hundred bytes, so a deep data
// folder gets a short link in the temporary folder. PostgreSQL itself uses a relative path.
import { createHash, randomBytes } from 'node:crypto';
import { lstat, lutimes, readlink, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { EmbeddedFailure, errorCode } from './failure.ts';

/** sun_path less its closing zero: 108 on Linux, 104 on macOS and the BSDs. */
const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103;

export interface SocketPath {
  /** For pg's `host`. */
  readonly folder: string;
  /** Called from time to time: cleaners of temporary folders remove old entries. */
  refresh(): Promise<void>;
  remove(): Promise<void>;
}

function fits(folder: string, port: number): boolean {
  return Buffer.byteLength(path.join(folder, `.s.PGSQL.${port}`)) <= SOCKET_PATH_BYTES_MAX;
}

/** True if `place` is now our link to `target`; false if the name is taken by another account or another kind of file. */
async function ensureLink(place: string, target: string): Promise<boolean> {
  const entry = await lstat(place).catch(() => null);
  if (entry) {
    if (!entry.isSymbolicLink() || entry.uid !== process.geteuid?.()) return false;
    if ((await readlink(place)) === target) return true;
    await rm(place, { force: true });
  }
  try {
    await symlink(target, place);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function linked(place: string, target: string): SocketPath {
  return {
    folder: place,
    refresh: async () => {
      if (await ensureLink(place, target)) await lutimes(place, new Date(), new Date());
    },
    remove: async () => {
      const entry = await lstat(place).catch(() => null);
      if (entry?.isSymbolicLink() && (await readlink(place)) === target) await rm(place, { force: true });
    },
  };
}

export async function reachSocket(socketFolder: string, port: number): Promise<SocketPath> {
  if (fits(socketFolder, port)) return { folder: socketFolder, refresh: async () => {}, remove: async () => {} };
  const digest = createHash('sha256').update(socketFolder).digest('hex').slice(0, 12);
  // The same name at each start, so that killed servers leave only one link; a random name if it is taken.
  const names = [`cartulary-${process.geteuid?.() ?? 0}-${digest}`, `cartulary-${randomBytes(8).toString('hex')}`];
  const temporary = fits(path.join(os.tmpdir(), names[1] ?? ''), port) ? os.tmpdir() : '/tmp';
  for (const name of names) {
    const place = path.join(temporary, name);
    if (await ensureLink(place, socketFolder)) return linked(place, socketFolder);
  }
  throw new EmbeddedFailure(
    `The path ${socketFolder} is too long for a socket, and no short link could be made in ${temporary}.`,
  );
}
