// What `npm start` and `npm test` decide before anything runs: whether packages and build are fresh, and who may work
// on them. Nothing here installs anything or uses the network.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../tidy/tree.ts';

interface Scripts {
  withLock<T>(folder: string, work: () => Promise<T>, options?: { waitMs?: number }): Promise<T>;
  buildStamp(root: string): string;
  installStamp(root: string): string;
  installedByHand(root: string): boolean;
  orphans(root: string): string[];
  testFiles(root: string, words: readonly string[]): string[];
  inProcesses(files: readonly string[]): string[][];
  readonly LONG: readonly string[];
  readonly ALONE: readonly string[];
  databaseUrl(to: { host: string; port: number; user: string; database: string }): string;
}

// The scripts are plain JavaScript beside the sources, so that they are not part of what is compiled.
const load = (name: string): Promise<Scripts> => import(pathToFileURL(join(ROOT, 'scripts', name)).href);
const { withLock } = await load('lock.mjs');
const { buildStamp, installStamp, installedByHand, orphans } = await load('prepare.mjs');
const { databaseUrl, testFiles } = await load('suite.mjs');
const { ALONE, inProcesses, LONG } = await load('test-processes.mjs');

const scratch = await mkdtemp(join(tmpdir(), 'cartulary-bootstrap-'));
after(() => rm(scratch, { recursive: true, force: true }));

let projects = 0;
/** A small project of its own, with the given files. */
async function project(files: Record<string, string>): Promise<string> {
  const root = join(scratch, `project-${projects++}`);
  const settings = { 'package-lock.json': '{}', 'tsconfig.json': '{}', 'scripts/program.mjs': '' };
  const all = { ...settings, 'src/a.ts': 'a', 'test/b.test.ts': 'b', ...files };
  for (const [path, text] of Object.entries(all)) await put(root, path, text);
  return root;
}

