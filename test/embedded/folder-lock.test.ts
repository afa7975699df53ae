// One server per data folder: refused while the holder lives, free as soon as it does not, and never two winners.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { DataFolderInUse } from '../../src/embedded/failure.ts';
import { lockFolder } from '../../src/embedded/folder-lock.ts';
import { bornAt } from '../../src/embedded/processes.ts';
import { startEmbedded } from '../../src/embedded/start.ts';
import { preparedFolder, query, startProcess, temporaryFolder } from './sandbox.ts';

const print = () => {};

test('a second start on a folder in use is refused with the pid, from this process and from another', async (t) => {
  const parent = await temporaryFolder();
  const folder = await preparedFolder(parent);
  const server = startProcess(t, folder);
  const ready = await server.event('ready');
  await assert.rejects(startEmbedded({ folder, print }), (error) => {
    assert.ok(error instanceof DataFolderInUse);
    assert.equal(error.pid, server.pid);
    assert.equal(error.message, `The data folder ${folder} is in use by another server (process ${server.pid}).`);
    return true;
  });
  assert.deepEqual(await query(ready.connection, 'select 1'), ['1']);
  server.child.kill('SIGKILL');
  await server.ended();
  const own = await startEmbedded({ folder, print });
  t.after(() => own.stop());
  await assert.rejects(startEmbedded({ folder: path.join(folder, '..', 'data'), print }), DataFolderInUse);
  const other = startProcess(t, folder);
  const failed = await other.event('failed', 'ready');
  assert.deepEqual([failed.name, failed.pid], ['DataFolderInUse', process.pid]);
});

test('of simultaneous starts exactly one wins, on a new folder and after a kill', async (t) => {
  const parent = await temporaryFolder();
  const folder = path.join(parent, 'data');
  for (const round of ['new', 'after a kill']) {
    const contenders = [1, 2, 3, 4].map(() => startProcess(t, folder));
    const outcomes = await Promise.all(contenders.map((contender) => contender.event('ready', 'failed')));
    const winners = contenders.filter((_, index) => outcomes[index]?.event === 'ready');
    assert.equal(winners.length, 1, round);
    for (const { event, name, pid } of outcomes.filter(({ event }) => event === 'failed')) {
      assert.deepEqual([event, name, pid], ['failed', 'DataFolderInUse', winners[0]?.pid]);
    }
    winners[0]?.child.kill('SIGKILL');
    await winners[0]?.ended();
  }
});

test('a lock that names a dead process, a reused number, nobody or nonsense does not block', async (t) => {
  const folder = await temporaryFolder();
  const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
  t.after(() => void bystander.kill('SIGKILL'));
  const stale = [
    `${2 ** 22 + 5}\nlong ago\nx\n`,
    `${bystander.pid}\nlong ago\nx\n`,
    `${process.pid}\nlong ago\nx\n`,
    '',
    'nonsense',
  ];
  let number = 40;
  for (const text of stale) {
    await writeFile(path.join(folder, `.lock-${number}`), text);
    const lock = await lockFolder(folder);
    assert.equal(await lock.isHeld(), true);
    await assert.rejects(lockFolder(folder), DataFolderInUse);
    await lock.release();
    assert.equal(await lock.isHeld(), false);
    number += 1;
  }
  const living = `${bystander.pid}\n${bornAt(bystander.pid ?? 0)}\nx\n`;
  await writeFile(path.join(folder, '.lock-900'), living);
  await assert.rejects(lockFolder(folder), DataFolderInUse);
});

test('many contenders over many rounds: never two holders, and no litter', async () => {
  const folder = await temporaryFolder();
  let holders = 0;
  let taken = 0;
  const contend = async () => {
    for (let round = 0; round < 30; round++) {
      try {
        const lock = await lockFolder(folder);
        holders += 1;
        assert.equal(holders, 1);
        taken += 1;
        await new Promise(setImmediate);
        assert.equal(await lock.isHeld(), true);
        holders -= 1;
        await lock.release();
      } catch (error) {
        assert.ok(error instanceof DataFolderInUse, String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: 8 }, contend));
  assert.ok(taken >= 8, `taken ${taken} times`);
  assert.equal((await readdir(folder)).length, 1);
});

test('a server in another container, whose processes we cannot see, is known by its socket', async (t) => {
  const parent = await temporaryFolder();
  const folder = await preparedFolder(parent);
  const pid = 2 ** 22 + 5;
  await writeFile(
    path.join(folder, 'postgres/cluster/postmaster.pid'),
    `${pid}\n${folder}\n1\n5432\n\n\n0 0\nready   \n`,
  );
  const listener = net.createServer();
  await new Promise<void>((resolve) => listener.listen(path.join(folder, 'postgres/socket/.s.PGSQL.5432'), resolve));
  t.after(() => void listener.close());
  await assert.rejects(startEmbedded({ folder, print }), { name: 'DataFolderInUse', pid });
  listener.close();
  await (await startEmbedded({ folder, print })).stop();
});
