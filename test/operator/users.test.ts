// Users created by the operator: every rule of the body in every mode, and the exact shape of the reply.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

const PASSWORD = 'Secret-Passw0rd';

describe('creating users', () => {
  let server: TestServer;
  let plain: string;
  let teams: string;
  let sharing: string;
  let both: string;

  before(async () => {
    server = await startTestServer();
    const publish = async (document: object) => {
      const reply = await server.operator('POST', '/applications', {
        organization: 'Acme',
        profiles: ['Standard', 'Visitor'],
        collections: [],
        ...document,
      });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.application.id as string;
    };
    plain = await publish({ name: 'Plain' });
    teams = await publish({ name: 'Teams', teamsModeEnabled: true, teams: ['Tokyo', 'Osaka'] });
    sharing = await publish({ name: 'Shared', sharedUsersModeEnabled: true });
    both = await publish({
      name: 'Both',
      sharedUsersModeEnabled: true,
      teamsModeEnabled: true,
      teams: ['Tokyo', 'Osaka'],
    });
    for (const name of ['Hanako', 'Taro']) {
      const reply = await server.operator('POST', '/organizations/Acme/sharedUsers', {
        name,
        email: `${name.toLowerCase()}@example.com`,
        password: PASSWORD,
      });
      assert.equal(reply.status, 200, reply.text);
    }
  });
  after(async () => {
    await server.close();
  });

  const create = (applicationId: string, body: unknown): Promise<Reply> =>
    server.operator('POST', `/applications/${applicationId}/users`, body);

  const FLAGS = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
  let names = 0;
  const plainBody = (more: object = {}) => ({
    name: `Person ${++names}`,
    email: 'person@example.com',
    password: PASSWORD,
    ...FLAGS,
    ...more,
  });
  const without = (body: object, property: string) =>
    Object.fromEntries(Object.entries(body).filter(([name]) => name !== property));

  async function refused(applicationId: string, body: unknown, code: string, property?: string): Promise<void> {
    const reply = await create(applicationId, body);
    assert.equal(reply.status, 400, `${JSON.stringify(body)} → ${reply.text}`);
    assert.equal(reply.body.code, code, reply.text);
    if (property !== undefined) assert.equal(reply.body.params.property, property, reply.text);
    assert.ok(!reply.text.includes(PASSWORD));
  }

  it('replies with exactly the user, without team members if there are no teams', async () => {
    const reply = await create(plain, plainBody({ name: 'Exact', admin: true, managementApiAccess: true }));
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.body.id, /^u[a-z0-9]{7}$/);
    assert.deepEqual(reply.body, {
      id: reply.body.id,
      name: 'Exact',
      email: 'person@example.com',
      admin: true,
      apiAccess: true,
      managementApiAccess: true,
      organizationManagementApiAccess: false,
      profile: { name: 'Standard' },
      disabled: false,
    });
  });

  it('sets the password and every flag', async () => {
    const flags = { admin: true, managementApiAccess: true, organizationManagementApiAccess: true };
    const { body } = await create(plain, plainBody({ ...flags, profile: { name: 'Visitor' } }));
    assert.equal(body.organizationManagementApiAccess, true);
    assert.deepEqual(body.profile, { name: 'Visitor' });
    const basic = (password: string) => `Basic ${Buffer.from(`${body.id}:${password}`).toString('base64')}`;
    const get = (password: string) =>
      server.send('GET', `/v1/${plain}`, { headers: { authorization: basic(password) } });
    assert.equal((await get(PASSWORD)).status, 200);
    assert.equal((await get('Other-Passw0rd')).status, 401);
    const rows = await server.database.sql(`select password_hash from app_${plain}.users where id = $1`, [body.id]);
    assert.match(String(rows[0]?.[0]), /^\$argon2id\$/);
  });

  it('replies with team and teamLeader in team mode', async () => {
    const body = plainBody({ team: { name: 'Osaka' }, teamLeader: true });
    const reply = await create(teams, body);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body, {
      ...without(body, 'password'),
      id: reply.body.id,
      organizationManagementApiAccess: false,
      disabled: false,
    });
  });

  it('activates a shared user by name, once', async () => {
    const reply = await create(sharing, { name: 'Hanako', ...FLAGS });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body, {
      id: reply.body.id,
      name: 'Hanako',
      email: 'hanako@example.com',
      ...FLAGS,
      organizationManagementApiAccess: false,
      disabled: false,
    });
    await refused(sharing, { name: 'Hanako', ...FLAGS }, 'ALREADY_ACTIVE');
    await refused(sharing, { name: 'Nobody', ...FLAGS }, 'UNKNOWN_SHARED_USER');
    await refused(sharing, { name: 'hanako', ...FLAGS }, 'UNKNOWN_SHARED_USER');
  });

  it('accepts team members and no password if both modes are on', async () => {
    const team = { team: { name: 'Tokyo' }, teamLeader: false };
    const reply = await create(both, { name: 'Hanako', ...FLAGS, ...team });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.team, { name: 'Tokyo' });
    assert.equal(reply.body.teamLeader, false);
    assert.equal(reply.body.email, 'hanako@example.com');
    await refused(both, { name: 'Taro', ...FLAGS }, 'MISSING_PROPERTY', 'team');
    await refused(both, { name: 'Taro', ...FLAGS, ...team, password: PASSWORD }, 'UNEXPECTED_PROPERTY', 'password');
  });

  it('requires every property that the mode needs', async () => {
    const team = { team: { name: 'Tokyo' }, teamLeader: true };
    for (const property of ['name', 'admin', 'apiAccess', 'managementApiAccess', 'profile']) {
      await refused(plain, without(plainBody(), property), 'MISSING_PROPERTY', property);
      await refused(sharing, without({ name: 'Taro', ...FLAGS }, property), 'MISSING_PROPERTY', property);
    }
    for (const property of ['email', 'password']) {
      await refused(plain, without(plainBody(), property), 'MISSING_PROPERTY', property);
      await refused(teams, without(plainBody(team), property), 'MISSING_PROPERTY', property);
    }
    for (const property of ['team', 'teamLeader']) {
      await refused(teams, without(plainBody(team), property), 'MISSING_PROPERTY', property);
    }
  });

  it('refuses every property that the mode does not have', async () => {
    await refused(plain, plainBody({ team: { name: 'Tokyo' } }), 'UNEXPECTED_PROPERTY', 'team');
    await refused(plain, plainBody({ teamLeader: false }), 'UNEXPECTED_PROPERTY', 'teamLeader');
    await refused(sharing, { name: 'Taro', ...FLAGS, email: 'taro@example.com' }, 'UNEXPECTED_PROPERTY', 'email');
    await refused(sharing, { name: 'Taro', ...FLAGS, password: PASSWORD }, 'UNEXPECTED_PROPERTY', 'password');
    await refused(plain, plainBody({ disabled: false }), 'UNEXPECTED_PROPERTY', 'disabled');
    await refused(plain, plainBody({ id: 'u1234567' }), 'UNEXPECTED_PROPERTY', 'id');
    await refused(plain, plainBody({ profile: { name: 'Standard', id: 1 } }), 'UNEXPECTED_PROPERTY', 'profile.id');
  });

  it('refuses properties of the wrong type', async () => {
    await refused(plain, plainBody({ name: 1 }), 'INVALID_PROPERTY', 'name');
    await refused(plain, plainBody({ admin: 'true' }), 'INVALID_PROPERTY', 'admin');
    await refused(plain, plainBody({ apiAccess: null }), 'INVALID_PROPERTY', 'apiAccess');
    await refused(plain, plainBody({ profile: 'Standard' }), 'INVALID_PROPERTY', 'profile');
    await refused(plain, plainBody({ profile: {} }), 'MISSING_PROPERTY', 'profile.name');
    await refused(plain, plainBody({ password: null }), 'INVALID_PROPERTY', 'password');
    for (const email of ['', 'nobody', '@', 'a b@c', 'a@b\n', `${'a'.repeat(250)}@b.cd`, 'a\u0000@b']) {
      await refused(plain, plainBody({ email }), 'INVALID_PROPERTY', 'email');
    }
    for (const body of [null, [], [plainBody()], 'text']) await refused(plain, body, 'INVALID_BODY');
  });

  it('enforces the dependencies between flags', async () => {
    const both = { apiAccess: false, managementApiAccess: true };
    await refused(plain, plainBody(both), 'INVALID_PROPERTY', 'managementApiAccess');
    const organization = { organizationManagementApiAccess: true };
    await refused(plain, plainBody(organization), 'INVALID_PROPERTY', 'organizationManagementApiAccess');
    const none = plainBody({ apiAccess: false, organizationManagementApiAccess: false });
    assert.equal((await create(plain, none)).status, 200);
  });

  it('accepts names of 1 to 64 code points, with exceptions', async () => {
    const good = ['x', '名'.repeat(64), '🦉'.repeat(64), 'a_b', ' ', 'O’Neill <o@x>', '\u00a0'];
    for (const name of good) {
      const reply = await create(plain, plainBody({ name }));
      assert.equal(reply.status, 200, reply.text);
      assert.equal(reply.body.name, name);
    }
    const bad = ['', 'x'.repeat(65), '🦉'.repeat(65), '_', '_x', 'a\u0000b', 'a\nb', 'a\tb', '\u007f', 'a\ud800'];
    for (const name of bad) await refused(plain, plainBody({ name }), 'INVALID_PROPERTY', 'name');
  });

  it('refuses weak passwords', async () => {
    for (const password of [
      '',
      'Short1a',
      'alllowercase1',
      'ALLUPPERCASE1',
      'NoDigitsHere',
      `Aa1${'x'.repeat(1000)}`,
    ]) {
      const reply = await create(plain, plainBody({ password }));
      assert.equal(reply.status, 400);
      assert.equal(reply.body.code, 'WEAK_PASSWORD', reply.text);
      assert.equal(reply.body.params.property, 'password');
    }
    assert.equal((await create(plain, plainBody({ password: 'Passw0rd' }))).status, 200);
  });

  it('knows profiles and teams by their exact names', async () => {
    await refused(plain, plainBody({ profile: { name: 'standard' } }), 'UNKNOWN_PROFILE');
    const member = (name: string) => plainBody({ team: { name }, teamLeader: false });
    await refused(teams, member('tokyo'), 'UNKNOWN_TEAM');
    await refused(teams, member(''), 'UNKNOWN_TEAM');
  });

  it('refuses a name that is taken, compared exactly', async () => {
    assert.equal((await create(plain, plainBody({ name: 'Taken' }))).status, 200);
    const reply = await create(plain, plainBody({ name: 'Taken' }));
    assert.equal(reply.status, 400);
    assert.deepEqual(reply.body, { code: 'USER_NAME_TAKEN', params: { name: 'Taken' } });
    assert.equal((await create(plain, plainBody({ name: 'taken' }))).status, 200);
    assert.equal(
      (await create(teams, plainBody({ name: 'Taken', team: { name: 'Tokyo' }, teamLeader: false }))).status,
      200,
    );
  });

  it('creates one of several concurrent users with the same name', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => create(plain, plainBody({ name: 'Wanted' }))));
    assert.equal(replies.filter((reply) => reply.status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.code, 'USER_NAME_TAKEN');
    }
    const active = await Promise.all(Array.from({ length: 8 }, () => create(sharing, { name: 'Taro', ...FLAGS })));
    assert.equal(active.filter((reply) => reply.status === 200).length, 1);
    for (const reply of active.filter(({ status }) => status !== 200)) assert.equal(reply.body.code, 'ALREADY_ACTIVE');
  });

  it('needs an existing application and a well-formed identifier', async () => {
    const missing = await create(`p${'0'.repeat(26)}`, plainBody());
    assert.equal(missing.status, 404);
    assert.equal(missing.body.code, 'APPLICATION_NOT_FOUND');
    const malformed = await create('nonsense', plainBody());
    assert.equal(malformed.status, 400);
    assert.equal(malformed.body.code, 'INVALID_APPLICATION_ID');
    const large = await create(plain, plainBody({ email: 'x'.repeat(102_400) }));
    assert.equal(large.body.code, 'INVALID_BODY');
    assert.equal(large.body.params.maxBytes, 102_400);
  });
});
