// Users, shared users, tokens and organizations at the operator's interface: found again, changed and deleted by the rules
// of the management interface, and without a caller whose rights would limit it.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { Client } from '../support/browser-sessions.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Secret-Passw0rd';
const OTHER_PASSWORD = 'Other-Passw0rd';
const RIGHTS = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
const UPDATE = { ...RIGHTS, email: 'person@example.com', disabled: false };
const NO_USER = 'u0000000';
const NO_SHARED_USER = `u${'0'.repeat(26)}`;

const basic = (id: string, password: string) => ({
  headers: { authorization: `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}` },
});
const names = ({ body }: Reply): string[] => body.map(({ name }: { name: string }) => name);

function assertRefused({ status, body, text }: Reply, expected: string, property?: string): void {
  assert.equal(`${status} ${body?.code}`, expected, text);
  if (property !== undefined) assert.equal(body.params.property, property, text);
}

describe("the operator's users", () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [] });
  });
  after(async () => {
    await server.close();
  });

  const users = (path = '', method = 'GET', body?: unknown) =>
    server.operator(method, `/applications/${app.id}/users${path}`, body);

  it('are listed by name, in pages, and found by name and by e-mail address', async () => {
    for (const [name, email] of [
      ['Grace Hopper', 'grace@navy.example'],
      ['Ada Lovelace', 'ada@engine.example'],
      ['Ada Navy', 'other@engine.example'],
    ]) {
      assert.equal((await users('', 'POST', { name, email, password: PASSWORD, ...RIGHTS })).status, 200);
    }
    assert.deepEqual(names(await users()), ['Ada Lovelace', 'Ada Navy', 'Admin', 'Grace Hopper']);
    assert.deepEqual(names(await users('?skip=1&limit=2')), ['Ada Navy', 'Admin']);
    assert.deepEqual(names(await users('?name=ADA')), ['Ada Lovelace', 'Ada Navy']);
    assert.deepEqual(names(await users('?email=navy')), ['Grace Hopper']);
    assert.deepEqual(names(await users('?name=ada&email=ada@')), ['Ada Lovelace']);
    assert.deepEqual(names(await users('?search=navy')), ['Ada Navy', 'Grace Hopper']);
    assert.deepEqual(names(await users('?search=navy&name=grace&email=example')), ['Grace Hopper']);
    assertRefused(await users('?limit=101'), '400 INVALID_PARAMETER');
    assertRefused(await users('?email=a%00'), '400 INVALID_PARAMETER');
    assertRefused(await server.operator('GET', `/applications/p${'0'.repeat(26)}/users`), '404 APPLICATION_NOT_FOUND');
  });

  it('are the same as in the management interface', async () => {
    const shown = await users(`/${app.admin.id}`);
    assert.deepEqual(shown.body, (await app.send('GET', `/management/users/${app.admin.id}`)).body);
    assertRefused(await users(`/${NO_USER}`), '404 USER_NOT_FOUND');
  });

  it('are changed with any right, and disabling ends sessions and tokens at once', async () => {
    const person = await app.addPerson('Changed');
    const browser = new Client(server.address, app.id);
    assert.equal((await browser.signIn(person.id, person.password)).status, 200);
    const rights = { admin: true, managementApiAccess: true, organizationManagementApiAccess: true };
    const granted = await users(`/${person.id}`, 'PUT', { ...UPDATE, ...rights });
    assert.equal(granted.body.organizationManagementApiAccess, true, granted.text);
    const disabled = await users(`/${person.id}`, 'PUT', {
      ...UPDATE,
      organizationManagementApiAccess: false,
      disabled: true,
    });
    assert.equal(disabled.body.disabled, true, disabled.text);
    assert.equal((await app.send('GET', '', { token: person.token })).status, 401);
    assert.equal((await browser.send('GET', '/session')).status, 401);
    assertRefused(await users(`/${person.id}`, 'PUT', []), '400 INVALID_BODY');
    assertRefused(await users(`/${person.id}`, 'PUT', { ...UPDATE, id: person.id }), '400 UNEXPECTED_PROPERTY', 'id');
    assertRefused(await users(`/${person.id}`, 'PUT', { ...UPDATE, profile: { name: 'x' } }), '400 UNKNOWN_PROFILE');
  });

  it('get another password, which ends their sessions', async () => {
    const person = await app.addPerson('Forgetful');
    const browser = new Client(server.address, app.id);
    assert.equal((await browser.signIn(person.id, person.password)).status, 200);
    const path = `/${person.id}/password`;
    assert.equal((await users(path, 'PUT', { password: OTHER_PASSWORD })).status, 204);
    assert.equal((await server.send('GET', `/v1/${app.id}`, basic(person.id, OTHER_PASSWORD))).status, 200);
    assert.equal((await server.send('GET', `/v1/${app.id}`, basic(person.id, PASSWORD))).status, 401);
    assert.equal((await browser.send('GET', '/session')).status, 401);
    assert.equal((await app.send('GET', '', { token: person.token })).status, 200);
    assertRefused(await users(path, 'PUT', {}), '400 MISSING_PROPERTY', 'password');
    assertRefused(await users(path, 'PUT', { password: 1 }), '400 INVALID_PROPERTY', 'password');
    assertRefused(await users(path, 'PUT', { password: PASSWORD, name: 'x' }), '400 UNEXPECTED_PROPERTY', 'name');
    assertRefused(await users(path, 'PUT', { password: 'weak' }), '400 WEAK_PASSWORD', 'password');
    assertRefused(await users(path, 'PUT', 'text'), '400 INVALID_BODY');
    assertRefused(await users(`/${NO_USER}/password`, 'PUT', { password: PASSWORD }), '404 USER_NOT_FOUND');
  });

  it('are deleted, except for the last who can run the application', async () => {
    const person = await app.addPerson('Leaving', { admin: true, managementApiAccess: true });
    assert.equal((await users(`/${app.admin.id}`, 'DELETE')).status, 204);
    assert.equal((await app.send('GET', '')).status, 401);
    assertRefused(await users(`/${app.admin.id}`, 'DELETE'), '404 USER_NOT_FOUND');
    assertRefused(await users(`/${person.id}`, 'DELETE'), '400 FORBIDDEN_SELF_CHANGE');
    assertRefused(await users(`/${person.id}`, 'PUT', { ...UPDATE, disabled: true }), '400 FORBIDDEN_SELF_CHANGE');
  });
});

