// Guests as members: people whom the organization knows are no members of an application until it says so, and stop
// being members when it says so. No credentials of theirs open any route.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { PASSWORD, sharedApplication } from '../support/browser-sessions.ts';
import { basic, send } from '../support/http-client.ts';
import { pathOf, ROWS } from '../support/route-rows.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const PROTECTED = ROWS.filter(({ side, method }) => side === 'interface' && method === 'GET');

describe('people who are no members of an application', () => {
  let server: TestServer;
  let app: { id: string; users: Record<string, string> };
  let elsewhere: { id: string; users: Record<string, string> };
  let shared: Record<string, string>;

  before(async () => {
    server = await startTestServer();
    ({ app, shared } = await sharedApplication(server, 'One'));
    ({ app: elsewhere } = await sharedApplication(server, 'Two'));
    const outsider = { name: 'Outsider', email: 'outsider@shared.example', password: PASSWORD };
    const made = await server.operator('POST', '/organizations/One/sharedUsers', outsider);
    assert.equal(made.status, 200, made.text);
    shared.Outsider = made.body.id;
  });
  after(async () => {
    await server.close();
  });

  const signIn = (body: object, id = app.id) => server.send('POST', `/v1/${id}/session`, { json: body });

  it('do not sign in, and are told what a stranger is told', async () => {
    const stranger = await signIn({ email: 'nobody@shared.example', password: PASSWORD });
    assert.equal(stranger.status, 401);
    for (const body of [
      { email: 'outsider@shared.example', password: PASSWORD },
      { userId: shared.Outsider, password: PASSWORD },
      { userId: elsewhere.users.Shared, password: PASSWORD },
    ]) {
      const reply = await signIn(body);
      assert.deepEqual([reply.status, reply.text], [stranger.status, stranger.text], JSON.stringify(body));
    }
    assert.equal((await signIn({ email: 'Shared@shared.example', password: PASSWORD })).status, 200);
  });

  it('open no route with a password', async () => {
    const names = [elsewhere.users.Shared!, elsewhere.users.Admin!, 'u0000000'];
    for (const row of PROTECTED) {
      for (const name of names) {
        const headers = { ...row.headers, authorization: basic(name, PASSWORD) };
        const { status, text } = await send(server.address, 'GET', pathOf(row, { applicationId: app.id }), { headers });
        assert.equal(status, 401, `${row.title}: ${text}`);
      }
    }
  });

  it('are members no more when the organization disables them, with a session and a token that they had', async () => {
    const userId = app.users.Shared!;
    const token = await server.operator('POST', `/applications/${app.id}/users/${userId}/tokens`, { name: 'kept' });
    const session = await signIn({ userId, password: PASSWORD });
    const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const statuses = async () => [
      (await server.send('GET', `/v1/${app.id}`, { token: token.body.token })).status,
      (await server.send('GET', `/v1/${app.id}`, { headers: { cookie, origin: server.address } })).status,
    ];
    assert.deepEqual(await statuses(), [200, 200]);
    const change = { email: 'Shared@shared.example', disabled: true };
    const disabled = await server.operator('PUT', `/organizations/One/sharedUsers/${shared.Shared}`, change);
    assert.equal(disabled.status, 200, disabled.text);
    assert.deepEqual(await statuses(), [401, 401]);
  });
});
