// Where the PostgreSQL part of a data folder lies: in `<data>/postgres`, or, when the account cannot enter the data folder,
// on root's shelf with a link left in its place. Moves and deletes no data.
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, readlink, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Account, canEnter, ensureTrustedFolder, SHELF } from './account.ts';
import { EmbeddedFailure, folderFailure } from './failure.ts';
import { isLockName } from './folder-lock.ts';

/** Beside a home on the shelf: the data folder that it belongs to. */
const BELONGS_TO = 'belongs-to';

/** Creates the data folder when missing and gives its real path. */
export async function makeDataFolder(folder: string): Promise<string> {
  const wanted = path.resolve(folder);
  try {
    const created = await mkdir(wanted, { recursive: true });
    // Root's account must pass through, whatever the umask says; nobody else needs to see anything.
    if (created !== undefined) await chmod(wanted, process.geteuid?.() === 0 ? 0o711 : 0o700);
    if (!(await stat(wanted)).isDirectory())
      throw new EmbeddedFailure(`The path ${wanted} is not a folder; choose another data folder.`);
    return await realpath(wanted);
  } catch (error) {
    throw folderFailure(wanted, error);
  }
}

/**
 * Lets the account pass through the data folder itself, without letting it list: an empty folder, or one that already is a
 * data folder, is ours to open; somebody's home that was named by mistake is not.
 */
async function openForPassage(folder: string): Promise<void> {
  const entry = await stat(folder);
  if ((entry.mode & 0o001) !== 0 || entry.uid !== process.geteuid?.()) return;
  const names = (await readdir(folder)).filter((name) => !isLockName(name));
  if (names.length === 0 || names.includes('postgres')) await chmod(folder, (entry.mode & 0o7777) | 0o011);
}

async function makeHome(home: string): Promise<string> {
  await mkdir(home);
  await chmod(home, 0o711);
  return home;
}

async function makeHomeOnShelf(
  folder: string,
  place: string,
  account: Account,
  note: (line: string) => void,
): Promise<string> {
  if (!(await ensureTrustedFolder(SHELF)) || !(await canEnter(account, SHELF))) {
    throw new EmbeddedFailure(
      `The account that runs PostgreSQL (uid ${account.uid}) cannot enter ${folder}, and ${SHELF} cannot be used instead; choose another data folder.`,
    );
  }
  // Random, so that a deleted data folder means a new database and never meets the old one again.
  const home = await makeHome(path.join(SHELF, `data-${randomBytes(8).toString('hex')}`));
  await writeFile(path.join(home, BELONGS_TO), `${folder}\n`, { flag: 'wx' });
  await symlink(home, place);
  note(`PostgreSQL's account cannot enter ${folder}, so the database is kept in ${home}.`);
  return home;
}

/**
 * A copied data folder carries the link along, and two servers would share one database. A moved one does too: it is told
 * apart by the recorded folder no longer leading here.
 */
async function checkBelonging(folder: string, home: string): Promise<void> {
  const record = path.join(home, BELONGS_TO);
  const owner = (await readFile(record, 'utf8')).trim();
  if (owner === folder) return;
  const ownerHome = await realpath(path.join(owner, 'postgres')).catch(() => null);
  if (ownerHome === home) {
    throw new EmbeddedFailure(
      `The data folder ${folder} is a copy of ${owner}, and both lead to the one database in ${home}; start the server on ${owner}, or delete the copy.`,
    );
  }
  await writeFile(record, `${folder}\n`);
}

async function followLink(folder: string, place: string, account: Account): Promise<string> {
  const home = await realpath(place).catch(() => null);
  if (home === null) {
    throw new EmbeddedFailure(
      `The database of ${folder} is missing: ${place} leads to ${await readlink(place)}, which no longer exists. Bring it back, or delete ${folder} to begin anew.`,
    );
  }
  if (!(await canEnter(account, home))) throw unreachable(account, home);
  if (path.dirname(home) === SHELF) await checkBelonging(folder, home);
  return home;
}

function unreachable(account: Account, home: string): EmbeddedFailure {
  return new EmbeddedFailure(
    `The account that runs PostgreSQL (uid ${account.uid}) cannot enter ${home}; let others pass through the folders above it (chmod o+x), or move the data folder.`,
  );
}

/** The folder for the cluster, its socket and its settings, made when missing. */
export async function findHome(folder: string, account: Account, note: (line: string) => void): Promise<string> {
  const place = path.join(folder, 'postgres');
  if (account.lent) await openForPassage(folder);
  const entry = await lstat(place).catch(() => null);
  if (entry?.isSymbolicLink()) return followLink(folder, place, account);
  const reachable = await canEnter(account, folder);
  if (entry?.isDirectory()) {
    if (reachable) return place;
    throw unreachable(account, folder);
  }
  if (entry) throw new EmbeddedFailure(`${place} is not a folder; choose another data folder.`);
  return reachable ? makeHome(place) : makeHomeOnShelf(folder, place, account, note);
}
