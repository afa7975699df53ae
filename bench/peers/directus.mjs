// @ts-check
// Directus on PostgreSQL: an administrator with a token, indexes on the title and the code; the newest are found by their
// identifiers, which are numbers. Files on disk. It runs under Node 22: a package that it needs cannot be compiled for
// others.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/processes.mjs';
import { startProgram } from '../children.mjs';
import { ask } from '../http-client.mjs';
import { form, parameters } from './dialect.mjs';
import { fillPeer, freePort, openLog, someFiles, untilReady } from './peer.mjs';

const TOKEN = 'bench-token-of-the-administrator';
const ITEMS = '/items/items';
const BOOTSTRAP_MS = 300_000;

/** @type {import('./dialect.mjs').Dialect} */
const dialect = {
  headers: () => [],
  get: (id) => ({ path: `${ITEMS}/${id}` }),
  list: ({ sort, code, word }) => {
    const has = { _icontains: word };
    const filter = code ? { code: { _eq: code } } : word ? { _or: [{ title: has }, { body: has }] } : undefined;
    const order = sort === 'title' ? 'title' : '-id';
    return {
      path: `${ITEMS}?${parameters({ limit: 100, sort: order, ...(filter ? { filter: JSON.stringify(filter) } : {}) })}`,
    };
  },
  create: (body) => ({ path: ITEMS, body }),
  createMany: (all) => ({ path: ITEMS, body: all }),
  update: (id, body) => ({ method: 'PATCH', path: `${ITEMS}/${id}`, body }),
  upload: () => ({ path: '/files', ...form('file') }),
  download: (file) => ({ path: `/assets/${file}` }),
};

const COLLECTION = {
  collection: 'items',
  meta: {},
  schema: {},
  fields: [
    { field: 'id', type: 'integer', meta: {}, schema: { is_primary_key: true, has_auto_increment: true } },
    { field: 'title', type: 'string', meta: {}, schema: { is_indexed: true } },
    { field: 'body', type: 'text', meta: {}, schema: {} },
    { field: 'amount', type: 'integer', meta: {}, schema: {} },
    { field: 'rank', type: 'float', meta: {}, schema: {} },
    { field: 'done', type: 'boolean', meta: {}, schema: {} },
    { field: 'due', type: 'date', meta: {}, schema: {} },
    { field: 'seen', type: 'timestamp', meta: {}, schema: {} },
    { field: 'code', type: 'string', meta: {}, schema: { is_unique: true } },
  ],
};

/** @param {import('./peer.mjs').PeerGround} ground @returns {Promise<import('./peer.mjs').Running>} */
async function start({ folder, node, connection, query, records }) {
  rmSync(join(folder, 'uploads'), { recursive: true, force: true });
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const env = {
    ...{
      PATH: process.env.PATH ?? '',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      PUBLIC_URL: address,
    },
    ...{ DB_CLIENT: 'pg', DB_HOST: connection.host, DB_PORT: String(connection.port), DB_PASSWORD: 'unused' },
    ...{ DB_DATABASE: connection.database, DB_USER: connection.user, SECRET: 'bench', TELEMETRY: 'false' },
    ...{ ADMIN_EMAIL: 'bench@example.com', ADMIN_PASSWORD: 'Bench-Passw0rd', ADMIN_TOKEN: TOKEN },
    // Otherwise it refuses requests while it is busy, which a bench keeps it.
    PRESSURE_LIMITER_ENABLED: 'false',
    ...{ STORAGE_LOCATIONS: 'local', STORAGE_LOCAL_DRIVER: 'local', STORAGE_LOCAL_ROOT: join(folder, 'uploads') },
  };
  const program = join(folder, 'node_modules', 'directus', 'cli.js');
  const { code, output } = await run(node, [program, 'bootstrap'], { cwd: folder, env, timeoutMs: BOOTSTRAP_MS });
  if (code !== 0) throw new Error(output.slice(-1000));
  const child = startProgram(node, [program, 'start'], { cwd: folder, env, output: openLog(folder) });
  try {
    await untilReady(address, child.ended);
    /** @param {import('./dialect.mjs').Asking | undefined} asking */
    const post = async ({ path, type, body } = { path: '' }) =>
      (
        await ask(address, {
          method: 'POST',
          path,
          token: TOKEN,
          body,
          ...(type ? { headers: { 'content-type': type } } : {}),
        })
      ).data;
    await post({ path: '/collections', body: COLLECTION });
    const sample = await fillPeer('Directus', records, async (all) =>
      (await post(dialect.createMany?.(all))).map((/** @type {any} */ { id }) => String(id)),
    );
    await query('vacuum (analyze) items');
    const files = await someFiles(async () => (await post(dialect.upload())).id);
    return {
      ...{ address, pid: child.pid, token: TOKEN, sample, files, stop: child.end },
      ...{ filesFolder: join(folder, 'uploads'), ownDatabase: false },
    };
  } catch (error) {
    await child.end();
    throw error;
  }
}

/** @type {import('./peer.mjs').Peer} */
export const DIRECTUS = {
  ...{ name: 'Directus', key: 'directus', quick: false, nodeMajor: 22 },
  packages: () => ['directus@12.4.0'],
  compiled: ['isolated-vm'],
  ...{ dialect, start },
};
