// The part of the data folder that PostgreSQL works in: its location, owners, creation, version and settings. The server
// itself is not started here.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, lstat, mkdir, open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import path from 'node:path';
import { currentAccount, type SystemAccount, spawnOptions } from './account.ts';
import { EmbeddedFailure, errorCode, folderFailure, noRoom } from './failure.ts';
import { findHome } from './home.ts';
import { settingsOf } from './settings-file.ts';
import { Watchdog } from './watchdog.ts';

export const MAJOR_VERSION = '18';
export const SUPERUSER = 'cartulary';
export const DATABASE = 'postgres';
export const PORT = 5432;

const DRAFT_PREFIX = 'initdb-';
/** A new cluster takes 40 MB, and its first checkpoints the same again. */
const ROOM_BYTES_MIN = 128 * 2 ** 20;
const INITDB_BOUND_MS = 300_000;

export interface Cluster {
  /** The folder that holds all of the following. We own it, so that the account cannot replace any of it. */
  readonly home: string;
  /** PGDATA. */
  readonly data: string;
  readonly socketFolder: string;
  readonly settingsFile: string;
  readonly accessFile: string;
  /** Part of the title of every process of the cluster. */
  readonly name: string;
  readonly account: SystemAccount;
  readonly connectionsMax: number;
}

const CONNECTIONS = 100;

export function clusterAt(home: string, account: SystemAccount, connectionsMax = CONNECTIONS): Cluster {
  const data = path.join(home, 'cluster');
  return {
    home,
    data,
    socketFolder: path.join(home, 'socket'),
    settingsFile: path.join(home, 'settings.conf'),
    accessFile: path.join(home, 'access.conf'),
    name: `cartulary-${createHash('sha256').update(data).digest('hex').slice(0, 12)}`,
    account,
    connectionsMax: Math.max(CONNECTIONS, connectionsMax),
  };
}

/** A folder that only the account can access. Fails if anything exists at the path, even a link. */
async function makePrivate(folder: string, account: SystemAccount): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  await chmod(folder, 0o700);
  if (account.isUnprivileged) await chown(folder, account.uid, account.gid);
}

/**
 * The account for the cluster of a data folder. Root uses the owner of an existing cluster, so that a data folder of
 * another account still works for that account after root has served it.
 */
export async function accountFor(folder: string): Promise<SystemAccount> {
  const account = currentAccount();
  const data = path.join(folder, 'postgres', 'cluster');
  const entry = await lstat(data).catch(() => null);
  if (entry === null || entry.uid === account.uid) return account;
  if (account.isUnprivileged && entry.uid !== 0) return { uid: entry.uid, gid: entry.gid, isUnprivileged: true };
  throw new EmbeddedFailure(
    `The database in ${data} belongs to another account (uid ${entry.uid}); start the server as it was started before, or choose another data folder.`,
  );
}

