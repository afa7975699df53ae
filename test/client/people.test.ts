// People through the client: users, shared users, tokens, devices, notifications, quotas, and the activity log.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '../../client/src/client.ts';
import type { CartularyError } from '../../client/src/errors.ts';
import { all, openScene, type Scene } from './scene.ts';

describe('the people of the client', () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene({ pushNotificationsEnabled: true, limits: { 'records-read': 100_000 } });
  });
  after(() => scene?.close());

  const rights = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };

  it('are created, listed, changed and deleted', async () => {
    const { users } = scene.client.management;
    const password = 'Secret-Passw0rd';
    const made = await users.create({ name: 'Ada', email: 'ada@example.com', password, ...rights });
    assert.equal((await users.get(made.id)).email, 'ada@example.com');
    assert.deepEqual(
      (await all(scene.client.users.list({ search: 'Ada' }))).map(({ name }) => name),
      ['Ada'],
    );
    const changed = await users.update(made.id, { email: 'new@example.com', disabled: true, ...rights });
    assert.equal(changed.disabled, true);
    assert.ok((await all(users.list())).some(({ id }) => id === made.id));
    await users.delete(made.id);
    await assert.rejects(users.get(made.id), (error: CartularyError) => error.is('USER_NOT_FOUND'));
    await assert.rejects(all(scene.client.management.sharedUsers.list()), (error: CartularyError) =>
      error.is('FEATURE_DISABLED'),
    );
  });

  it('of more than one page are all listed', async () => {
    const names = Array.from({ length: 101 }, (_, index) => `many ${String(index).padStart(3, '0')}`);
    const person = { email: 'many@example.com', password: 'Secret-Passw0rd', ...rights };
    for (const name of names) await scene.client.management.users.create({ name, ...person });
    assert.deepEqual(
      (await all(scene.client.users.list({ search: 'many' }))).map(({ name }) => name),
      names,
    );
  });

  it('have tokens, devices and notifications', async () => {
    const { users } = scene.client;
    const person = await scene.app.addPerson('Ben');
    const created = await users.tokens.create(person.id, { name: 'of Ben', expiresAt: new Date(4e12) });
    assert.equal(created.expiresAt, new Date(4e12).toISOString());
    assert.ok((await users.tokens.list(person.id)).some(({ id }) => id === created.id));
    await users.tokens.revoke(person.id, created.id);
    assert.deepEqual(await users.devices.list(person.id), []);
    assert.match(await users.devices.pushKey(), /^[\w-]+$/);
    await users.notify(person.id, { body: 'Hello' });
    await assert.rejects(users.notify(person.id, { body: '' }), (error: CartularyError) =>
      error.is('INVALID_NOTIFICATION'),
    );
  });

  it('leave entries in the activity log, which come as they arrive', async () => {
    const person = await scene.app.addPerson('Cy');
    const client = createClient({ url: scene.server.address, application: scene.app.id, token: person.token });
    const { $id } = await client.collection('Sites').create({ Name: 'logged' });
    const day = 24 * 60 * 60 * 1000;
    const period = { from: new Date(Date.now() - 200 * day), to: new Date(Date.now() + day) };
    const entries = await all(scene.client.management.activityLog(period));
    const own = entries.filter(({ user }) => user.id === person.id);
    assert.deepEqual(
      own.map(({ type, subType, extra }) => [type, subType, extra.recordId]),
      [['record', 'create', $id]],
    );
    assert.ok(own[0]?.date instanceof Date);
    for await (const entry of scene.client.management.activityLog(period)) {
      assert.ok(entry.date <= period.to);
      break;
    }
  });

  it('learn what is left of a quota', async () => {
    await scene.client.definition({ refresh: true });
    const quota = scene.client.quotas().find(({ group }) => group === 'records-read');
    assert.equal(quota?.limit, 100_000);
    assert.ok(quota.remaining < 100_000 && quota.resetsAt > new Date());
  });
});
