// @ts-check
// The browser for the tests in test/browser: finds it, or installs Debian's package if this account may. Without a browser
// those tests are skipped, and the run says so.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Failure, run, step } from './processes.mjs';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
// A PATH may be minimal, and applications of macOS are not on it.
const FOLDERS = ['/usr/bin'];
const APPLICATIONS = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/** For one run of apt-get, which fetches about 100 MB. */
const APT_MS = 300_000;
const APT_OPTIONS = ['-o', 'Acquire::Retries=2', '-o', 'Acquire::http::Timeout=30', '-o', 'DPkg::Lock::Timeout=120'];

export const MISSING =
  'Chromium is not on this machine: install it (on Debian: apt-get install chromium) or name a program in CARTULARY_TEST_CHROMIUM.';

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A browser named in the environment is used without a check: a wrong name should fail instead of being ignored.
 * @param {NodeJS.ProcessEnv} env
 * @param {(path: string) => boolean} [exists]
 * @returns {string | undefined}
 */
export function findChromium(env, exists = isProgram) {
  if (env.CARTULARY_TEST_CHROMIUM) return env.CARTULARY_TEST_CHROMIUM;
  const folders = [...(env.PATH ?? '').split(delimiter).filter(Boolean), ...FOLDERS];
  const paths = PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...paths, ...APPLICATIONS].find(exists);
}

/** @param {readonly string[]} files compiled test files */
export const needBrowser = (files) => files.some((path) => path.includes('browser/'));

/**
 * The commands that install it, and that update the list of packages before a second attempt. Undefined if not possible.
 * @param {{ apt: boolean, root: boolean, sudo: boolean }} machine
 * @returns {{ install: string[], renew: string[] } | undefined}
 */
export function installation({ apt, root, sudo }) {
  if (!apt || !(root || sudo)) return undefined;
  const aptGet = [...(root ? [] : ['sudo', '-n']), 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...APT_OPTIONS];
  return {
    install: [...aptGet, 'install', '-y', '--no-install-recommends', 'chromium'],
    renew: [...aptGet, 'update'],
  };
}

/** @param {string} program @param {readonly string[]} args */
const succeeds = (program, args) =>
  run(program, args, { cwd: '/', timeoutMs: 10_000 }).then(
    ({ code }) => code === 0,
    (error) => {
      if (error instanceof Failure) return false;
      throw error;
    },
  );

/** @param {{ install: string[], renew: string[] }} commands */
async function install({ install, renew }) {
  /** @param {string[]} command */
  const attempt = ([program = '', ...args]) => run(program, args, { cwd: '/', timeoutMs: APT_MS });
  if ((await attempt(install)).code === 0) return;
  // A new machine has no list of packages, and an old list may name packages that no longer exist.
  await attempt(renew);
  const { code, output } = await attempt(install);
  if (code !== 0)
    throw new Failure(`${output.slice(-2000)}apt-get ended with status ${code}; the lines above are its own.`);
}

/**
 * Makes sure that there is a browser if one of the files needs it.
 * @param {readonly string[]} files compiled test files
 * @returns {Promise<string | undefined>} what to print at the end if tests were skipped
 */
export async function prepareBrowser(files) {
  if (!needBrowser(files) || findChromium(process.env)) return undefined;
  const apt = process.platform === 'linux' && (await succeeds('apt-get', ['--version']));
  const root = process.getuid?.() === 0;
  const commands = installation({ apt, root, sudo: apt && !root && (await succeeds('sudo', ['-n', 'true'])) });
  if (commands) {
    try {
      await step('Installing Chromium for the tests', () => install(commands));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      process.stderr.write(`${error.message}\n`);
    }
  }
  return findChromium(process.env) ? undefined : `The tests in a browser were left out. ${MISSING}`;
}
