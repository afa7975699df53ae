// session.loginFailed: wrong credentials of somebody who exists, one entry a minute for each of them over all servers.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { Client, type Entry, entriesOf, PASSWORD } from '../support/browser-sessions.ts';
import { basic } from '../support/http-client.ts';
import { sendTo, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

describe('failures to sign in', () => {
  let a: TestServer;
  let b: TestServer;
  let app: TestApplication;

  before(async () => {
    a = await startTestServer();
    b = await startTestServer({ database: a.database });
    app = await publishApplication(a, { collections: [] });
  });
  after(async () => {
    await b.close();
    await a.close();
  });

  const of = async (person: Person): Promise<Entry[]> =>
    (await entriesOf(a, app, 'session.loginFailed')).filter(({ user }) => user.id === person.id);
  const ask = async (authorization: string, { address } = a) => {
    const reply = await sendTo(address, 'GET', `/v1/${app.id}`, { headers: { authorization } });
    assert.equal(reply.status, 401);
  };
  const told = async (person: Person): Promise<Entry> => {
    await until('the entry', async () => (await of(person)).length > 0);
    return (await of(person))[0]!;
  };
  const disable = (person: Person) =>
    a.database.sql(`update app_${app.id}.users set disabled = true where id = $1`, [person.id]);

  it('are told with who, where from, and by which door', async () => {
    const [byBasic, byToken, bySignIn, byChange] = [
      await app.addPerson('By Basic'),
      await app.addPerson('By token'),
      await app.addPerson('By sign-in', { email: 'sign-in@example.com' }),
      await app.addPerson('By change'),
    ];
    await ask(basic(byBasic.id, 'Wrong-Passw0rd'));
    await ask(`Bearer ${byToken.token.split('.')[0]}.${'A'.repeat(43)}`);
    const client = new Client(a.address, app.id);
    const json = { email: 'SIGN-IN@example.com', password: 'Wrong-Passw0rd' };
    assert.equal((await client.send('POST', '/session', { json })).status, 401);
    const change = { currentPassword: 'Wrong-Passw0rd', newPassword: 'Another-Passw0rd' };
    await client.signIn(byChange.id);
    assert.equal((await client.send('PUT', '/session/password', { json: change })).status, 400);
    for (const [person, context] of [
      [byChange, 'console'],
      [byBasic, 'api'],
      [byToken, 'api'],
      [bySignIn, 'console'],
    ] as const) {
      const entry = await told(person);
      assert.deepEqual(entry.user, { id: person.id, name: person.name });
      assert.deepEqual(entry.source, { context, ip: '127.0.0.1' });
      assert.deepEqual(entry.extra, { userId: person.id });
    }
  });

  it('are told of somebody disabled whose credentials are right', async () => {
    const [password, token] = [await app.addPerson('Disabled password'), await app.addPerson('Disabled token')];
    await Promise.all([disable(password), disable(token)]);
    await a.database.sql(`select pg_notify('cartulary', 'everything')`);
    await until('it to count', async () => {
      const reply = await sendTo(a.address, 'GET', `/v1/${app.id}`, { token: token.token });
      return reply.status === 401;
    });
    await ask(basic(password.id, PASSWORD));
    await told(password);
    await told(token);
  });

  it('are told once a minute, by whichever server meets them', async () => {
    const person = await app.addPerson('Often');
    await Promise.all(
      Array.from({ length: 6 }, (_, index) => ask(basic(person.id, `Wrong-Passw0rd-${index}`), index % 2 ? a : b)),
    );
    const client = new Client(b.address, app.id);
    await client.signIn(person.id, 'Wrong-Passw0rd');
    await told(person);
    const marker = await app.addPerson('Marker');
    for (const server of [a, b]) await ask(basic(marker.id, 'Wrong-Passw0rd'), server);
    await told(marker);
    assert.equal((await of(person)).length, 1);
    await a.database.sql(
      `update app_${app.id}.users set login_failed_at = now() - interval '2 minutes' where id = $1`,
      [person.id],
    );
    const fresh = await startTestServer({ database: a.database });
    try {
      await ask(basic(person.id, 'Wrong-Passw0rd'), fresh);
    } finally {
      // Stopping waits for what is behind the answers.
      await fresh.close();
    }
    assert.equal((await of(person)).length, 2);
  });

  it('are not told of nobody, nor where nothing is logged', async () => {
    const quiet = await publishApplication(a, { name: 'Quiet', activityLogEnabled: false, collections: [] });
    const authorization = basic(quiet.admin.id, 'Wrong-Passw0rd');
    await sendTo(a.address, 'GET', `/v1/${quiet.id}`, { headers: { authorization } });
    const before = (await entriesOf(a, app, 'session.loginFailed')).length;
    await ask(basic('u0000000', 'Wrong-Passw0rd'));
    await ask(`Bearer 0123456789abcdef.${'A'.repeat(43)}`);
    const marker = await app.addPerson('Last');
    await ask(basic(marker.id, 'Wrong-Passw0rd'));
    await told(marker);
    assert.equal((await entriesOf(a, app, 'session.loginFailed')).length, before + 1);
    assert.deepEqual(await a.database.sql(`select id from app_${quiet.id}.activity`), []);
    const [row] = await a.database.sql(`select login_failed_at from app_${quiet.id}.users`);
    assert.deepEqual(row, [null]);
  });
});
