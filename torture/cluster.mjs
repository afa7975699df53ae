// @ts-check
// What is tortured: a PostgreSQL of its own, two servers or more as processes, and a wire before each server and between
// each server and the database. All of it listens on the loopback interface only and goes when the torture ends.

import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { FOLDER } from './preload.mjs';
import { openWire } from './wire.mjs';

/** @param {string} path below dist/test */
const compiled = (path) => import(new URL(`../dist/test/${path}`, import.meta.url).href);

export const OPERATOR_KEY = 'torture-operator-key-0123456789-abcdef';
const PRELOAD = new URL('./preload.mjs', import.meta.url).href;
const FULL_BYTES = { database: 320 * 2 ** 20, files: 64 * 2 ** 20 };
const PATIENCE_MS = 60_000;

/**
 * @typedef {object} NodeSettings
 * @property {number} workers
 * @property {number} heapMegabytes 0: Node's own default
 * @property {'disk' | 's3'} storage
 *
 * @typedef {object} ClusterNode
 * @property {string} name
 * @property {string} address where clients find it, through its wire
 * @property {import('./wire.mjs').Wire} front
 * @property {import('./wire.mjs').Wire} back to the database
 * @property {string} control the folder that its preloaded module reads
 * @property {NodeSettings} settings
 * @property {import('../test/support/process.ts').ServerProcess | undefined} process
 * @property {string[]} failures lines of its log about requests that ended with 500, of processes that are gone
 * @property {number} told how many such lines were taken
 *
 * @typedef {object} Cluster
 * @property {import('../test/support/own-postgres.ts').OwnPostgres} postgres
 * @property {ClusterNode[]} nodes
 * @property {{ wire: import('./wire.mjs').Wire, url: string }} s3
 * @property {{ database: Disk | undefined, files: Disk | undefined }} disks that can be full, where they can be made
 * @property {(text: string, params?: unknown[]) => Promise<unknown[][]>} sql
 * @property {(node: ClusterNode, settings?: NodeSettings) => Promise<void>} start
 * @property {(node: ClusterNode, signal: 'SIGTERM' | 'SIGKILL') => Promise<void>} end
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Disk
 * @property {string} folder
 * @property {() => void} fill
 * @property {() => void} free
 * @property {() => void} remove
 */

