// Both schemes as clients send them, and passwords of every kind.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ARGON2 } from '../../src/gate/credentials/password-check.ts';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { basic, send } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

describe('credentials', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [] });
  });
  after(async () => {
    await server.close();
  });

  const status = async (authorization: string) =>
    (await send(server.address, 'GET', `/v1/${app.id}`, { headers: { authorization } })).status;
  const tell = () => server.database.sql(`select pg_notify('cartulary', $1)`, [`application ${app.id}`]);

  it('are a token or a user ID with its password', async () => {
    assert.equal(await status(`Bearer ${app.admin.token}`), 200);
    assert.equal(await status(basic(app.admin.id, app.admin.password)), 200);
  });

  it('of Basic without a user ID are refused with the reason, by the form alone', async () => {
    const form = '^u[a-z0-9]{7}$';
    const reason = `the user name of Basic is a user ID of the form ${form}, not a name or an e-mail address`;
    for (const [name, expected] of [
      ['admin@example.com', { code: 'UNAUTHORIZED', params: { reason } }],
      ['Admin', { code: 'UNAUTHORIZED', params: { reason } }],
      ['', { code: 'UNAUTHORIZED', params: { reason } }],
      ['u0000000', { code: 'UNAUTHORIZED' }],
    ] as const) {
      for (const id of [app.id, `p${'0'.repeat(26)}`]) {
        const headers = { authorization: basic(name, app.admin.password) };
        const reply = await send(server.address, 'GET', `/v1/${id}`, { headers });
        assert.equal(reply.status, 401);
        assert.deepEqual(reply.body, expected, name);
      }
    }
  });

  it('name their scheme in any case, with any number of spaces behind it', async () => {
    const pair = basic(app.admin.id, app.admin.password).slice('Basic '.length);
    for (const scheme of ['bearer', 'BEARER', 'bEaReR'])
      assert.equal(await status(`${scheme} ${app.admin.token}`), 200);
    for (const scheme of ['basic', 'BASIC', 'bAsIc']) assert.equal(await status(`${scheme} ${pair}`), 200);
    assert.equal(await status(`Bearer   ${app.admin.token}  `), 200);
    assert.equal(await status(`Basic   ${pair}`), 200);
    assert.equal(await status(`Basic ${pair.replace(/=+$/, '')}`), 200, 'padding left out');
    assert.equal(await status(`Bearer ${pair}`), 401, 'under the other scheme');
    assert.equal(await status(`Basic ${app.admin.token}`), 401, 'under the other scheme');
  });

  it('compare the secret exactly', async () => {
    const [id = '', secret = ''] = app.admin.token.split('.');
    const flipped = secret.endsWith('A') ? 'B' : 'A';
    for (const token of [
      `${id}.${secret.slice(0, -1)}`,
      `${id}.${secret}A`,
      `${id}.${secret.slice(0, -1)}${flipped}`,
      `${id}.${secret === secret.toUpperCase() ? secret.toLowerCase() : secret.toUpperCase()}`,
      `${id.toUpperCase()}.${secret}`,
      `${id}..${secret}`,
      `${secret}.${id}`,
    ]) {
      assert.equal(await status(`Bearer ${token}`), 401, token.replaceAll(secret, '…'));
    }
  });

  const passwords: Record<string, string> = {
    'a colon': 'Pass:word:1',
    'colons at both ends': ':Passw0rd:',
    'spaces around it': ' Passw0rd ',
    umlauts: 'Pässwörd1ß',
    'another script': 'Пароль１2パスワードaA',
    'an emoji': 'Passw0rd💥👩‍👩‍👧',
    'quotes and backslashes': `Passw0rd"'\\%_`,
  };
  for (const [what, password] of Object.entries(passwords)) {
    it(`take a password with ${what}`, async () => {
      const created = await server.operator('POST', `/applications/${app.id}/users`, {
        name: what,
        email: 'person@example.com',
        password,
        admin: false,
        apiAccess: true,
        managementApiAccess: false,
        profile: { name: 'Standard' },
      });
      assert.equal(created.status, 200, created.text);
      const id: string = created.body.id;
      assert.equal(await status(basic(id, password)), 200);
      const near = password.includes(':') ? (password.split(':')[0] ?? '') : password.slice(0, -1);
      for (const other of [near, password.toLowerCase()]) {
        assert.notEqual(other, password);
        assert.equal(await status(basic(id, other)), 401, JSON.stringify(other));
      }
    });
  }

  it('stop working with the old password as soon as there is a new one', async () => {
    const person = await app.addPerson('Changing');
    const before = basic(person.id, person.password);
    const behind = basic(person.id, 'Another-Passw0rd');
    for (let time = 0; time < 3; time++) assert.equal(await status(before), 200);
    assert.equal(await status(behind), 401);
    await server.database.sql(`update app_${app.id}.users set password_hash = $2 where id = $1`, [
      person.id,
      await ARGON2.hash('Another-Passw0rd'),
    ]);
    await tell();
    await until('the new password to count', async () => (await status(behind)) === 200);
    for (let time = 0; time < 3; time++) assert.equal(await status(before), 401);
    assert.equal(await status(`Bearer ${person.token}`), 200, 'a token is not touched by it');
  });

  it('of one user are of no use to another', async () => {
    const [one, two] = [await app.addPerson('One'), await app.addPerson('Two')];
    const own = await ARGON2.hash('Only-Tw0-has-this');
    await server.database.sql(`update app_${app.id}.users set password_hash = $2 where id = $1`, [two.id, own]);
    await tell();
    await until('the password to count', async () => (await status(basic(two.id, 'Only-Tw0-has-this'))) === 200);
    assert.equal(await status(basic(one.id, 'Only-Tw0-has-this')), 401);
    assert.equal(await status(basic(two.id, one.password)), 401);
    assert.equal(await status(basic(one.id, one.password)), 200);
  });

  it('are no use where a user has no password', async () => {
    const person = await app.addPerson('No password');
    await server.database.sql(`update app_${app.id}.users set password_hash = null where id = $1`, [person.id]);
    await tell();
    await until('the password to be gone', async () => (await status(basic(person.id, person.password))) === 401);
    for (const password of ['', 'null', 'undefined']) assert.equal(await status(basic(person.id, password)), 401);
    assert.equal(await status(`Bearer ${person.token}`), 200);
  });

  it('follow what happens to the user', async () => {
    const person = await app.addPerson('Moving');
    const both = async () => [await status(`Bearer ${person.token}`), await status(basic(person.id, person.password))];
    const change = async (assignment: string) => {
      await server.database.sql(`update app_${app.id}.users set ${assignment} where id = $1`, [person.id]);
      await tell();
    };
    assert.deepEqual(await both(), [200, 200]);
    for (const [assignment, status] of [
      ['disabled = true', 401],
      ['disabled = false', 200],
      ['api_access = false', 403],
      ['api_access = true', 200],
      [`deleted_at = '2026-01-01T00:00:00Z'`, 401],
    ] as const) {
      await change(assignment);
      await until(assignment, async () => (await both()).every((each) => each === status));
    }
  });
});