describe("the operator's lists of tokens and organizations", () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  it('name the user of each token, in pages, without those that are revoked', async () => {
    const app = await publishApplication(server, { collections: [] });
    const person = await app.addPerson('Owner');
    const list = (query = '') => server.operator('GET', `/applications/${app.id}/tokens${query}`);
    const all = await list();
    assert.equal(all.status, 200, all.text);
    assert.deepEqual(
      all.body
        .map(({ user }: { user: object }) => user)
        .toSorted((a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)),
      [
        { id: app.admin.id, name: 'Admin' },
        { id: person.id, name: 'Owner' },
      ],
    );
    const [first, second] = all.body;
    assert.deepEqual((await list('?limit=1')).body, [first]);
    assert.deepEqual((await list('?skip=1&limit=1')).body, [second]);
    await server.operator('DELETE', `/applications/${app.id}/users/${first.user.id}/tokens/${first.id}`);
    assert.deepEqual((await list()).body, [second]);
    assertRefused(await list('?limit=0'), '400 INVALID_PARAMETER');
  });

  it('show organizations by name, in pages, without their secrets', async () => {
    const singleSignOn = { issuer: 'https://id.example.com', clientId: 'c', clientSecret: 'hush' };
    await server.operator('PUT', '/organizations/Beta', { singleSignOn });
    await server.operator('PUT', '/organizations/Alpha', { singleSignOn: null });
    const all = await server.operator('GET', '/organizations');
    assert.deepEqual(
      names(all).filter((name) => /^(?:Alpha|Beta)$/.test(name)),
      ['Alpha', 'Beta'],
    );
    assert.ok(!all.text.includes('hush'));
    const beta = all.body.find(({ name }: { name: string }) => name === 'Beta');
    assert.deepEqual(beta, (await server.operator('GET', '/organizations/Beta')).body);
    assert.deepEqual(names(await server.operator('GET', '/organizations?skip=1&limit=1')), names(all).slice(1, 2));
  });
});

