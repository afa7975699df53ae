// The management of users beyond their bodies: who may do what to whom, what ends at once, and what stays of the deleted.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { string } from '../support/application.ts';
import {
  addSharedUser,
  assertRefused,
  basic,
  EVERY_RIGHT,
  type Member,
  openPlace,
  openScene,
  PASSWORD,
  type Place,
  RIGHTS,
  type Scene,
} from './scene.ts';

const ORGANIZATION = 'ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED';
const PLAIN = { sharedUsersModeEnabled: false, teamsModeEnabled: false };
const SHARING = { sharedUsersModeEnabled: true, teamsModeEnabled: false };
const MANAGER = { ...EVERY_RIGHT, organizationManagementApiAccess: false };
const COLLECTIONS = [
  {
    name: 'Things',
    columns: [
      { name: 'Title', type: 'String' },
      { name: 'Owner', type: 'User' },
    ],
  },
];

let server: Scene;
let place: Place;
let manager: Member;
before(async () => {
  server = await openScene();
  place = await openPlace(server, PLAIN, { collections: COLLECTIONS });
  manager = await place.add('Manager', MANAGER);
});
after(() => server.close());

const pathOf = (userId: string) => `/management/users/${userId}`;
const put = (userId: string, more: object, token = place.admin.token) =>
  place.send('PUT', pathOf(userId), { json: place.userUpdate(more), token });
const knows = async (authorization: string) =>
  (await server.send('GET', `/v1/${place.id}`, { headers: { authorization } })).status;
const epochOf = async (userId: string) =>
  (await server.sql(`select session_epoch from app_${place.id}.users where id = $1`, [userId]))[0]![0];

describe('updating a user', () => {
  it('leaves alone what is left out', async () => {
    const person = await place.add('Left alone', { ...EVERY_RIGHT, admin: false });
    const same = { apiAccess: true, managementApiAccess: true };
    const reply = await put(person.id, same);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.organizationManagementApiAccess, true);
    assert.equal(await knows(basic(person.id, PASSWORD)), 200);
    assert.equal(await epochOf(person.id), 0);
    const dropped = await put(person.id, { ...same, managementApiAccess: false });
    assertRefused(dropped, 400, 'INVALID_PROPERTY', 'organizationManagementApiAccess');
    const taken = await put(person.id, { managementApiAccess: false, organizationManagementApiAccess: false });
    assert.equal(taken.status, 200, taken.text);
  });

  it('changes the password, and ends the sessions of the old one', async () => {
    const person = await place.add('Changing');
    assert.equal(await knows(basic(person.id, PASSWORD)), 200);
    const reply = await put(person.id, { password: 'Another-Passw0rd' });
    assert.equal(reply.status, 200, reply.text);
    assert.ok(!('password' in reply.body));
    assert.equal(await knows(basic(person.id, PASSWORD)), 401);
    assert.equal(await knows(basic(person.id, 'Another-Passw0rd')), 200);
    assert.equal(await knows(`Bearer ${person.token}`), 200);
    assert.equal(await epochOf(person.id), 1);
  });

  it('disables and enables, and ends sessions by the first alone', async () => {
    const person = await place.add('Disabling');
    assert.equal((await put(person.id, { disabled: true })).body.disabled, true);
    assert.deepEqual([await knows(basic(person.id, PASSWORD)), await knows(`Bearer ${person.token}`)], [401, 401]);
    assert.equal(await epochOf(person.id), 1);
    assert.equal((await put(person.id, { disabled: true })).status, 200);
    assert.equal(await epochOf(person.id), 1);
    assert.equal((await put(person.id, { disabled: false })).status, 200);
    assert.deepEqual([await knows(basic(person.id, PASSWORD)), await knows(`Bearer ${person.token}`)], [200, 200]);
    assert.equal(await epochOf(person.id), 1);
  });

  it('gives and takes rights at once', async () => {
    const person = await place.add('Rising');
    const list = () => place.send('GET', '/management/users?limit=1', { token: person.token });
    assertRefused(await list(), 403, 'MANAGEMENT_API_ACCESS_REQUIRED');
    assert.equal((await put(person.id, { managementApiAccess: true })).status, 200);
    assert.equal((await list()).status, 200);
    assert.equal((await put(person.id, { apiAccess: false })).status, 200);
    assertRefused(await list(), 403, 'MANAGEMENT_API_ACCESS_REQUIRED');
    assertRefused(await place.send('GET', '/users', { token: person.token }), 403, 'API_ACCESS_REQUIRED');
  });

  it('answers 404 for who is not there', async () => {
    assertRefused(await put('u0000000', {}), 404, 'USER_NOT_FOUND');
    assertRefused(await place.send('GET', pathOf('u0000000')), 404, 'USER_NOT_FOUND');
    assertRefused(await place.send('DELETE', pathOf('u0000000')), 404, 'USER_NOT_FOUND');
  });

  it('survives being done by many at once, each told once', async () => {
    const person = await place.add('Wanted by many');
    const { entries } = await place.stored();
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) => put(person.id, { email: `mail${index}@example.com` })),
    );
    for (const reply of replies) assert.equal(reply.status, 200, reply.text);
    assert.equal((await place.stored()).entries, entries + 12);
  });
});

