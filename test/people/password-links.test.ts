// Links with which a user sets a password, made by a user with management access; and the lists of profiles and teams.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { Client, entriesOf, OTHER_PASSWORD, PASSWORD, sharedApplication } from '../support/browser-sessions.ts';
import { type Mailbox, openMailbox, tokenIn } from '../support/mailbox.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

describe('password links', () => {
  let server: TestServer;
  let mailbox: Mailbox;
  let app: TestApplication;
  let manager: Person;

  before(async () => {
    mailbox = await openMailbox();
    server = await startTestServer({ mail: { url: mailbox.url, from: 'records@example.com' } });
    app = await publishApplication(server, { name: 'Größe & <Maß>', organization: 'Links', collections: [] });
    manager = await app.addPerson('Mana <b>ger</b>', { managementApiAccess: true });
  });
  after(async () => {
    await server.close();
    await mailbox.close();
  });

  const make = ({ id }: { id: string }, json: unknown = { mail: false }, token = manager.token) =>
    app.send('POST', `/management/users/${id}/passwordLink`, { token, json });
  const tokenOf = (link: string) => new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '';
  const use = (token: string, to: { send: TestServer['send'] } = server) =>
    to.send('PUT', `/v1/${app.id}/session/passwordReset`, { json: { token, password: OTHER_PASSWORD } });

  it('are handed over, work once, and count as the newest alone', async () => {
    const person = await app.addPerson('New');
    const first = await make(person);
    const second = await make(person);
    assert.equal(second.status, 200, second.text);
    assert.equal(second.headers.get('cache-control'), 'no-store');
    const { link, expiresAt } = second.body;
    assert.ok(link.startsWith(`${server.address}/console/resetPassword#application=${app.id}&token=`), link);
    const days = (Date.parse(expiresAt) - Date.now()) / 86_400_000;
    assert.ok(days > 2.9 && days < 3.1, `${days}`);
    assert.equal((await use(tokenOf(first.body.link))).status, 400);
    assert.equal(
      (await new Client(server.address, app.id).signIn(person.id, PASSWORD)).status,
      200,
      'until it is used',
    );
    assert.equal((await use(tokenOf(link))).status, 204);
    assert.equal((await use(tokenOf(link))).status, 400);
    assert.equal((await new Client(server.address, app.id).signIn(person.id, OTHER_PASSWORD)).status, 200);
    const entry = (await entriesOf(server, app, 'user.passwordLink')).at(-1);
    assert.deepEqual([entry?.user.id, entry?.extra], [manager.id, { userId: person.id }]);
    const rows = await server.database.sql(`select t::text from app_${app.id}.password_resets t`);
    assert.ok(!rows.some(([row]) => String(row).includes(tokenOf(link))), 'only a hash is stored');
  });

  it('are mailed if that is asked for, and then shown to nobody else', async () => {
    const person = await app.addPerson('Mailed', { email: 'mailed@example.com' });
    const reply = await make(person, { mail: true });
    assert.deepEqual([reply.status, Object.keys(reply.body)], [200, ['expiresAt']]);
    await until('the mail', () => mailbox.mails.some(({ to }) => to.includes('mailed@example.com')));
    const mail = mailbox.mails.find(({ to }) => to.includes('mailed@example.com'))!;
    assert.ok(mail.body.includes('Mana <b>ger</b> has set up your account at Größe & <Maß>.'), mail.body);
    assert.ok(mail.body.includes('Mana &lt;b&gt;ger&lt;/b&gt; has set up'), 'and as HTML');
    assert.equal((await use(tokenIn(mail))).status, 204);
  });

  it('work without mail, and cannot be mailed then', async () => {
    const plain = await startTestServer({ database: server.database });
    try {
      const person = await app.addPerson('Plain');
      const path = `/v1/${app.id}/management/users/${person.id}/passwordLink`;
      const { token } = manager;
      const mailed = await plain.send('POST', path, { token, json: { mail: true } });
      assert.deepEqual([mailed.status, mailed.body], [403, { code: 'FEATURE_DISABLED', params: { feature: 'mail' } }]);
      const { body } = await plain.send('POST', path, { token, json: { mail: false } });
      assert.equal((await use(tokenOf(body.link), plain)).status, 204);
    } finally {
      await plain.close();
    }
  });

  it('are made only by those who may set the password', async () => {
    const person = await app.addPerson('Anybody');
    assert.equal((await make(person, { mail: false }, person.token)).body.code, 'MANAGEMENT_API_ACCESS_REQUIRED');
    assert.equal((await make(app.admin)).body.code, 'ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
    assert.equal((await make({ id: 'u0000000' })).body.code, 'USER_NOT_FOUND');
    for (const json of [{}, { mail: 'yes' }, { mail: false, days: 30 }]) {
      assert.equal((await make(person, json)).body.code, 'INVALID_BODY', JSON.stringify(json));
    }
  });

  it('of shared users need organization access, since their password counts everywhere', async () => {
    const { app: shared } = await sharedApplication(server, 'LinksShared');
    const { Admin = '', Shared = '' } = shared.users;
    const operatorPath = `/applications/${shared.id}/users`;
    const rights = { admin: false, apiAccess: true, managementApiAccess: true, profile: { name: 'Standard' } };
    const raised = await server.operator('PUT', `${operatorPath}/${Shared}`, { ...rights, disabled: false });
    assert.equal(raised.status, 200, raised.text);
    for (const [by, status] of [
      [Admin, 200],
      [Shared, 403],
    ] as const) {
      const { token } = (await server.operator('POST', `${operatorPath}/${by}/tokens`, { name: 'test' })).body;
      const path = `/v1/${shared.id}/management/users/${Shared}/passwordLink`;
      const made = await server.send('POST', path, { token, json: { mail: false } });
      assert.equal(made.status, status, made.text);
    }
  });

  it('are not there while single sign-on is on', async () => {
    const singleSignOn = { issuer: 'https://login.example', clientId: 'cartulary', clientSecret: 'secret' };
    await server.operator('PUT', '/organizations/Links', { singleSignOn });
    const reply = await make(manager);
    assert.deepEqual([reply.status, reply.body.params], [403, { feature: 'passwordReset' }]);
    await server.operator('PUT', '/organizations/Links', { singleSignOn: null });
  });
});

describe('profiles and teams', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('are listed with the number of their users, those that are no longer published last', async () => {
    const document = { name: 'Groups', collections: [], profiles: ['Standard', 'Office', 'Empty'] };
    const app = await publishApplication(server, document);
    await app.addPerson('One', { profile: { name: 'Office' } });
    assert.equal((await app.send('GET', '/management/teams')).body.params.feature, 'teams');
    const changed = {
      ...document,
      id: app.id,
      profiles: ['Standard', 'Empty'],
      teamsModeEnabled: true,
      teams: ['Tokyo'],
    };
    assert.equal((await server.operator('POST', '/applications', changed)).status, 200);
    assert.deepEqual((await app.send('GET', '/management/profiles')).body, [
      { name: 'Standard', users: 1 },
      { name: 'Empty', users: 0 },
      { name: 'Office', users: 1, removed: true },
    ]);
    assert.deepEqual((await app.send('GET', '/management/teams')).body, [{ name: 'Tokyo', users: 0 }]);
  });
});
