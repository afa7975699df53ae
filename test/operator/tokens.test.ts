// API tokens, and the operator's actions in the activity log.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { publishApplication, type TestApplication } from '../support/application.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { schemaOf } from '../support/stored-records.ts';

describe('tokens', () => {
  let server: TestServer;
  let app: TestApplication;

  before(async () => {
    server = await startTestServer();
    app = await publishApplication(server, { collections: [] });
  });
  after(async () => {
    await server.close();
  });

  const tokensOf = (userId: string) => `/applications/${app.id}/users/${userId}/tokens`;

  it('are created with a secret that is shown once and not stored', async () => {
    const person = await app.addPerson('Owner');
    const reply = await server.operator('POST', tokensOf(person.id), { name: 'スマホ 📱' });
    assert.equal(reply.status, 200, reply.text);
    const { id, token, createdAt } = reply.body as { id: string; token: string; createdAt: string };
    assert.deepEqual(reply.body, { id, name: 'スマホ 📱', token, createdAt });
    const [head, secret, ...rest] = token.split('.');
    assert.equal(head, id);
    assert.deepEqual(rest, []);
    assert.ok(Buffer.from(secret!, 'base64url').length >= 32);
    assert.equal((await app.send('GET', '', { token })).status, 200);

    const list = await server.operator('GET', tokensOf(person.id));
    assert.equal(list.status, 200);
    assert.deepEqual(list.body.map(({ name }: { name: string }) => name).sort(), ['test', 'スマホ 📱'].sort());
    for (const entry of list.body) {
      assert.deepEqual(Object.keys(entry).sort(), ['createdAt', 'id', 'name']);
      assert.match(entry.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    assert.ok(!list.text.includes(secret!));
    for (const table of ['tokens', 'activity', 'users']) {
      const rows = await server.database.sql(`select t::text from ${schemaOf(app.id)}.${table} t`);
      assert.ok(rows.length > 0);
      for (const encoding of ['utf8', 'hex', 'base64'] as const) {
        const text = Buffer.from(secret!).toString(encoding);
        assert.ok(!rows.some(([row]) => String(row).includes(text)), `${table} holds the secret`);
      }
    }
  });

  it('are refused once they are revoked', async () => {
    const person = await app.addPerson('Revoked');
    const { body } = await server.operator('POST', tokensOf(person.id), { name: 'second' });
    assert.equal((await app.send('GET', '', { token: body.token })).status, 200);
    const revoked = await server.operator('DELETE', `${tokensOf(person.id)}/${body.id}`);
    assert.equal(revoked.status, 204);
    assert.equal(revoked.text, '');
    assert.equal((await app.send('GET', '', { token: body.token })).status, 401);
    assert.equal((await app.send('GET', '', { token: person.token })).status, 200);
    const list = await server.operator('GET', tokensOf(person.id));
    assert.equal(list.body.length, 1);
    const again = await server.operator('DELETE', `${tokensOf(person.id)}/${body.id}`);
    assert.equal(again.status, 404);
    assert.deepEqual(again.body, { code: 'TOKEN_NOT_FOUND', params: { tokenId: body.id } });
  });

  it('belong to one user of one application', async () => {
    const person = await app.addPerson('Mine');
    const [mine] = (await server.operator('GET', tokensOf(person.id))).body;
    const others = await server.operator('DELETE', `${tokensOf(app.admin.id)}/${mine.id}`);
    assert.equal(others.body.code, 'TOKEN_NOT_FOUND');
    assert.equal((await app.send('GET', '', { token: person.token })).status, 200);
    const other = await publishApplication(server, { name: 'Other', collections: [] });
    assert.equal((await other.send('GET', '', { token: person.token })).status, 401);
    const elsewhere = await server.operator('GET', `/applications/${other.id}/users/${person.id}/tokens`);
    assert.equal(elsewhere.body.code, 'USER_NOT_FOUND');
  });

  it('need an existing user and well-formed identifiers', async () => {
    for (const [method, path, body] of [
      ['GET', tokensOf('u0000000')],
      ['POST', tokensOf('u0000000'), { name: 'x' }],
      ['DELETE', `${tokensOf('u0000000')}/x`],
    ] as const) {
      const reply = await server.operator(method, path, body);
      assert.equal(reply.status, 404);
      assert.deepEqual(reply.body, { code: 'USER_NOT_FOUND', params: { userId: 'u0000000' } });
    }
    const malformed = await server.operator('GET', tokensOf('nobody'));
    assert.equal(malformed.status, 400);
    assert.equal(malformed.body.code, 'INVALID_USER_ID');
    for (const tokenId of ['unknown', '%F0%9F%A6%89', 'a%2Fb', 'x'.repeat(5_000)]) {
      const reply = await server.operator('DELETE', `${tokensOf(app.admin.id)}/${tokenId}`);
      assert.equal(reply.status, 404, `${tokenId.slice(0, 20)} ${reply.text}`);
      assert.equal(reply.body.code, 'TOKEN_NOT_FOUND');
    }
  });

  it('need a name', async () => {
    for (const body of [{}, { name: '' }, { name: 1 }, { name: 'x'.repeat(101) }, { name: 'x', secret: 'y' }, []]) {
      const reply = await server.operator('POST', tokensOf(app.admin.id), body);
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.code, 'INVALID_BODY');
    }
    for (const name of ['a\u0000b', 'a\nb', 'a\ud800']) {
      const reply = await server.operator('POST', tokensOf(app.admin.id), { name });
      assert.equal(reply.status, 400, reply.text);
      assert.equal(reply.body.code, 'INVALID_BODY');
      assert.equal(reply.body.params.path, '/name');
    }
  });

  it('and all actions of the operator are in the activity log if it is enabled', async () => {
    const logged = await publishApplication(server, { name: 'Logged', collections: [] });
    const person = await logged.addPerson('Logged');
    const [token] = (await server.operator('GET', `/applications/${logged.id}/users/${person.id}/tokens`)).body;
    await server.operator('DELETE', `/applications/${logged.id}/users/${person.id}/tokens/${token.id}`);
    await server.operator('POST', '/applications', {
      id: logged.id,
      name: 'Renamed',
      activityLogEnabled: true,
      collections: [],
    });
    await server.operator('POST', '/applications', {
      id: logged.id,
      name: 'Renamed',
      activityLogEnabled: true,
      collections: [],
    });
    const rows = await server.database.sql(`select entry from ${schemaOf(logged.id)}.activity order by id`);
    const entries = rows.map(([entry]) => JSON.parse(entry as string));
    const tokenOf = (index: number) => entries[index].extra.tokenId;
    assert.deepEqual(
      entries.map(({ type, subType, extra, application }) => [`${type}.${subType}`, extra, application.version]),
      [
        ['application.publish', {}, 1],
        ['user.create', { userId: logged.admin.id }, 1],
        ['token.create', { tokenId: tokenOf(2), userId: logged.admin.id }, 1],
        ['user.create', { userId: person.id }, 1],
        ['token.create', { tokenId: token.id, userId: person.id }, 1],
        ['token.revoke', { tokenId: token.id, userId: person.id }, 1],
        ['application.publish', {}, 2],
      ],
    );
    for (const entry of entries) {
      assert.deepEqual(Object.keys(entry).sort(), [
        'application',
        'date',
        'extra',
        'source',
        'subType',
        'type',
        'user',
      ]);
      assert.deepEqual(entry.user, { id: 'operator', name: 'operator' });
      assert.deepEqual(entry.source, { context: 'operator', ip: '127.0.0.1' });
      assert.equal(entry.application.id, logged.id);
      assert.match(entry.date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    assert.equal(entries.at(-1).application.name, 'Renamed');
    await server.operator('POST', `/applications/${logged.id}/users`, { name: 'Incomplete' });
    const silent = await publishApplication(server, { name: 'Silent', activityLogEnabled: false, collections: [] });
    for (const [id, count] of [
      [logged.id, 7],
      [silent.id, 0],
    ] as const) {
      assert.deepEqual(await server.database.sql(`select count(*)::int from ${schemaOf(id)}.activity`), [[count]]);
    }
  });
});
