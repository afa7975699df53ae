// Signing in with a password and signing out: what the cookie is, who is let in, and that all others are told the same.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import {
  attributesOf,
  Client,
  cookieIn,
  entriesOf,
  PASSWORD,
  sharedApplication,
  signedIn,
} from '../support/browser-sessions.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

const NOBODY = `p${'0'.repeat(26)}`;

describe('signing in', () => {
  let server: TestServer;
  let app: TestApplication;
  let person: Person;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [{ name: 'Things', columns: [] }] });
    person = await app.addPerson('Person', { email: 'Ärger@Example.com' });
  });
  after(async () => {
    await server.close();
  });

  const signIn = (json: unknown, applicationId = app.id): Promise<Reply> =>
    new Client(server.address, applicationId).send('POST', '/session', { json });

  it('opens a session that counts wherever a token would', async () => {
    const client = new Client(server.address, app.id);
    const reply = await client.signIn(person.id);
    assert.equal(reply.status, 200, reply.text);
    const view = {
      user: { id: person.id, name: 'Person' },
      email: 'Ärger@Example.com',
      admin: false,
      apiAccess: true,
      managementApiAccess: false,
      organizationManagementApiAccess: false,
      timeZone: 'UTC',
    };
    assert.deepEqual(reply.body, view);
    assert.equal(reply.headers.get('cache-control'), 'no-store');
    assert.equal(reply.headers.get('clear-site-data'), '"cache"', 'what is cached may be of another person');
    assert.match(client.cookie, /^[0-9a-v]{16}\.[\w-]{43}$/);
    assert.deepEqual(
      attributesOf(reply),
      ['HttpOnly', `Max-Age=${30 * 24 * 60 * 60}`, `Path=/v1/${app.id}`, 'SameSite=Strict'].sort(),
    );
    const shown = await client.send('GET', '/session');
    assert.equal(shown.headers.get('clear-site-data'), null);
    const { sessionExpiresAt, ...rest } = shown.body;
    assert.deepEqual(rest, view);
    const days = (Date.parse(sessionExpiresAt) - Date.now()) / (24 * 60 * 60_000);
    assert.ok(days > 29.9 && days < 30.1, sessionExpiresAt);
    assert.equal((await client.send('GET', '')).status, 200);
    const made = await client.send('POST', app.records('Things'), { json: { values: {} } });
    assert.equal(made.status, 200, made.text);
    const [entry] = (await entriesOf(server, app, 'record.create')).slice(-1);
    assert.deepEqual(entry?.source, { context: 'console', ip: '127.0.0.1' });
    const logins = await entriesOf(server, app, 'session.login');
    assert.deepEqual(logins.at(-1)?.extra, { sessionId: client.sessionId });
    assert.deepEqual(logins.at(-1)?.user, { id: person.id, name: 'Person' });
  });

  it('takes the e-mail address in whatever letters, and the identifier never in its place', async () => {
    for (const email of ['Ärger@Example.com', 'ÄRGER@EXAMPLE.COM', 'ärger@example.com']) {
      assert.equal((await signIn({ email, password: PASSWORD })).status, 200, email);
    }
    assert.equal((await signIn({ userId: 'ärger@example.com', password: PASSWORD })).status, 401);
    assert.equal((await signIn({ email: person.id, password: PASSWORD })).status, 401);
  });

  it('tells everybody else the same', async () => {
    const disabled = await app.addPerson('Disabled');
    const without = await app.addPerson('Without');
    await server.database.sql(`update app_${app.id}.users set disabled = true where id = $1`, [disabled.id]);
    await server.database.sql(`update app_${app.id}.users set password_hash = null where id = $1`, [without.id]);
    const shared = 'two@example.com';
    await app.addPerson('One of two', { email: shared });
    await app.addPerson('Other of two', { email: shared });
    const refused = [
      await signIn({ userId: person.id, password: 'Wrong-Passw0rd' }),
      await signIn({ email: 'ärger@example.com', password: 'Wrong-Passw0rd' }),
      await signIn({ userId: 'u0000000', password: PASSWORD }),
      await signIn({ userId: 'nobody\u0000', password: PASSWORD }),
      await signIn({ email: 'nobody@example.com', password: PASSWORD }),
      await signIn({ email: 'nobody\u0000@example.com', password: PASSWORD }),
      await signIn({ email: shared, password: PASSWORD }),
      await signIn({ userId: disabled.id, password: PASSWORD }),
      await signIn({ userId: without.id, password: PASSWORD }),
      await signIn({ userId: person.id, password: PASSWORD }, NOBODY),
    ];
    for (const reply of refused) {
      assert.equal(reply.status, 401, reply.text);
      assert.deepEqual(reply.body, { code: 'UNAUTHORIZED' });
      // A challenge to Basic would make a browser open a window of its own.
      assert.equal(reply.headers.get('www-authenticate'), 'Bearer realm="cartulary"');
      assert.equal(cookieIn(reply), undefined);
    }
  });

  it('takes nothing but what it asks for', async () => {
    const bodies = [
      {},
      { password: PASSWORD },
      { userId: person.id },
      { userId: person.id, email: 'ärger@example.com', password: PASSWORD },
      { userId: person.id, password: PASSWORD, admin: true },
      { userId: person.id, password: PASSWORD, sessionId: '0123456789abcdef' },
      { userId: person.id, password: 7 },
      { userId: [person.id], password: PASSWORD },
      { userId: person.id, password: 'x'.repeat(2_001) },
      [],
      null,
    ];
    for (const body of bodies) {
      const reply = await signIn(body);
      assert.equal(reply.status, 400, JSON.stringify(body));
      assert.equal(reply.body.code, 'INVALID_BODY');
    }
    assert.equal((await signIn({ userId: person.id, password: PASSWORD }, 'x')).body.code, 'INVALID_APPLICATION_ID');
  });

  it('gives a new session to who has one, and ends the old', async () => {
    const client = await signedIn(server, app, person);
    const old = client.cookie;
    assert.equal((await client.signIn(app.admin.id)).status, 200);
    assert.notEqual(client.cookie, old);
    assert.equal((await client.sendAs(old, 'GET', '/session')).status, 401);
    assert.equal((await client.send('GET', '/session')).body.user.id, app.admin.id);
    const logouts = await entriesOf(server, app, 'session.logout');
    assert.deepEqual(logouts.at(-1)?.user, { id: person.id, name: 'Person' });
    const other = await signedIn(server, app, person);
    // A cookie that somebody else planted, or a session whose secret they do not have.
    for (const planted of ['0123456789abcdef.'.padEnd(60, 'x'), `${other.sessionId}.${'x'.repeat(43)}`, 'x', '']) {
      const reply = await client.sendAs(planted, 'POST', '/session', {
        json: { userId: person.id, password: PASSWORD },
      });
      assert.equal(reply.status, 200, reply.text);
      assert.notEqual(cookieIn(reply), planted);
    }
    assert.equal(await other.status(), 200);
  });

  it('ends the session when somebody signs out', async () => {
    const client = await signedIn(server, app, person);
    await server.database.sql(
      `insert into app_${app.id}.devices (id, user_id, session_id, epoch, transport, address, address_hash, name, created_at)
       values ('d1', $1, $2, '0', 'webPush', 'a', '\\x01', 'n', now()),
         ('d2', $1, 'another', '0', 'webPush', 'b', '\\x02', 'n', now())`,
      [person.id, client.sessionId],
    );
    const cookie = client.cookie;
    const reply = await client.send('DELETE', '/session');
    // What the browser has kept of attachments is not for the next person who sits there.
    assert.equal(reply.headers.get('clear-site-data'), '"cache"');
    assert.equal(reply.status, 204, reply.text);
    assert.equal(client.cookie, '');
    assert.ok(attributesOf(reply).includes('Max-Age=0'));
    const refused = await client.sendAs(cookie, 'GET', '/session');
    assert.equal(refused.status, 401);
    assert.deepEqual(refused.body, { code: 'UNAUTHORIZED' });
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer realm="cartulary"');
    assert.equal(cookieIn(refused), '', 'the browser is told to forget it');
    assert.equal(refused.headers.get('clear-site-data'), '"cache"', 'and what it has cached');
    const devices = await server.database.sql(`select id from app_${app.id}.devices order by id`);
    assert.deepEqual(devices, [['d2']]);
    const logouts = await entriesOf(server, app, 'session.logout');
    assert.deepEqual(logouts.at(-1)?.extra, { sessionId: cookie.split('.')[0] });
    assert.deepEqual(logouts.at(-1)?.source, { context: 'console', ip: '127.0.0.1' });
  });

  it('tells tokens and passwords who they are, but that they have no session to end', async () => {
    const basic = `Basic ${Buffer.from(`${person.id}:${person.password}`).toString('base64')}`;
    for (const authorization of [`Bearer ${person.token}`, basic]) {
      const headers = { authorization };
      const shown = await server.send('GET', `/v1/${app.id}/session`, { headers });
      assert.equal(shown.body.user.id, person.id);
      assert.equal('sessionExpiresAt' in shown.body, false);
      const reply = await server.send('DELETE', `/v1/${app.id}/session`, { headers });
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.code, 'INVALID_PARAMETER');
    }
  });

  it('prefers what the Authorization header says', async () => {
    const client = await signedIn(server, app, person);
    const mixed = await client.send('GET', '/session', { headers: { authorization: `Bearer ${app.admin.token}` } });
    assert.equal(mixed.body.user.id, app.admin.id);
    const wrong = await client.send('GET', '/session', { headers: { authorization: 'Bearer x' } });
    assert.equal(wrong.status, 401);
    assert.notEqual(client.cookie, '');
  });

  it('does not take the session of another application', async () => {
    const other = await publishApplication(server, { name: 'Other', collections: [] });
    const client = await signedIn(server, app, person);
    const reply = await new Client(server.address, other.id).sendAs(client.cookie, 'GET', '/session');
    assert.equal(reply.status, 401);
    assert.equal(await client.status(), 200);
  });

  it('keeps secrets to itself', async () => {
    const client = await signedIn(server, app, person);
    const secret = client.cookie.split('.')[1] ?? '';
    const dumped = await server.database.sql(
      `select t::text from app_${app.id}.sessions t union all select t::text from app_${app.id}.activity t`,
    );
    for (const encoding of ['utf8', 'hex', 'base64'] as const) {
      const text = Buffer.from(secret).toString(encoding);
      assert.ok(!dumped.some(([row]) => String(row).includes(text)));
    }
  });

  it('finds shared users by the address that the organization has', async () => {
    const { app: shared } = await sharedApplication(server, 'SignInOrganization');
    const ask = (json: object) => signIn({ ...json, password: PASSWORD }, shared.id);
    assert.equal((await ask({ email: 'shared@SHARED.example' })).body.user.id, shared.users.Shared);
    assert.equal((await ask({ userId: shared.users.Shared })).status, 200);
    await server.database.sql(`update cartulary.shared_users set email = 'x@y.z', email_folded = 'x@y.z'
      where organization = 'SignInOrganization' and name = 'Shared'`);
    assert.equal((await ask({ email: 'shared@shared.example' })).status, 401);
    assert.equal((await ask({ email: 'X@Y.Z' })).status, 200);
  });

  it('says to what and how people may sign in, and nothing of an application that is not there', async () => {
    const reply = await server.send('GET', `/v1/${app.id}/session/methods`);
    const methods = { password: true, singleSignOn: false, passwordReset: false };
    const { name } = (await server.operator('GET', `/applications/${app.id}`)).body;
    assert.deepEqual(reply.body, { name, ...methods });
    assert.deepEqual((await server.send('GET', `/v1/${NOBODY}/session/methods`)).body, methods);
  });
});

describe('the cookie of a server that people reach by https', () => {
  it('is Secure', async () => {
    const server = await startTestServer({ publicUrl: 'https://records.example' });
    try {
      const app = await publishApplication(server, { collections: [] });
      const client = new Client(server.address, app.id);
      const reply = await client.send('POST', '/session', {
        json: { userId: app.admin.id, password: PASSWORD },
        headers: { origin: 'https://records.example' },
      });
      assert.equal(reply.status, 200, reply.text);
      assert.ok(attributesOf(reply).includes('Secure'));
      assert.ok(attributesOf(await client.send('DELETE', '/session')).includes('Secure'));
    } finally {
      await server.close();
    }
  });
});
