// Prototype keys: `__proto__`, `constructor` and their like are keys as any other, or refused, on every route, in every
// part of a request. None changes what other requests see.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { send } from '../support/http-client.ts';
import { bodyOf, pathOf, ROWS } from '../support/route-rows.ts';
import { OPERATOR_KEY } from '../support/server.ts';
import { openTenants, stateOf, type Tenants } from './tenants.ts';

const KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'];
const POISON =
  '{"admin":true,"apiAccess":true,"managementApiAccess":true,"polluted":"yes","prototype":{"polluted":"yes"}}';

describe('keys of prototypes', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants();
  });
  after(async () => {
    await tenants.server.close();
  });

  const bearer = (side: string) => ({
    authorization: `Bearer ${side === 'operator' ? OPERATOR_KEY : tenants.ours.app.admin.token}`,
  });

  /** The server runs in this process. */
  const assertClean = (where: string) => {
    assert.equal(({} as Record<string, unknown>).polluted, undefined, where);
    assert.equal((Object as unknown as Record<string, unknown>).polluted, undefined, where);
  };

  it('in a body are refused, or mean nothing', async () => {
    const before = await stateOf(tenants.ours);
    for (const row of ROWS.filter(({ body }) => body !== undefined)) {
      const path = pathOf(row, tenants.ours.things);
      const headers = { ...row.headers, 'content-type': 'application/json', ...bearer(row.side) };
      for (const key of KEYS) {
        const example = bodyOf(row);
        const poisoned =
          example.startsWith('{') && example !== '{}'
            ? `{"${key}":${POISON},${example.slice(1)}`
            : `{"${key}":${POISON}}`;
        const { status, text } = await send(tenants.server.address, row.method, path, { headers, body: poisoned });
        assert.ok(status >= 400 && status < 500, `${row.title} with ${key}: ${status} ${text}`);
        assertClean(row.title);
      }
    }
    assert.equal(await stateOf(tenants.ours), before);
  });

  it('in the query and in values mean nothing', async () => {
    const { server, ours } = tenants;
    const { app } = ours;
    for (const row of ROWS.filter(({ method, side }) => method === 'GET' && side === 'interface')) {
      const query = KEYS.map((key) => `${key}=yes&${key}[polluted]=yes&${key}.polluted=yes`).join('&');
      const path = `${pathOf(row, ours.things)}?${query}`;
      const { status, text } = await send(server.address, 'GET', path, {
        headers: { ...row.headers, ...bearer(row.side) },
      });
      assert.ok(status < 500, `${row.title}: ${status} ${text}`);
      assertClean(row.title);
    }
    for (const key of KEYS) {
      const raw = `{"values":{"${key}":{"type":"String","value":"x"}}}`;
      const reply = await app.send('POST', app.records('Things'), {
        raw,
        headers: { 'content-type': 'application/json' },
      });
      assert.equal(reply.status, 400, `${key}: ${reply.text}`);
    }
    assertClean('values');
  });

  it('in the settings of a view are kept as they are, and are no prototype', async () => {
    const { app, things } = tenants.ours;
    const raw = '{"name":"Poison","settings":{"__proto__":{"polluted":"yes"},"constructor":1}}';
    const path = `/collections/${things.collectionId}/views`;
    const made = await app.send('POST', path, { raw, headers: { 'content-type': 'application/json' } });
    assertClean('views');
    if (made.status !== 200) assert.equal(made.status, 400, made.text);
    else assert.match((await app.send('GET', `${path}/${made.body.id}`)).text, /"__proto__":\{"polluted":"yes"\}/);
  });
});
