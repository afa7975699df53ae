// Host headers and redirects: a server that knows its public address puts no other into links, cookies or redirects,
// whatever host a request or a proxy names, and leads to no other site.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { send } from '../support/http-client.ts';
import { pathOf, ROWS } from '../support/route-rows.ts';
import { OPERATOR_KEY } from '../support/server.ts';
import { openTenants, type Tenants } from './tenants.ts';

const PUBLIC = 'https://records.example';
const EVIL = 'evil.example';
const FORGED = {
  host: EVIL,
  'x-forwarded-host': EVIL,
  'x-forwarded-proto': 'http',
  'x-forwarded-for': EVIL,
  'x-original-host': EVIL,
  forwarded: `host=${EVIL};proto=http`,
};

describe('a forged host', () => {
  let tenants: Tenants;

  before(async () => {
    tenants = await openTenants({ publicUrl: PUBLIC });
    const { app } = tenants.ours;
    for (const value of ['b', 'c']) {
      const values = { [app.ids.Things!.Title!]: { type: 'String', value } };
      assert.equal((await app.send('POST', app.records('Things'), { json: { values } })).status, 200);
    }
  });
  after(async () => {
    await tenants.server.close();
  });

  it('is in no reply', async () => {
    const { server, ours } = tenants;
    for (const row of ROWS.filter(({ method, path }) => method === 'GET' && !path.endsWith('/backup'))) {
      const token = row.side === 'operator' ? OPERATOR_KEY : ours.app.admin.token;
      const headers = { ...row.headers, ...FORGED, authorization: `Bearer ${token}` };
      const reply = await send(server.address, 'GET', `${pathOf(row, ours.things)}?limit=1`, { headers });
      assert.ok(
        !JSON.stringify([reply.headers, reply.text]).includes(EVIL),
        `${row.title}: ${JSON.stringify(reply.headers)}`,
      );
    }
  });

  it('changes neither the link to the next page nor the cookie of a session', async () => {
    const { server, ours } = tenants;
    const headers = { ...FORGED, authorization: `Bearer ${ours.app.admin.token}` };
    const list = await send(server.address, 'GET', `/v1/${ours.app.id}${ours.app.records('Things')}?limit=1`, {
      headers,
    });
    assert.match(String(list.headers.link), /^<https:\/\/records\.example\//);
    const body = JSON.stringify({ userId: ours.user.id, password: ours.user.password });
    const signing = { ...FORGED, 'content-type': 'application/json', origin: PUBLIC };
    const session = await send(server.address, 'POST', `/v1/${ours.app.id}/session`, { headers: signing, body });
    const cookie = String(session.headers['set-cookie']);
    assert.equal(session.status, 200, session.text);
    assert.match(cookie, /; Secure/);
    assert.doesNotMatch(cookie, /Domain=/i);
  });

  it('is not where a browser is led to', async () => {
    const { server, ours } = tenants;
    for (const path of [
      '/',
      '//evil.example',
      '/console',
      `/v1/${ours.app.id}/session/singleSignOn?returnTo=//${EVIL}`,
    ]) {
      const { headers, status } = await send(server.address, 'GET', path, {
        headers: { ...FORGED, accept: 'text/html' },
      });
      const location = headers.location ?? '';
      assert.ok(location === '' || location.startsWith('/console'), `${path}: ${status} ${location}`);
    }
  });
});
