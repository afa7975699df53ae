// Users whom the operator has named: they do with their session what the key does, as long as they are named, and nobody
// else gets there through them. Every route against every refusal is in test/security/routes-that-let-in.test.ts.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { age, Client, entriesOf, OTHER_PASSWORD, sharedApplication, signedIn } from '../support/browser-sessions.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

const UPDATE = {
  ...{ admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } },
  disabled: false,
};

function assertRefused({ status, body, text }: Reply, expected: string): void {
  assert.equal(`${status} ${body?.code}`, expected, text);
}

describe('users whom the operator has named', () => {
  let server: TestServer;
  let app: TestApplication;
  let manager: Person;
  let other: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [] });
    other = await publishApplication(server, { name: 'Other', collections: [] });
    manager = await app.addPerson('Manager', { admin: true, managementApiAccess: true });
  });
  after(() => server.close());

  const operatorOf = (userId: string, applicationId = app.id) =>
    `/applications/${applicationId}/users/${userId}/operator`;
  const name = (userId: string, applicationId?: string) => server.operator('PUT', operatorOf(userId, applicationId));
  const unname = (userId: string) => server.operator('DELETE', operatorOf(userId));
  const applicationsFor = async (client: Client) => (await client.send('GET', '/operator/applications')).status;

  async function named(title: string): Promise<{ person: Person; client: Client }> {
    const person = await app.addPerson(title);
    assert.equal((await name(person.id)).status, 204);
    return { person, client: await signedIn(server, app, person) };
  }

  it('have to sign in again, and then use every application, until they are named no more', async () => {
    const person = await app.addPerson('Naomi');
    const before = await signedIn(server, app, person);
    assert.equal((await name(person.id)).status, 204);
    assert.equal(await before.status(), 401, 'naming ends the sessions from before');
    const client = new Client(server.address, app.id);
    const entered = await client.signIn(person.id, person.password);
    assert.equal(entered.body.operator, true, entered.text);
    assert.equal((await client.send('GET', '/session')).body.operator, true);
    const listed = await client.send('GET', '/operator/applications');
    assert.ok(
      listed.body.some(({ id }: { id: string }) => id === other.id),
      listed.text,
    );
    assert.equal((await name(person.id)).status, 204);
    assert.equal(await applicationsFor(client), 200, 'naming again changes nothing');
    const { body } = await server.operator('GET', '/operators');
    const [row] = body.filter(({ user }: { user: { id: string } }) => user.id === person.id);
    assert.deepEqual([row.user.name, row.user.disabled, row.application.id], ['Naomi', false, app.id]);
    assert.equal((await unname(person.id)).status, 204);
    assert.equal(await applicationsFor(client), 403);
    assert.equal(await client.status(), 200, 'they stay signed in');
    assert.equal('operator' in (await client.send('GET', '/session')).body, false);
    assert.equal((await unname(person.id)).status, 204);
    assertRefused(await name('u0000000'), '404 USER_NOT_FOUND');
    assertRefused(await unname('u0000000'), '404 USER_NOT_FOUND');
  });

  it('are known to every node at once', async () => {
    const node = await startTestServer({ database: server.database });
    try {
      const { person, client } = await named('Nadia');
      const there = async () =>
        (await client.sendAs(client.cookie, 'GET', '/operator/operators', {}, node.address)).status;
      assert.equal(await there(), 200);
      await unname(person.id);
      assert.equal(await there(), 403);
    } finally {
      await node.close();
    }
  });

  it('are operators no more when they are disabled, deleted, or signed out', async () => {
    const { person, client } = await named('Nils');
    const email = (await server.operator('GET', `/applications/${app.id}/users/${person.id}`)).body.email;
    const change = (disabled: boolean) =>
      app.send('PUT', `/management/users/${person.id}`, { json: { ...UPDATE, email, disabled } });
    assert.equal((await change(true)).status, 200);
    assert.equal(await applicationsFor(client), 401);
    assert.equal((await change(false)).status, 200);
    const again = await signedIn(server, app, person);
    assert.equal(await applicationsFor(again), 200);
    const ended = await app.send('DELETE', `/users/${person.id}/sessions`);
    assert.equal(ended.status, 204, ended.text);
    assert.equal(await applicationsFor(again), 401);
    const last = await signedIn(server, app, person);
    assert.equal((await app.send('DELETE', `/management/users/${person.id}`)).status, 204);
    assert.equal(await applicationsFor(last), 401);
    const { body } = await server.operator('GET', '/operators');
    assert.ok(!body.some(({ user }: { user: { id: string } }) => user.id === person.id));
  });

  it('get a new secret for their session with a request of the operator, too', async () => {
    const { client } = await named('Nora');
    const { cookie } = client;
    await age(server, app, client.sessionId, 16);
    assert.equal(await applicationsFor(client), 200);
    assert.notEqual(client.cookie, cookie);
    assert.equal(await applicationsFor(client), 200);
  });

  it('are not taken over by those who manage people, nor by each other', async () => {
    const { person } = await named('Nina');
    const { client: colleague } = await named('Noah');
    const path = `/management/users/${person.id}`;
    const email = (await app.send('GET', path)).body.email;
    const json = { ...UPDATE, email };
    // A token that a manager has made for a named user is that user's own.
    const made = await app.send('POST', `/users/${person.id}/tokens`, { token: manager.token, json: { name: 'mine' } });
    await server.operator('PUT', `/applications/${app.id}/users/${person.id}`, { ...json, managementApiAccess: true });
    for (const token of [manager.token, made.body.token]) {
      assertRefused(await app.send('PUT', path, { token, json: { ...json, email: 'x@y.zz' } }), '403 FORBIDDEN');
      const password = { ...json, password: OTHER_PASSWORD };
      assertRefused(await app.send('PUT', path, { token, json: password }), '403 FORBIDDEN');
      assertRefused(await app.send('POST', `${path}/passwordLink`, { token, json: { mail: false } }), '403 FORBIDDEN');
    }
    const operated = `/operator/applications/${app.id}/users/${person.id}`;
    const set = { json: { password: OTHER_PASSWORD } };
    assertRefused(await colleague.send('PUT', `${operated}/password`, set), '403 FORBIDDEN');
    assert.equal((await app.send('PUT', path, { json: { ...json, admin: true } })).status, 200, 'rights are no way in');
    const key = await server.operator('PUT', `/applications/${app.id}/users/${person.id}/password`, set.json);
    assert.equal(key.status, 204, key.text);
  });

  it('cannot be entered by a link that was made before', async () => {
    const person = await app.addPerson('Nico');
    const made = await app.send('POST', `/management/users/${person.id}/passwordLink`, { json: { mail: false } });
    const token = new URLSearchParams(new URL(made.body.link).hash.slice(1)).get('token');
    assert.equal((await name(person.id)).status, 204);
    const used = await server.send('PUT', `/v1/${app.id}/session/passwordReset`, {
      json: { token, password: OTHER_PASSWORD },
    });
    assert.equal(used.status, 400, used.text);
  });

  it('may be shared users, whom their organization cannot take over either', async () => {
    const { app: shared, shared: ids } = await sharedApplication(server, 'Naming');
    const client = new Client(server.address, shared.id);
    await client.signIn(shared.users.Shared!);
    assert.equal((await name(shared.users.Shared!, shared.id)).status, 204);
    assert.equal(await client.status(), 401);
    await client.signIn(shared.users.Shared!);
    assert.equal(await applicationsFor(client), 200);
    const admin = new Client(server.address, shared.id);
    await admin.signIn(shared.users.Admin!);
    const path = `/management/sharedUsers/${ids.Shared}`;
    const change = (json: object) =>
      admin.send('PUT', path, { json: { email: 'Shared@shared.example', disabled: false, ...json } });
    assertRefused(await change({ password: OTHER_PASSWORD }), '403 FORBIDDEN');
    assertRefused(await change({ email: 'x@y.zz' }), '403 FORBIDDEN');
    const link = `/management/users/${shared.users.Shared}/passwordLink`;
    assertRefused(await admin.send('POST', link, { json: { mail: false } }), '403 FORBIDDEN');
    assert.equal((await change({ disabled: true })).status, 200);
    assert.equal(await applicationsFor(client), 401);
    assert.equal((await admin.send('DELETE', path)).status, 204);
    const { body } = await server.operator('GET', '/operators');
    assert.ok(!body.some(({ user }: { user: { id: string } }) => user.id === shared.users.Shared));
  });

  it('are in the log of the application, and what they do has their name', async () => {
    const { person, client } = await named('Nele');
    const [entry] = (await entriesOf(server, app, 'operator.name')).slice(-1);
    assert.deepEqual([entry?.user.id, entry?.extra], ['operator', { userId: person.id }]);
    const made = await client.send('POST', `/operator/applications/${other.id}/users`, {
      json: { ...UPDATE, disabled: undefined, name: 'Made', email: 'made@example.com', password: OTHER_PASSWORD },
    });
    assert.equal(made.status, 200, made.text);
    const [created] = (await entriesOf(server, other, 'user.create')).slice(-1);
    assert.deepEqual(created?.user, { id: 'operator', name: 'operator' });
    assert.deepEqual(created?.extra, {
      userId: made.body.id,
      operatorId: `${app.id}/${person.id}`,
      operatorName: 'Nele',
    });
    await unname(person.id);
    assert.equal((await entriesOf(server, app, 'operator.unname')).at(-1)?.extra.userId, person.id);
  });

  it('go with their application', async () => {
    const gone = await publishApplication(server, { name: 'Gone', collections: [] });
    assert.equal((await name(gone.admin.id, gone.id)).status, 204);
    const client = await signedIn(server, gone, gone.admin);
    assert.equal((await client.send('DELETE', `/operator/applications/${gone.id}`)).status, 204);
    assert.equal(await applicationsFor(client), 401);
    const rows = await server.database.sql('select from cartulary.operators where application_id = $1', [gone.id]);
    assert.equal(rows.length, 0);
  });
});
