// The making of a cluster, interrupted: a kill during initdb leaves no half cluster, and a deleted data folder means a new one.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbedded } from '../../src/embedded/start.ts';
import { eventually, query, startProcess, temporaryFolder } from './sandbox.ts';

const print = () => {};

// Each waits more than it works.
describe('the first start', { concurrency: 2 }, () => {
  test('kill -9 at several moments of the first start: the next one succeeds and removes what was left', async (t) => {
    const parent = await temporaryFolder();
    const folder = path.join(parent, 'data');
    const home = path.join(folder, 'postgres');
    for (const delayMs of [0, 100, 300]) {
      const server = startProcess(t, folder);
      await eventually(
        async () => (await readdir(home).catch(() => [])).some((name) => name.startsWith('initdb-')),
        'initdb begins',
      );
      await sleep(delayMs);
      server.child.kill('SIGKILL');
      await server.ended();
      assert.equal(existsSync(path.join(home, 'cluster')), false);
    }
    await mkdir(path.join(home, 'initdb-abandoned'));
    await writeFile(path.join(home, 'initdb-abandoned', 'PG_VERSION'), '18\n');
    const server = await startEmbedded({ folder, print });
    t.after(() => server.stop());
    assert.deepEqual(await query(server.connection, 'select 1'), ['1']);
    assert.deepEqual((await readdir(home)).sort(), ['access.conf', 'cluster', 'settings.conf', 'socket']);
  });

  test('a deleted data folder means a new cluster, also while the old server still runs', async (t) => {
    const parent = await temporaryFolder();
    const folder = path.join(parent, 'data');
    const lines: string[] = [];
    const old = await startEmbedded({ folder, print: (line) => lines.push(line) });
    await query(old.connection, 'create table kept (n int)');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    const next = await startEmbedded({ folder, print });
    t.after(() => next.stop());
    process.kill(old.pid, 'SIGKILL');
    await eventually(
      () => lines.some((line) => line.includes('was deleted or given to another server')),
      'the old one gives up',
    );
    await old.stop();
    assert.deepEqual(await query(next.connection, "select count(*) from pg_class where relname = 'kept'"), ['0']);
  });
});
