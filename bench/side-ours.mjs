// @ts-check
// The server that is measured: the real one, as its own process, as an operator starts it, with a data folder of its
// own. What it logs goes to a file beside its data.

import { closeSync, openSync, readFileSync, realpathSync, statSync, truncateSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from '../scripts/prepare.mjs';
import { startNode } from './children.mjs';

const PROFILER = new URL('./profiler.mjs', import.meta.url).href;
const LOG_BYTES_MAX = 64 * 2 ** 20;

/**
 * @typedef {object} Ours
 * @property {string} address `http://127.0.0.1:PORT`
 * @property {number} pid of the server
 * @property {() => number | undefined} databasePid of PostgreSQL's first process
 * @property {{ host: string, port: number, user: string, database: string }} connection for `pg`
 * @property {(from?: number) => { text: string, end: number }} log what the server has logged since a position
 * @property {() => void} trimLog
 * @property {(message: import('./profiler.mjs').ProfilerMessage) => Promise<void>} profiler only where it was started with one
 * @property {() => boolean} ended whether the server has, of itself or because it was stopped
 * @property {() => void} kill
 * @property {() => Promise<void>} stop
 */

/**
 * @typedef {object} ServerOptions
 * @property {string} folder
 * @property {string} operatorKey
 * @property {string} logLevel
 * @property {string} [root] of the sources, where they are not these
 * @property {string | undefined} [node] that runs it, where it is not this one
 * @property {number | undefined} [workers] processes, where it is not the server's own default
 * @property {string | undefined} [profile] folder for a processor profile of its whole life
 * @property {boolean} [profiler] for profiles of moments
 * @property {Record<string, string>} [settings]
 */

/**
 * What `npm run serve` gives to Node.
 * @param {string} root
 */
function flagsIn(root) {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return String(scripts.serve).match(/(?<= )--\S+(?=.* scripts\/run)/g) ?? [];
}

/**
 * @param {ServerOptions} options
 * @returns {Promise<Ours>}
 */
export async function startOurs(options) {
  const {
    folder,
    operatorKey,
    logLevel,
    root = ROOT,
    node,
    workers,
    profile,
    profiler = false,
    settings = {},
  } = options;
  const data = join(folder, 'data');
  const logFile = join(folder, 'server.log');
  const log = openSync(logFile, 'a');
  // Only what is named here: settings of the person who runs the bench must not change what is measured.
  const env = {
    PATH: process.env.PATH ?? '',
    CARTULARY_PORT: '0',
    CARTULARY_HOST: '127.0.0.1',
    CARTULARY_DATA: data,
    CARTULARY_OPERATOR_KEY: operatorKey,
    CARTULARY_LOG_LEVEL: logLevel,
    ...(workers === undefined ? {} : { CARTULARY_WORKERS: String(workers) }),
    ...settings,
  };
  // A profile names functions by the module that they are in, which the program of few files does not have.
  const program = profiler || profile !== undefined ? join('dist', 'src', 'main.js') : join('bin', 'cartulary.js');
  const child = await startNode([join(root, program), 'serve'], {
    ready: /^Cartulary is ready at (http:\S+)\/v1$/m,
    env,
    stderr: log,
    node,
    execArgv: [
      ...flagsIn(root),
      ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`]),
      ...(profiler ? ['--import', PROFILER] : []),
    ],
    channel: profiler,
  })
    .catch((error) => {
      throw new Error(`${error.message}; it said:\n${readFileSync(logFile, 'utf8').slice(-2000)}`);
    })
    .finally(() => closeSync(log));
  // A server with a database elsewhere has none of its own.
  const home = settings.DATABASE_URL === undefined ? realpathSync(join(data, 'postgres')) : undefined;
  return {
    address: child.ready,
    pid: child.pid,
    databasePid: () =>
      home === undefined
        ? undefined
        : Number(readFileSync(join(home, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0]) || undefined,
    connection: { host: join(home ?? '', 'socket'), port: 5432, user: 'cartulary', database: 'postgres' },
    log: (from = 0) => {
      const bytes = readFileSync(logFile);
      return { text: bytes.subarray(from).toString(), end: bytes.length };
    },
    trimLog: () => {
      if (statSync(logFile).size > LOG_BYTES_MAX) truncateSync(logFile);
    },
    profiler: child.tell,
    ended: child.ended,
    kill: child.kill,
    stop: child.end,
  };
}
