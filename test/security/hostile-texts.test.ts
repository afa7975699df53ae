// SQL and path traversal: a text is a value wherever it stands. Quotation marks, placeholders, patterns and parent folders
// are sent as every part of every path, as every query parameter, and as every text of every body.

import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { OPERATOR_ROUTES } from '../../src/http/routes/operator.ts';
import { ROUTES } from '../../src/http/routes/table.ts';
import { send } from '../support/http-client.ts';
import { bodyOf, pathOf, ROWS, type Row } from '../support/route-rows.ts';
import { OPERATOR_KEY } from '../support/server.ts';
import { openTenants, stateOf, type Tenants } from './tenants.ts';

const SQL = ["'", "'; drop schema cartulary cascade; --", "' or '1'='1", '$1', '"."', '\\', "%' --", '/*'];
const TRAVERSAL = [
  '../../canary',
  '..%2f..%2fcanary',
  '....//canary',
  '/etc/passwd',
  'C:\\canary',
  '..\\..\\canary',
  '.',
];
const TEXTS = [...SQL, ...TRAVERSAL];
const CANARY = 'the canary sings';

describe('hostile texts', () => {
  let tenants: Tenants;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-traversal-'));
    await writeFile(join(folder, 'canary'), CANARY);
    tenants = await openTenants({ attachments: { kind: 'disk', folder: join(folder, 'files', 'attachments') } });
  });
  after(async () => {
    await tenants.server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const sendAs = async (row: Pick<Row, 'side' | 'method' | 'headers'>, path: string, body?: string) => {
    const token = row.side === 'operator' ? OPERATOR_KEY : tenants.ours.app.admin.token;
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...row.headers, ...type, authorization: `Bearer ${token}` };
    const { status, text } = await send(tenants.server.address, row.method, path, {
      headers,
      ...(body === undefined ? {} : { body }),
    });
    assert.ok(status < 500, `${row.method} ${path} ${body ?? ''}: ${status} ${text}`);
    assert.ok(!text.includes(CANARY) && !text.includes('root:'), `${row.method} ${path}`);
    return status;
  };

  it('in a path name nothing', async () => {
    const before = await stateOf(tenants.ours);
    for (const row of ROWS) {
      // An organization may have any name.
      for (const parameter of row.parameters.filter((name) => name !== 'name')) {
        for (const text of TEXTS) {
          const given = { ...tenants.ours.things, [parameter]: encodeURIComponent(text) };
          const status = await sendAs(row, pathOf(row, given));
          assert.ok(status >= 400, `${row.title} with ${parameter} ${text}: ${status}`);
        }
      }
    }
    assert.equal(await stateOf(tenants.ours), before);
  });

  it('in the query are values', async () => {
    for (const { method, path, caller, parameters = {} } of [...ROUTES, ...OPERATOR_ROUTES]) {
      if (method !== 'GET') continue;
      const side = caller === 'operator' ? 'operator' : 'interface';
      for (const name of Object.keys(parameters)) {
        for (const text of TEXTS) {
          await sendAs(
            { side, method, headers: {} },
            `${pathOf({ title: path, path }, tenants.ours.things)}?${name}=${encodeURIComponent(text)}`,
          );
        }
      }
    }
  });

  it('in bodies are values', async () => {
    for (const row of ROWS.filter(({ body }) => body !== undefined)) {
      const example = JSON.parse(bodyOf(row));
      for (const [name, value] of Object.entries(example)) {
        if (typeof value !== 'string' || name === 'email') continue;
        for (const text of ["'; drop schema cartulary cascade; --", '../../canary']) {
          await sendAs(row, pathOf(row, tenants.theirs.things), JSON.stringify({ ...example, [name]: text }));
        }
      }
    }
  });

  it('in a search find what holds them, and are no patterns', async () => {
    const { app } = tenants.ours;
    const count = async (search: string) => {
      const reply = await app.send('GET', `${app.records('Things')}?search=${encodeURIComponent(search)}`);
      return reply.status === 200 ? reply.body.length : 0;
    };
    assert.equal(await count('secret'), 1);
    for (const text of ["' or 1=1 --", '%', '_', 'secret%', 's_cret', "secret' --", '$1'])
      assert.equal(await count(text), 0, text);
    const users = async (search: string) => (await app.send('GET', `/users?search=${encodeURIComponent(search)}`)).body;
    for (const text of ['%', '_ser', "' or 1=1 --", '\\']) assert.deepEqual(await users(text), [], text);
  });

  it('as names of files write no file outside of the store', async () => {
    const { app, things } = tenants.ours;
    for (const text of TRAVERSAL) {
      const headers = {
        'content-type': 'text/plain',
        'content-disposition': `attachment; filename="${text.replaceAll('\\', '\\\\')}"`,
      };
      const reply = await app.send('POST', `/collections/${things.collectionId}/attachments`, {
        raw: 'overwritten',
        headers,
      });
      assert.equal(reply.status, 200, reply.text);
      assert.doesNotMatch(reply.body.name, /[/\\]|^\.\.?$/, text);
    }
    assert.deepEqual((await readdir(folder)).sort(), ['canary', 'files']);
    for (const path of [
      '/console/assets/..%2f..%2f..%2fpackage.json',
      '/console/../package.json',
      '/console/assets/.',
    ]) {
      const reply = await send(tenants.server.address, 'GET', path);
      assert.ok(!reply.text.includes('"dependencies"'), `${path}: ${reply.status}`);
    }
  });
});
