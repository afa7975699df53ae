// Deaths: of our process, of the watchdog, of PostgreSQL, of several at once. After each nothing is left running that
// nobody holds, nothing acknowledged is lost, and nothing that is not ours was signalled.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbedded } from '../../src/embedded/start.ts';
import {
  eventually,
  isAlive,
  preparedFolder,
  processesIn,
  query,
  startProcess,
  temporaryFolder,
  watchdogOf,
} from './sandbox.ts';

const print = () => {};
const skip = process.platform !== 'linux';

// Each waits more than it works.
describe('deaths', { concurrency: 2 }, () => {
  test('kill -9 of the server takes PostgreSQL along within seconds, and the data is there at the next start', {
    skip,
  }, async (t) => {
    const parent = await temporaryFolder();
    const folder = await preparedFolder(parent);
    const server = startProcess(t, folder);
    const { connection, pid } = await server.event('ready');
    const watchdog = await watchdogOf(server.pid);
    await query(connection, 'create table kept (n int)', 'insert into kept values (7)');
    server.child.kill('SIGKILL');
    const begun = Date.now();
    await eventually(
      async () => !(await isAlive(pid)) && !(await isAlive(watchdog)),
      'PostgreSQL and its watchdog go',
      6_000,
    );
    t.diagnostic(`gone after ${Date.now() - begun} ms`);
    assert.deepEqual(await processesIn(parent), []);
    const next = await startEmbedded({ folder, print });
    t.after(() => next.stop());
    assert.deepEqual(await query(next.connection, 'select n from kept'), ['7']);
  });

  test('a PostgreSQL that survived both server and watchdog is stopped before a new one starts', {
    skip,
  }, async (t) => {
    const parent = await temporaryFolder();
    const folder = await preparedFolder(parent);
    const server = startProcess(t, folder);
    const { connection, pid } = await server.event('ready');
    await query(connection, 'create table kept (n int)', 'insert into kept values (7)');
    const watchdog = await watchdogOf(server.pid);
    server.child.kill('SIGSTOP');
    process.kill(watchdog, 'SIGKILL');
    server.child.kill('SIGKILL');
    await server.ended();
    assert.equal(await isAlive(pid), true);
    const lines: string[] = [];
    const next = await startEmbedded({ folder, print: (line) => lines.push(line) });
    t.after(() => next.stop());
    assert.equal(await isAlive(pid), false);
    assert.deepEqual(lines, [`Stopping the database that an earlier run left behind (process ${pid})…`]);
    assert.deepEqual(await query(next.connection, 'select n from kept'), ['7']);
  });

  test('a postmaster.pid whose number belongs to another process now blocks nothing and harms nobody', {
    skip,
  }, async (t) => {
    const parent = await temporaryFolder();
    const folder = await preparedFolder(parent);
    const first = await startEmbedded({ folder, print });
    const record = path.join(folder, 'postgres/cluster/postmaster.pid');
    const text = await readFile(record, 'utf8');
    await first.stop();
    const bystander = spawn('sleep', ['60'], { stdio: 'ignore' });
    t.after(() => void bystander.kill('SIGKILL'));
    // Even one that calls itself postgres, in another folder.
    const namesake = spawn('/bin/sh', ['-c', 'read x'], {
      argv0: 'postgres',
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/tmp',
    });
    t.after(() => void namesake.kill('SIGKILL'));
    for (const pid of [bystander.pid, namesake.pid, process.pid, 1]) {
      await writeFile(record, text.replace(/^\d+/, String(pid)));
      const next = await startEmbedded({ folder, print });
      await next.stop();
    }
    await writeFile(record, '');
    await (await startEmbedded({ folder, print })).stop();
    assert.deepEqual(
      [bystander.exitCode, bystander.signalCode, namesake.exitCode, namesake.signalCode],
      [null, null, null, null],
    );
  });

  test('kill -9 of PostgreSQL while we run: the same connection works again, also past a backend that is busy', {
    skip,
  }, async (t) => {
    const parent = await temporaryFolder();
    const folder = await preparedFolder(parent);
    const reasons: string[] = [];
    const server = await startEmbedded({ folder, print, onRestart: (reason) => reasons.push(reason) });
    t.after(() => server.stop());
    await query(server.connection, 'create table kept (n int)');
    for (const round of [1, 2, 3]) {
      await query(server.connection, `insert into kept values (${round})`);
      // Never waits, so it does not notice by itself that its postmaster is gone.
      const busy = query(server.connection, 'select count(*) from generate_series(1, 100000000000) n where n % 2 = 3');
      const busyOver = assert.rejects(busy);
      await sleep(100);
      const killed = server.pid;
      process.kill(killed, 'SIGKILL');
      await eventually(() => reasons.length === round, `restart ${round}`);
      await busyOver;
      assert.notEqual(server.pid, killed);
      assert.match(reasons.at(-1) ?? '', new RegExp(`process ${killed}\\) ended unexpectedly with signal SIGKILL`));
    }
    assert.deepEqual(await query(server.connection, 'select n from kept order by n'), ['1', '2', '3']);
  });

  test('a stop right after kill -9 of PostgreSQL starts nothing again', { skip }, async () => {
    const parent = await temporaryFolder();
    const folder = await preparedFolder(parent);
    for (const delayMs of [0, 5, 40]) {
      const server = await startEmbedded({ folder, print });
      process.kill(server.pid, 'SIGKILL');
      await sleep(delayMs);
      await server.stop();
      // What a killed postmaster leaves behind ends by itself, in its own time.
      await eventually(async () => (await processesIn(parent)).length === 0, 'nothing runs');
    }
  });

  test('a killed watchdog is replaced without PostgreSQL noticing, and the new one watches', { skip }, async (t) => {
    const parent = await temporaryFolder();
    const server = startProcess(t, await preparedFolder(parent));
    const { pid } = await server.event('ready');
    const first = await watchdogOf(server.pid);
    process.kill(first, 'SIGKILL');
    await eventually(async () => ![0, first].includes(await watchdogOf(server.pid)), 'a new watchdog');
    await sleep(100);
    assert.equal(await isAlive(pid), true);
    server.child.kill('SIGKILL');
    await eventually(async () => !(await isAlive(pid)), 'PostgreSQL goes', 6_000);
  });

  test('SIGTERM, and Ctrl-C to the whole group, end in an orderly stop of PostgreSQL', { skip }, async (t) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const parent = await temporaryFolder();
      const folder = await preparedFolder(parent);
      const server = startProcess(t, folder, { detached: true });
      await server.event('ready');
      const watchdog = await watchdogOf(server.pid);
      process.kill(-server.pid, signal);
      await server.event('stopped');
      assert.deepEqual(
        server.events.filter(({ event }) => event === 'restart'),
        [],
      );
      assert.deepEqual(await processesIn(parent), []);
      assert.equal(await isAlive(watchdog), false);
      assert.equal(existsSync(path.join(folder, 'postgres/cluster/postmaster.pid')), false);
      assert.match(
        await readFile(path.join(folder, 'postgres.log'), 'utf8'),
        /received fast shutdown request[\s\S]*database system is shut down\n$/,
      );
    }
  });
});
