// @ts-check
// Starts and stops the processes of the bench: servers that print their address when they are ready, and others.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { interruption } from '../scripts/processes.mjs';

const START_MS = 120_000;
const END_MS = 30_000;

/**
 * @typedef {object} Child
 * @property {number} pid
 * @property {string} ready
 * @property {(message: object) => Promise<void>} tell waits until it has done what it was told; only with a channel
 * @property {() => boolean} ended
 * @property {() => void} kill
 * @property {() => Promise<void>} end
 */

/** @param {import('node:child_process').ChildProcess} child */
function lifeOf(child) {
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  const end = async () => {
    if (ended() || child.pid === undefined) return;
    const gone = once(child, 'exit');
    const impatience = setTimeout(() => child.kill('SIGKILL'), END_MS);
    child.kill('SIGTERM');
    await gone;
    clearTimeout(impatience);
  };
  return { pid: child.pid ?? 0, ended, kill: () => void child.kill('SIGKILL'), end };
}

/**
 * Starts any program. Whether it is ready is found out otherwise.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string, output: number, env?: NodeJS.ProcessEnv }} options `output`: a file, which is closed here
 */
export function startProgram(program, args, { cwd, output, env = process.env }) {
  interruption.throwIfAborted();
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', output, output] });
  closeSync(output);
  child.on('error', () => {});
  return lifeOf(child);
}

/**
 * Starts a Node program and waits for the line of its standard output that `ready` finds.
 * @param {readonly string[]} args
 * @param {{ ready: RegExp, node?: string | undefined, cwd?: string, env?: NodeJS.ProcessEnv, stderr?: number | 'inherit', execArgv?: readonly string[], channel?: boolean }} options `node`: the executable, where it is not this one
 * @returns {Promise<Child>} `ready` is what the first group of the pattern found
 */
export async function startNode(
  args,
  { ready, node = process.execPath, cwd, env = process.env, stderr = 'inherit', execArgv = [], channel = false },
) {
  interruption.throwIfAborted();
  const child = spawn(node, [...execArgv, ...args], {
    env,
    ...(cwd === undefined ? {} : { cwd }),
    stdio: ['ignore', 'pipe', stderr, ...(channel ? [/** @type {const} */ ('ipc')] : [])],
  });
  const { end, ...life } = lifeOf(child);
  const tell = async (/** @type {object} */ message) => {
    const reply = once(child, 'message', { signal: interruption });
    child.send(message);
    const [{ failure }] = await reply;
    if (failure !== undefined) throw new Error(failure);
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
    return { ...life, ready: found, tell, end };
  } catch (error) {
    await end();
    throw error;
  }
}
