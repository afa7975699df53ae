// @ts-check
// The packed package as its users have it: packed, installed in a folder of its own, and served from another by two
// commands. For the tests in test/packages and for `npm run package`.

import { spawn } from 'node:child_process';
import { chmod, chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './prepare.mjs';
import { Failure, run } from './processes.mjs';

const START_MS = 90_000;
const STOP_MS = 30_000;
const INSTALL_MS = 300_000;

/** npm's own words when it cannot reach a registry. */
const NO_NETWORK = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/;

export class NoNetwork extends Failure {}

/** @param {readonly string[]} args @param {{ cwd: string, env?: NodeJS.ProcessEnv }} options */
async function npm(args, { cwd, env = process.env }) {
  const { code, output } = await run('npm', args, { cwd, env, timeoutMs: INSTALL_MS });
  if (code === 0) return output;
  const message = `${output.slice(-3000)}npm ${args[0]} ended with status ${code}; the lines above are its own.`;
  throw NO_NETWORK.test(output) ? new NoNetwork(message) : new Failure(message);
}

/**
 * Packs the server, or the client (`part`), and returns the file and the paths in it.
 * @param {'.' | 'client'} part
 * @param {string} folder
 */
export async function pack(part, folder) {
  await npm(['pack', '--silent', '--pack-destination', folder], { cwd: join(ROOT, part) });
  const { name, version } = JSON.parse(await readFile(join(ROOT, part, 'package.json'), 'utf8'));
  const file = join(folder, `${name}-${version}.tgz`);
  const { code, output } = await run('tar', ['-tzf', file], { cwd: folder });
  if (code !== 0) throw new Failure(`${output}The package cannot be read.`);
  const paths = output.trim().split('\n');
  return { file, version, paths: paths.map((path) => path.replace(/^package\//, '')) };
}

/**
 * `npm install FILE` in a folder, or `npm install -g` with the folder as npm's own. Returns the folder of commands.
 * @param {string} file
 * @param {{ folder: string, global?: boolean }} place
 */
export async function install(file, { folder, global = false }) {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  await npm(['install', ...(global ? ['-g', '--prefix', folder] : []), ...options, file], { cwd: folder });
  return global ? join(folder, 'bin') : join(folder, 'node_modules', '.bin');
}

/**
 * A Node of a major version, from npm.
 * @param {number} major
 * @param {string} folder
 */
export async function installNode(major, folder) {
  const name = `node-${process.platform}-${process.arch}`;
  await writeFile(join(folder, 'package.json'), '{}');
  await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', `${name}@${major}`], {
    cwd: folder,
  });
  return join(folder, 'node_modules', name, 'bin', 'node');
}

/**
 * A module to load first, in a process that must connect to no other machine: it writes down every attempt.
 * @param {string} notes the file
 */
export const watchOf = (notes) => `import { appendFileSync } from 'node:fs';
import net from 'node:net';
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...args) {
  const [options] = Array.isArray(args[0]) ? args[0] : args;
  const host = options?.host ?? (typeof args[1] === 'string' ? args[1] : 'localhost');
  const isSocket = typeof options === 'string' || typeof options?.path === 'string';
  const near = isSocket || /^(localhost|127\\.|::1$)/.test(host);
  if (!near) appendFileSync(${JSON.stringify(notes)}, host + '\\n');
  return connect.apply(this, args);
};
`;

/**
 * @typedef {object} Serving
 * @property {readonly string[]} command such as `npx cartulary start`
 * @property {string} cwd an empty folder, which becomes the account's
 * @property {string} scratch a folder without a space in its path
 * @property {string} [node] the program
 * @property {number} [uid] the account; by default the one that runs this
 */

/**
 * Starts a server, hands its address over, and stops it as Ctrl-C does. Returns what it printed, and the hosts that it
 * connected to.
 * @param {Serving} serving
 * @param {(address: string, data: string) => Promise<void>} work
 */
export async function serving({ command, cwd, scratch, node = process.execPath, uid }, work) {
  const notes = join(scratch, 'connections');
  const watch = join(scratch, 'watch.mjs');
  const home = join(scratch, 'home');
  await mkdir(home, { recursive: true });
  await writeFile(watch, watchOf(notes));
  await writeFile(notes, '');
  // PostgreSQL's own account has to enter, if root serves.
  for (const folder of [scratch, home, cwd]) await chmod(folder, 0o755);
  if (uid !== undefined) for (const path of [home, cwd, notes]) await chown(path, uid, uid);
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd,
    // A group, as a terminal makes one: Ctrl-C is for all of it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
      HOME: home,
      NODE_OPTIONS: `--import=${pathToFileURL(watch).href}`,
      CARTULARY_PORT: '0',
      // npx itself looks for a newer npm now and then, and does without an answer.
      npm_config_update_notifier: 'false',
    },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  const ended = new Promise((resolve) => child.once('close', resolve));
  const kill = (/** @type {NodeJS.Signals} */ signal) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, signal);
  };
  try {
    await work(await readyAddress(child, () => output), join(cwd, 'data'));
    kill('SIGINT');
    const late = setTimeout(() => kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(late);
  } finally {
    kill('SIGKILL');
  }
  return { output, code: child.exitCode, connections: (await readFile(notes, 'utf8')).trim() };
}

/** @param {import('node:child_process').ChildProcess} child @param {() => string} output @returns {Promise<string>} */
function readyAddress(child, output) {
  return new Promise((resolve, reject) => {
    const fail = (/** @type {string} */ why) => reject(new Failure(`${output()}${why}`));
    const timer = setTimeout(() => fail(`It was not ready within ${START_MS} ms.`), START_MS);
    child.once('error', (error) => fail(error.message));
    child.once('close', (code) => fail(`It ended with ${code} before it was ready.`));
    child.stdout?.on('data', () => {
      const address = /^Cartulary is ready at (http:\S+)\/v1$/m.exec(output())?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
  });
}
