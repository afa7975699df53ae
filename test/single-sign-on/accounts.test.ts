// Whose account somebody enters: by the e-mail address the first time, and by the subject from then on.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JWTPayload } from 'jose';
import pg from 'pg';
import { countWaiting } from '../support/nodes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { HostileProvider, startHostileProvider } from './hostile-provider.ts';
import { assertRefused, begin, publishSignedOn, refusals, sessionsOf, switchOn } from './scene.ts';

const UNAUTHORIZED = { code: 'UNAUTHORIZED' };
const ADA = { sub: 'ada', email: 'ada@example.com', email_verified: true };

async function waitsForLock({ database }: TestServer): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if ((await countWaiting(database)) > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail('nobody waits');
}

describe('accounts of single sign-on', () => {
  const { reasons, observe } = refusals();
  const provider = new HostileProvider();
  let server: TestServer;

  before(async () => {
    server = await startTestServer({ observe });
    await provider.start();
  });
  after(async () => {
    await server.close();
    await provider.close();
  });

  async function signOn(applicationId: string, who: JWTPayload, at = provider) {
    const { browser, state, nonce, back } = await begin(server, applicationId);
    const { email: _someone, email_verified: _verified, ...claims } = at.claims(nonce);
    at.idToken = await at.sign({ ...claims, ...who });
    return browser.ask(back({ code: 'code', state }));
  }
  const enter = async (applicationId: string, who: JWTPayload, at = provider) => {
    const page = await signOn(applicationId, who, at);
    assert.equal(page.status, 302, `${page.text} ${reasons.at(-1)}`);
    return (await sessionsOf(server, applicationId)).at(-1)?.userId;
  };
  const refuse = async (applicationId: string, who: JWTPayload, reason: string) => {
    assertRefused(await signOn(applicationId, who), 401, UNAUTHORIZED, reason);
    assert.equal(reasons.at(-1), reason);
  };
  const subjects = async (applicationId: string) =>
    (await server.database.sql(`select subject from app_${applicationId}.users where subject is not null`)).flat();

  it('are bound to the subject, so that addresses may change at the provider', async () => {
    const app = await publishSignedOn(server, provider.settings);
    const ada = await app.addPerson('Ada', { email: 'Ada@Example.COM' });
    const bob = await app.addPerson('Bob', { email: 'bob@example.com' });
    assert.equal(await enter(app.id, ADA), ada.id);
    assert.deepEqual(await subjects(app.id), [`${provider.issuer} ada`]);
    assert.equal(await enter(app.id, { ...ADA, email: 'bob@example.com' }), ada.id, 'has another’s address now');
    assert.equal(await enter(app.id, { sub: 'ada' }), ada.id, 'has no address any more');
    assert.equal(await enter(app.id, { ...ADA, email_verified: false }), ada.id, 'has an address that is not verified');
    const another = { ...ADA, sub: 'ada-2' };
    await refuse(app.id, another, 'who has the e-mail address is bound to another subject');
    assert.equal(await enter(app.id, { sub: 'bob', email: 'bob@example.com', email_verified: true }), bob.id);
  });

  it('are found by an address that is verified and that one alone has', async () => {
    const app = await publishSignedOn(server, provider.settings);
    await app.addPerson('Ada', { email: 'ada@example.com' });
    await app.addPerson('One', { email: 'same@example.com' });
    await app.addPerson('Two', { email: 'SAME@example.com' });
    await app.addPerson('Kelvin', { email: 'kelvin@example.com' });
    const cases: [JWTPayload, string][] = [
      [{ sub: 'ada' }, 'no e-mail address is said, and the subject is not known'],
      [{ ...ADA, email: 7 }, 'no e-mail address is said, and the subject is not known'],
      [{ ...ADA, email: 'ada\u0000@example.com' }, 'no e-mail address is said, and the subject is not known'],
      [{ ...ADA, email_verified: false }, 'the e-mail address is not verified, and the subject is not known'],
      [{ ...ADA, email_verified: 'true' }, 'the e-mail address is not verified, and the subject is not known'],
      [{ sub: 'ada', email: ADA.email }, 'the e-mail address is not verified, and the subject is not known'],
      [{ ...ADA, email: 'nobody@example.com' }, 'no user with access has the e-mail address'],
      [{ ...ADA, email: 'same@example.com' }, 'several have the e-mail address'],
      // A Kelvin sign, which searches take for a k.
      [{ ...ADA, email: '\u212aelvin@example.com' }, 'no user with access has the e-mail address'],
    ];
    for (const [who, reason] of cases) await refuse(app.id, who, reason);
    assert.deepEqual(await subjects(app.id), []);
    assert.deepEqual(await sessionsOf(server, app.id), []);
  });

  it('are found by an address of a provider that never says so, where the organization trusts it', async () => {
    const app = await publishSignedOn(server, { ...provider.settings, emailsAreVerified: true });
    const ada = await app.addPerson('Ada', { email: 'ada@example.com' });
    const reason = 'the e-mail address is not verified, and the subject is not known';
    await refuse(app.id, { ...ADA, email_verified: false }, reason);
    assert.equal(await enter(app.id, { sub: 'ada', email: ADA.email }), ada.id);
  });

  it('of disabled, deleted and other people stay closed', async () => {
    const app = await publishSignedOn(server, provider.settings);
    const sibling = await publishSignedOn(server, provider.settings, { organization: app.organization });
    const ada = await app.addPerson('Ada', { email: 'ada@example.com' });
    await refuse(sibling.id, ADA, 'no user with access has the e-mail address');
    const set = (what: string) => server.database.sql(`update app_${app.id}.users set ${what} where id = $1`, [ada.id]);
    await set('disabled = true');
    await refuse(app.id, ADA, 'no user with access has the e-mail address');
    await set('disabled = false');
    assert.equal(await enter(app.id, ADA), ada.id);
    await set('disabled = true');
    await refuse(app.id, ADA, 'the user is disabled');
    await set('disabled = false, deleted_at = now()');
    await refuse(app.id, ADA, 'no user with access has the e-mail address');
  });

  it('are bound anew when the organization moves to another provider', async (t) => {
    const next = await startHostileProvider(t);
    const app = await publishSignedOn(server, provider.settings);
    const ada = await app.addPerson('Ada', { email: 'ada@example.com' });
    assert.equal(await enter(app.id, ADA), ada.id);
    await switchOn(server, app.organization, next.settings);
    assert.equal(await enter(app.id, { ...ADA, sub: 'the same person there' }, next), ada.id);
    assert.deepEqual(await subjects(app.id), [`${next.issuer} the same person there`]);
  });

  it('are bound anew when an administrator gives them another address', async () => {
    const app = await publishSignedOn(server, provider.settings);
    const ada = await app.addPerson('Ada', { email: 'ada@example.com' });
    assert.equal(await enter(app.id, ADA), ada.id);
    const put = async (email: string) => {
      const rights = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
      const json = { email, ...rights, disabled: false };
      const reply = await app.send('PUT', `/management/users/${ada.id}`, { json });
      assert.equal(reply.status, 200, reply.text);
    };
    await put('ada@example.com');
    assert.deepEqual(await subjects(app.id), [`${provider.issuer} ada`]);
    await put('successor@example.com');
    assert.deepEqual(await subjects(app.id), []);
    await refuse(app.id, ADA, 'no user with access has the e-mail address');
    const successor = { sub: 'successor', email: 'successor@example.com', email_verified: true };
    assert.equal(await enter(app.id, successor), ada.id);
    assert.deepEqual(await subjects(app.id), [`${provider.issuer} successor`]);
  });

  it('are not bound by an address that is being taken away', async () => {
    const app = await publishSignedOn(server, provider.settings);
    const ada = await app.addPerson('Ada', { email: 'ada@example.com' });
    const client = new pg.Client(server.database.connection);
    await client.connect();
    try {
      const email = 'successor@example.com';
      await client.query('begin');
      const change = `update app_${app.id}.users set email = $2, email_folded = $2 where id = $1`;
      await client.query(change, [ada.id, email]);
      const page = signOn(app.id, ADA);
      await waitsForLock(server);
      await client.query('commit');
      assertRefused(await page, 401, UNAUTHORIZED, 'the former address');
      assert.deepEqual(await subjects(app.id), []);
    } finally {
      await client.end();
    }
  });

  it('are bound once by those who come at the same time', async () => {
    const app = await publishSignedOn(server, provider.settings);
    const ada = await app.addPerson('Ada', { email: 'ada@example.com' });
    const attempts = await Promise.all(Array.from({ length: 6 }, () => begin(server, app.id)));
    const nonces = new Map(attempts.map(({ state, nonce }) => [`code of ${state}`, nonce]));
    provider.instead.set('/token', async (_request, response) => {
      const nonce = nonces.get(provider.forms.at(-1)?.get('code') ?? '') ?? '';
      const id_token = await provider.sign(provider.claims(nonce, ADA));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token: 'a', token_type: 'Bearer', id_token }));
    });
    const pages = await Promise.all(
      attempts.map(({ browser, state, back }) => browser.ask(back({ code: `code of ${state}`, state }))),
    );
    provider.instead.delete('/token');
    assert.deepEqual(
      pages.map(({ status }) => status),
      pages.map(() => 302),
    );
    assert.ok((await sessionsOf(server, app.id)).every(({ userId }) => userId === ada.id));
  });

  it('of shared users are the organization’s, and open where they are active', async () => {
    const organization = `Shared ${crypto.randomUUID()}`;
    const publish = async (name: string): Promise<string> => {
      const document = { name, organization, sharedUsersModeEnabled: true, activityLogEnabled: true, collections: [] };
      const published = await server.operator('POST', '/applications', document);
      assert.equal(published.status, 200, published.text);
      return published.body.application.id;
    };
    const [one, two] = [await publish('One'), await publish('Two')];
    await switchOn(server, organization, provider.settings);
    const path = `/organizations/${encodeURIComponent(organization)}/sharedUsers`;
    const shared = await server.operator('POST', path, { name: 'Ada', email: 'ada@example.com' });
    assert.equal(shared.status, 200, shared.text);
    const activate = async (applicationId: string, name = 'Ada', more: object = {}): Promise<string> => {
      const rights = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
      const body = { name, ...rights, ...more };
      const user = await server.operator('POST', `/applications/${applicationId}/users`, body);
      assert.equal(user.status, 200, user.text);
      return user.body.id;
    };
    await server.operator('POST', path, { name: 'Grace', email: 'grace@example.com' });
    const access = { managementApiAccess: true, organizationManagementApiAccess: true };
    const grace = await activate(one, 'Grace', access);
    const made = await server.operator('POST', `/applications/${one}/users/${grace}/tokens`, { name: 'test' });
    const { token } = made.body;
    const bound = () =>
      server.database.sql('select subject from cartulary.shared_users where id = $1', [shared.body.id]);
    await refuse(one, ADA, 'the shared user is not active in the application');
    assert.deepEqual(await bound(), [[null]]);
    const user = await activate(one);
    const here = (what: string) => server.database.sql(`update app_${one}.users set ${what} where id = $1`, [user]);
    const there = (what: string) =>
      server.database.sql(`update cartulary.shared_users set ${what} where id = $1`, [shared.body.id]);
    await here('disabled = true');
    await refuse(one, ADA, 'the user is disabled');
    assert.deepEqual(await bound(), [[null]]);
    await here('disabled = false');
    assert.equal(await enter(one, ADA), user);
    assert.deepEqual(await bound(), [[`${provider.issuer} ada`]]);
    assert.deepEqual(await subjects(one), []);

    await refuse(two, { sub: 'ada' }, 'the shared user is not active in the application');
    assert.equal(await enter(two, { sub: 'ada' }).catch(() => 'refused'), 'refused');
    const second = await activate(two);
    assert.equal(await enter(two, { sub: 'ada' }), second);

    const put = async (email: string) => {
      const json = { email, disabled: false };
      const reply = await server.send('PUT', `/v1/${one}/management/sharedUsers/${shared.body.id}`, { token, json });
      assert.equal(reply.status, 200, reply.text);
    };
    await put('ada@example.com');
    assert.deepEqual(await bound(), [[`${provider.issuer} ada`]]);
    await put('ada@elsewhere.example');
    assert.deepEqual(await bound(), [[null]]);
    await refuse(one, ADA, 'no user with access has the e-mail address');
    assert.equal(await enter(one, { ...ADA, sub: 'ada-2', email: 'ada@elsewhere.example' }), user);
    assert.deepEqual(await bound(), [[`${provider.issuer} ada-2`]]);
    await put('ada@example.com');
    assert.equal(await enter(one, ADA), user);

    await there('disabled = true');
    await refuse(one, ADA, 'the user is disabled');
    await there('disabled = false');
    await here('disabled = true');
    await refuse(one, ADA, 'the user is disabled');
    assert.equal(await enter(two, ADA), second);
    await there('deleted_at = now()');
    await refuse(two, ADA, 'no user with access has the e-mail address');
  });
});
