// A start on a new and on an existing folder: what the cluster is like, what it listens on, who owns what, and that a
// stop leaves nothing.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, statfs, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { startEmbedded } from '../../src/embedded/start.ts';
import {
  isRoot,
  PERSON,
  personCanRun,
  preparedFolder,
  processesIn,
  query,
  startProcess,
  temporaryFolder,
} from './sandbox.ts';

const print = () => {};

// Each waits more than it works.
describe('starting and stopping', { concurrency: 2 }, () => {
  test('a new folder becomes a cluster with code point order, checksums, full durability and no port', async (t) => {
    const parent = await temporaryFolder();
    const folder = path.join(parent, 'data');
    const lines: string[] = [];
    const server = await startEmbedded({ folder, print: (line) => lines.push(line) });
    t.after(() => server.stop());
    assert.deepEqual(lines, ['Preparing the database (first start)…']);

    const settings = [
      'server_encoding',
      'data_checksums',
      'listen_addresses',
      'fsync',
      'synchronous_commit',
      'full_page_writes',
      'jit',
    ];
    const values = await query(server.connection, ...settings.map((name) => `show ${name}`));
    assert.deepEqual(values, ['UTF8', 'on', '', 'on', 'on', 'on', 'off']);
    const words = "(values ('Z'), ('a'), ('é'), ('ﬀ'), ('😀')) as t(word)";
    assert.deepEqual(await query(server.connection, `select word from ${words} order by word`), [
      'Z',
      'a',
      'é',
      'ﬀ',
      '😀',
    ]);
    assert.deepEqual(await query(server.connection, "select upper('é')"), ['É']);
    // Under a plain C locale Japanese has no trigrams.
    const [trigrams] = await query(
      server.connection,
      'create extension pg_trgm',
      "select cardinality(show_trgm('日本語'))",
    );
    assert.equal(trigrams, '4');
    assert.equal((await stat(server.connection.host)).mode & 0o777, 0o700);

    const sockets = (await readFile('/proc/net/tcp', 'utf8')).split('\n').slice(1);
    const portInHex = server.connection.port.toString(16).toUpperCase().padStart(4, '0');
    const inodes = sockets.filter((line) => line.includes(`:${portInHex} 00000000:0000 0A`));
    const uid = String(isRoot ? 65534 : process.geteuid?.());
    assert.deepEqual(
      inodes.filter((line) => line.trim().split(/\s+/)[7] === uid),
      [],
    );
  });

  test('every setting is in effect, and memory and log follow the machine', async (t) => {
    const folder = await preparedFolder(await temporaryFolder());
    const server = await startEmbedded({ folder, print });
    t.after(() => server.stop());
    const file = `${path.sep}settings.conf`;
    const [refused, given] = await query(
      server.connection,
      `select count(*) filter (where not applied or error is not null)::text from pg_file_settings where sourcefile like '%${file}'`,
      `select count(*)::text from pg_file_settings where sourcefile like '%${file}'`,
    );
    assert.equal(refused, '0');
    assert.ok(Number(given) > 10, `${given} settings`);

    const megabytes = 'select (pg_size_bytes(current_setting($1)) / 1048576)::text';
    const [buffers, log] = await query(
      server.connection,
      megabytes.replace('$1', "'shared_buffers'"),
      megabytes.replace('$1', "'max_wal_size'"),
    );
    const memory = Math.min(process.constrainedMemory() || os.totalmem(), os.totalmem()) / 2 ** 20;
    assert.ok(Number(buffers) >= 32 && Number(buffers) <= Math.max(32, memory / 8), `${buffers} MB of ${memory} MB`);
    const { bavail, bsize } = await statfs(folder);
    const room = (bavail * bsize) / 2 ** 20;
    assert.ok(Number(log) >= 1024 && Number(log) <= Math.max(1024, room / 8), `${log} MB of ${room} MB`);
  });

  test('stop leaves no process and no postmaster.pid, may be called twice, and the next start is quick and has the data', async (t) => {
    const parent = await temporaryFolder();
    const folder = await preparedFolder(parent);
    const first = await startEmbedded({ folder, print });
    await query(first.connection, 'create table kept (n int)', 'insert into kept values (7)');
    await Promise.all([first.stop(), first.stop()]);
    await first.stop();
    assert.deepEqual(await processesIn(parent), []);
    assert.equal(existsSync(path.join(folder, 'postgres/cluster/postmaster.pid')), false);

    const lines: string[] = [];
    const begun = performance.now();
    const second = await startEmbedded({ folder, print: (line) => lines.push(line) });
    const ms = performance.now() - begun;
    t.after(() => second.stop());
    t.diagnostic(`start on an existing folder: ${ms.toFixed(0)} ms`);
    assert.ok(ms < 1_000, `${ms} ms`);
    assert.deepEqual(lines, []);
    assert.deepEqual(await query(second.connection, 'select n from kept'), ['7']);
  });

  test('root owns the data folder, the unprivileged account only what PostgreSQL works in', {
    skip: !isRoot,
  }, async (t) => {
    const parent = await temporaryFolder();
    const folder = path.join(parent, 'data');
    await mkdir(folder);
    await chmod(folder, 0o700);
    const server = await startEmbedded({ folder, print });
    t.after(() => server.stop());
    const owner = async (name: string) => (await stat(path.join(folder, name))).uid;
    assert.deepEqual(
      [
        await owner('.'),
        await owner('postgres'),
        await owner('postgres/cluster'),
        await owner('postgres/socket'),
        await owner('postgres.log'),
      ],
      [0, 0, 65534, 65534, 0],
    );
    assert.equal((await stat(folder)).mode & 0o777, 0o711);
    assert.match(await readFile(`/proc/${server.pid}/status`, 'utf8'), /^Uid:\t65534\t65534\t65534\t65534$/m);
    assert.match(await readFile(`/proc/${server.pid}/status`, 'utf8'), /^Groups:\t ?$/m);
  });

  test('an ordinary account runs it as itself, and root follows that owner later', {
    skip: !personCanRun(),
  }, async (t) => {
    const parent = await temporaryFolder(undefined, 0o777);
    const folder = path.join(parent, 'data');
    const person = startProcess(t, folder, { uid: PERSON });
    const ready = await person.event('ready', 'failed');
    assert.equal(ready.event, 'ready', ready.message);
    assert.match(await readFile(`/proc/${ready.pid}/status`, 'utf8'), new RegExp(`^Uid:\t${PERSON}\t`, 'm'));
    await query(ready.connection, 'create table kept (n int)', 'insert into kept values (7)');
    person.child.kill('SIGTERM');
    await person.event('stopped');
    assert.deepEqual(await processesIn(parent), []);

    const server = await startEmbedded({ folder, print });
    assert.deepEqual(await query(server.connection, 'select n from kept'), ['7']);
    assert.match(await readFile(`/proc/${server.pid}/status`, 'utf8'), new RegExp(`^Uid:\t${PERSON}\t`, 'm'));
    await server.stop();
    const again = startProcess(t, folder, { uid: PERSON });
    assert.equal((await again.event('ready', 'failed')).event, 'ready');
  });

  test('a path too long for a socket is reached through a short link that goes with the stop', async () => {
    const parent = await temporaryFolder();
    const deep = path.join(parent, 'd'.repeat(60), 'e'.repeat(60));
    await mkdir(deep, { recursive: true });
    const folder = await preparedFolder(deep);
    const server = await startEmbedded({ folder, print });
    const { host } = server.connection;
    assert.ok(!host.startsWith(folder) && host.length < 90, host);
    assert.deepEqual(await query(server.connection, 'select 1'), ['1']);
    await server.stop();
    assert.equal(existsSync(host), false);
  });

  test('the log is bounded at the start and says nothing of refused values', async (t) => {
    const parent = await temporaryFolder();
    const folder = await preparedFolder(parent);
    const log = path.join(folder, 'postgres.log');
    await writeFile(log, 'x'.repeat(9 * 2 ** 20));
    const server = await startEmbedded({ folder, print });
    t.after(() => server.stop());
    assert.ok((await stat(log)).size < 100_000);
    assert.equal((await stat(`${log}.1`)).size, 9 * 2 ** 20);
    const twice = "insert into t values ('a secret value')";
    await assert.rejects(
      query(server.connection, 'create table t (v text primary key)', twice, twice),
      /duplicate key/,
    );
    const text = await readFile(log, 'utf8');
    assert.match(text, /duplicate key/);
    assert.doesNotMatch(text, /a secret value/);
  });
});
