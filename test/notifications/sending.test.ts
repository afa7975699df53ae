// Sending: who may, what may be said, what arrives, and that it is logged once and arrives once.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Person, TestApplication } from '../support/application.ts';
import { publishApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type PushService, startPushService } from './push-service.ts';
import { entriesOf, notify, publishWithPush, queueOf, registerBrowser } from './scene.ts';

const EMOJI = '💥';

function subjectOf(authorization = ''): string {
  const [, claims = ''] = /^vapid t=[\w-]+\.([\w-]+)\./.exec(authorization) ?? [];
  return JSON.parse(Buffer.from(claims, 'base64url').toString('utf8')).sub;
}

describe('sending notifications', () => {
  let server: TestServer;
  let service: PushService;
  let app: TestApplication;
  let person: Person;

  before(async () => {
    service = await startPushService(() => publicKey);
    server = await startTestServer({ push: { services: [service.origin] } });
    app = await publishWithPush(server, { name: 'Inspections' });
    person = await app.addPerson('Person');
    publicKey = (await app.send('GET', '/pushKey')).body.publicKey;
  });
  let publicKey: string;
  after(async () => {
    await server.close();
    await service.close();
  });

  it('delivers the message to every device of the user, signed with the key that browsers subscribed with', async () => {
    const browsers = [await registerBrowser(app, person, service), await registerBrowser(app, person, service)];
    const said = { title: 'Look', body: `line\nand ${EMOJI}`, url: 'https://example.com/ä?b=c', sound: 'default' };
    await notify(app, person, said);
    for (const { arrivals } of browsers) {
      await until('arrived', () => arrivals.length > 0);
      const { notificationId, ...message } = arrivals[0]!.message;
      assert.deepEqual(message, { ...said, application: { id: app.id, name: 'Inspections' } });
      assert.match(notificationId, /^[0-9a-f-]{36}$/);
      const { ttl, urgency } = arrivals[0]!.headers;
      assert.ok(Number(ttl) > 86_000 && Number(ttl) <= 86_400, String(ttl));
      assert.equal(urgency, 'high');
    }
  });

  it('takes the name of the application for a title, and leaves out what was not said', async () => {
    const somebody = await app.addPerson('Untitled');
    const { arrivals } = await registerBrowser(app, somebody, service);
    await notify(app, somebody, { body: 'b', sound: '' });
    await until('arrived', () => arrivals.length > 0);
    assert.deepEqual(Object.keys(arrivals[0]!.message).sort(), ['application', 'body', 'notificationId', 'title']);
    assert.equal(arrivals[0]!.message.title, 'Inspections');
  });

  it('keeps the URL whole and shortens the body to the limit of the push service', async () => {
    const somebody = await app.addPerson('Talkative');
    const { arrivals } = await registerBrowser(app, somebody, service);
    const url = `https://example.com/${'あ'.repeat(1004)}`;
    const body = EMOJI.repeat(512);
    await notify(app, somebody, { title: EMOJI.repeat(128), body, url });
    await until('arrived', () => arrivals.length > 0);
    const { message, plainBytes } = arrivals[0]!;
    assert.ok(plainBytes <= 3_993 && plainBytes > 3_980, `${plainBytes} bytes`);
    assert.equal(message.url, url);
    assert.equal(message.title, EMOJI.repeat(128));
    assert.match(message.body, /^(?:💥)*…$/u);
  });

  it('names the member that is wrong', async () => {
    const path = `/users/${person.id}/notifications`;
    const longest = { title: EMOJI.repeat(128), body: EMOJI.repeat(512), url: `https://e.xy/${'a'.repeat(1011)}` };
    assert.equal((await app.send('POST', path, { json: longest })).status, 204);
    const table: [object, string][] = [
      [{}, 'body'],
      [{ title: 'a' }, 'body'],
      [{ body: '' }, 'body'],
      [{ body: ' \n' }, 'body'],
      [{ body: null }, 'body'],
      [{ body: 1 }, 'body'],
      [{ body: ['a'] }, 'body'],
      [{ body: EMOJI.repeat(513) }, 'body'],
      [{ body: 'a\u0000' }, 'body'],
      [{ body: '\ud800' }, 'body'],
      [{ body: 'a', title: EMOJI.repeat(129) }, 'title'],
      [{ body: 'a', title: '' }, 'title'],
      [{ body: 'a', title: null }, 'title'],
      [{ body: 'a', url: `https://e.xy/${'a'.repeat(1012)}` }, 'url'],
      [{ body: 'a', url: `https://e.xy/${EMOJI.repeat(1000)}` }, 'url'],
      [{ body: 'a', url: '' }, 'url'],
      [{ body: 'a', url: 'javascript:alert(1)' }, 'url'],
      [{ body: 'a', url: 'ftp://example.com' }, 'url'],
      [{ body: 'a', url: '/relative' }, 'url'],
      [{ body: 'a', url: 'http://' }, 'url'],
      [{ body: 'a', url: 'https://a b/' }, 'url'],
      [{ body: 'a', sound: 'loud' }, 'sound'],
      [{ body: 'a', sound: null }, 'sound'],
      [{ body: 'a', sound: true }, 'sound'],
      [{ body: 'a', badge: 1 }, 'badge'],
    ];
    for (const [json, property] of table) {
      const reply = await app.send('POST', path, { json });
      const what = JSON.stringify(json).slice(0, 60);
      assert.equal(reply.status, 400, what);
      assert.equal(reply.body.code, 'INVALID_NOTIFICATION', what);
      assert.equal(reply.body.params.property, property, what);
      assert.equal(typeof reply.body.params.reason, 'string', what);
    }
    for (const json of [[], [{ body: 'a' }], 'a', 1, null]) {
      assert.equal((await app.send('POST', path, { json })).body.code, 'INVALID_BODY', JSON.stringify(json));
    }
  });

  it('is for admins, for users that exist, and where the application has it switched on', async () => {
    const json = { body: 'a' };
    const path = `/users/${person.id}/notifications`;
    assert.equal((await app.send('POST', path, { json, token: person.token })).body.code, 'ADMIN_REQUIRED');
    const unknown = await app.send('POST', '/users/u0000000/notifications', { json });
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'USER_NOT_FOUND']);
    const silent = await publishApplication(server, { name: 'Silent', collections: [] });
    const refused = { code: 'FEATURE_DISABLED', params: { feature: 'pushNotifications' } };
    for (const [method, where, body] of [
      ['POST', `/users/${silent.admin.id}/notifications`, {}],
      ['POST', `/users/u0000000/notifications`, { body: 'a', sound: '' }],
      ['GET', '/pushKey', undefined],
    ] as const) {
      const reply = await silent.send(method, where, body === undefined ? {} : { json: { body: 'a', ...body } });
      assert.deepEqual([reply.status, reply.body], [403, refused], where);
    }
    // The permission comes first.
    const nobody = await silent.addPerson('Nobody');
    const without = await silent.send('POST', `/users/${nobody.id}/notifications`, { json, token: nobody.token });
    assert.equal(without.body.code, 'ADMIN_REQUIRED');
  });

  it('writes exactly one entry for each, whatever the number of devices, and none for a refusal', async () => {
    const logged = await publishWithPush(server, { name: 'Logged' });
    const alone = await logged.addPerson('Alone');
    const equipped = await logged.addPerson('Equipped');
    await registerBrowser(logged, equipped, service);
    await registerBrowser(logged, equipped, service);
    await notify(logged, alone, { body: 'nobody hears' });
    await notify(logged, equipped, { body: 'two hear' });
    await logged.send('POST', `/users/${alone.id}/notifications`, { json: {} });
    await logged.send('POST', '/users/u0000000/notifications', { json: { body: 'a' } });
    const entries = await entriesOf(server, logged);
    assert.deepEqual(
      entries.map(({ extra }) => (extra as { userId: string }).userId),
      [alone.id, equipped.id],
    );
    for (const { extra } of entries)
      assert.match((extra as { notificationId: string }).notificationId, /^[0-9a-f-]{36}$/);
    await until('both delivered', async () => (await queueOf(server, logged)).delivered === 2);
  });

  it('queues nothing for a disabled user, nor for one whose shared user is disabled', async () => {
    const { organization } = { organization: 'Shared push' };
    const made = await server.operator('PUT', `/organizations/${encodeURIComponent(organization)}`, {
      singleSignOn: null,
    });
    assert.equal(made.status, 200, made.text);
    const share = async (name: string) => {
      const json = { name, email: `${name}@example.com`, password: 'Secret-Passw0rd' };
      const where = `/organizations/${encodeURIComponent(organization)}/sharedUsers`;
      const reply = await server.operator('POST', where, json);
      assert.equal(reply.status, 200, reply.text);
      return reply;
    };
    const shared = await share('Sam');
    await share('Other');
    const published = await server.operator('POST', '/applications', {
      name: 'Shared',
      organization,
      sharedUsersModeEnabled: true,
      pushNotificationsEnabled: true,
      collections: [],
    });
    const id = published.body.application.id as string;
    const flags = { admin: true, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
    const enter = async (name: string) => {
      const user = await server.operator('POST', `/applications/${id}/users`, { name, ...flags });
      assert.equal(user.status, 200, user.text);
      const where = `/applications/${id}/users/${user.body.id}/tokens`;
      return { user, token: (await server.operator('POST', where, { name: 't' })).body.token as string };
    };
    const { user, token } = await enter('Sam');
    const { token: other } = await enter('Other');
    const path = `/v1/${id}/users/${user.body.id}`;
    const browser = service.browser();
    const device = { transport: 'webPush', subscription: browser.subscription };
    assert.equal((await server.send('POST', `${path}/devices`, { token, json: device })).status, 200);
    const disabled = await app.addPerson('Disabled');
    await registerBrowser(app, disabled, service);
    const before = await server.database.sql(`select count(*) from app_${app.id}.deliveries`);
    await server.database.sql('update cartulary.shared_users set disabled = true where id = $1', [shared.body.id]);
    await server.database.sql(`update app_${app.id}.users set disabled = true where id = $1`, [disabled.id]);
    await notify(app, disabled, { body: 'a' });
    const reply = await server.send('POST', `${path}/notifications`, { token: other, json: { body: 'a' } });
    assert.equal(reply.status, 204, reply.text);
    assert.deepEqual(await server.database.sql(`select count(*) from app_${app.id}.deliveries`), before);
    assert.deepEqual(await server.database.sql(`select count(*)::int from app_${id}.deliveries`), [[0]]);
  });

  it('delivers a thousand exactly once when nothing fails, over two servers', async () => {
    const subject = 'mailto:other@example.com';
    const other = await startTestServer({ database: server.database, push: { services: [service.origin], subject } });
    try {
      const busy = await publishWithPush(server, { name: 'Busy' });
      const people = await Promise.all(['A', 'B', 'C', 'D'].map((name) => busy.addPerson(name)));
      const browsers = await Promise.all(people.map((who) => registerBrowser(busy, who, service)));
      let next = 0;
      const sender = async () => {
        while (next < 1_000) {
          const index = next++;
          await notify(busy, people[index % people.length]!, { body: String(index) });
        }
      };
      await Promise.all(Array.from({ length: 8 }, sender));
      await until('all delivered', async () => (await queueOf(server, busy)).delivered === 1_000);
      const bodies = browsers.flatMap(({ arrivals }) => arrivals.map(({ message }) => Number(message.body)));
      assert.deepEqual(
        bodies.sort((a, b) => a - b),
        Array.from({ length: 1_000 }, (_, index) => index),
      );
      assert.equal((await entriesOf(server, busy)).length, 1_000);
      // Who sent it is in the signature.
      const senders = browsers.flatMap(({ arrivals }) =>
        arrivals.map(({ headers }) => subjectOf(headers.authorization)),
      );
      assert.deepEqual([...new Set(senders)].sort(), [subject, 'mailto:test@example.com']);
    } finally {
      await other.close();
    }
  });
});
