// Devices: what is taken for one, whose it is, and which addresses the server would never call.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { PushServices } from '../../src/push/push-services.ts';
import { readConfig } from '../../src/settings/settings.ts';
import type { Person, TestApplication } from '../support/application.ts';
import { createDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type PushService, startPushService } from './push-service.ts';
import { notify, publishWithPush, registerBrowser } from './scene.ts';

const FCM_TOKEN = `${'a'.repeat(22)}:APA91b${'B-_9'.repeat(33)}`;

describe('devices', () => {
  let server: TestServer;
  let service: PushService;
  let app: TestApplication;
  let person: Person;
  const register = (who: Person, json: object) =>
    app.send('POST', `/users/${who.id}/devices`, { token: who.token, json });
  const devicesOf = async (who: Person) =>
    (await app.send('GET', `/users/${who.id}/devices`, { token: who.token })).body;

  before(async () => {
    service = await startPushService();
    server = await startTestServer({ push: { services: [service.origin] } });
    app = await publishWithPush(server);
    // Who has no access to the interface has devices, too.
    person = await app.addPerson('Person', { apiAccess: false });
  });
  after(async () => {
    await server.close();
    await service.close();
  });

  it('are listed and removed by their user and by admins only', async () => {
    const { id } = await registerBrowser(app, person, service);
    const [view] = await devicesOf(person);
    assert.deepEqual(Object.keys(view), ['id', 'transport', 'name', 'createdAt']);
    assert.deepEqual([view.id, view.transport, view.name], [id, 'webPush', '']);
    assert.ok(!Number.isNaN(Date.parse(view.createdAt)));
    const stranger = await app.addPerson('Stranger');
    const path = `/users/${person.id}/devices`;
    for (const [method, where] of [
      ['GET', path],
      ['DELETE', `${path}/${id}`],
    ] as const) {
      assert.equal((await app.send(method, where, { token: stranger.token })).body.code, 'FORBIDDEN', method);
    }
    const subscription = service.browser().subscription;
    const forAnother = await app.send('POST', path, { json: { transport: 'webPush', subscription } });
    assert.deepEqual([forAnother.status, forAnother.body.code], [403, 'FORBIDDEN'], 'an admin registers its own only');
    assert.deepEqual((await app.send('GET', path)).body, [view]);
    assert.equal((await app.send('GET', '/users/u0000000/devices')).body.code, 'USER_NOT_FOUND');
    assert.equal((await app.send('DELETE', `/users/${stranger.id}/devices/${id}`)).body.code, 'DEVICE_NOT_FOUND');
    assert.equal((await app.send('DELETE', `${path}/${id}`)).status, 204);
    const again = await app.send('DELETE', `${path}/${id}`, { token: person.token });
    assert.deepEqual([again.status, again.body], [404, { code: 'DEVICE_NOT_FOUND', params: { deviceId: id } }]);
    assert.deepEqual(await devicesOf(person), []);
  });

  it('belong to the user who registered their address last, who gets no messages of the former one', async () => {
    const [first, second] = [await app.addPerson('First'), await app.addPerson('Second')];
    const browser = service.browser();
    const device = { transport: 'webPush', subscription: browser.subscription, name: 'Desk' };
    const { body: one } = await register(first, device);
    const { body: same } = await register(first, { ...device, name: 'Kitchen' });
    assert.deepEqual(same, { ...one, name: 'Kitchen' });
    service.react = () => ({ status: 503 });
    await notify(app, first, { body: 'for the first alone' });
    await until('tried', () => service.requests > 0);
    const { body: moved } = await register(second, device);
    assert.notEqual(moved.id, one.id);
    assert.deepEqual(await devicesOf(first), []);
    assert.equal((await devicesOf(second)).length, 1);
    service.react = () => ({ status: 201 });
    await notify(app, second, { body: 'for the second' });
    await until('settled', async () => {
      const waiting = await server.database.sql(`select 1 from app_${app.id}.deliveries where state = 'waiting'`);
      return waiting.length === 0;
    });
    assert.deepEqual(
      browser.arrivals.map(({ message }) => message.body),
      ['for the second'],
    );
  });

  it('are at most twenty, of which the oldest goes', async () => {
    const collector = await app.addPerson('Collector');
    const ids: string[] = [];
    for (let index = 0; index < 21; index++) ids.push((await registerBrowser(app, collector, service)).id);
    assert.deepEqual((await devicesOf(collector)).map(({ id }: { id: string }) => id).sort(), ids.slice(1).sort());
  });

  it('have exactly what their transport needs', async () => {
    const { subscription } = service.browser();
    const { keys } = subscription;
    const withKeys = (changed: object) => ({
      transport: 'webPush',
      subscription: { ...subscription, keys: { ...keys, ...changed } },
    });
    const offCurve = Buffer.from(keys.p256dh, 'base64url');
    offCurve[64] = offCurve[64]! ^ 1;
    const p256dh = 'subscription.keys.p256dh';
    const table: [object, string, string][] = [
      [{}, 'MISSING_PROPERTY', 'transport'],
      [{ transport: 'pigeon' }, 'INVALID_PROPERTY', 'transport'],
      [{ transport: '__proto__' }, 'INVALID_PROPERTY', 'transport'],
      [{ transport: 'webPush' }, 'MISSING_PROPERTY', 'subscription'],
      [{ transport: 'webPush', token: 'a' }, 'MISSING_PROPERTY', 'subscription'],
      [{ transport: 'webPush', subscription, other: 1 }, 'UNEXPECTED_PROPERTY', 'other'],
      [{ transport: 'webPush', subscription: 1 }, 'INVALID_PROPERTY', 'subscription'],
      [{ transport: 'webPush', subscription: { keys } }, 'MISSING_PROPERTY', 'subscription.endpoint'],
      [{ transport: 'webPush', subscription, name: 'a'.repeat(101) }, 'INVALID_PROPERTY', 'name'],
      [{ transport: 'webPush', subscription, name: 'a\n' }, 'INVALID_PROPERTY', 'name'],
      [withKeys({ p256dh: '' }), 'INVALID_PROPERTY', p256dh],
      [withKeys({ p256dh: keys.auth }), 'INVALID_PROPERTY', p256dh],
      [withKeys({ p256dh: offCurve.toString('base64url') }), 'INVALID_PROPERTY', p256dh],
      [withKeys({ p256dh: `${keys.p256dh} ` }), 'INVALID_PROPERTY', p256dh],
      [withKeys({ p256dh: Buffer.alloc(65).toString('base64url') }), 'INVALID_PROPERTY', p256dh],
      [withKeys({ auth: randomBytes(15).toString('base64url') }), 'INVALID_PROPERTY', 'subscription.keys.auth'],
      [withKeys({ auth: randomBytes(17).toString('base64url') }), 'INVALID_PROPERTY', 'subscription.keys.auth'],
      [withKeys({ more: 'a' }), 'UNEXPECTED_PROPERTY', 'subscription.keys.more'],
      [{ transport: 'fcm' }, 'MISSING_PROPERTY', 'token'],
      [{ transport: 'fcm', token: 'short' }, 'INVALID_PROPERTY', 'token'],
      [{ transport: 'fcm', token: 'a/../../b'.repeat(10) }, 'INVALID_PROPERTY', 'token'],
      [{ transport: 'fcm', token: 'a'.repeat(1_025) }, 'INVALID_PROPERTY', 'token'],
      [{ transport: 'apns', token: 'z'.repeat(64) }, 'INVALID_PROPERTY', 'token'],
      [{ transport: 'apns', token: 'ab'.repeat(101) }, 'INVALID_PROPERTY', 'token'],
      [{ transport: 'apns', token: '../'.repeat(22) }, 'INVALID_PROPERTY', 'token'],
    ];
    for (const [json, code, property] of table) {
      const reply = await register(person, json);
      assert.deepEqual([reply.status, reply.body.code, reply.body.params.property], [400, code, property], reply.text);
    }
    for (const json of [[], 'a', null])
      assert.equal((await register(person, json as object)).body.code, 'INVALID_BODY');
  });

  it('of transports that are not set up are refused', async () => {
    for (const json of [
      { transport: 'fcm', token: FCM_TOKEN },
      { transport: 'apns', token: 'ab'.repeat(32) },
    ]) {
      const reply = await register(person, json);
      assert.deepEqual(reply.body, { code: 'FEATURE_DISABLED', params: { feature: 'pushNotifications' } });
    }
  });

  it('are never called at services that the server does not trust', async () => {
    const { subscription } = service.browser();
    const { port } = new URL(service.origin);
    const endpoints = [
      'https://169.254.169.254/latest/meta-data',
      'http://localhost/',
      'https://localhost/',
      `https://127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}@example.com/`,
      `http://user@127.0.0.1:${port}/a`,
      `http://127.0.0.1:${Number(port) + 1}/`,
      `http://[::1]:${port}/`,
      `http:\\\\127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}/ a`,
      'https://example.com/',
      'file:///etc/passwd',
      'not an address',
    ];
    for (const endpoint of endpoints) {
      const json = { transport: 'webPush', subscription: { ...subscription, endpoint } };
      const reply = await register(person, json);
      assert.deepEqual([reply.status, reply.body.code], [400, 'INVALID_PROPERTY'], endpoint);
      assert.equal(reply.body.params.property, 'subscription.endpoint', endpoint);
    }
  });

  it('by default are those of the known services, by https alone', () => {
    const services = new PushServices(readConfig({}).CARTULARY_PUSH_SERVICES);
    const trusted = [
      'https://fcm.googleapis.com/fcm/send/abc:def',
      'https://updates.push.services.mozilla.com/wpush/v2/gAAA',
      'https://web.push.apple.com/QGuQ',
      'https://wns2-par02p.notify.windows.com/w/?token=BQYAAAC%3d',
      'https://FCM.googleapis.com/a',
      'https://fcm.googleapis.com:443/a',
    ];
    const refused = [
      'http://fcm.googleapis.com/fcm/send/a',
      'https://fcm.googleapis.com:8443/a',
      'https://fcm.googleapis.com.example.com/a',
      'https://xfcm.googleapis.com/a',
      'https://push.apple.com.example.com/a',
      'https://push.apple.com/a',
      'https://evilpush.apple.com/a',
      'https://a:b@fcm.googleapis.com/a',
      'https://fcm.googleapis.com/a#b',
      'https://fcm.googleapis.com\\@example.com/',
      'https://fcm.googleapis.com@example.com/',
      ' https://fcm.googleapis.com/a',
      'https://fcm.goo\ngleapis.com/a',
      'https:fcm.googleapis.com/a',
      'https://[::1]/a',
      'https://2130706433/a',
    ];
    for (const address of trusted) assert.ok(services.trusted(address), address);
    for (const address of refused) assert.equal(services.trusted(address), undefined, address);
  });

  it('subscribe to one key, which all servers of the database share and keep', async () => {
    const key = (await app.send('GET', '/pushKey', { token: person.token })).body;
    assert.deepEqual(Object.keys(key), ['publicKey']);
    assert.equal(Buffer.from(key.publicKey, 'base64url').length, 65);
    const others = await Promise.all([1, 2].map(() => startTestServer({ database: server.database })));
    for (const other of others) {
      const reply = await other.send('GET', `/v1/${app.id}/pushKey`, { token: person.token });
      assert.deepEqual(reply.body, key);
    }
    await Promise.all(others.map((other) => other.close()));
  });

  it('subscribe to one key also when several servers start for the first time at once', async () => {
    const database = await createDatabase();
    const servers = await Promise.all([1, 2, 3].map(() => startTestServer({ database })));
    try {
      const { id, admin } = await publishWithPush(servers[0]!);
      const replies = await Promise.all(
        servers.map((one) => one.send('GET', `/v1/${id}/pushKey`, { token: admin.token })),
      );
      assert.deepEqual(
        replies.map(({ status }) => status),
        [200, 200, 200],
      );
      assert.equal(new Set(replies.map(({ body }) => body.publicKey)).size, 1);
    } finally {
      await Promise.all(servers.map((one) => one.close()));
      await database.drop();
    }
  });
});
