// Organizations: single sign-on, whose secret is never shown, and shared users. Their names are segments of a path.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { publishApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'Secret-Passw0rd';
const SIGN_ON = { issuer: 'https://id.example.com', clientId: 'cartulary', clientSecret: 'Very-Secret-Thing' };
const GIVEN = { issuer: SIGN_ON.issuer, clientId: SIGN_ON.clientId };

describe('organizations', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  const shown = (step: string) => ({ ...GIVEN, redirectAddress: `${server.address}/signOn/callback/${step}` });
  const path = (name: string) => `/organizations/${encodeURIComponent(name)}`;
  const get = (name: string) => server.operator('GET', path(name));
  const put = (name: string, body: unknown) => server.operator('PUT', path(name), body);
  const addUser = (name: string, body: unknown) => server.operator('POST', `${path(name)}/sharedUsers`, body);
  const person = (name: string, more: object = {}) => ({ name, email: 'p@example.com', password: PASSWORD, ...more });

  it('have names with any characters', async () => {
    const names = [
      'Acme',
      'Acme & Söhne',
      'a/b',
      '100%',
      'a%2Fb',
      '株式会社 ✓',
      '?x=1#y',
      '🦉'.repeat(64),
      "';--",
      '...',
    ];
    for (const name of names) {
      assert.equal((await get(name)).status, 404, name);
      const made = await put(name, { name, singleSignOn: null });
      assert.equal(made.status, 200, `${name} ${made.text}`);
      assert.deepEqual(made.body, { name, singleSignOn: null });
      assert.deepEqual((await get(name)).body, { name, singleSignOn: null });
      const user = await addUser(name, person('One'));
      assert.equal(user.status, 200, user.text);
    }
    const [[count]] = (await server.database.sql('select count(*)::int from cartulary.organizations')) as [[number]];
    assert.equal(count, names.length);
  });

  it('refuse some names', async () => {
    for (const name of [' ', 'x'.repeat(65), '🦉'.repeat(65), 'a\u0000b', 'a\nb']) {
      const made = await put(name, { singleSignOn: null });
      assert.equal(made.status, 400, made.text);
      assert.equal(made.body.code, 'INVALID_PARAMETER');
      assert.equal(made.body.params.parameter, 'name');
      // Text that the database cannot hold is refused everywhere; other names are not found.
      const code = name.includes('\u0000') ? 'INVALID_PARAMETER' : 'ORGANIZATION_NOT_FOUND';
      assert.equal((await get(name)).body.code, code);
      assert.equal((await addUser(name, person('One'))).body.code, code);
    }
  });

  it('are created by an application that names them', async () => {
    await publishApplication(server, { organization: 'Made by publishing', collections: [] });
    assert.deepEqual((await get('Made by publishing')).body, { name: 'Made by publishing', singleSignOn: null });
    await put('Made by publishing', { singleSignOn: SIGN_ON });
    await publishApplication(server, { organization: 'Made by publishing', collections: [] });
    assert.deepEqual((await get('Made by publishing')).body.singleSignOn, shown('Made%20by%20publishing'));
  });

  it('never show the client secret, and keep it when it is left out', async () => {
    const made = await put('Signed', { name: 'Signed', singleSignOn: SIGN_ON });
    assert.equal(made.status, 200, made.text);
    assert.deepEqual(made.body, { name: 'Signed', singleSignOn: shown('Signed') });
    assert.deepEqual((await get('Signed')).body, made.body);
    const trusted = await put('Signed', { singleSignOn: { ...GIVEN, emailsAreVerified: true } });
    assert.equal(trusted.status, 200, trusted.text);
    assert.ok(!trusted.text.includes(SIGN_ON.clientSecret));
    const stored = async () => {
      const rows = await server.database.sql(
        "select single_sign_on from cartulary.organizations where name = 'Signed'",
      );
      return JSON.parse(String(rows[0]?.[0]));
    };
    assert.deepEqual(await stored(), { ...SIGN_ON, emailsAreVerified: true });
    await put('Signed', { singleSignOn: { ...GIVEN, clientSecret: 'Another' } });
    assert.equal((await stored()).clientSecret, 'Another');
    assert.deepEqual((await put('Signed', { singleSignOn: null })).body, { name: 'Signed', singleSignOn: null });
    assert.equal(await stored(), null);
    const forgotten = await put('Signed', { singleSignOn: GIVEN });
    assert.equal(forgotten.status, 400);
    assert.equal(forgotten.body.params.path, '/singleSignOn/clientSecret');
  });

  it('never give the secret of one provider to another', async () => {
    assert.equal((await put('Moving', { singleSignOn: SIGN_ON })).status, 200);
    for (const more of [{ issuer: 'https://evil.example.com' }, { clientId: 'another' }]) {
      const refused = await put('Moving', { singleSignOn: { ...GIVEN, ...more } });
      assert.deepEqual([refused.status, refused.body.code], [400, 'INVALID_BODY'], refused.text);
      assert.equal(refused.body.params.path, '/singleSignOn/clientSecret');
      const moved = await put('Moving', { singleSignOn: { ...SIGN_ON, ...more } });
      assert.equal(moved.status, 200, moved.text);
      assert.equal((await put('Moving', { singleSignOn: SIGN_ON })).status, 200);
    }
  });

  it('lose no concurrent change', async () => {
    assert.equal((await put('Busy', { singleSignOn: SIGN_ON })).status, 200);
    const holder = new pg.Client(server.database.connection);
    await holder.connect();
    try {
      await holder.query("begin; select from cartulary.organizations where name = 'Busy' for update");
      const waiting = async (count: number) => {
        const asked = `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
        await until('them to wait', async () => (await server.database.sql(asked))[0]?.[0] === count);
      };
      const changed = put('Busy', { singleSignOn: { ...SIGN_ON, clientSecret: 'A-Newer-Secret' } });
      await waiting(1);
      const kept = put('Busy', { singleSignOn: { ...GIVEN, emailsAreVerified: true } });
      await waiting(2);
      await holder.query('commit');
      assert.deepEqual([(await changed).status, (await kept).status], [200, 200]);
    } finally {
      await holder.end();
    }
    const [row] = await server.database.sql(
      `select single_sign_on::json ->> 'clientSecret' from cartulary.organizations where name = 'Busy'`,
    );
    assert.deepEqual(row, ['A-Newer-Secret']);
  });

  it('show the redirect address, and ignore it in a request', async () => {
    const name = 'Säge & Co / 100%*';
    const step = 'S%C3%A4ge%20%26%20Co%20%2F%20100%25%2A';
    assert.deepEqual((await put(name, { singleSignOn: SIGN_ON })).body, { name, singleSignOn: shown(step) });
    const { body } = await get(name);
    assert.deepEqual(body, { name, singleSignOn: shown(step) });
    assert.deepEqual((await put(name, body)).body, body);
    const former = { ...body.singleSignOn, redirectAddress: 'https://former.example/signOn/callback/other' };
    assert.deepEqual((await put(name, { singleSignOn: former })).body, body);
    const rows = await server.database.sql('select single_sign_on from cartulary.organizations where name = $1', [
      name,
    ]);
    assert.deepEqual(JSON.parse(String(rows[0]?.[0])), SIGN_ON);
  });

  it('refuse an invalid body', async () => {
    const bodies: [unknown, string?][] = [
      [{}, '/singleSignOn'],
      [{ singleSignOn: true }],
      [{ singleSignOn: { issuer: SIGN_ON.issuer } }],
      [{ singleSignOn: { ...SIGN_ON, issuer: 'not an address' } }, '/singleSignOn/issuer'],
      [{ singleSignOn: { ...SIGN_ON, colour: 'red' } }],
      [{ singleSignOn: null, extra: 1 }, '/extra'],
      [{ name: 'Other', singleSignOn: null }, '/name'],
      [[]],
      [null],
    ];
    for (const [body, at] of bodies) {
      const reply = await put('Wrong', body);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.code, 'INVALID_BODY');
      if (at !== undefined) assert.equal(reply.body.params.path, at);
    }
    assert.equal((await get('Wrong')).status, 404);
  });

  it('refuse Basic authentication as soon as single sign-on is on', async () => {
    const app = await publishApplication(server, { organization: 'Closing', collections: [] });
    const authorization = `Basic ${Buffer.from(`${app.admin.id}:${PASSWORD}`).toString('base64')}`;
    const basic = () => server.send('GET', `/v1/${app.id}`, { headers: { authorization } });
    assert.equal((await basic()).status, 200);
    await put('Closing', { singleSignOn: SIGN_ON });
    assert.equal((await basic()).status, 401);
    assert.equal((await app.send('GET', '')).status, 200);
    await put('Closing', { singleSignOn: null });
    assert.equal((await basic()).status, 200);
  });

  it('have shared users of exactly this shape', async () => {
    await put('People', { singleSignOn: null });
    const reply = await addUser('People', person('Hanako 花子'));
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.body.id, /^u[0-9a-v]{26}$/);
    assert.deepEqual(reply.body, {
      id: reply.body.id,
      name: 'Hanako 花子',
      email: 'p@example.com',
      disabled: false,
    });
    const taken = await addUser('People', person('Hanako 花子'));
    assert.equal(taken.status, 400);
    assert.deepEqual(taken.body, { code: 'USER_NAME_TAKEN', params: { name: 'Hanako 花子' } });
    await put('Other people', { singleSignOn: null });
    assert.equal((await addUser('Other people', person('Hanako 花子'))).status, 200);
    const at = await Promise.all(Array.from({ length: 8 }, () => addUser('People', person('At once'))));
    assert.equal(at.filter(({ status }) => status === 200).length, 1);
    assert.ok(at.every(({ status, body }) => status === 200 || body.code === 'USER_NAME_TAKEN'));
  });

  it('refuse shared users that break a rule', async () => {
    await put('Strict', { singleSignOn: null });
    const cases: [unknown, string, string?][] = [
      [{ name: 'A', email: 'a@b.c' }, 'MISSING_PROPERTY', 'password'],
      [{ name: 'A', password: PASSWORD }, 'MISSING_PROPERTY', 'email'],
      [{ email: 'a@b.c', password: PASSWORD }, 'MISSING_PROPERTY', 'name'],
      [person('_a'), 'INVALID_PROPERTY', 'name'],
      [person(''), 'INVALID_PROPERTY', 'name'],
      [person('x'.repeat(65)), 'INVALID_PROPERTY', 'name'],
      [person('a\u0000'), 'INVALID_PROPERTY', 'name'],
      [person('A', { email: 'nobody' }), 'INVALID_PROPERTY', 'email'],
      [person('A', { admin: true }), 'UNEXPECTED_PROPERTY', 'admin'],
      [person('A', { password: 'short' }), 'WEAK_PASSWORD'],
    ];
    for (const [body, code, property] of cases) {
      const reply = await addUser('Strict', body);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.code, code, reply.text);
      if (property !== undefined) assert.equal(reply.body.params.property, property);
    }
    assert.equal((await addUser('No such organization', person('A'))).body.code, 'ORGANIZATION_NOT_FOUND');
  });

  it('take no passwords while single sign-on is on', async () => {
    await put('Provider', { singleSignOn: SIGN_ON });
    const refused = await addUser('Provider', person('A'));
    assert.equal(refused.status, 400);
    assert.equal(refused.body.code, 'PASSWORD_NOT_ALLOWED');
    const made = await addUser('Provider', { name: 'A', email: 'a@example.com' });
    assert.equal(made.status, 200, made.text);
    assert.equal(made.body.disabled, false);
  });
});