describe('organization access', () => {
  it('is given only by who has it, also where it is there already', async () => {
    const json = place.newUser('Never', EVERY_RIGHT);
    const other = await place.add('Has it', EVERY_RIGHT);
    const stored = await place.stored();
    assertRefused(await place.send('POST', '/management/users', { json, token: manager.token }), 403, ORGANIZATION);
    assertRefused(await put(manager.id, EVERY_RIGHT, manager.token), 403, ORGANIZATION);
    assertRefused(await put(other.id, EVERY_RIGHT, manager.token), 403, ORGANIZATION);
    assert.deepEqual(await place.stored(), stored);
    const unknown = { ...EVERY_RIGHT, profile: { name: 'Nowhere' } };
    assertRefused(await put(other.id, unknown, manager.token), 400, 'UNKNOWN_PROFILE');
  });

  it('protects its owner from being taken over, disabled or deleted by who has none', async () => {
    const owner = await place.add('Owner', EVERY_RIGHT);
    const same = { admin: true, managementApiAccess: true };
    const stored = await place.stored();
    assertRefused(await put(owner.id, { ...same, email: 'mine@example.com' }, manager.token), 403, ORGANIZATION);
    assertRefused(await put(owner.id, { ...same, password: 'Mine-Passw0rd' }, manager.token), 403, ORGANIZATION);
    assertRefused(await put(owner.id, { ...same, disabled: true }, manager.token), 403, ORGANIZATION);
    assertRefused(await put(owner.id, { ...same, admin: false }, manager.token), 403, ORGANIZATION);
    const reply = await place.send('DELETE', pathOf(owner.id), { token: manager.token });
    assertRefused(reply, 403, ORGANIZATION);
    assert.deepEqual(await place.stored(), stored);
    assert.equal((await put(owner.id, { ...same, profile: { name: 'Visitor' } }, manager.token)).status, 200);
    const stripped = { ...same, organizationManagementApiAccess: false };
    assertRefused(await put(owner.id, stripped, manager.token), 403, ORGANIZATION);
    assert.equal((await put(owner.id, { ...same, disabled: true })).status, 200);
    assertRefused(await put(owner.id, same, manager.token), 403, ORGANIZATION);
    assert.equal((await put(owner.id, stripped)).status, 200);
    assert.equal((await put(owner.id, { ...same, email: 'mine@example.com' }, manager.token)).status, 200);
  });
});

describe('deleting a user', () => {
  it('ends everything of it at once, frees the name, and leaves what it made', async () => {
    const person = await place.add('Leaving');
    const { columns, id } = (await place.send('GET', '')).body.collections[0];
    const [title, owner] = columns as { id: string }[];
    const records = `/collections/${id}/records`;
    const values = { [title!.id]: string('Kept'), [owner!.id]: { type: 'User', id: person.id } };
    const record = await place.send('POST', records, { json: { values }, token: person.token });
    assert.equal(record.status, 200, record.text);
    for (const statement of [
      `insert into app_${place.id}.devices (id, user_id, epoch, transport, address, address_hash, name, created_at)
       values ('d1', $1, '0', 'webPush', 'x', '\\x01', 'Phone', now())`,
      `insert into app_${place.id}.sessions (id, user_id, method, epoch, secret_hash, confirmed, created_at, rotated_at,
         expires_at, ip, agent) values ('s1', $1, 'password', '0', '\\x01', true, now(), now(), now(), '', '')`,
    ]) {
      await server.sql(statement, [person.id]);
    }
    const notification = '00000000-0000-7000-8000-000000000001';
    await server.sql(
      `insert into app_${place.id}.notifications (id, user_id, created_by, message, created_at)
       values ($1, $2, $2, '{}', now())`,
      [notification, person.id],
    );
    await server.sql(
      `insert into app_${place.id}.deliveries (notification_id, device_id, state, attempts, due_at)
       values ($1, 'd1', 'waiting', 0, now()), ($1, 'd0', 'delivered', 1, now())`,
      [notification],
    );
    assert.equal(await knows(`Bearer ${person.token}`), 200);
    const { entries } = await place.stored();
    const reply = await place.send('DELETE', pathOf(person.id));
    assert.equal(reply.status, 204, reply.text);
    assert.equal(reply.text, '');
    assert.deepEqual([await knows(`Bearer ${person.token}`), await knows(basic(person.id, PASSWORD))], [401, 401]);
    assert.equal((await place.stored()).entries, entries + 1);
    const last = (await place.log()).at(-1)!;
    assert.deepEqual([last.type, last.subType, last.extra], ['user', 'delete', { userId: person.id }]);
    const left = await server.sql(
      `select (select count(*)::int from app_${place.id}.devices), (select count(*)::int from app_${place.id}.sessions),
         (select string_agg(device_id, ' ') from app_${place.id}.deliveries)`,
    );
    assert.deepEqual(left, [[0, 0, 'd0']]);
    const kept = (await place.send('GET', `${records}/${record.body.id}`)).body;
    assert.deepEqual(kept.createdBy, { id: person.id, name: 'Leaving' });
    assert.deepEqual(kept.values[owner!.id], { type: 'User', id: person.id, name: 'Leaving' });
    const made = (await place.log()).find(
      ({ type, user }) => type === 'record' && 'id' in user && user.id === person.id,
    );
    assert.deepEqual(made?.user, { id: person.id, name: 'Leaving' });
    assertRefused(await place.send('DELETE', pathOf(person.id)), 404, 'USER_NOT_FOUND');
    assertRefused(await put(person.id, {}), 404, 'USER_NOT_FOUND');
    const again = await place.send('POST', '/management/users', { json: place.newUser('Leaving') });
    assert.equal(again.status, 200, again.text);
    assert.notEqual(again.body.id, person.id);
  });

  it('is done once when many want it', async () => {
    const person = await place.add('Wanted gone');
    const { entries } = await place.stored();
    const replies = await Promise.all(Array.from({ length: 8 }, () => place.send('DELETE', pathOf(person.id))));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [204, ...Array.from({ length: 7 }, () => 404)]);
    assert.equal((await place.stored()).entries, entries + 1);
  });
});