/** A file system of its own, of bounded size. @param {string} folder @param {number} bytes @returns {Disk | undefined} */
function makeDisk(folder, bytes) {
  mkdirSync(folder, { recursive: true });
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0755`, 'torture', folder]);
  if (status !== 0) return undefined;
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill: () => {
      const block = Buffer.alloc(64 * 1024);
      try {
        for (;;) {
          const { bavail, bsize } = statfsSync(folder);
          if (bavail * bsize === 0) return;
          appendFileSync(ballast, block.subarray(0, Math.min(block.length, bavail * bsize)));
        }
      } catch (error) {
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOSPC') throw error;
      }
    },
    free: () => rmSync(ballast, { force: true }),
    remove: () => void spawnSync('umount', ['-l', folder]),
  };
}

/**
 * @param {{ nodes: number, disks: boolean }} options `disks`: whether those that can be full are wanted
 * @returns {Promise<Cluster>}
 */
export async function openCluster({ nodes: count, disks: wanted }) {
  const folder = mkdtempSync(join(tmpdir(), 'ct-torture-'));
  spawnSync('chmod', ['0711', folder]);
  const disks = {
    database: wanted ? makeDisk(join(folder, 'database'), FULL_BYTES.database) : undefined,
    files: wanted ? makeDisk(join(folder, 'files'), FULL_BYTES.files) : undefined,
  };
  const removeDisks = () => {
    disks.database?.remove();
    disks.files?.remove();
  };
  process.once('exit', removeDisks);
  const { ownPostgres } = await compiled('support/own-postgres.js');
  const place = disks.database && join(disks.database.folder, 'postgres');
  if (place !== undefined) mkdirSync(place);
  const settings = { wal_keep_size: 0, max_wal_size: '64MB', min_wal_size: '32MB', max_connections: 120 };
  /** @type {import('../test/support/own-postgres.ts').OwnPostgres} */
  const postgres = await ownPostgres({ ...(place === undefined ? {} : { place }), settings });
  await postgres.start();
  const { startS3 } = await compiled('support/s3.js');
  /** @type {import('../test/support/s3.ts').TestS3} */
  const store = await startS3();
  const wire = await openWire(Number(new URL(store.endpoint).port));
  const s3 = {
    wire,
    url: store
      .url('torture')
      .replace(encodeURIComponent(store.endpoint), encodeURIComponent(`http://127.0.0.1:${wire.port}`)),
  };
  const data = disks.files?.folder ?? join(folder, 'files');
  mkdirSync(data, { recursive: true });
  const { spawnServer } = await compiled('support/process.js');

  /** @type {ClusterNode[]} */
  const nodes = [];
  for (let index = 0; index < count; index++) {
    const front = await openWire();
    const control = join(folder, `control-${index}`);
    mkdirSync(control);
    nodes.push({
      name: `node ${index + 1}`,
      address: `http://127.0.0.1:${front.port}`,
      front,
      back: await openWire(postgres.connection.port),
      control,
      settings: { workers: 1, heapMegabytes: 0, storage: 'disk' },
      process: undefined,
      failures: [],
      told: 0,
    });
  }

  /** @type {Cluster['start']} */
  const start = async (node, next = node.settings) => {
    node.settings = next;
    const { workers, heapMegabytes, storage } = next;
    const heap = heapMegabytes === 0 ? '' : ` --max-old-space-size=${heapMegabytes}`;
    const environment = {
      NODE_OPTIONS: `--import ${PRELOAD}${heap}`,
      [FOLDER]: node.control,
      DATABASE_URL: `postgres://cartulary@127.0.0.1:${node.back.port}/postgres`,
      CARTULARY_DATA: data,
      CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
      CARTULARY_DATABASE_CONNECTIONS: '8',
      CARTULARY_REQUEST_SECONDS: '5',
      ...(storage === 's3' ? { CARTULARY_ATTACHMENTS: s3.url } : {}),
    };
    const started = await spawnServer(environment, ['serve', '--workers', String(workers)], { expectFailures: true });
    node.process = started;
    node.front.lead(Number(new URL(started.address).port));
  };
  /** @type {Cluster['end']} */
  const end = async (node, signal) => {
    const ending = node.process;
    if (ending === undefined) return;
    await ending.end(signal);
    node.failures.push(...failuresIn(ending.output()));
    node.process = undefined;
    node.front.cut();
  };
  const pool = new pg.Pool({ ...postgres.connection, max: 2, connectionTimeoutMillis: 5_000 });
  pool.on('error', () => {});
  return {
    postgres,
    nodes,
    s3,
    disks,
    sql: async (text, params = []) => (await pool.query({ text, values: params, rowMode: 'array' })).rows,
    start,
    end,
    close: async () => {
      await Promise.all(nodes.map((node) => end(node, 'SIGKILL')));
      await pool.end();
      await postgres.end('SIGINT');
      await Promise.all([...nodes.flatMap(({ front, back }) => [front, back]), wire].map((each) => each.close()));
      await store.close();
      removeDisks();
      process.off('exit', removeDisks);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {string} output of a server */
const failuresIn = (output) => output.split('\n').filter((line) => line.includes('"msg":"request.failed"'));

/** What its log has had to say since the last call. @param {ClusterNode} node */
export function takeFailures(node) {
  const all = [...node.failures, ...failuresIn(node.process?.output() ?? '')];
  const fresh = all.slice(node.told);
  node.told = all.length;
  return fresh;
}

/** Until every node replies that it is ready. @param {Cluster} cluster */
export async function untilReady({ nodes }) {
  const late = performance.now() + PATIENCE_MS;
  for (const node of nodes) {
    for (;;) {
      const ready = await fetch(`${node.address}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(
        () => undefined,
      );
      if (ready?.ok) break;
      if (performance.now() > late) throw new Error(`${node.name} is not ready again: ${await ready?.text()}`);
      await pause(50);
    }
  }
}

/** Until no statement is under way, twice in a row. @param {Cluster} cluster */
export async function untilQuiet({ sql }) {
  const late = performance.now() + PATIENCE_MS;
  for (let quiet = 0; quiet < 2; ) {
    const [[busy] = []] = await sql(
      `select count(*)::int from pg_stat_activity where application_name = 'cartulary'
       and (state <> 'idle' or xact_start is not null)`,
    ).catch(() => [[1]]);
    quiet = busy === 0 ? quiet + 1 : 0;
    if (performance.now() > late) throw new Error('statements go on');
    await pause(60);
  }
}

/** @param {ClusterNode} node @param {string} name @param {string | undefined} content undefined: the file goes */
export function control(node, name, content) {
  const file = join(node.control, name);
  if (content !== undefined) return writeFileSync(file, content);
  try {
    unlinkSync(file);
  } catch {
    // It is gone already.
  }
}