async function checkVersion(folder: string, data: string): Promise<void> {
  const version = (await readFile(path.join(data, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (version === MAJOR_VERSION) return;
  throw new EmbeddedFailure(
    version === ''
      ? `${data} holds no database that PostgreSQL could start; restore it from a backup, or choose another data folder.`
      : `The data folder ${folder} was made by PostgreSQL ${version}, and PostgreSQL ${MAJOR_VERSION} is bundled; ` +
          'start it with the release that made it, or move the data over with that release.',
  );
}

/** Writes a temporary file and renames it: an existing entry, even a planted link, is replaced and never followed. */
async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = await open(draft, 'wx', 0o644);
  try {
    await handle.writeFile(text);
    await handle.chmod(0o644);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

function runInitdb(initdb: string, parameters: string[], account: SystemAccount, watchdog: Watchdog): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(initdb, parameters, { ...spawnOptions(account), stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) watchdog.guard(child.pid);
    const bound = setTimeout(() => child.kill('SIGKILL'), INITDB_BOUND_MS);
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8_192);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    const settle = (done: () => void) => {
      clearTimeout(bound);
      watchdog.guardNothing();
      done();
    };
    child.on('error', (error) =>
      settle(() =>
        reject(
          new EmbeddedFailure(
            `The bundled PostgreSQL cannot run on this system: ${initdb} did not start (${error.message}).`,
          ),
        ),
      ),
    );
    child.on('close', (code) => settle(() => resolve({ code, output })));
  });
}

/** `C.UTF-8` if the C library has it, else what macOS has. The provider sorts; this only classifies characters. */
const CHARACTER_TYPES = ['C.UTF-8', 'en_US.UTF-8', 'UTF-8'];

/**
 * The builtin provider compares by code point, the same on every system. LC_CTYPE must not be plain C: pg_trgm asks the C
 * library what a letter is and would ignore Japanese text.
 */
async function initialise(initdb: string, draft: string, account: SystemAccount, watchdog: Watchdog): Promise<void> {
  let outcome: Outcome = { code: null, output: '' };
  for (const characterType of CHARACTER_TYPES) {
    await rm(draft, { recursive: true, force: true });
    await makePrivate(draft, account);
    const locale = [
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--locale=C',
      `--lc-ctype=${characterType}`,
    ];
    const rest = [
      '--encoding=UTF8',
      '--data-checksums',
      '--auth-local=trust',
      '--auth-host=reject',
      '--no-instructions',
      `--username=${SUPERUSER}`,
    ];
    outcome = await runInitdb(initdb, ['-D', draft, ...locale, ...rest], account, watchdog);
    if (outcome.code === 0) return;
    if (!/invalid locale name/.test(outcome.output)) break;
  }
  if (/No space left on device|Disk quota exceeded/.test(outcome.output)) throw noRoom(path.dirname(draft));
  if (/could not look up effective user ID/.test(outcome.output)) {
    throw new EmbeddedFailure(
      `PostgreSQL cannot be prepared by uid ${account.uid}, because that account is missing in /etc/passwd; add it there, or run the server as another account.`,
    );
  }
  throw new EmbeddedFailure(
    `PostgreSQL could not prepare its folder: ${outcome.output.trim().split('\n').slice(-5).join('\n')}`,
  );
}

/** Created under another name and renamed when complete, so a kill at any moment leaves no partial cluster. */
async function create(cluster: Cluster, initdb: string, print: (line: string) => void): Promise<void> {
  const room = await statfs(cluster.home);
  if (room.bavail * room.bsize < ROOM_BYTES_MIN) throw noRoom(cluster.home);
  const draft = path.join(cluster.home, `${DRAFT_PREFIX}${randomBytes(6).toString('hex')}`);
  const watchdog = new Watchdog(cluster.account, print);
  try {
    await initialise(initdb, draft, cluster.account, watchdog);
    await rename(draft, cluster.data);
    const folder = await open(cluster.home, 'r');
    await folder.sync().finally(() => folder.close());
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  } finally {
    await watchdog.close();
  }
}

async function removeLeftovers(home: string): Promise<void> {
  const leftovers = (await readdir(home)).filter((name) => name.startsWith(DRAFT_PREFIX));
  // An initdb that outlives its parent may write into its folder for a moment, hence the retries.
  for (const name of leftovers) await rm(path.join(home, name), { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Writes the settings and empties the socket folder of a cluster that is not running: the socket's lock file names a
 * process, and a leftover one blocks the start once its number belongs to another process.
 */
export async function refreshSurroundings(cluster: Cluster): Promise<void> {
  await rm(cluster.socketFolder, { recursive: true, force: true });
  await makePrivate(cluster.socketFolder, cluster.account);
  await writeWhole(cluster.settingsFile, await settingsOf(cluster));
  // `trust` is safe: only the account itself and root can enter the socket's folder.
  await writeWhole(cluster.accessFile, 'local all all trust\n');
}

export interface ClusterPreparation {
  /** A real path; the caller holds its lock. */
  readonly folder: string;
  readonly account: SystemAccount;
  readonly initdb: string;
  readonly print: (line: string) => void;
  readonly connectionsMax: number | undefined;
}

/** Finds the cluster or creates it. */
export async function prepareCluster(preparation: ClusterPreparation): Promise<Cluster> {
  const { folder, account, initdb, print, connectionsMax } = preparation;
  try {
    const home = await findHome(folder, account, print);
    await removeLeftovers(home);
    const cluster = clusterAt(home, account, connectionsMax);
    const entry = await lstat(cluster.data).catch((error) => {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (entry) {
      await checkVersion(folder, cluster.data);
    } else {
      print('Preparing the database (first start)…');
      await create(cluster, initdb, print);
    }
    return cluster;
  } catch (error) {
    throw folderFailure(folder, error);
  }
}