describe('names', () => {
  it('are taken by one, also when many want one, and told once', async () => {
    const { entries } = await place.stored();
    const json = place.newUser('Contested');
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => place.send('POST', '/management/users', { json })),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      assert.deepEqual(reply.body, { code: 'USER_NAME_TAKEN', params: { name: 'Contested' } });
    }
    assert.equal((await place.stored()).entries, entries + 1);
  });
});

describe('shared-users mode', () => {
  it('activates by name, and neither deletes nor knows passwords', async () => {
    const sharing = await openPlace(server, SHARING);
    const email = 'hanako@example.com';
    const sharedUserId = await addSharedUser(server, 'Acme', { name: 'Hanako', email, password: PASSWORD });
    await server.sql('update cartulary.shared_users set disabled = true where id = $1', [sharedUserId]);
    const json = { name: 'Hanako', ...RIGHTS };
    const reply = await sharing.send('POST', '/management/users', { json });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual([reply.body.email, reply.body.disabled], [email, false], 'also one that is disabled there');
    assertRefused(await sharing.send('POST', '/management/users', { json }), 400, 'ALREADY_ACTIVE');
    const unknown = { ...json, name: 'hanako' };
    assertRefused(await sharing.send('POST', '/management/users', { json: unknown }), 400, 'UNKNOWN_SHARED_USER');
    const path = `/management/users/${reply.body.id}`;
    const stored = await sharing.stored();
    for (const target of [path, '/management/users/u0000000', `/management/users/${sharing.admin.id}`]) {
      assertRefused(await sharing.send('DELETE', target), 405, 'NOT_IN_SHARED_USERS_MODE');
    }
    const mortal = await sharing.add('Mortal');
    const forbidden = await sharing.send('DELETE', path, { token: mortal.token });
    assertRefused(forbidden, 403, 'MANAGEMENT_API_ACCESS_REQUIRED');
    assert.equal((await sharing.stored()).users.includes(sharedUserId), stored.users.includes(sharedUserId));
    const disabled = await sharing.send('PUT', path, { json: sharing.userUpdate({ disabled: true }) });
    assert.deepEqual([disabled.body.disabled, disabled.body.email], [true, email]);
  });

  it('keeps the shared user operations closed while it is off, behind the permission', async () => {
    const one = `/management/sharedUsers/u${'0'.repeat(26)}`;
    const requests = [
      ['GET', '/management/sharedUsers', undefined],
      ['GET', one, undefined],
      ['POST', '/management/sharedUsers', { nonsense: true }],
      ['PUT', one, { nonsense: true }],
      ['DELETE', one, undefined],
    ] as const;
    for (const [method, path, json] of requests) {
      const reply = await place.send(method, path, { json });
      assert.deepEqual(
        [reply.status, reply.body],
        [403, { code: 'FEATURE_DISABLED', params: { feature: 'sharedUsers' } }],
      );
      assertRefused(await place.send(method, path, { json, token: manager.token }), 403, ORGANIZATION);
    }
  });
});
