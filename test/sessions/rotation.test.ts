// The secret of a session changes as it is used: once for many requests at once, without losing anybody whose answer got
// lost, and so that a copy that somebody took is noticed.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { age, type Client, cookieIn, entriesOf, signedIn } from '../support/browser-sessions.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the secret of a session', () => {
  let a: TestServer;
  let b: TestServer;
  let app: TestApplication;

  before(async () => {
    a = await startTestServer();
    b = await startTestServer({ database: a.database });
    app = await publishApplication(a, { collections: [{ name: 'Things', columns: [] }] });
  });
  after(async () => {
    await b.close();
    await a.close();
  });

  const due = async (): Promise<Client> => {
    const client = await signedIn(a, app, app.admin);
    await age(a, app, client.sessionId, 16);
    return client;
  };
  const rotated = async (): Promise<{ client: Client; former: string }> => {
    const client = await due();
    const former = client.cookie;
    assert.equal((await client.send('GET', '/session')).status, 200);
    assert.notEqual(client.cookie, former);
    return { client, former };
  };

  it('stays for a quarter of an hour, and then changes once', async () => {
    const client = await signedIn(a, app, app.admin);
    const first = client.cookie;
    for (let time = 0; time < 3; time++) assert.equal(cookieIn(await client.send('GET', '')), undefined);
    await age(a, app, client.sessionId, 14);
    assert.equal(cookieIn(await client.send('GET', '')), undefined);
    await age(a, app, client.sessionId, 2);
    const renewing = await client.send('GET', '');
    assert.equal(renewing.headers.get('clear-site-data'), null, 'it is the same person as before');
    assert.notEqual(client.cookie, first);
    assert.equal(client.sessionId, first.split('.')[0]);
    for (let time = 0; time < 3; time++) assert.equal(cookieIn(await client.send('GET', '')), undefined);
    assert.equal(await client.status(b.address), 200);
  });

  it('changes once for many requests at once, on all servers, and none of them is refused', async () => {
    const client = await due();
    const { cookie } = client;
    const addresses = Array.from({ length: 24 }, (_, index) => (index % 2 === 0 ? a : b).address);
    const replies = await Promise.all(
      addresses.map((address) => client.sendAs(cookie, 'GET', '/session', {}, address)),
    );
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    const given = replies.map(cookieIn).filter((text) => text !== undefined);
    assert.equal(given.length, 1);
    client.cookie = given[0] ?? '';
    assert.equal(await client.status(), 200);
    assert.equal(await client.status(b.address), 200);
  });

  it('is given also with an answer that refuses', async () => {
    for (const [method, path, status] of [
      ['GET', '/collections/t0000000/records', 404],
      ['PUT', '/session/password', 400],
    ] as const) {
      const client = await due();
      const former = client.cookie;
      const reply = await client.send(method, path, method === 'PUT' ? { json: {} } : {});
      assert.equal(reply.status, status, reply.text);
      assert.notEqual(client.cookie, former);
      assert.equal(await client.status(), 200);
    }
  });

  it('is taken as it was before while the answer with the new one may have got lost, however long', async () => {
    const client = await due();
    const lost = await client.sendAs(client.cookie, 'GET', '/session');
    assert.notEqual(cookieIn(lost), undefined);
    assert.equal(cookieIn(await client.send('GET', '/session')), undefined, 'it may still be under way');
    await age(a, app, client.sessionId, 20 * 60);
    const former = client.cookie;
    assert.equal((await client.send('GET', '/session')).status, 200);
    assert.notEqual(client.cookie, former, 'another one is given');
    assert.equal(await client.status(), 200);
    assert.equal((await client.sendAs(cookieIn(lost) ?? '', 'GET', '/session')).status, 401);
    assert.equal(await client.status(), 200, 'which ends nothing');
  });

  it('is taken as it was before for a minute after the new one was shown', async () => {
    const { client, former } = await rotated();
    assert.equal((await client.sendAs(former, 'GET', '/session')).status, 200);
    assert.equal(await client.status(b.address), 200);
    assert.equal((await client.sendAs(former, 'GET', '/session')).status, 200);
    assert.equal((await client.sendAs(former, 'GET', '/session', {}, b.address)).status, 200);
    assert.equal(await client.status(), 200);
  });

  it('ends the session for everybody when the former one is shown after that', async () => {
    const { client, former } = await rotated();
    assert.equal(await client.status(), 200);
    await age(a, app, client.sessionId, 2);
    const stolen = await client.sendAs(former, 'GET', '/session', {}, b.address);
    assert.equal(stolen.status, 401);
    assert.equal(cookieIn(stolen), '');
    assert.equal(await client.status(b.address), 401);
    const late = performance.now() + 1_000;
    while ((await client.status()) !== 401) assert.ok(performance.now() < late, 'not within a second');
    const [entry] = (await entriesOf(a, app, 'session.logout')).slice(-1);
    assert.deepEqual(entry?.extra, { sessionId: client.sessionId, reason: 'former secret' });
  });

  it('cannot be guessed, and who tries ends nothing', async () => {
    const client = await signedIn(a, app, app.admin);
    for (const wrong of [`${client.sessionId}.${'A'.repeat(43)}`, `${client.sessionId}.`, client.sessionId, '.', 'x']) {
      assert.equal((await client.sendAs(wrong, 'GET', '/session')).status, 401);
    }
    assert.equal(await client.status(), 200);
  });

  it('counts for nothing a day after it was last used, or 30 days after signing in', async () => {
    const idle = await signedIn(a, app, app.admin);
    await age(a, app, idle.sessionId, 24 * 60 + 1);
    assert.equal(await idle.status(), 401);
    const old = await signedIn(a, app, app.admin);
    await a.database.sql(`update app_${app.id}.sessions set expires_at = now() where id = $1`, [old.sessionId]);
    await age(a, app, old.sessionId, 0);
    assert.equal(await old.status(), 401);
  });
});