async function put(root: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

test('a build is stale when a source changes in name or content, and not when only its time does', async () => {
  const root = await project({});
  const before = buildStamp(root);
  await utimes(join(root, 'src/a.ts'), new Date(0), new Date(0));
  assert.equal(buildStamp(root), before);

  const copy = join(scratch, 'copy');
  await cp(root, copy, { recursive: true });
  assert.equal(buildStamp(copy), before);

  const changes: (() => Promise<unknown>)[] = [
    () => put(root, 'src/a.ts', 'A'),
    () => rename(join(root, 'src/a.ts'), join(root, 'src/c.ts')),
    () => put(root, 'test/deep/d.test.ts', ''),
    () => put(root, 'tsconfig.json', '{ }'),
    () => put(root, 'scripts/program.mjs', ' '),
  ];
  const seen = new Set([before]);
  for (const change of changes) {
    await change();
    seen.add(buildStamp(root));
  }
  assert.equal(seen.size, changes.length + 1);
});

test('the outputs of deleted sources are found, and only those', async () => {
  const root = await project({
    'dist/src/a.js': '',
    'dist/src/a.js.map': '',
    'dist/test/b.test.js': '',
    'dist/test/gone.test.js': '',
    'dist/test/gone.test.js.map': '',
    'dist/.lock/owner': '',
  });
  assert.deepEqual(orphans(root), ['test/gone.test.js', 'test/gone.test.js.map']);
});

test('an installation is stale when the lock file changes', async () => {
  const root = await project({});
  const before = installStamp(root);
  assert.equal(installStamp(root), before);
  await put(root, 'package-lock.json', '{ }');
  assert.notEqual(installStamp(root), before);
});

test('packages that somebody installed by hand are recognized', async () => {
  const elsewhere = process.platform === 'linux' ? 'darwin' : 'linux';
  const a = { version: '1.0.0', integrity: 'sha512-a' };
  const wanted = {
    '': {},
    'node_modules/a': a,
    'node_modules/foreign': { version: '1.0.0', optional: true, os: [elsewhere] },
    'node_modules/fitting': { version: '1.0.0', optional: true, os: [process.platform], cpu: [process.arch] },
  };
  const installed = async (packages: object) =>
    installedByHand(
      await project({
        'package-lock.json': JSON.stringify({ packages: wanted }),
        'node_modules/.package-lock.json': JSON.stringify({ packages }),
      }),
    );
  const fitting = { 'node_modules/fitting': { version: '1.0.0' } };
  assert.equal(await installed({ 'node_modules/a': a, ...fitting }), true);
  assert.equal(await installed({ 'node_modules/a': a }), false, 'an optional package for this machine is missing');
  assert.equal(await installed(fitting), false, 'a package is missing');
  assert.equal(await installed({ 'node_modules/a': { ...a, version: '1.0.1' }, ...fitting }), false, 'another version');
  assert.equal(installedByHand(await project({})), false, 'nothing is installed');
});

test('the lock lets one in at a time', async () => {
  const lock = join(scratch, 'one', '.lock');
  let inside = 0;
  let most = 0;
  const visit = () =>
    withLock(lock, async () => {
      most = Math.max(most, ++inside);
      await sleep(20);
      inside--;
    });
  await Promise.all([visit(), visit(), visit(), visit()]);
  assert.equal(most, 1);
  assert.equal(existsSync(lock), false);
});

test('the lock is released when the work fails', async () => {
  const lock = join(scratch, 'failing', '.lock');
  await assert.rejects(
    withLock(lock, () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.equal(await withLock(lock, async () => 'in'), 'in');
});

test('the lock of a dead process is removed, and that of a living one is not', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'close');
  const root = await project({ '.lock/owner': `${child.pid}\n${hostname()}\n` });
  assert.equal(await withLock(join(root, '.lock'), async () => 'in'), 'in');

  await put(root, '.lock/owner', `${process.pid}\n${hostname()}\n`);
  await assert.rejects(
    withLock(join(root, '.lock'), async () => 'in', { waitMs: 300 }),
    /holds .*\.lock for too long/,
  );
});

test('the lock of a process elsewhere is stale once nobody touches it', async () => {
  const root = await project({ '.lock/owner': '1\nanother-host\n' });
  const lock = join(root, '.lock');
  await assert.rejects(
    withLock(lock, async () => 'in', { waitMs: 300 }),
    /for too long/,
  );
  const old = new Date(Date.now() - 120_000);
  await utimes(join(lock, 'owner'), old, old);
  assert.equal(await withLock(lock, async () => 'in'), 'in');
});

test('test files are chosen by words in their paths', async () => {
  const root = await project({ 'dist/test/records/a.test.js': '', 'dist/test/b.test.js': '', 'dist/test/c.js': '' });
  assert.deepEqual(testFiles(root, []), ['test/b.test.js', 'test/records/a.test.js']);
  assert.deepEqual(testFiles(root, ['records']), ['test/records/a.test.js']);
});

test('every test file runs in one process, the longest first, and most share one', () => {
  const records = [...'abcdefghijklmno'].map((name) => `test/records/${name}.test.js`);
  const alone = ['test/embedded/a.test.js', 'test/embedded/b.test.js'];
  const files = ['test/browser/a.test.js', ...alone, 'test/lists/a.test.js', ...records];
  const long = ['docs/examples', 'lists/walking', 'attachments/doctor'].map((name) => `test/${name}.test.js`);
  const [first, second, ...others] = inProcesses([...files, ...long]);
  assert.deepEqual([first, second], [long.slice(0, 1), long.slice(1)]);
  assert.deepEqual(others.flat(), files);
  assert.deepEqual(
    others.map(({ length }) => length),
    [1, 1, 1, 14, 2],
  );
});

test('the files that are begun first, or run alone, exist', () => {
  assert.deepEqual(
    [...LONG, ...ALONE].filter((name) => !existsSync(join(ROOT, 'test', `${name}.test.ts`))),
    [],
  );
});

test('the address of a socket is one that the driver understands', async () => {
  const { default: pg } = await import('pg');
  const url = databaseUrl({ host: '/tmp/a b%/socket', port: 5432, user: 'cartulary', database: 'postgres' });
  const client = new pg.Client({ connectionString: url });
  assert.deepEqual(
    [client.host, client.port, client.user, client.database],
    ['/tmp/a b%/socket', 5432, 'cartulary', 'postgres'],
  );
});
