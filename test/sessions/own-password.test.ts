// People change their own password: what they have to know for it, and what it ends.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import {
  Client,
  entriesOf,
  OTHER_PASSWORD,
  PASSWORD,
  sharedApplication,
  signedIn,
} from '../support/browser-sessions.ts';
import { basic } from '../support/http-client.ts';
import { sendTo, startTestServer, type TestServer } from '../support/server.ts';

describe('the own password', () => {
  let server: TestServer;
  let other: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    other = await startTestServer({ database: server.database, authFailures: { account: 3, address: 50 } });
    app = await publishApplication(server, { collections: [] });
  });
  after(async () => {
    await other.close();
    await server.close();
  });

  const body = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
  const byBasic = async ({ id }: Person, password: string, address = server.address) =>
    (await sendTo(address, 'GET', `/v1/${app.id}`, { headers: { authorization: basic(id, password) } })).status;

  it('is changed at once everywhere; the session goes on and all others end', async () => {
    const person = await app.addPerson('Changes');
    const client = await signedIn(server, app, person);
    const another = await signedIn(server, app, person);
    const reply = await client.send('PUT', '/session/password', { json: body });
    assert.equal(reply.status, 204, reply.text);
    assert.equal(reply.headers.get('clear-site-data'), null, 'it is the same person as before');
    assert.deepEqual([await client.status(), await another.status()], [200, 401]);
    assert.deepEqual([await byBasic(person, PASSWORD), await byBasic(person, OTHER_PASSWORD)], [401, 200]);
    const changed = performance.now();
    for (;;) {
      const asked = performance.now();
      if ((await another.status(other.address)) === 401 && (await byBasic(person, PASSWORD, other.address)) === 401)
        break;
      assert.ok(asked - changed < 1_000);
    }
    assert.equal(await client.status(other.address), 200);
    assert.equal((await app.send('GET', '', { token: person.token })).status, 200, 'tokens stay');
    const [entry] = (await entriesOf(server, app, 'user.update')).slice(-1);
    assert.deepEqual(entry?.user, { id: person.id, name: 'Changes' });
    assert.deepEqual(entry?.extra, { userId: person.id });
    assert.equal(entry?.source.context, 'console');
  });

  it('needs the present one, a strong new one, and nothing else', async () => {
    const person = await app.addPerson('Careful');
    const send = (json: unknown) => app.send('PUT', '/session/password', { token: person.token, json });
    const wrong = await send({ ...body, currentPassword: 'Wrong-Passw0rd' });
    assert.equal(wrong.status, 400);
    assert.equal(wrong.body.code, 'INVALID_PROPERTY');
    assert.equal(wrong.body.params.property, 'currentPassword');
    const weak = await send({ ...body, newPassword: 'weak' });
    assert.equal(weak.body.code, 'WEAK_PASSWORD');
    assert.equal(weak.body.params.property, 'newPassword');
    for (const json of [
      {},
      { newPassword: OTHER_PASSWORD },
      { ...body, userId: app.admin.id },
      { ...body, admin: 1 },
    ]) {
      assert.equal((await send(json)).body.code, 'INVALID_BODY');
    }
    assert.equal(await byBasic(person, PASSWORD), 200);
    assert.equal((await send(body)).status, 204);
    assert.equal(await byBasic(person, OTHER_PASSWORD), 200);
  });

  it('cannot be guessed by who has got hold of a session', async () => {
    const person = await app.addPerson('Guessed');
    const client = new Client(other.address, app.id);
    await client.signIn(person.id);
    const guess = () =>
      client.send('PUT', '/session/password', { json: { ...body, currentPassword: 'Wrong-Passw0rd' } });
    for (let failure = 0; failure < 3; failure++) assert.equal((await guess()).status, 400);
    const slowed = await client.send('PUT', '/session/password', { json: body });
    assert.equal(slowed.status, 429, slowed.text);
    assert.equal(await client.status(), 200, 'the session itself is never slowed');
  });

  it('is changed by one of two at once', async () => {
    const person = await app.addPerson('Twice');
    const replies = await Promise.all(
      ['First-Passw0rd', 'Second-Passw0rd'].map((newPassword) =>
        app.send('PUT', '/session/password', { token: person.token, json: { ...body, newPassword } }),
      ),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, 400]);
  });

  it('of a shared user is the one of the organization', async () => {
    const { app: shared, shared: people } = await sharedApplication(server, 'OwnPassword');
    const client = new Client(server.address, shared.id);
    const another = new Client(server.address, shared.id);
    for (const one of [client, another]) assert.equal((await one.signIn(shared.users.Shared!)).status, 200);
    const reply = await client.send('PUT', '/session/password', { json: body });
    assert.equal(reply.status, 204, reply.text);
    assert.deepEqual([await client.status(), await another.status()], [200, 401]);
    assert.equal((await another.signIn(shared.users.Shared!, OTHER_PASSWORD)).status, 200);
    const entries = await entriesOf(server, { id: shared.id } as TestApplication, 'sharedUser.update');
    assert.deepEqual(entries.at(-1)?.extra, { sharedUserId: people.Shared });
    assert.equal(entries.at(-1)?.user.id, shared.users.Shared);
  });
});
