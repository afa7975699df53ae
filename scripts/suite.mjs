// @ts-check
// The test suite: which files, against which database, and Node's own runner over them.

import { existsSync } from 'node:fs';
import { access, constants, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { availableParallelism, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepareBrowser } from './browser.mjs';
import { UNKNOWN } from './failed-tests.mjs';
import { filesBelow, ROOT } from './prepare.mjs';
import { Failure, interruption, run, step } from './processes.mjs';
import { prepareProxies } from './proxies.mjs';
import { writeEntries } from './test-processes.mjs';

// One more than there are cores: many tests wait for the database, a child process or a browser.
const CONCURRENCY = availableParallelism() + 1;
const FILE_TIMEOUT_MS = 1_200_000;
/** Files that are run once more, at most. */
const AGAIN_MAX = 3;
const FAILED_TESTS = pathToFileURL(join(ROOT, 'scripts/failed-tests.mjs')).href;
// Folders below test/ that read files only.
const WITHOUT_DATABASE = ['test/tidy/', 'test/bootstrap/'];

/**
 * @typedef {{ host: string, port: number, user: string, database: string }} Connection
 * @typedef {{ connection: Connection, stop(): Promise<void> }} Embedded
 */

/**
 * The compiled test files, narrowed to those whose path contains one of the words.
 * @param {string} root
 * @param {readonly string[]} words
 */
export function testFiles(root, words) {
  return filesBelow(join(root, 'dist'), 'test').filter(
    (path) => path.endsWith('.test.js') && (words.length === 0 || words.some((word) => path.includes(word))),
  );
}

/** The address in the form that `pg` and libpq both read; the host is the folder of a socket. @param {Connection} to */
export function databaseUrl({ host, port, user, database }) {
  const [name, db] = [user, database].map(encodeURIComponent);
  return `postgres://${name}@/${db}?host=${encodeURIComponent(host)}&port=${port}`;
}

/** A folder of memory, where there is one, and much more of it than the tests' databases take. */
const MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 6 * 2 ** 30;

/**
 * Where PostgreSQL waits for no disk: what it does for durability is done all the same, and the tests of that kill
 * servers of their own, with data folders of their own.
 */
async function folderForDatabase() {
  // A socket's whole path must stay below 104 bytes, and some systems' folder for temporary files is long already.
  const usual = existsSync('/tmp') ? '/tmp' : tmpdir();
  try {
    await access(MEMORY, constants.W_OK);
    const { bavail, bsize } = await statfs(MEMORY);
    // What a container may use; 0, or a number beyond all memory, when it has no limit.
    const limit = process.constrainedMemory() || Number.POSITIVE_INFINITY;
    return Math.min(bavail * bsize, freemem(), limit) >= MEMORY_BYTES_MIN ? MEMORY : usual;
  } catch {
    return usual;
  }
}

/**
 * Runs `work` with a PostgreSQL that exists for this run only: what the tests find in their environment.
 * @template T
 * @param {(env: NodeJS.ProcessEnv) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withDatabase(work) {
  const folder = await mkdtemp(join(await folderForDatabase(), 'ct-'));
  /** @type {Embedded | undefined} */
  let embedded;
  try {
    embedded = await step('Starting PostgreSQL for the tests', async () => {
      const { startEmbedded } = await import(pathToFileURL(join(ROOT, 'dist/src/embedded/start.js')).href);
      return startEmbedded({ folder: folder, print: () => {} });
    });
    interruption.throwIfAborted();
    return await withTemplate(databaseUrl(/** @type {Embedded} */ (embedded).connection), work);
  } finally {
    await embedded?.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * With a database that the tests get copies of, on the server of that address.
 * @template T
 * @param {string} url
 * @param {(env: NodeJS.ProcessEnv) => Promise<T>} work
 * @returns {Promise<T>}
 */
async function withTemplate(url, work) {
  process.env.CARTULARY_TEST_DATABASE_URL = url;
  const { makeTemplate } = await import(pathToFileURL(join(ROOT, 'dist/test/support/template.js')).href);
  const template = await makeTemplate();
  try {
    return await work({ CARTULARY_TEST_DATABASE_URL: url, CARTULARY_TEST_TEMPLATE: template.name });
  } finally {
    await template.drop();
  }
}

/**
 * @param {readonly string[]} entries
 * @param {{ scratch: string, env: NodeJS.ProcessEnv, options?: readonly string[] }} how
 * @returns {Promise<{ code: number, failed: string[] }>} the runner's exit status, and the test files of failed tests
 */
async function runTests(entries, { scratch, env, options = [] }) {
  const failures = join(scratch, 'failures');
  const { code } = await run(
    process.execPath,
    [
      '--enable-source-maps',
      '--test',
      ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
      ...[`--test-reporter=${FAILED_TESTS}`, `--test-reporter-destination=${failures}`],
      `--test-concurrency=${CONCURRENCY}`,
      `--test-timeout=${FILE_TIMEOUT_MS}`,
      ...options,
      ...entries,
    ],
    { cwd: ROOT, live: true, env },
  );
  return { code, failed: (await readFile(failures, 'utf8')).split('\n').filter(Boolean) };
}

/** What breaks fails in many files, or ends a process. @param {{ code: number, failed: readonly string[] }} outcome */
export const isNoise = ({ code, failed }) =>
  code !== 0 && failed.length > 0 && failed.length <= AGAIN_MAX && !failed.includes(UNKNOWN);

/**
 * Each file alone: thousands of tests on two busy cores meet a moment now and then that none of them meets alone. Such a
 * test is to be mended, so it is named where it is seen.
 * @param {readonly string[]} failed
 * @param {{ scratch: string, env: NodeJS.ProcessEnv }} how
 * @returns {Promise<number>}
 */
async function runAgain(failed, { scratch, env }) {
  process.stderr.write(`\nOnce more, each alone: ${failed.join(', ')}\n`);
  for (const file of failed) {
    const compiled = file.replace(/\.ts$/, '.js');
    const entries = await writeEntries(ROOT, [compiled], join(scratch, compiled));
    const { code } = await runTests(entries, { scratch, env });
    if (code !== 0) return code;
  }
  process.stderr.write(`\nPassed alone, but failed among the others, and to be mended: ${failed.join(', ')}\n`);
  return 0;
}

/**
 * @param {readonly string[]} args words that narrow the files, and options for Node's runner
 * @param {{ leftOut?: Readonly<Record<string, string>> }} [choice] test files that are not run, and why; named at the end
 * @returns {Promise<number>} the runner's exit status
 */
export async function runSuite(args, { leftOut: unfit = {} } = {}) {
  const options = args.filter((arg) => arg.startsWith('-'));
  const words = args.filter((arg) => !arg.startsWith('-'));
  const isUnfit = (/** @type {string} */ file) => unfit[file.slice('test/'.length, -'.test.js'.length)] !== undefined;
  const files = testFiles(ROOT, words).filter((file) => !isUnfit(file));
  if (files.length === 0) throw new Failure(`No test file matches ${args.join(' ')}.`);

  const leftOut = [await prepareBrowser(files), await prepareProxies(files)];
  const scratch = await mkdtemp(join(tmpdir(), 'ct-suite-'));
  const runner = async (/** @type {NodeJS.ProcessEnv} */ env) => {
    const entries = await writeEntries(ROOT, files, join(scratch, 'whole'));
    const first = await runTests(entries, { scratch, options, env });
    if (args.length > 0 || !isNoise(first)) return first.code;
    return runAgain(first.failed, { scratch, env });
  };
  const needsDatabase = files.some((path) => !WITHOUT_DATABASE.some((folder) => path.startsWith(folder)));
  try {
    const { CARTULARY_TEST_DATABASE_URL: url } = process.env;
    const withEnvironment = (/** @type {NodeJS.ProcessEnv} */ env) => runner({ ...process.env, ...env });
    const code = !needsDatabase
      ? await runner(process.env)
      : await (url ? withTemplate(url, withEnvironment) : withDatabase(withEnvironment));
    // Last, where it is seen.
    for (const sentence of leftOut) if (sentence !== undefined) process.stderr.write(`${sentence}\n`);
    for (const [name, reason] of Object.entries(unfit))
      process.stderr.write(`Not run: test/${name}, because ${reason}.\n`);
    return code;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
