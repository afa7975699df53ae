// Authentication bypassed by URL parsing: whichever way a path is written, what a route protects comes with credentials
// only. A router, a proxy and a check that read a path differently have let requests in elsewhere.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { head, onWire, send } from '../support/http-client.ts';
import { pathOf, ROWS } from '../support/route-rows.ts';
import { openTenants, stateOf, type Tenants } from './tenants.ts';

const PROTECTED = ROWS.filter(({ permission }) => permission !== 'open');

/** Other spellings of the same path, or what some program takes for it. */
const spellings = (path: string): string[] => [
  `/${path}`,
  `${path}/`,
  `${path}//`,
  `${path}/.`,
  `${path}/x/..`,
  `${path};a=b`,
  `${path}%00`,
  `${path}%20`,
  `${path}%2f`,
  `${path}.json`,
  `${path}?`,
  `${path}?/../../healthz`,
  `${path}#healthz`,
  `/healthz/..${path}`,
  `/healthz/%2e%2e${path}`,
  `/healthz%2f..${path}`,
  `/console/..${path}`,
  `/console/..;${path}`,
  path.replace('/v1', '/./v1'),
  path.replace('/v1', '/V1'),
  path.replace('/v1', '/%76%31'),
  path.replaceAll('/', '//'),
];

describe('a path that can be read in two ways', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants();
  });
  after(async () => {
    await tenants.server.close();
  });

  it('opens no route without credentials', async () => {
    const { server, ours } = tenants;
    const before = await stateOf(ours);
    for (const row of PROTECTED) {
      for (const path of spellings(pathOf(row, ours.things))) {
        const { status, text } = await send(server.address, row.method, path, { headers: row.headers });
        const isPage = /^\/(?:console|healthz)/.test(path) && status === 200 && !text.includes('secret of');
        assert.ok((status >= 400 && status < 500) || isPage, `${row.method} ${path}: ${status} ${text.slice(0, 200)}`);
      }
    }
    assert.equal(await stateOf(ours), before);
  });

  it('deletes nothing of a path whose last ID is missing', async () => {
    const { server, ours } = tenants;
    const rows = ROWS.filter(({ method }) => method === 'DELETE');
    const ofOneMore = (path: string) =>
      rows.some((row) => row.path.startsWith(`${path}/:`) && !row.path.slice(path.length + 1).includes('/'));
    const wide = rows.filter(({ path }) => ofOneMore(path));
    assert.ok(wide.length >= 2, wide.map(({ title }) => title).join());
    const before = await stateOf(ours);
    for (const row of wide) {
      const headers = { authorization: `Bearer ${ours.app.admin.token}` };
      for (const end of ['/', '/?', '/#', '/#1', '#']) {
        const { status, text } = await send(server.address, 'DELETE', `${pathOf(row, ours.things)}${end}`, { headers });
        assert.equal(status, 400, `${row.title}, ${end}: ${text}`);
        assert.equal(JSON.parse(text).code, 'INVALID_PARAMETER');
      }
    }
    assert.equal(await stateOf(ours), before);
  });

  it('opens no route as the address of another host, or by a header that names another path', async () => {
    const { server, ours } = tenants;
    const path = pathOf({ title: '', path: '/v1/:applicationId/collections/:collectionId/records' }, ours.things);
    for (const target of [
      `http://127.0.0.1${path}`,
      `http://admin@localhost${path}`,
      `*${path}`,
      `v1${path.slice(3)}`,
    ]) {
      await onWire(server.address, async (wire) => {
        const { status, text } = await wire.write(head('GET', target)).answer();
        assert.ok(status >= 400 && status < 500, `${target}: ${status}`);
        assert.doesNotMatch(text, /secret of/);
      });
    }
    for (const name of ['x-original-url', 'x-rewrite-url', 'x-forwarded-uri', 'x-http-method-override']) {
      const open = await send(server.address, 'GET', '/healthz', { headers: { [name]: path } });
      assert.doesNotMatch(open.text, /secret of/);
      const closed = await send(server.address, 'GET', path, { headers: { [name]: '/healthz' } });
      assert.equal(closed.status, 401, name);
    }
  });
});
