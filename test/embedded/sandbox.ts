// What the tests of the bundled PostgreSQL share: temporary folders that its account can enter, the program as another
// process, one query, and looking at processes. No expectation lives here.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, readlink, realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbedded } from '../../src/embedded/start.ts';

export const isRoot = process.geteuid?.() === 0;
/** An account of this machine that is not the one root lends to PostgreSQL; initdb insists on a known one. */
export const PERSON = Number(
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':')[2])
    .find((uid) => Number(uid) > 0 && Number(uid) !== 65_534),
);

/** What is used of node:test's context, whose type the oldest supported Node does not export. */
export interface Cleanup {
  after(clean: () => Promise<void>): void;
}

const EVENT_BOUND_MS = 20_000;
const program = fileURLToPath(import.meta.resolve('./server-program.js'));

const folders: string[] = [];

process.once('exit', () => {
  for (const folder of folders) {
    for (const entry of readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory())) {
      const place = path.join(folder, entry.name, 'postgres');
      const home = lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(place) : '';
      if (home.startsWith('/var/lib/cartulary/data-')) spawnSync('rm', ['-rf', home]);
    }
  }
  // A cluster is a thousand files: twenty milliseconds for rm, four hundred for Node.
  spawnSync('rm', ['-rf', ...folders]);
});

/**
 * Removed when the file's tests are over, together with what root keeps elsewhere for it: hooks of a test run in the order
 * in which they were given, and would delete the folder under a server that is stopped by a later one.
 */
export async function temporaryFolder(parent: string = os.tmpdir(), mode = 0o755): Promise<string> {
  const folder = await mkdtemp(path.join(await realpath(parent), 'embedded-test-'));
  folders.push(folder);
  await chmod(folder, mode);
  return folder;
}

let template: Promise<string> | null = null;

async function makeTemplate(): Promise<string> {
  const folder = path.join(await temporaryFolder(), 'data');
  await (await startEmbedded({ folder, print: () => {} })).stop();
  return folder;
}

/** A data folder below `parent` whose cluster was made before, once per test file: initdb is the slowest thing here. */
export async function preparedFolder(parent: string): Promise<string> {
  template ??= makeTemplate();
  const folder = path.join(parent, 'data');
  // Node's own copy does not keep owners.
  const { status } = spawnSync('cp', ['-a', await template, folder]);
  if (status !== 0) throw new Error(`cp ended with ${status}`);
  return folder;
}

export interface Connection {
  host: string;
  port: number;
  user: string;
  database: string;
}

export interface ServerEvent {
  event: string;
  line: string;
  message: string;
  name: string;
  pid: number;
  ms: number;
  reason: string;
  connection: Connection;
}

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly events: readonly ServerEvent[];
  /** The first event of one of these names, past or to come. */
  event(...names: string[]): Promise<ServerEvent>;
  ended(): Promise<void>;
}

export interface ServerProcessOptions {
  uid?: number;
  detached?: boolean;
  program?: string;
  environment?: Record<string, string>;
}

/** Killed after the test if it still runs; PostgreSQL then follows it by itself. */
export function startProcess(t: Cleanup, folder: string, options: ServerProcessOptions = {}): ServerProcess {
  const child = spawn(process.execPath, [options.program ?? program, folder], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: options.detached ?? false,
    env: { ...process.env, ...options.environment },
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
  });
  const events: ServerEvent[] = [];
  let rest = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) events.push(JSON.parse(line) as ServerEvent);
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  const ended = () => eventually(hasEnded, 'the process ends');
  t.after(async () => {
    if (!hasEnded()) child.kill('SIGTERM');
    await ended();
  });
  const find = (names: string[]) => events.find(({ event }) => names.includes(event));
  return {
    child,
    pid: child.pid ?? 0,
    events,
    ended,
    event: async (...names) => {
      await eventually(() => find(names) !== undefined, `one of ${names.join(', ')}; had ${JSON.stringify(events)}`);
      return find(names) as ServerEvent;
    },
  };
}

/** Whether an unprivileged account can run our program at all: not in a clone that is closed to others. */
export function personCanRun(): boolean {
  const options = { uid: PERSON, gid: PERSON, cwd: '/' };
  return isRoot && spawnSync(process.execPath, [program, '--reachable'], options).status === 0;
}

export async function eventually(
  done: () => boolean | Promise<boolean>,
  what: string,
  boundMs = EVENT_BOUND_MS,
): Promise<void> {
  for (const deadline = Date.now() + boundMs; !(await done()); ) {
    if (Date.now() > deadline) throw new Error(`Waited ${boundMs} ms in vain for: ${what}`);
    await sleep(15);
  }
}

/** The first column of every row; a client that loses its server is the test's business, not a crash. */
export async function query(connection: Connection, ...statements: string[]): Promise<string[]> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    const found: string[] = [];
    for (const text of statements) {
      const { rows } = await client.query({ text, rowMode: 'array' });
      found.push(...rows.map((row: unknown[]) => String(row[0])));
    }
    return found;
  } finally {
    await client.end().catch(() => {});
  }
}

async function stateOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[0] ?? '';
}

/** Zombies do not count: who reaps them is up to the machine. */
export async function isAlive(pid: number): Promise<boolean> {
  return !['', 'Z', 'X'].includes(await stateOf(pid));
}

async function processes(): Promise<number[]> {
  return (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Every process that works below `folder`: the postmaster and its children. */
export async function processesIn(folder: string): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await processes()) {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    if (cwd.startsWith(`${folder}/`) && (await isAlive(pid))) found.push(pid);
  }
  return found;
}

/** The shell that watches over PostgreSQL for the process `parent`. */
export async function watchdogOf(parent: number): Promise<number> {
  for (const pid of await processes()) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (Number(fields[1]) === parent && command.startsWith('/bin/sh')) return pid;
  }
  return 0;
}
