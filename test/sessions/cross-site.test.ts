// A session is for the console's own pages: what another site makes a browser send is refused.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refuseForeign } from '../../src/http/cross-site.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { sendTo, startTestServer, type TestServer } from '../support/server.ts';
import { PASSWORD, signedIn } from './scene.ts';

describe('requests from elsewhere', () => {
  let server: TestServer;
  let app: TestApplication;
  let cookie: string;

  before(async () => {
    server = await startTestServer({ publicUrl: 'https://records.example' });
    app = await publishApplication(server, { collections: [{ name: 'Things', columns: [] }] });
    cookie = `cartulary_session=${(await signedIn(server, app, app.admin)).cookie}`;
  });
  after(async () => {
    await server.close();
    assert.deepEqual(server.failures, []);
  });

  const ask = async (method: string, headers: Record<string, string>) => {
    const json = method === 'GET' ? {} : { json: { values: {} } };
    return sendTo(server.address, method, `/v1/${app.id}${app.records('Things')}`, { headers, ...json });
  };
  const ours = 'https://records.example';

  it('are refused with the session’s cookie', async () => {
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'nonsense' },
      { 'sec-fetch-site': 'cross-site', origin: ours },
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
      { origin: 'https://evil.example' },
      { origin: 'https://records.example.evil.example' },
      { origin: 'https://records.example:8443' },
      { origin: 'null' },
      { origin: '' },
    ];
    for (const headers of foreign) {
      for (const method of ['POST', 'GET']) {
        const reply = await ask(method, { cookie, ...headers });
        assert.equal(reply.status, 403, `${method} ${JSON.stringify(headers)}`);
        assert.deepEqual(reply.body, { code: 'FORBIDDEN' });
      }
    }
    const silent = await ask('POST', { cookie });
    assert.equal(silent.status, 403, 'who changes something says where they come from');
    assert.equal((await ask('GET', { cookie })).status, 200);
  });

  it('pass from the server’s own pages', async () => {
    const own: Record<string, string>[] = [
      { origin: ours },
      { origin: server.address },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin', origin: ours },
      { 'sec-fetch-site': 'none' },
    ];
    for (const headers of own) {
      assert.equal((await ask('POST', { cookie, ...headers })).status, 200, JSON.stringify(headers));
      assert.equal((await ask('GET', { cookie, ...headers })).status, 200, JSON.stringify(headers));
    }
  });

  it('pass with a token, which no other site can make a browser send', async () => {
    const headers = { authorization: `Bearer ${app.admin.token}`, origin: 'https://other.example' };
    assert.equal((await ask('POST', headers)).status, 200);
    assert.equal((await ask('POST', { ...headers, cookie, 'sec-fetch-site': 'cross-site' })).status, 200);
  });

  it('cannot sign anybody in, nor ask for or use a reset', async () => {
    const paths = [
      ['POST', '/session', { userId: app.admin.id, password: PASSWORD }],
      ['POST', '/session/passwordReset', { userId: app.admin.id }],
      ['PUT', '/session/passwordReset', { token: 'x', password: PASSWORD }],
    ] as const;
    for (const [method, path, json] of paths) {
      for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
        const reply = await sendTo(server.address, method, `/v1/${app.id}${path}`, { headers: { ...headers }, json });
        assert.equal(reply.status, 403, path);
        assert.deepEqual(reply.body, { code: 'FORBIDDEN' }, path);
      }
    }
    const signIn = { json: { userId: app.admin.id, password: PASSWORD } };
    assert.equal((await sendTo(server.address, 'POST', `/v1/${app.id}/session`, signIn)).status, 200);
  });

  it('are told by the host that was asked for, whatever stands between', () => {
    const request = { method: 'POST', host: 'behind.example', headers: { origin: 'https://behind.example' } };
    assert.doesNotThrow(() => refuseForeign(request, 'http://127.0.0.1:8080'));
    assert.throws(() => refuseForeign({ ...request, host: 'other.example' }, 'http://127.0.0.1:8080'));
  });
});
