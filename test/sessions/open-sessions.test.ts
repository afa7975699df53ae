// The open sessions of a user: who sees and ends them.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { age, entriesOf, OTHER_PASSWORD, signedIn } from '../support/browser-sessions.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('open sessions', () => {
  let server: TestServer;
  let app: TestApplication;
  let manager: Person;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [] });
    manager = await app.addPerson('Manager', { managementApiAccess: true });
  });
  after(() => server.close());

  const sessionsOf = ({ id }: { id: string }) => `/users/${id}/sessions`;
  const idsOf = (body: readonly { id: string }[]) => body.map(({ id }) => id).sort();

  it('are listed with where they began, and the one of the request is marked', async () => {
    const person = await app.addPerson('Lister', { email: 'lister@example.com' });
    const desk = await signedIn(server, app, person);
    const phone = await signedIn(server, app, person);
    const { status, body } = await desk.send('GET', sessionsOf(person));
    assert.equal(status, 200);
    assert.deepEqual(idsOf(body), [desk.sessionId, phone.sessionId].sort());
    const own = body.find(({ id }: { id: string }) => id === desk.sessionId);
    assert.equal(own.current, true);
    assert.match(own.ip, /127\.0\.0\.1|::1/);
    assert.ok(Date.parse(own.lastUsedAt) >= Date.parse(own.createdAt) && own.expiresAt > own.lastUsedAt);
    assert.equal((await desk.send('GET', '/session')).body.email, 'lister@example.com');
    assert.equal((await app.send('GET', '/session', { token: person.token })).body.email, 'lister@example.com');
  });

  it('end one by one, or all but the own', async () => {
    const person = await app.addPerson('Ender');
    const [desk, phone, tablet] = await Promise.all([1, 2, 3].map(() => signedIn(server, app, person)));
    assert.equal((await desk!.send('DELETE', `${sessionsOf(person)}/${phone!.sessionId}`)).status, 204);
    assert.deepEqual([await desk!.status(), await phone!.status(), await tablet!.status()], [200, 401, 200]);
    const again = await desk!.send('DELETE', `${sessionsOf(person)}/${phone!.sessionId}`);
    assert.deepEqual(
      [again.status, again.body],
      [404, { code: 'SESSION_NOT_FOUND', params: { sessionId: phone!.sessionId } }],
    );
    assert.equal((await desk!.send('DELETE', sessionsOf(person))).status, 204);
    assert.deepEqual([await desk!.status(), await tablet!.status()], [200, 401]);
    const [entry] = (await entriesOf(server, app, 'session.logout')).filter(
      ({ extra }) => extra.sessionId === tablet!.sessionId,
    );
    assert.deepEqual([entry?.user.id, entry?.extra], [person.id, { sessionId: tablet!.sessionId }]);
  });

  it('end none by a slash after which an ID is missing', async () => {
    const person = await app.addPerson('Typist');
    const [desk, phone] = await Promise.all([1, 2].map(() => signedIn(server, app, person)));
    const reply = await desk!.send('DELETE', `${sessionsOf(person)}/`);
    assert.deepEqual([reply.status, reply.body.code], [400, 'INVALID_PARAMETER']);
    assert.equal(await phone!.status(), 200);
  });

  it('clear what the browser keeps when the own one ends by its ID', async () => {
    const person = await app.addPerson('Leaver');
    const [desk, phone] = await Promise.all([1, 2].map(() => signedIn(server, app, person)));
    const other = await desk!.send('DELETE', `${sessionsOf(person)}/${phone!.sessionId}`);
    assert.equal(other.headers.get('clear-site-data'), null);
    const own = await desk!.send('DELETE', `${sessionsOf(person)}/${desk!.sessionId}`);
    assert.equal(own.status, 204);
    assert.equal(own.headers.get('clear-site-data'), '"cache"');
    assert.match(String(own.headers.get('set-cookie')), /^cartulary_session=; .*Max-Age=0/);
    assert.equal(await desk!.status(), 401);
  });

  it('are not those that have ended by age, by a new password or by disabling', async () => {
    const person = await app.addPerson('Ager');
    const old = await signedIn(server, app, person);
    await age(server, app, old.sessionId, 25 * 60);
    const listed = async () => (await app.send('GET', sessionsOf(person))).body;
    assert.deepEqual(await listed(), []);
    const desk = await signedIn(server, app, person);
    await signedIn(server, app, person);
    assert.equal((await listed()).length, 2);
    const json = { currentPassword: person.password, newPassword: OTHER_PASSWORD };
    assert.equal((await desk.send('PUT', '/session/password', { json })).status, 204);
    assert.deepEqual(idsOf(await listed()), [desk.sessionId]);
    const path = `/management/users/${person.id}`;
    const { id: _id, name: _name, ...user } = (await app.send('GET', path)).body;
    assert.equal((await app.send('PUT', path, { json: { ...user, disabled: true } })).status, 200);
    assert.deepEqual(await listed(), []);
  });

  it('of others are for users with management access, and of protected users for organization managers', async () => {
    const person = await app.addPerson('Watched');
    const desk = await signedIn(server, app, person);
    const stranger = await app.addPerson('Stranger', { admin: true });
    for (const [method, path] of [
      ['GET', sessionsOf(person)],
      ['DELETE', sessionsOf(person)],
      ['DELETE', `${sessionsOf(person)}/${desk.sessionId}`],
    ] as const) {
      const refused = await app.send(method, path, { token: stranger.token });
      assert.deepEqual(
        [refused.status, refused.body.code],
        [403, 'MANAGEMENT_API_ACCESS_REQUIRED'],
        `${method} ${path}`,
      );
    }
    assert.equal((await app.send('GET', sessionsOf(person), { token: manager.token })).body.length, 1);
    const beyond = await app.send('DELETE', `${sessionsOf(manager)}/${desk.sessionId}`, { token: manager.token });
    assert.equal(beyond.body.code, 'SESSION_NOT_FOUND', 'a session of another user');
    assert.equal((await app.send('DELETE', sessionsOf(person), { token: manager.token })).status, 204);
    assert.equal(await desk.status(), 401);
    const entry = (await entriesOf(server, app, 'session.logout')).at(-1);
    assert.deepEqual([entry?.user.id, entry?.extra.userId], [manager.id, person.id]);
    const guarded = await app.send('GET', sessionsOf(app.admin), { token: manager.token });
    assert.deepEqual([guarded.status, guarded.body.code], [403, 'ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED']);
  });
});
