// An installation as its operator has it: the built server as a process with a data folder of its own, the command line
// beside it, and the client. Nothing here knows the sources of the server.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../../client/src/main.ts';

/** From the compiled test, in `dist/test/system`. */
const PROGRAM = fileURLToPath(new URL('../../../bin/cartulary.js', import.meta.url));
const START_MS = 60_000;
const RUN_MS = 60_000;
export const PASSWORD = 'A-long-passw0rd';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Installation {
  /** Where commands run, and where their files and logins are. */
  readonly folder: string;
  readonly address: string;
  begin(
    args: readonly string[],
    input?: string,
  ): { readonly child: ChildProcess; readonly finished: Promise<Finished> };
  run(args: readonly string[], input?: string): Promise<Finished>;
  /** Standard output of a command that succeeds. */
  good(args: readonly string[], input?: string): Promise<string>;
  /** Starts the server again where it was. */
  start(): Promise<void>;
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  close(): Promise<void>;
}

function collected(child: ChildProcess): { stdout: string; stderr: string } {
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      said[stream] += text;
    });
  }
  return said;
}

function spawnProgram(args: readonly string[], cwd: string, env: Record<string, string>): ChildProcess {
  const own = { PATH: process.env.PATH ?? '', NODE_NO_WARNINGS: '1', HOME: cwd };
  const places = { XDG_CONFIG_HOME: join(cwd, 'config'), XDG_CACHE_HOME: join(cwd, 'cache') };
  return spawn(process.execPath, [PROGRAM, ...args], { cwd, env: { ...own, ...places, ...env }, stdio: 'pipe' });
}

async function untilReady(child: ChildProcess): Promise<string> {
  const said = collected(child);
  return new Promise((resolve, reject) => {
    const fail = () => reject(new Error(`the server does not start:\n${said.stdout}${said.stderr}`));
    const timer = setTimeout(fail, START_MS);
    child.once('exit', fail);
    child.stdout?.on('data', () => {
      const address = /^Cartulary is ready at (http:\S+)\/v1$/m.exec(said.stdout)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
  });
}

export async function openInstallation(): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'ct-system-'));
  const environment = {
    CARTULARY_DATA: join(folder, 'data'),
    CARTULARY_PORT: '0',
    CARTULARY_LOG_LEVEL: 'error',
  };
  let server: ChildProcess | undefined;
  const start = async () => {
    server = spawnProgram(['serve'], folder, environment);
    const address = await untilReady(server);
    // From now on it is found where it was.
    environment.CARTULARY_PORT = new URL(address).port;
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill(signal);
    await gone;
  };
  const begin = (args: readonly string[], input = '') => {
    const child = spawnProgram(args, folder, environment);
    const said = collected(child);
    const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
    // A command that ends without reading its input is no error here.
    child.stdin?.on('error', () => undefined).end(input);
    const finished = once(child, 'close').then(([code]) => {
      clearTimeout(timer);
      return { code, ...said };
    });
    return { child, finished };
  };
  const run = (args: readonly string[], input?: string) => begin(args, input).finished;
  await start();
  return {
    folder,
    get address() {
      return `http://127.0.0.1:${environment.CARTULARY_PORT}`;
    },
    begin,
    run,
    good: async (args, input) => {
      const { code, stdout, stderr } = await run(args, input);
      assert.equal(code, 0, `${args.join(' ')}\n${stderr}`);
      return stdout;
    },
    start,
    end,
    close: async () => {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The only application of an installation, of which Ada is an admin: logged in, and with a token for the client. */
export async function clientOfAda({ address, good }: Installation, application: string) {
  const email = 'ada@example.com';
  await good(['users', 'create', application, '--name', 'Ada', '--email', email, '--password-stdin'], PASSWORD);
  await logIn({ address, good }, application);
  const token = (await good(['tokens', 'create', application, 'Ada', '--name', 'system', '--token-only'])).trim();
  const [only] = JSON.parse(await good(['applications', 'list', '--json']));
  const options = { url: address, application: only.id as string, token };
  return { options, client: createClient(options) };
}

export const logIn = ({ address, good }: Pick<Installation, 'address' | 'good'>, application: string) =>
  good(['login', address, '--application', application, '--user', 'ada@example.com', '--password-stdin'], PASSWORD);

export async function all<Element>(source: AsyncIterable<Element>): Promise<Element[]> {
  const elements: Element[] = [];
  for await (const element of source) elements.push(element);
  return elements;
}
