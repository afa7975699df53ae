// @ts-check
// Child processes and signals for the scripts: every child is tracked and gets the signal, and cleanup (the `finally` of the
// caller) runs before this process ends. Nothing here knows what is being run.

import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** An expected failure: its message is printed without a stack. */
export class Failure extends Error {}

/** Ended by a signal; carries the exit status that shells use for it. */
export class Interrupted extends Error {
  /** @param {NodeJS.Signals} signal */
  constructor(signal) {
    super(`Interrupted by ${signal}.`);
    this.status = 128 + constants.signals[signal];
  }
}

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
const GRACE_MS = 10_000;
const IMPATIENCE_MS = 2_000;

/** @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set();
const stopping = new AbortController();

/** Aborted with an `Interrupted` as its reason when a signal arrives. */
export const interruption = stopping.signal;

/**
 * Handles signals until the returned function is called. A second signal ends the process at once, unless it follows
 * shortly: a terminal signals the whole process group and npm forwards its signal, so one Ctrl-C arrives twice.
 * @returns {() => void}
 */
export function holdSignals() {
  let askedAt = Number.POSITIVE_INFINITY;
  /** @param {NodeJS.Signals} signal */
  const onSignal = (signal) => {
    const interrupted = new Interrupted(signal);
    if (performance.now() - askedAt > IMPATIENCE_MS) process.exit(interrupted.status);
    if (interruption.aborted) return;
    askedAt = performance.now();
    stopping.abort(interrupted);
    for (const child of children) child.kill(signal);
    setTimeout(() => {
      for (const child of children) child.kill('SIGKILL');
    }, GRACE_MS).unref();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

/**
 * Runs a program to its end. With `live` it writes to our output, otherwise its output is returned. After `timeoutMs` it
 * is killed, which counts as a failure.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ cwd: string, live?: boolean, env?: NodeJS.ProcessEnv, timeoutMs?: number }} options
 * @returns {Promise<{ code: number, output: string }>}
 */
export async function run(program, args, { cwd, live = false, env = process.env, timeoutMs }) {
  interruption.throwIfAborted();
  const bound = timeoutMs === undefined ? {} : { timeout: timeoutMs };
  const child = spawn(program, args, { cwd, env, stdio: live ? 'inherit' : ['ignore', 'pipe', 'pipe'], ...bound });
  children.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', (error) => reject(new Failure(`${program} cannot be run: ${error.message}`)));
      child.once('close', (status, signal) => resolve(status ?? 128 + constants.signals[signal ?? 'SIGKILL']));
    });
    interruption.throwIfAborted();
    return { code, output };
  } finally {
    children.delete(child);
  }
}

/**
 * One line per step, on stderr, so that a server's own output stays clean: `Installing packages … 9.1 s`.
 * @template T
 * @param {string} label
 * @param {() => Promise<T>} work
 * @param {{ live?: boolean }} [options] `live`: the work prints lines of its own, so the label is printed again at the end
 * @returns {Promise<T>}
 */
export async function step(label, work, { live = false } = {}) {
  const began = performance.now();
  process.stderr.write(live ? `${label} …\n` : `${label} … `);
  const end = (/** @type {string} */ text) => process.stderr.write(live ? `${label} … ${text}\n` : `${text}\n`);
  try {
    const result = await work();
    end(`${((performance.now() - began) / 1000).toFixed(1)} s`);
    return result;
  } catch (error) {
    end(error instanceof Interrupted ? 'interrupted' : 'failed');
    throw error;
  }
}
