// The server as its own process, as an operator starts it: built code, embedded PostgreSQL, a data folder.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../program/main.js', import.meta.url));
const START_MS = 60_000;

export interface ServerProcess {
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
  readonly child: ChildProcess;
  /** All that it printed so far. */
  output(): string;
  /** Ends it with the signal and waits until it is gone. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

/** `expectFailures`: the test provokes INTERNAL_ERRORs; ending any other server fails on one. */
export async function spawnServer(
  environment: Record<string, string>,
  args: readonly string[] = ['serve'],
  { expectFailures = false } = {},
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      NODE_NO_WARNINGS: '1',
      CARTULARY_PORT: '0',
      CARTULARY_LOG_LEVEL: 'error',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const address = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`no answer within ${START_MS} ms:\n${output}`));
    }, START_MS);
    const look = () => {
      const ready = /^Cartulary is ready at (http:\S+)\/v1$/m.exec(output)?.[1];
      if (ready === undefined) return;
      clearTimeout(timer);
      resolve(ready);
    };
    child.stdout.on('data', look);
    child.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code} before it was ready:\n${output}`));
    });
  });
  return {
    address,
    child,
    output: () => output,
    end: async (signal) => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const gone = once(child, 'exit');
      child.kill(signal);
      await gone;
      if (!expectFailures) assert.doesNotMatch(output, /"msg":"request\.failed"/);
      return child.exitCode;
    },
  };
}
