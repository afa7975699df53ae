// API tokens that people make for themselves and for those whom they manage: who may, when they end, and when they were
// last used.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { entriesOf, signedIn } from '../support/browser-sessions.ts';
import { basic } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('tokens of a user', () => {
  let server: TestServer;
  let app: TestApplication;
  let person: Person;
  let manager: Person;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [] });
    person = await app.addPerson('Person');
    manager = await app.addPerson('Manager', { managementApiAccess: true });
  });
  after(async () => {
    await server.close();
  });

  const tokensOf = ({ id }: { id: string }) => `/users/${id}/tokens`;
  const create = (of: Person, headers: Record<string, string>, json: unknown = { name: 'new' }) =>
    server.send('POST', `/v1/${app.id}${tokensOf(of)}`, { headers, json });
  const bearer = ({ token }: Person) => ({ authorization: `Bearer ${token}` });
  const password = ({ id, password }: Person) => ({ authorization: basic(id, password) });

  it('are made by who has signed in or shows the password, listed and revoked by any credentials', async () => {
    const client = await signedIn(server, app, person);
    const bySession = await client.send('POST', tokensOf(person), { json: { name: 'by session' } });
    assert.equal(bySession.status, 200, bySession.text);
    const { id, token, createdAt } = bySession.body;
    assert.deepEqual(bySession.body, { id, name: 'by session', token, createdAt });
    assert.equal(bySession.headers.get('cache-control'), 'no-store');
    const byPassword = await create(person, password(person));
    assert.equal(byPassword.status, 200, byPassword.text);
    assert.equal((await app.send('GET', '', { token })).status, 200);
    const list = await app.send('GET', tokensOf(person), { token });
    assert.deepEqual(list.body.map(({ name }: { name: string }) => name).sort(), ['by session', 'new', 'test']);
    assert.ok(!list.text.includes(token.split('.')[1]));
    const revoked = await app.send('DELETE', `${tokensOf(person)}/${id}`, { token });
    assert.equal(revoked.status, 204, revoked.text);
    assert.equal((await app.send('GET', '', { token })).status, 401);
    const again = await app.send('DELETE', `${tokensOf(person)}/${id}`, { token: person.token });
    assert.deepEqual([again.status, again.body.code], [404, 'TOKEN_NOT_FOUND']);
    const [made] = (await entriesOf(server, app, 'token.create')).filter(({ extra }) => extra.tokenId === id);
    assert.deepEqual([made?.user.id, made?.extra.userId, made?.source.context], [person.id, person.id, 'console']);
    const [ended] = (await entriesOf(server, app, 'token.revoke')).filter(({ extra }) => extra.tokenId === id);
    assert.deepEqual([ended?.user.id, ended?.source.context], [person.id, 'api']);
  });

  it('are a hundred for a user at the most, and their names are shown no longer than that of one', async () => {
    const owner = await app.addPerson('Collector');
    const schema = `app_${app.id}`;
    await server.database.sql(
      `insert into ${schema}.tokens (id, user_id, name, secret_hash, created_at)
       select 'filler' || n, $1, 'filler', '\\x00', now() from generate_series(1, 98) n`,
      [owner.id],
    );
    const both = await Promise.all([create(owner, password(owner)), create(owner, password(owner))]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400], 'of two at once, one');
    const refused = await create(owner, password(owner));
    assert.deepEqual([refused.status, refused.body.code], [400, 'INVALID_PARAMETER']);
    assert.equal(refused.body.params.parameter, 'userId');
    assert.equal((await app.send('DELETE', `${tokensOf(owner)}/filler1`, { token: owner.token })).status, 204);
    assert.equal((await create(owner, password(owner))).status, 200);
    const unknown = await app.send('DELETE', `${tokensOf(owner)}/${'x'.repeat(5_000)}`, { token: owner.token });
    assert.deepEqual([unknown.status, unknown.body.params.tokenId], [404, 'x'.repeat(64)]);
  });

  it('make no successors of themselves, unless their user manages users', async () => {
    const refused = await create(person, bearer(person));
    assert.deepEqual([refused.status, refused.body], [403, { code: 'FORBIDDEN' }]);
    assert.equal((await create(manager, bearer(manager))).status, 200);
  });

  it('of others are for who manages users, and of who manages the organization for who does too', async () => {
    for (const headers of [bearer(person), password(person)]) {
      const refused = await create(manager, headers);
      assert.deepEqual([refused.status, refused.body.code], [403, 'MANAGEMENT_API_ACCESS_REQUIRED']);
      for (const [method, path] of [
        ['GET', tokensOf(manager)],
        ['DELETE', `${tokensOf(manager)}/0123456789abcdef`],
      ] as const) {
        const reply = await server.send(method, `/v1/${app.id}${path}`, { headers });
        assert.deepEqual([reply.status, reply.body.code], [403, 'MANAGEMENT_API_ACCESS_REQUIRED']);
      }
    }
    const made = await create(person, bearer(manager));
    assert.equal(made.status, 200, made.text);
    assert.equal((await app.send('GET', '/session', { token: made.body.token })).body.user.id, person.id);
    const above = await create(app.admin, bearer(manager));
    assert.deepEqual([above.status, above.body.code], [403, 'ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED']);
    assert.equal((await create(app.admin, bearer(app.admin))).status, 200);
    const nobody = await create({ ...person, id: 'u0000000' }, bearer(manager));
    assert.deepEqual([nobody.status, nobody.body.code], [404, 'USER_NOT_FOUND']);
    const hidden = await create({ ...person, id: 'u0000000' }, bearer(person));
    assert.equal(hidden.body.code, 'MANAGEMENT_API_ACCESS_REQUIRED');
  });

  it('take a name and an end in the future, and nothing else', async () => {
    const past = new Date(Date.now() - 60_000).toISOString();
    for (const json of [
      {},
      { name: '' },
      { name: 'x'.repeat(101) },
      { name: 'a\nb' },
      { name: 'x', expiresAt: past },
      { name: 'x', expiresAt: 'tomorrow' },
      { name: 'x', expiresAt: '2031-02-30T00:00:00Z' },
      { name: 'x', expiresAt: null },
      { name: 'x', id: '0123456789abcdef' },
      { name: 'x', userId: app.admin.id },
    ]) {
      const reply = await create(person, password(person), json);
      assert.deepEqual([reply.status, reply.body.code], [400, 'INVALID_BODY'], JSON.stringify(json));
      const operator = await server.operator('POST', `/applications/${app.id}${tokensOf(person)}`, json);
      assert.deepEqual([operator.status, operator.body.code], [400, 'INVALID_BODY'], JSON.stringify(json));
    }
  });

  it('end to the millisecond, also where they were just seen to be right', async () => {
    for (const door of ['interface', 'operator'] as const) {
      const end = Date.now() + 1_500;
      const json = { name: 'short', expiresAt: new Date(end).toISOString() };
      const made =
        door === 'interface'
          ? await create(person, password(person), json)
          : await server.operator('POST', `/applications/${app.id}${tokensOf(person)}`, json);
      assert.equal(made.status, 200, made.text);
      assert.equal(made.body.expiresAt, json.expiresAt);
      const { id, token } = made.body;
      const [row] = await server.database.sql('select clock_timestamp()');
      const ahead = new Date(row?.[0] as string).getTime() - Date.now();
      for (let passed = 0; ; passed += 1) {
        const sent = Date.now();
        const { status } = await app.send('GET', '', { token });
        // The server goes by the database's clock, of which it knows to some milliseconds what it says.
        if (status === 401) {
          assert.ok(passed > 0 && Date.now() + ahead >= end - 50, `ended ${end - Date.now()} ms early`);
          break;
        }
        assert.ok(sent + ahead <= end + 50, `took it ${sent - end} ms late`);
      }
      const list = await app.send('GET', tokensOf(person), { token: person.token });
      const listed = list.body.find((entry: { id: string }) => entry.id === id);
      assert.equal(listed.expiresAt, json.expiresAt, 'still listed');
    }
  });

  it('tell when they were last used, at the latest when the server has stopped', async () => {
    const idle = await create(person, password(person));
    const used = await create(person, password(person));
    const node = await startTestServer({ database: server.database });
    const before = Date.now();
    try {
      for (let time = 0; time < 3; time++) {
        assert.equal((await node.send('GET', `/v1/${app.id}`, { token: used.body.token })).status, 200);
      }
      const wrong = `${idle.body.id}.${'A'.repeat(43)}`;
      assert.equal((await node.send('GET', `/v1/${app.id}`, { token: wrong })).status, 401);
    } finally {
      await node.close();
    }
    const list = await app.send('GET', tokensOf(person), { token: person.token });
    const found = (id: string) => list.body.find((entry: { id: string }) => entry.id === id);
    assert.ok(Math.abs(Date.parse(found(used.body.id).lastUsedAt) - before) < 10_000);
    assert.equal('lastUsedAt' in found(idle.body.id), false);
  });
});
