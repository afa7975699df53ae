// The location of PostgreSQL's part of a data folder: `<data>/postgres`, or, if the account cannot enter the data folder,
// a folder on root's shelf with a link at `<data>/postgres`. Moves and deletes no data.
import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, readlink, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { canEnter, ensureTrustedFolder, SHELF, type SystemAccount } from './account.ts';
import { EmbeddedFailure, folderFailure } from './failure.ts';
import { isLockName } from './folder-lock.ts';

/** File in a home on the shelf that names the data folder it belongs to. */
const BELONGS_TO = 'belongs-to';

/** Creates the data folder if it is missing, and returns its real path. */
export async function makeDataFolder(folder: string): Promise<string> {
  const wanted = path.resolve(folder);
  try {
    const created = await mkdir(wanted, { recursive: true });
    // The unprivileged account of root must pass through, whatever the umask is; other accounts need no access.
    if (created !== undefined) await chmod(wanted, process.geteuid?.() === 0 ? 0o711 : 0o700);
    if (!(await stat(wanted)).isDirectory())
      throw new EmbeddedFailure(`The path ${wanted} is not a folder; choose another data folder.`);
    return await realpath(wanted);
  } catch (error) {
    throw folderFailure(wanted, error);
  }
}

/**
 * Lets the account pass through the data folder, without permission to list it. Only an empty folder or an existing data
 * folder is changed, never, for example, a home folder that was named by mistake.
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
  account: SystemAccount,
  print: (line: string) => void,
): Promise<string> {
  if (!(await ensureTrustedFolder(SHELF)) || !(await canEnter(account, SHELF))) {
    throw new EmbeddedFailure(
      `The account that runs PostgreSQL (uid ${account.uid}) cannot enter ${folder}, and ${SHELF} cannot be used instead; choose another data folder.`,
    );
  }
  // Random, so that a data folder that was deleted and created again never gets the old database.
  const home = await makeHome(path.join(SHELF, `data-${randomBytes(8).toString('hex')}`));
  await writeFile(path.join(home, BELONGS_TO), `${folder}\n`, { flag: 'wx' });
  await symlink(home, place);
  print(`PostgreSQL's account cannot enter ${folder}, so the database is kept in ${home}.`);
  return home;
}

/**
 * A copy of a data folder has the same link, and two servers would share one database. So has a moved data folder, but
 * then the recorded folder no longer leads here.
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

async function followLink(folder: string, place: string, account: SystemAccount): Promise<string> {
  const home = await realpath(place).catch(() => null);
  if (home === null) {
    throw new EmbeddedFailure(
      `The database of ${folder} is missing: ${place} leads to ${await readlink(place)}, which no longer exists. Restore it, or delete ${folder} to start with an empty database.`,
    );
  }
  if (!(await canEnter(account, home))) throw unreachable(account, home);
  if (path.dirname(home) === SHELF) await checkBelonging(folder, home);
  return home;
}

function unreachable(account: SystemAccount, home: string): EmbeddedFailure {
  return new EmbeddedFailure(
    `The account that runs PostgreSQL (uid ${account.uid}) cannot enter ${home}; let others pass through the folders above it (chmod o+x), or move the data folder.`,
  );
}

/** The folder for the cluster, its socket and its settings; created if it is missing. */
export async function findHome(folder: string, account: SystemAccount, print: (line: string) => void): Promise<string> {
  const place = path.join(folder, 'postgres');
  if (account.isUnprivileged) await openForPassage(folder);
  const entry = await lstat(place).catch(() => null);
  if (entry?.isSymbolicLink()) return followLink(folder, place, account);
  const reachable = await canEnter(account, folder);
  if (entry?.isDirectory()) {
    if (reachable) return place;
    throw unreachable(account, folder);
  }
  if (entry) throw new EmbeddedFailure(`${place} is not a folder; choose another data folder.`);
  return reachable ? makeHome(place) : makeHomeOnShelf(folder, place, account, print);
}
