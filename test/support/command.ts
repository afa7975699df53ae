// The built command as a person runs it: a process of its own, with a clean environment and a folder of its own.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXIT_CODES, type Exit } from '../../src/cli/failure.ts';
import type { TestDatabase } from './database.ts';

const MAIN = fileURLToPath(new URL('../../program/main.js', import.meta.url));
const RUN_MS_MAX = 40_000;

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  /** Everything said so far, on both streams. */
  said(): string;
  /** Waits until it has said something that fits. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
}

export interface Run {
  readonly env?: Record<string, string>;
  readonly input?: string;
  readonly cwd: string;
  /** When it is killed at the latest. */
  readonly msMax?: number;
}

export function start(args: readonly string[], { env = {}, input = '', cwd, msMax = RUN_MS_MAX }: Run): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      NODE_NO_WARNINGS: '1',
      // Not the logins of the person who runs the tests.
      XDG_CONFIG_HOME: join(cwd, 'config'),
      XDG_CACHE_HOME: join(cwd, 'cache'),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  }
  // A command that ends without reading its input is no error here.
  child.stdin.on('error', () => undefined).end(input);
  const timer = setTimeout(() => child.kill('SIGKILL'), msMax);
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, ...said });
    });
  });
  const all = () => said.stdout + said.stderr;
  return {
    child,
    finished,
    said: all,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = pattern.exec(all());
          if (found !== null) resolve(found);
        };
        child.stdout.on('data', look);
        child.stderr.on('data', look);
        child.on('close', () => reject(new Error(`it ended and never said ${pattern}:\n${all()}`)));
        look();
      }),
  };
}

export const run = (args: readonly string[], options: Run): Promise<Finished> => start(args, options).finished;

export async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'cartulary-cli-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One sentence for a person: no stack, no path of our sources. `exit`: any failure unless it is given. */
export function assertPlain({ code, stderr }: Finished, pattern: RegExp, exit?: Exit): void {
  const expected = exit === undefined ? Object.values(EXIT_CODES) : [EXIT_CODES[exit]];
  assert.ok((expected as (number | null)[]).includes(code), `exit code ${code}, expected ${expected}: ${stderr}`);
  assert.match(stderr, pattern);
  assert.doesNotMatch(stderr, /^\s+at |node:internal|\.js:\d+/m);
}

export function databaseUrl(
  { connection }: TestDatabase,
  change: { name?: string; host?: string; port?: number } = {},
): string {
  const { user = '', password = '', database, host = 'localhost', port = 5432 } = connection;
  const who = password === '' ? user : `${user}:${encodeURIComponent(String(password))}`;
  const place = `host=${encodeURIComponent(change.host ?? host)}&port=${change.port ?? port}`;
  return `postgres://${who}@/${change.name ?? database}?${place}`;
}
