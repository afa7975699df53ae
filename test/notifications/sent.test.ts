// What was sent and what became of it, as admins see it.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Person, TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type PushService, startPushService } from './push-service.ts';
import { notify, publishWithPush, queueOf, registerBrowser } from './scene.ts';

describe('sent notifications', () => {
  let server: TestServer;
  let service: PushService;
  let app: TestApplication;
  let person: Person;

  before(async () => {
    service = await startPushService();
    server = await startTestServer({ push: { services: [service.origin] } });
    app = await publishWithPush(server);
    person = await app.addPerson('Person');
  });
  after(async () => {
    await server.close();
    await service.close();
  });

  const list = async (query = '') => app.send('GET', `/notifications${query}`);

  it('are listed newest first with the outcome for each device', async () => {
    await notify(app, person, { body: 'to nobody' });
    const { id } = await registerBrowser(app, person, service);
    await notify(app, person, { title: 'Lift', body: 'due', url: 'https://example.com/3' });
    await until('the delivery', async () => (await queueOf(server, app)).delivered === 1);
    service.react = () => ({ status: 400 });
    await notify(app, person, { body: 'refused' });
    await until('the refusal', async () => (await queueOf(server, app)).failed === 1);
    const { body } = await list();
    const shown = body.map((one: { title: string; body: string; url?: string; deliveries: { state: string }[] }) => [
      ...[one.title, one.body, one.url],
      one.deliveries.map(({ state }) => state),
    ]);
    assert.deepEqual(shown, [
      ['Test', 'refused', undefined, ['failed']],
      ['Lift', 'due', 'https://example.com/3', ['delivered']],
      ['Test', 'to nobody', undefined, []],
    ]);
    const [failed, delivered] = body;
    assert.match(failed.deliveries[0].problem, /400/);
    assert.deepEqual(
      [
        delivered.user.name,
        delivered.createdBy.name,
        delivered.deliveries[0].deviceId,
        delivered.deliveries[0].attempts,
      ],
      ['Person', 'Admin', id, 1],
    );
    assert.ok(delivered.deliveries[0].finishedAt >= delivered.createdAt);
  });

  it('are walked page by page', async () => {
    const first = await list('?limit=2');
    assert.equal(first.body.length, 2);
    const after = /after=([^>]*)>/.exec(first.headers.get('link') ?? '')?.[1];
    const second = await list(`?limit=2&after=${after}`);
    assert.deepEqual([second.body.length, second.headers.get('link')], [1, null]);
    assert.equal((await list('?after=x')).body.params.parameter, 'after');
  });

  it('are for admins, where notifications are on', async () => {
    const reply = await app.send('GET', '/notifications', { token: person.token });
    assert.equal(reply.body.code, 'ADMIN_REQUIRED');
    const silent = await publishWithPush(server, { pushNotificationsEnabled: false });
    assert.equal((await silent.send('GET', '/notifications')).body.code, 'FEATURE_DISABLED');
  });
});
