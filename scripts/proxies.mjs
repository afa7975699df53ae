// @ts-check
// Caddy, nginx and systemd-analyze for the tests in test/packages: finds them, or unpacks Debian's packages of the two
// proxies below dist. They are not installed: that would start them as services. What is missing is skipped, and the run
// says so.

import { accessSync, constants, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { ROOT } from './prepare.mjs';
import { Failure, run, step } from './processes.mjs';

const TOOLS = join(ROOT, 'dist', 'tools');
// A PATH may be minimal, and ordinary accounts often lack the second.
const FOLDERS = ['/usr/bin', '/usr/sbin', join(TOOLS, 'usr/bin'), join(TOOLS, 'usr/sbin')];
const UNPACKED = /** @type {const} */ (['caddy', 'nginx']);
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

/** @param {readonly string[]} names */
async function unpack(names) {
  await mkdir(TOOLS, { recursive: true });
  const { code, output } = await run('apt-get', ['download', ...names], { cwd: TOOLS, timeoutMs: DOWNLOAD_MS });
  if (code !== 0) throw new Failure(`${output.slice(-1000)}apt-get ended with status ${code}.`);
  for (const file of readdirSync(TOOLS).filter((name) => name.endsWith('.deb'))) {
    await run('dpkg', ['-x', file, '.'], { cwd: TOOLS, timeoutMs: DOWNLOAD_MS });
  }
}

/**
 * @param {readonly string[]} files compiled test files
 * @returns {Promise<string | undefined>} what to print at the end if tests were skipped
 */
export async function prepareProxies(files) {
  if (!files.some((path) => path.includes('packages/'))) return undefined;
  const missing = UNPACKED.filter((name) => findTool(name) === undefined);
  if (missing.length > 0 && findTool('apt-get') !== undefined && findTool('dpkg') !== undefined) {
    try {
      await step(`Unpacking ${missing.join(' and ')} for the tests`, () => unpack(missing));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      process.stderr.write(`${error.message}\n`);
    }
  }
  const absent = [...UNPACKED, 'systemd-analyze'].filter((name) => findTool(name) === undefined);
  return absent.length === 0
    ? undefined
    : `Tests of deploy/ were left out, because this machine lacks ${absent.join(', ')} (Debian: the packages caddy, nginx and systemd).`;
}
