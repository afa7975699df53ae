// Listing, showing and removing applications, and who may do so.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, string } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';

const COLLECTIONS = [{ name: 'Things', columns: [{ name: 'Title', type: 'String', unique: true }] }];

describe('applications', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(async () => {
    await server.close();
  });

  it('are listed with their versions', async () => {
    assert.deepEqual((await server.operator('GET', '/applications')).body, []);
    const one = await publishApplication(server, { name: 'One', organization: 'Acme', collections: [] });
    const two = await publishApplication(server, { name: 'Two', plan: 'premium', collections: COLLECTIONS });
    await server.operator('POST', '/applications', {
      id: two.id,
      name: 'Two!',
      plan: 'premium',
      collections: COLLECTIONS,
    });
    const list = await server.operator('GET', '/applications');
    assert.equal(list.status, 200);
    assert.deepEqual(list.body, [
      { id: one.id, name: 'One', version: 1, organization: 'Acme', plan: 'unlimited' },
      { id: two.id, name: 'Two!', version: 2, organization: 'Default', plan: 'premium' },
    ]);
  });

  it('show the same to their users as to the operator who published them', async () => {
    const app = await publishApplication(server, { collections: COLLECTIONS });
    const published = await server.operator('POST', '/applications', {
      id: app.id,
      name: 'Test',
      activityLogEnabled: true,
      collections: COLLECTIONS,
    });
    assert.deepEqual((await app.send('GET', '')).body, published.body.application);
  });

  it('are removed with everything in them', async () => {
    const app = await publishApplication(server, { collections: COLLECTIONS });
    const stays = await publishApplication(server, { collections: COLLECTIONS });
    const values = { [app.ids.Things!.Title!]: string('a') };
    const record = await app.send('POST', app.records('Things'), { json: { values } });
    assert.equal(record.status, 200);
    const removed = await server.operator('DELETE', `/applications/${app.id}`);
    assert.equal(removed.status, 204);
    assert.equal(removed.text, '');
    for (const path of ['', app.records('Things', record.body.id)]) {
      const reply = await app.send('GET', path);
      assert.equal(reply.status, 401, reply.text);
      assert.equal(reply.body.code, 'UNAUTHORIZED');
    }
    assert.equal((await app.send('POST', app.records('Things'), { json: { values } })).status, 401);
    const schemas = await server.database.sql('select 1 from pg_namespace where nspname = $1', [schemaOf(app.id)]);
    assert.deepEqual(schemas, []);
    for (const [method, path, body] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', `/users/${app.admin.id}/tokens`],
      ['POST', `/users/${app.admin.id}/tokens`, { name: 'x' }],
      ['DELETE', `/users/${app.admin.id}/tokens/x`],
    ] as const) {
      const reply = await server.operator(method, `/applications/${app.id}${path}`, body);
      assert.equal(reply.status, 404, reply.text);
      assert.deepEqual(reply.body, { code: 'APPLICATION_NOT_FOUND', params: { applicationId: app.id } });
    }
    assert.equal((await stays.send('GET', '')).status, 200);
    const again = await publishApplication(server, { id: app.id, collections: COLLECTIONS });
    assert.equal((await app.send('GET', '')).status, 401, 'a token of the removed application is refused');
    assert.equal((await again.send('GET', '')).body.version, 1);
  });

  it('are removed once, and while they are written to', async () => {
    const app = await publishApplication(server, { collections: COLLECTIONS });
    const writes = Array.from({ length: 20 }, () => app.send('POST', app.records('Things'), { json: { values: {} } }));
    const removals = [1, 2].map(() => server.operator('DELETE', `/applications/${app.id}`));
    for (const { status, text } of await Promise.all(writes)) assert.ok(status === 200 || status === 401, text);
    assert.deepEqual((await Promise.all(removals)).map(({ status }) => status).sort(), [204, 404]);
  });

  it('need the operator key', async () => {
    const app = await publishApplication(server, { collections: [] });
    const paths: [string, string, unknown?][] = [
      ['GET', '/applications'],
      ['POST', '/applications', { name: 'Sneaked in', collections: [] }],
      ['GET', `/applications/${app.id}`],
      ['DELETE', `/applications/${app.id}`],
      ['POST', `/applications/${app.id}/users`, {}],
      ['GET', `/applications/${app.id}/users/${app.admin.id}/tokens`],
      ['POST', `/applications/${app.id}/users/${app.admin.id}/tokens`, { name: 'x' }],
      ['DELETE', `/applications/${app.id}/users/${app.admin.id}/tokens/x`],
      ['GET', '/organizations/Default'],
      ['PUT', '/organizations/Default', { singleSignOn: null }],
      ['POST', '/organizations/Default/sharedUsers', {}],
    ];
    for (const [method, path, json] of paths) {
      for (const token of [undefined, 'wrong-operator-key-0123456789', app.admin.token]) {
        const reply = await server.send(method, `/operator/v1${path}`, {
          ...(token === undefined ? {} : { token }),
          ...(json === undefined ? {} : { json }),
        });
        assert.equal(reply.status, 401, `${method} ${path}`);
        assert.deepEqual(reply.body, { code: 'UNAUTHORIZED' });
        assert.ok(reply.headers.has('www-authenticate'));
      }
    }
    const names = (await server.operator('GET', '/applications')).body.map(({ name }: { name: string }) => name);
    assert.ok(!names.includes('Sneaked in'));
  });

  it('have fixed paths; any other is not found', async () => {
    const unknown = await server.operator('GET', '/nothing');
    assert.equal(unknown.status, 404);
    assert.equal(unknown.body.code, 'NOT_FOUND');
    const verb = await server.operator('PUT', '/applications', {});
    assert.equal(verb.status, 405);
    assert.equal(verb.body.code, 'METHOD_NOT_ALLOWED');
    assert.deepEqual(verb.headers.get('allow')?.split(', ').sort(), ['GET', 'HEAD', 'POST']);
    const malformed = await server.operator('GET', '/applications/P123');
    assert.equal(malformed.status, 400);
    assert.equal(malformed.body.code, 'INVALID_APPLICATION_ID');
  });
});
