// PostgreSQL servers of a test's own, which it may stop, freeze, kill and promote: a cluster made once, and copies of it.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, chmod, chown, mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { currentAccount, spawnOptions } from '../../src/embedded/account.ts';
import { type Binaries, findBinaries } from '../../src/embedded/binaries.ts';
import type { TestDatabase } from './database.ts';

const START_MS = 30_000;
const account = currentAccount();

export interface OwnPostgres {
  readonly connection: pg.ClientConfig & { readonly port: number };
  sql(text: string): Promise<unknown[][]>;
  /** Resolves when it accepts connections. */
  start(): Promise<void>;
  /** To the postmaster, and resolves when it is gone. */
  end(signal: 'SIGQUIT' | 'SIGINT' | 'SIGKILL'): Promise<void>;
  /** All of its processes at once, so that none of them says anything. */
  freeze(): void;
  thaw(): void;
  /** Of the postmaster and of what it has started, or none when it does not run. */
  pids(): { readonly postmaster: number; readonly others: number[] } | undefined;
  /** Another one that follows it, made from how both began. */
  standby(): Promise<OwnPostgres>;
}

/** It goes with the server. */
export const databaseOf = ({ connection, sql }: OwnPostgres): TestDatabase => ({
  ...{ connection, sql, nodes: [connection] },
  drop: async () => undefined,
});

interface OwnSettings {
  readonly place?: string;
  readonly settings?: Record<string, string | number>;
  /** Of another PostgreSQL than the bundled one. */
  readonly binaries?: Binaries;
}

const folders: string[] = [];
const children = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
  spawnSync('rm', ['-rf', ...folders]);
});

async function newFolder(): Promise<string> {
  // What is written there is read again by the same kernel: no disk is needed for that.
  const folder = await mkdtemp(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'ct-own-'));
  folders.push(folder);
  await giveAway(folder);
  return folder;
}

/** To the account that PostgreSQL runs under. */
async function giveAway(folder: string): Promise<void> {
  if (account.isUnprivileged) await chown(folder, account.uid, account.gid);
  await chmod(folder, 0o700);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** `place`: a folder that the caller made and removes. `settings`: beside those that every such server has. */
export async function ownPostgres({ place, settings = {}, ...own }: OwnSettings = {}): Promise<OwnPostgres> {
  const folder = place ?? (await newFolder());
  if (place !== undefined) await giveAway(place);
  const { initdb, postgres } = own.binaries ?? (await findBinaries(account, () => undefined));
  const words = ['-D', join(folder, 'first'), '-N', '-A', 'trust', '-U', 'cartulary', '-E', 'UTF8', '--locale=C'];
  const { status, stderr } = spawnSync(initdb, words, {
    ...spawnOptions(account),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status !== 0) throw new Error(`initdb ended with ${status}: ${stderr}`);
  copy(join(folder, 'first'), join(folder, 'data'));
  return postgresIn(join(folder, 'data'), { postgres, first: join(folder, 'first'), settings });
}

function copy(from: string, to: string): void {
  // Node's own copy does not keep owners.
  if (spawnSync('cp', ['-a', from, to]).status !== 0) throw new Error('cp failed');
}

interface Origin {
  /** The program. */
  readonly postgres: string;
  /** The folder that standbys are copied from. */
  readonly first: string;
  readonly settings?: Record<string, string | number>;
}

async function postgresIn(data: string, { postgres, first, settings: more = {} }: Origin): Promise<OwnPostgres> {
  const port = await freePort();
  const connection = { host: '127.0.0.1', port, user: 'cartulary', database: 'postgres' };
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    shared_buffers: '16MB',
    // A standby begins where both began.
    wal_keep_size: '512MB',
    wal_retrieve_retry_interval: '200ms',
    log_min_messages: 'fatal',
    ...more,
  };
  await appendFile(
    join(data, 'postgresql.conf'),
    Object.entries(settings)
      .map(([name, value]) => `${name} = '${value}'\n`)
      .join(''),
  );
  let child: ChildProcess | undefined;
  const sql = async (text: string) => {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 1_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query({ text, rowMode: 'array' })).rows as unknown[][];
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const signalAll = (signal: 'SIGSTOP' | 'SIGCONT') => {
    const postmaster = child?.pid ?? Number.NaN;
    for (const pid of [postmaster, ...childrenOf(postmaster)]) process.kill(pid, signal);
  };
  const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  const launch = () => {
    const own = spawn(postgres, ['-D', data], { ...spawnOptions(account), stdio: 'ignore' });
    child = own;
    children.add(own);
    own.once('exit', () => children.delete(own));
  };
  return {
    connection,
    sql,
    start: async () => {
      for (const begun = performance.now(); ; await pause(10)) {
        // Again and again: after kill -9 the memory that it shared belongs to its children until they have noticed.
        if (!isRunning()) launch();
        if (await sql('select 1').catch(() => undefined)) return;
        if (performance.now() - begun > START_MS) throw new Error('PostgreSQL does not start');
      }
    },
    end: async (signal) => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    pids: () =>
      isRunning() && child?.pid !== undefined ? { postmaster: child.pid, others: childrenOf(child.pid) } : undefined,
    standby: async () => {
      const place = join(await newFolder(), 'data');
      copy(first, place);
      const signal = join(place, 'standby.signal');
      await writeFile(signal, '');
      if (account.isUnprivileged) await chown(signal, account.uid, account.gid);
      await appendFile(
        join(place, 'postgresql.conf'),
        `primary_conninfo = 'host=127.0.0.1 port=${port} user=cartulary'\n`,
      );
      return postgresIn(place, { postgres, first });
    },
  };
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => {
      if (!/^\d+$/.test(name)) return false;
      try {
        // Behind the name of the program, which is in brackets: the state and the parent.
        const [, state] = /\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
        return Number(state) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}
