// @ts-check
// Starts and stops the processes of the bench: servers whose first line of output names their address.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { interruption } from '../scripts/processes.mjs';

const START_MS = 120_000;
const END_MS = 30_000;

/**
 * @typedef {{ pid: number, ready: string, ended: () => boolean, kill: () => void, end: () => Promise<void> }} Child
 */

/**
 * Starts a Node program and waits for the line of its standard output that `ready` finds.
 * @param {readonly string[]} args
 * @param {{ ready: RegExp, node?: string | undefined, env?: NodeJS.ProcessEnv, stderr?: number | 'inherit', execArgv?: readonly string[] }} options `node`: the executable, where it is not this one
 * @returns {Promise<Child>} `ready` is what the first group of the pattern found
 */
export async function startNode(
  args,
  { ready, node = process.execPath, env = process.env, stderr = 'inherit', execArgv = [] },
) {
  interruption.throwIfAborted();
  const child = spawn(node, [...execArgv, ...args], { env, stdio: ['ignore', 'pipe', stderr] });
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  const end = async () => {
    if (ended() || child.pid === undefined) return;
    const gone = once(child, 'exit');
    const impatience = setTimeout(() => child.kill('SIGKILL'), END_MS);
    child.kill('SIGTERM');
    await gone;
    clearTimeout(impatience);
  };
  try {
    const found = await new Promise((resolve, reject) => {
      let output = '';
      const late = setTimeout(() => reject(new Error(`${args[0]} was not ready within ${START_MS} ms`)), START_MS);
      const interrupt = () => settle(() => reject(interruption.reason));
      const settle = (/** @type {() => void} */ done) => {
        clearTimeout(late);
        interruption.removeEventListener('abort', interrupt);
        done();
      };
      child.once('error', (error) => settle(() => reject(error)));
      child.once('exit', (code) =>
        settle(() => reject(new Error(`${args[0]} ended with ${code} before it was ready`))),
      );
      interruption.addEventListener('abort', interrupt);
      child.stdout?.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-10_000);
        const match = ready.exec(output);
        if (match) settle(() => resolve(match[1] ?? ''));
      });
    });
    return { pid: child.pid ?? 0, ready: found, ended, kill: () => void child.kill('SIGKILL'), end };
  } catch (error) {
    await end();
    throw error;
  }
}
