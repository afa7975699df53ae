// Authentication that depends on the organization: single sign-on, and shared users.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ARGON2 } from '../../src/gate/credentials/password-check.ts';
import { publishApplication } from '../support/application.ts';
import { assertProblem, basic, send } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const SIGN_ON = { issuer: 'https://login.example', clientId: 'cartulary', clientSecret: 'top-secret' };
const PASSWORD = 'Shared-Passw0rd';

describe('organizations', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  const ask = (applicationId: string, authorization: string) =>
    send(server.address, 'GET', `/v1/${applicationId}`, { headers: { authorization } });
  const status = async (applicationId: string, authorization: string) =>
    (await ask(applicationId, authorization)).status;

  /** An application in shared-users mode with one shared user who is active in it. */
  async function publishShared(organization: string, name: string) {
    const document = { name: 'Shared', organization, sharedUsersModeEnabled: true, collections: [] };
    const published = await server.operator('POST', '/applications', document);
    assert.equal(published.status, 200, published.text);
    const id: string = published.body.application.id;
    const people = `/organizations/${encodeURIComponent(organization)}/sharedUsers`;
    const shared = await server.operator('POST', people, { name, email: 'a@example.com', password: PASSWORD });
    assert.equal(shared.status, 200, shared.text);
    return { id, sharedId: shared.body.id as string, ...(await activate(id, name)) };
  }

  async function activate(applicationId: string, name: string) {
    const user = await server.operator('POST', `/applications/${applicationId}/users`, {
      name,
      admin: true,
      apiAccess: true,
      managementApiAccess: true,
      profile: { name: 'Standard' },
    });
    assert.equal(user.status, 200, user.text);
    const path = `/applications/${applicationId}/users/${user.body.id}/tokens`;
    const token = await server.operator('POST', path, { name: 'test' });
    assert.equal(token.status, 200, token.text);
    return { userId: user.body.id as string, token: token.body.token as string };
  }

  it('refuse passwords while single sign-on is on, as they refuse wrong ones', async () => {
    const organization = 'Sign on / Ümläut & Co';
    const path = `/organizations/${encodeURIComponent(organization)}`;
    const app = await publishApplication(server, { organization, collections: [] });
    const elsewhere = await publishApplication(server, { organization: 'Elsewhere', collections: [] });
    const right = basic(app.admin.id, app.admin.password);
    assert.equal(await status(app.id, right), 200);
    const wrong = await ask(app.id, basic(app.admin.id, 'Wrong-Passw0rd'));

    const on = await server.operator('PUT', path, { singleSignOn: SIGN_ON });
    assert.equal(on.status, 200, on.text);
    assert.doesNotMatch(on.text, /top-secret/);
    const refused = await ask(app.id, right);
    assertProblem(refused, 401, 'UNAUTHORIZED');
    assert.equal(refused.text, wrong.text);
    assert.equal(refused.headers['www-authenticate'], wrong.headers['www-authenticate']);
    assert.equal(await status(app.id, `Bearer ${app.admin.token}`), 200);
    assert.equal(await status(elsewhere.id, basic(elsewhere.admin.id, elsewhere.admin.password)), 200);

    const off = await server.operator('PUT', path, { singleSignOn: null });
    assert.equal(off.status, 200, off.text);
    assert.equal(await status(app.id, right), 200);
  });

  it('let a shared user in by the ID in the application and the shared password', async () => {
    const { id, userId, sharedId, token } = await publishShared('In', 'Sam');
    assert.match(sharedId, /^u[a-z0-9]{26}$/);
    assert.equal(await status(id, basic(userId, PASSWORD)), 200);
    assert.equal(await status(id, `Bearer ${token}`), 200);
    assert.equal(await status(id, basic(sharedId, PASSWORD)), 401);
    assert.equal(await status(id, basic('Sam', PASSWORD)), 401);
    assert.equal(await status(id, basic(userId, 'Wrong-Passw0rd')), 401);
    const other = await publishShared('In', 'Kim');
    assert.equal(await status(other.id, basic(userId, PASSWORD)), 401, 'not active there');
  });

  it('shut a disabled shared user out of every application, whatever its tokens', async () => {
    const first = await publishShared('Out', 'Sam');
    const published = await server.operator('POST', '/applications', {
      name: 'Second',
      organization: 'Out',
      sharedUsersModeEnabled: true,
      collections: [],
    });
    const second = {
      id: published.body.application.id as string,
      ...(await activate(published.body.application.id, 'Sam')),
    };
    const all = async () => [
      await status(first.id, basic(first.userId, PASSWORD)),
      await status(first.id, `Bearer ${first.token}`),
      await status(second.id, basic(second.userId, PASSWORD)),
      await status(second.id, `Bearer ${second.token}`),
    ];
    const change = async (assignment: string, params: unknown[] = []) => {
      await server.database.sql(`update cartulary.shared_users set ${assignment} where id = $1`, [
        first.sharedId,
        ...params,
      ]);
      await server.database.sql(`select pg_notify('cartulary', 'everything')`);
    };
    const become = (what: string, statuses: number[]) =>
      until(what, async () => (await all()).join() === statuses.join());
    assert.deepEqual(await all(), [200, 200, 200, 200]);
    await change('disabled = true');
    await become('everything to be shut', [401, 401, 401, 401]);
    await change('disabled = false');
    await become('everything to be open', [200, 200, 200, 200]);
    await change('password_hash = $2', [await ARGON2.hash('Another-Passw0rd')]);
    await become('the old password to be refused', [401, 200, 401, 200]);
    assert.equal(await status(second.id, basic(second.userId, 'Another-Passw0rd')), 200);
  });

  it('shut a user that is disabled in one application out of that one', async () => {
    const { id, userId, token } = await publishShared('Partly', 'Sam');
    await server.database.sql(`update app_${id}.users set disabled = true where id = $1`, [userId]);
    await server.database.sql(`select pg_notify('cartulary', $1)`, [`application ${id}`]);
    await until('the password to be refused', async () => (await status(id, basic(userId, PASSWORD))) === 401);
    assert.equal(await status(id, `Bearer ${token}`), 401);
  });

  it('refuse the passwords of shared users too while single sign-on is on', async () => {
    const { id, userId, token } = await publishShared('Both', 'Sam');
    assert.equal(await status(id, basic(userId, PASSWORD)), 200);
    await server.operator('PUT', '/organizations/Both', { singleSignOn: SIGN_ON });
    assert.equal(await status(id, basic(userId, PASSWORD)), 401);
    assert.equal(await status(id, `Bearer ${token}`), 200);
    const created = await server.operator('POST', '/organizations/Both/sharedUsers', {
      name: 'Kim',
      email: 'k@example.com',
      password: PASSWORD,
    });
    assert.deepEqual([created.status, created.body.code], [400, 'PASSWORD_NOT_ALLOWED']);
  });
});
