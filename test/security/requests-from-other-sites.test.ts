// What a browser sends by itself, a session's cookie or a remembered password, is for the server's own pages: what another
// site makes it send is refused.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { refuseForeign } from '../../src/http/requests/cross-site.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { PASSWORD, signedIn } from '../support/browser-sessions.ts';
import { sendTo, startTestServer, type TestServer } from '../support/server.ts';

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
  });

  const ask = async (method: string, headers: Record<string, string>) => {
    const json = method === 'GET' ? {} : { json: { values: {} } };
    return sendTo(server.address, method, `/v1/${app.id}${app.records('Things')}`, { headers, ...json });
  };
  const ours = 'https://records.example';
  const FOREIGN: Record<string, string>[] = [
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
  const own = (): Record<string, string>[] => [
    { origin: ours },
    { origin: server.address },
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'same-origin', origin: ours },
    { 'sec-fetch-site': 'none' },
  ];

  it('are refused with the session’s cookie', async () => {
    for (const headers of FOREIGN) {
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
    for (const headers of own()) {
      assert.equal((await ask('POST', { cookie, ...headers })).status, 200, JSON.stringify(headers));
      assert.equal((await ask('GET', { cookie, ...headers })).status, 200, JSON.stringify(headers));
    }
  });

  it('are refused with a password, which browsers remember and send by themselves', async () => {
    const encoded = Buffer.from(`${app.admin.id}:${PASSWORD}`).toString('base64');
    const wrong = Buffer.from(`${app.admin.id}:Wrong-Passw0rd`).toString('base64');
    // The first request of the first kind finds the password in no cache; the others do.
    for (const authorization of [`Basic ${encoded}`, `BASIC ${encoded}`, `basic  ${encoded}`, `Basic ${wrong}`]) {
      for (const headers of FOREIGN) {
        for (const method of ['POST', 'GET']) {
          const reply = await ask(method, { authorization, ...headers });
          assert.equal(reply.status, 403, `${method} ${JSON.stringify(headers)}`);
          assert.deepEqual(reply.body, { code: 'FORBIDDEN' });
        }
      }
      const status = authorization.endsWith(wrong) ? 401 : 200;
      // Programs say nothing of where they come from.
      for (const headers of [{}, { 'sec-fetch-mode': 'cors' }, ...own()] as Record<string, string>[]) {
        assert.equal((await ask('POST', { authorization, ...headers })).status, status, JSON.stringify(headers));
        assert.equal((await ask('GET', { authorization, ...headers })).status, status, JSON.stringify(headers));
      }
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
    assert.doesNotThrow(() => refuseForeign({ ...request, host: 'behind.example:443' }, 'http://127.0.0.1:8080'));
    for (const host of ['other.example', 'behind.example:80', 'behind.example:4430', 'x.behind.example', '']) {
      assert.throws(() => refuseForeign({ ...request, host }, 'http://127.0.0.1:8080'), host);
    }
  });
});