describe("the operator's shared users", () => {
  let server: TestServer;
  let applicationId: string;

  before(async () => {
    server = await startTestServer();
    const document = { name: 'Sharing', organization: 'Acme', sharedUsersModeEnabled: true, collections: [] };
    applicationId = (await server.operator('POST', '/applications', document)).body.application.id;
    await server.operator('PUT', '/organizations/Other', { singleSignOn: null });
  });
  after(async () => {
    await server.close();
  });

  const shared = (path = '', method = 'GET', body?: unknown, organization = 'Acme') =>
    server.operator(method, `/organizations/${organization}/sharedUsers${path}`, body);

  async function addPerson(name: string, rights: object = RIGHTS) {
    const made = await shared('', 'POST', { name, email: `${name.toLowerCase()}@example.com`, password: PASSWORD });
    assert.equal(made.status, 200, made.text);
    const user = await server.operator('POST', `/applications/${applicationId}/users`, { name, ...rights });
    assert.equal(user.status, 200, user.text);
    return { id: made.body.id as string, userId: user.body.id as string };
  }
  const signedIn = async (userId: string, password: string) =>
    (await server.send('GET', `/v1/${applicationId}`, basic(userId, password))).status === 200;

  it('are listed, found, and those of one organization only', async () => {
    const { id } = await addPerson('Hanako');
    await addPerson('Taro');
    assert.deepEqual(names(await shared()), ['Hanako', 'Taro']);
    assert.deepEqual(names(await shared('?name=HANA')), ['Hanako']);
    assert.deepEqual(names(await shared('?email=taro@&search=example')), ['Taro']);
    assert.deepEqual(names(await shared('?name=hanako&email=taro')), []);
    assert.equal((await shared(`/${id}`)).body.email, 'hanako@example.com');
    assertRefused(await shared(`/${id}`, 'GET', undefined, 'Other'), '404 SHARED_USER_NOT_FOUND');
    assertRefused(await shared(`/${id}`, 'DELETE', undefined, 'Other'), '404 SHARED_USER_NOT_FOUND');
    assertRefused(await shared('', 'GET', undefined, 'Nowhere'), '404 ORGANIZATION_NOT_FOUND');
    assert.deepEqual((await shared('', 'GET', undefined, 'Other')).body, []);
  });

  it('are changed: the applications follow, and a disabled one is shut out', async () => {
    const { id, userId } = await addPerson('Moved');
    const change = await shared(`/${id}`, 'PUT', { email: 'new@example.com', disabled: false });
    assert.equal(change.status, 200, change.text);
    const user = await server.operator('GET', `/applications/${applicationId}/users/${userId}`);
    assert.equal(user.body.email, 'new@example.com');
    assert.ok(await signedIn(userId, PASSWORD));
    await shared(`/${id}`, 'PUT', { email: 'new@example.com', disabled: true });
    assert.ok(!(await signedIn(userId, PASSWORD)));
    assertRefused(await shared(`/${id}`, 'PUT', { email: 'x' }), '400 MISSING_PROPERTY', 'disabled');
    assertRefused(
      await shared(`/${NO_SHARED_USER}`, 'PUT', { email: 'a@b.cd', disabled: false }),
      '404 SHARED_USER_NOT_FOUND',
    );
  });

  it('get another password here, and not in the application', async () => {
    const { id, userId } = await addPerson('Forgot');
    assert.equal((await shared(`/${id}/password`, 'PUT', { password: OTHER_PASSWORD })).status, 204);
    assert.ok(await signedIn(userId, OTHER_PASSWORD));
    assert.ok(!(await signedIn(userId, PASSWORD)));
    const path = `/applications/${applicationId}/users/${userId}`;
    assertRefused(
      await server.operator('PUT', `${path}/password`, { password: PASSWORD }),
      '400 UNEXPECTED_PROPERTY',
      'password',
    );
    assertRefused(await server.operator('DELETE', path), '405 NOT_IN_SHARED_USERS_MODE');
    const singleSignOn = { issuer: 'https://id.example.com', clientId: 'c', clientSecret: 's' };
    await server.operator('PUT', '/organizations/Provided', { singleSignOn });
    const provided = { name: 'P', email: 'p@example.com' };
    const { body } = await shared('', 'POST', provided, 'Provided');
    assertRefused(
      await shared(`/${body.id}/password`, 'PUT', { password: PASSWORD }, 'Provided'),
      '400 PASSWORD_NOT_ALLOWED',
    );
  });

  it('are deleted out of every application', async () => {
    const { id, userId } = await addPerson('Gone');
    assert.equal((await shared(`/${id}`, 'DELETE')).status, 204);
    assert.ok(!(await signedIn(userId, PASSWORD)));
    assertRefused(await shared(`/${id}`), '404 SHARED_USER_NOT_FOUND');
    assertRefused(await server.operator('GET', `/applications/${applicationId}/users/${userId}`), '404 USER_NOT_FOUND');
  });
});
