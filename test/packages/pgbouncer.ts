// PgBouncer in transaction mode before a test's database, as deploy/pgbouncer sets it up.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';
import { configuration, freePort, replaced, unpackedLibraries } from './tools.ts';

const NOBODY = 65_534;

export interface Pooler {
  /** For CARTULARY_POOLER_URL. */
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Kills it and removes its files. */
  close(): Promise<void>;
}

/** It runs when this returns. `sessions`: with the database, for all clients. */
export async function openPooler(
  program: string,
  { connection: { host, port: databasePort, user, database } }: TestDatabase,
  { sessions }: { readonly sessions: number },
): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'ct-pooler-'));
  await chmod(folder, 0o755);
  const port = await freePort();
  const settings = replaced(configuration('pgbouncer/pgbouncer.ini'), [
    [
      'host=db.example.com port=5432 dbname=cartulary',
      `host=${host} port=${databasePort} dbname=${database} user=${user}`,
    ],
    ['listen_port = 6432', `listen_port = ${port}\nunix_socket_dir =`],
    ['auth_type = scram-sha-256', 'auth_type = any'],
    ['auth_file = /etc/pgbouncer/userlist.txt', ''],
    ['default_pool_size = 20', `default_pool_size = ${sessions}`],
  ]);
  await writeFile(join(folder, 'pgbouncer.ini'), settings);
  // Where the account that it runs under can read it.
  for (const file of [program, ...unpackedLibraries()]) await copyFile(file, join(folder, basename(file)));
  let child: ChildProcess;
  const start = async () => {
    // It does not run as root.
    const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    const options = { ...account, env: { LD_LIBRARY_PATH: folder }, stdio: 'ignore' } as const;
    child = spawn(join(folder, 'pgbouncer'), ['-q', join(folder, 'pgbouncer.ini')], options);
    await until('the pooler', async () => {
      assert.equal(child.exitCode, null, 'pgbouncer ended');
      const socket = connect(port, '127.0.0.1');
      const reached = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      return reached;
    });
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  await start();
  return {
    url: `postgres://${user}@127.0.0.1:${port}/cartulary`,
    start,
    kill,
    close: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
