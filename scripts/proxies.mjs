// @ts-check
// Caddy, nginx, PgBouncer and systemd-analyze for the tests in test/packages: finds them, or unpacks Debian's packages of
// the first three below dist. They are not installed: that would start them as services. What is missing is skipped, and
// the run says so.

import { accessSync, constants, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ROOT } from './prepare.mjs';
import { Failure, run, step } from './processes.mjs';

const TOOLS = join(ROOT, 'dist', 'tools');
// A PATH may be minimal, and ordinary accounts often lack the second.
const FOLDERS = ['/usr/bin', '/usr/sbin', join(TOOLS, 'usr/bin'), join(TOOLS, 'usr/sbin')];
/** Programs, each with the packages that it needs besides its own. @type {Readonly<Record<string, readonly string[]>>} */
const UNPACKED = { caddy: [], nginx: [], pgbouncer: ['libc-ares2', 'libevent-2.1-7'] };
const DOWNLOAD_MS = 120_000;

/** @param {string} name @param {NodeJS.ProcessEnv} [env] */
export function findTool(name, env = process.env) {
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), ...FOLDERS];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Shared libraries that were unpacked with the programs. */
export function unpackedLibraries() {
  try {
    return readdirSync(join(TOOLS, 'usr/lib'), { recursive: true, withFileTypes: true })
      .filter(({ name }) => /\.so(?:\.\d+)*$/.test(name) && name.startsWith('lib'))
      .map(({ name, parentPath, path }) => join(parentPath ?? path, name));
  } catch {
    return [];
  }
}

/** @param {string} name @param {readonly string[]} others */
async function unpack(name, others) {
  await mkdir(TOOLS, { recursive: true });
  const { code, output } = await run('apt-get', ['download', name, ...others], { cwd: TOOLS, timeoutMs: DOWNLOAD_MS });
  if (code !== 0) throw new Failure(`${output.slice(-1000)}apt-get ended with status ${code}.`);
  for (const file of readdirSync(TOOLS).filter((each) => each.endsWith('.deb'))) {
    await run('dpkg', ['-x', file, '.'], { cwd: TOOLS, timeoutMs: DOWNLOAD_MS });
  }
}

/**
 * @param {readonly string[]} files compiled test files
 * @returns {Promise<string | undefined>} what to print at the end if tests were skipped
 */
export async function prepareProxies(files) {
  if (!files.some((path) => path.includes('packages/'))) return undefined;
  const canUnpack = findTool('apt-get') !== undefined && findTool('dpkg') !== undefined;
  for (const [name, others] of Object.entries(UNPACKED)) {
    if (!canUnpack || findTool(name) !== undefined) continue;
    try {
      await step(`Unpacking ${name} for the tests`, () => unpack(name, others));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      process.stderr.write(`${error.message}\n`);
    }
  }
  const absent = [...Object.keys(UNPACKED), 'systemd-analyze'].filter((name) => findTool(name) === undefined);
  return absent.length === 0
    ? undefined
    : `Tests of deploy/ were left out, because this machine lacks ${absent.join(', ')} (Debian: the packages caddy, nginx, pgbouncer and systemd).`;
}
