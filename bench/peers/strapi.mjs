// @ts-check
// Strapi on PostgreSQL (strapi-program.mjs): a project with one type, a token with full access, indexes on the title, the
// code and the time of creation. Files on disk. It has no request that creates several records, so it is filled from
// within.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode } from '../children.mjs';
import { ask } from '../http-client.mjs';
import { form, parameters } from './dialect.mjs';
import { documentId, openLog, someFiles } from './peer.mjs';

const PROGRAM = fileURLToPath(new URL('./strapi-program.mjs', import.meta.url));
const ITEMS = '/api/items';
const SAMPLE_MAX = 10_000;

/** @type {import('./dialect.mjs').Dialect} */
const dialect = {
  headers: () => [],
  get: (id) => ({ path: `${ITEMS}/${id}` }),
  list: ({ sort, code, word }) => {
    const filter = code
      ? { 'filters[code][$eq]': code }
      : word
        ? { 'filters[$or][0][title][$containsi]': word, 'filters[$or][1][body][$containsi]': word }
        : {};
    const page = { 'pagination[limit]': 100, 'pagination[withCount]': 'false' };
    return {
      path: `${ITEMS}?${parameters({ sort: sort === 'title' ? 'title' : 'createdAt:desc', ...page, ...filter })}`,
    };
  },
  create: (data) => ({ path: ITEMS, body: { data } }),
  update: (id, data) => ({ method: 'PUT', path: `${ITEMS}/${id}`, body: { data } }),
  upload: () => ({ path: '/api/upload', ...form('files') }),
  download: (file) => ({ path: file }),
};

const TYPE = {
  kind: 'collectionType',
  collectionName: 'items',
  info: { singularName: 'item', pluralName: 'items', displayName: 'Item' },
  options: { draftAndPublish: false },
  attributes: {
    ...{ title: { type: 'string' }, body: { type: 'text' }, amount: { type: 'integer' }, rank: { type: 'float' } },
    ...{ done: { type: 'boolean' }, due: { type: 'date' }, seen: { type: 'datetime' }, code: { type: 'string' } },
  },
};

const CORE = (/** @type {string} */ kind) =>
  `module.exports = require('@strapi/strapi').factories.createCore${kind}('api::item.item');\n`;

/** The files of a project. @param {import('../side-ours.mjs').Ours['connection']} connection @returns {Record<string, string>} */
const project = ({ host, port, user, database }) => ({
  'config/database.js': `module.exports = () => (${JSON.stringify({
    connection: { client: 'postgres', connection: { host, port, user, database, password: 'unused' } },
  })});\n`,
  'config/server.js': `module.exports = () => ({ host: '127.0.0.1', port: Number(process.env.PORT), app: { keys: ['bench'] } });\n`,
  'config/admin.js': `module.exports = () => (${JSON.stringify({
    auth: { secret: 'bench' },
    apiToken: { salt: 'bench' },
    transfer: { token: { salt: 'bench' } },
    secrets: { encryptionKey: 'bench' },
  })});\n`,
  // As the command that makes a new project writes it.
  'config/middlewares.js': `module.exports = ${JSON.stringify(
    ['logger', 'errors', 'security', 'cors', 'poweredBy', 'query', 'body', 'session', 'favicon', 'public'].map(
      (name) => `strapi::${name}`,
    ),
  )};\n`,
  'config/api.js': 'module.exports = { rest: { defaultLimit: 25, maxLimit: 100 } };\n',
  'src/index.js': 'module.exports = {};\n',
  'src/api/item/content-types/item/schema.json': JSON.stringify(TYPE),
  'src/api/item/controllers/item.js': CORE('Controller'),
  'src/api/item/routes/item.js': CORE('Router'),
  'src/api/item/services/item.js': CORE('Service'),
  'public/robots.txt': '',
});

/** @param {import('./peer.mjs').PeerGround} ground @returns {Promise<import('./peer.mjs').Running>} */
async function start({ folder, node, connection, query, records }) {
  const filesFolder = join(folder, 'public', 'uploads');
  rmSync(filesFolder, { recursive: true, force: true });
  mkdirSync(filesFolder, { recursive: true });
  for (const [name, text] of Object.entries(project(connection))) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const child = await startNode([PROGRAM, String(records)], {
    ...{ ready: /^Strapi at (http:\S+ \S+)$/m, node, cwd: folder, stderr: openLog(folder) },
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production', STRAPI_TELEMETRY_DISABLED: 'true' },
  });
  const [address = '', token = ''] = child.ready.split(' ');
  try {
    await query('create unique index on items (code)');
    for (const column of ['title', 'created_at', 'document_id']) await query(`create index on items (${column})`);
    await query('vacuum (analyze) items');
    const every = Math.max(1, Math.ceil(records / SAMPLE_MAX));
    const sample = Array.from({ length: Math.floor((records - 1) / every) + 1 }, (_, i) => {
      return /** @type {[number, string]} */ ([i * every, documentId(i * every)]);
    });
    const files = await someFiles(async () => {
      const { path, type = '', body } = dialect.upload();
      const [{ url }] = await ask(address, { method: 'POST', path, token, headers: { 'content-type': type }, body });
      return url;
    });
    return { address, pid: child.pid, token, sample, files, filesFolder, ownDatabase: false, stop: child.end };
  } catch (error) {
    await child.end();
    throw error;
  }
}

/** @type {import('./peer.mjs').Peer} */
export const STRAPI = {
  ...{ name: 'Strapi', key: 'strapi', quick: false },
  packages: () => [
    ...['@strapi/strapi@5.54.0', 'pg@8.23.1'],
    ...['react@18.3.1', 'react-dom@18.3.1', 'react-router-dom@6.30.1', 'styled-components@6.1.19'],
  ],
  ...{ dialect, start },
};
