// @ts-check
// Parse Server on PostgreSQL (parse-program.mjs): a user with a session, permissions that ask for one, indexes on the title,
// the code and the time of creation. Files on disk.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startNode } from '../children.mjs';
import { FILE } from '../files.mjs';
import { ask } from '../http-client.mjs';
import { parameters } from './dialect.mjs';
import { fillPeer, openLog, someFiles } from './peer.mjs';

const PROGRAM = fileURLToPath(new URL('./parse-program.mjs', import.meta.url));
const APPLICATION = 'bench';
const MASTER_KEY = 'bench-master-key';
const ITEMS = '/parse/classes/Item';
const SIGNED_IN = { requiresAuthentication: true };

/** @param {import('./dialect.mjs').Plain} values */
const stored = ({ due, seen, ...rest }) => ({
  ...rest,
  due: { __type: 'Date', iso: `${due}T00:00:00.000Z` },
  seen: { __type: 'Date', iso: seen },
});

/** @type {import('./dialect.mjs').Dialect} */
const dialect = {
  headers: ({ extra }) => [`X-Parse-Application-Id: ${APPLICATION}`, `X-Parse-Session-Token: ${extra.session}`],
  get: (id) => ({ path: `${ITEMS}/${id}` }),
  list: ({ sort, code, word }) => {
    const has = { $regex: word, $options: 'i' };
    const where = code ? { code } : word ? { $or: [{ title: has }, { body: has }] } : undefined;
    const order = sort === 'title' ? 'title' : '-createdAt';
    return {
      path: `${ITEMS}?${parameters({ limit: 100, order, ...(where ? { where: JSON.stringify(where) } : {}) })}`,
    };
  },
  create: (values) => ({ path: ITEMS, body: stored(values) }),
  createMany: (all) => ({
    path: '/parse/batch',
    body: { requests: all.map((values) => ({ method: 'POST', path: ITEMS, body: stored(values) })) },
  }),
  update: (id, values) => ({ method: 'PUT', path: `${ITEMS}/${id}`, body: stored(values) }),
  upload: () => ({ path: '/parse/files/bench.bin', type: 'application/octet-stream', body: FILE }),
  download: (file) => ({ path: `/parse/files/${APPLICATION}/${file}` }),
};

const SCHEMA = {
  className: 'Item',
  fields: {
    ...{ title: { type: 'String' }, body: { type: 'String' }, amount: { type: 'Number' }, rank: { type: 'Number' } },
    ...{ done: { type: 'Boolean' }, due: { type: 'Date' }, seen: { type: 'Date' }, code: { type: 'String' } },
  },
  classLevelPermissions: Object.fromEntries(
    ['find', 'get', 'count', 'create', 'update', 'delete'].map((right) => [right, SIGNED_IN]),
  ),
};

/** @param {import('./peer.mjs').PeerGround} ground @returns {Promise<import('./peer.mjs').Running>} */
async function start({ folder, node, connection, query, records }) {
  for (const left of ['files', 'logs']) rmSync(join(folder, left), { recursive: true, force: true });
  const options = { connection, application: APPLICATION, masterKey: MASTER_KEY };
  const child = await startNode([PROGRAM, JSON.stringify(options)], {
    ...{ ready: /^Parse Server at (http:\S+)$/m, node, cwd: folder, stderr: openLog(folder) },
    env: { PATH: process.env.PATH ?? '', NODE_ENV: 'production' },
  });
  const address = child.ready;
  try {
    const known = { 'x-parse-application-id': APPLICATION };
    const operator = { ...known, 'x-parse-master-key': MASTER_KEY };
    await ask(address, { method: 'POST', path: '/parse/schemas/Item', headers: operator, body: SCHEMA });
    await query('create unique index on "Item" (code)');
    for (const column of ['title', '"createdAt"']) await query(`create index on "Item" (${column})`);
    const account = { username: 'bench', password: 'Bench-Passw0rd' };
    const { sessionToken } = await ask(address, {
      method: 'POST',
      path: '/parse/users',
      headers: known,
      body: account,
    });
    const headers = { ...known, 'x-parse-session-token': String(sessionToken) };
    const sample = await fillPeer('Parse Server', records, async (all) => {
      const asking = dialect.createMany?.(all);
      const made = await ask(address, { method: 'POST', path: asking?.path ?? '', headers, body: asking?.body });
      return made.map((/** @type {any} */ { success }) => success.objectId);
    });
    await query('vacuum (analyze) "Item"');
    const files = await someFiles(async () => {
      const { path, type = '', body } = dialect.upload();
      const { name } = await ask(address, {
        method: 'POST',
        path,
        headers: { ...headers, 'content-type': type },
        body,
      });
      return name;
    });
    return {
      ...{ address, pid: child.pid, extra: { session: String(sessionToken) }, sample, files, stop: child.end },
      ...{ filesFolder: join(folder, 'files'), ownDatabase: false },
    };
  } catch (error) {
    await child.end();
    throw error;
  }
}

/** @type {import('./peer.mjs').Peer} */
export const PARSE = {
  ...{ name: 'Parse Server', key: 'parse', quick: true },
  packages: () => ['parse-server@9.10.0'],
  ...{ dialect, start },
};
