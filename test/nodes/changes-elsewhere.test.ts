// Two nodes on one database: a change made on one node, or in the database, counts on the other at once. A node keeps its
// cache until a message arrives, so without the message each wait of this file would fail.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ARGON2 } from '../../src/gate/credentials/password-check.ts';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { basic, send } from '../support/http-client.ts';
import { sendTo, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const COLLECTIONS = [{ name: 'Things', columns: [{ name: 'Title', type: 'String' }] }];

describe('two nodes', () => {
  let a: TestServer;
  let b: TestServer;
  let app: TestApplication;

  before(async () => {
    a = await startTestServer();
    b = await startTestServer({ database: a.database });
    app = await publishApplication(a, { organization: 'Acme', collections: COLLECTIONS });
  });
  after(async () => {
    await b.close();
    await a.close();
  });

  const onB = async (authorization: string) =>
    (await send(b.address, 'GET', `/v1/${app.id}`, { headers: { authorization } })).status;
  const both = async (person: Person) => [
    await onB(`Bearer ${person.token}`),
    await onB(basic(person.id, person.password)),
  ];
  const change = async (person: Person, assignment: string, value: unknown) => {
    await a.database.sql(`update app_${app.id}.users set ${assignment} = $2 where id = $1`, [person.id, value]);
    await a.database.sql(`select pg_notify('cartulary', $1)`, [`application ${app.id}`]);
  };

  it('accept a new user and a new token at once, even after having refused them', async () => {
    const person = await app.addPerson('New');
    assert.deepEqual(await both(person), [200, 200]);
    const made = await a.operator('POST', `/applications/${app.id}/users/${person.id}/tokens`, { name: 'second' });
    assert.equal(await onB(`Bearer ${made.body.token}`), 200);
  });

  it('refuse a token that the other revoked', async () => {
    const person = await app.addPerson('Revoked');
    assert.deepEqual(await both(person), [200, 200]);
    const path = `/applications/${app.id}/users/${person.id}/tokens/${person.token.split('.')[0]}`;
    assert.equal((await a.operator('DELETE', path)).status, 204);
    const there = await sendTo(a.address, 'GET', `/v1/${app.id}`, { token: person.token });
    assert.equal(there.status, 401, 'where it was revoked, from the answer on');
    await until('the other node to receive the message', async () => (await onB(`Bearer ${person.token}`)) === 401);
    assert.equal(await onB(basic(person.id, person.password)), 200, 'the password still counts');
  });

  it('refuse a disabled user, and accept them once enabled again', async () => {
    const person = await app.addPerson('Disabled');
    assert.deepEqual(await both(person), [200, 200]);
    await change(person, 'disabled', true);
    await until('both to be refused', async () => (await both(person)).join() === '401,401');
    await change(person, 'disabled', false);
    await until('both to pass', async () => (await both(person)).join() === '200,200');
  });

  it('refuse an old password', async () => {
    const person = await app.addPerson('Password');
    assert.deepEqual(await both(person), [200, 200]);
    await change(person, 'password_hash', await ARGON2.hash('Another-Passw0rd'));
    await until('the old to be refused', async () => (await both(person)).join() === '200,401');
    assert.equal(await onB(basic(person.id, 'Another-Passw0rd')), 200);
  });

  it('see what the other published', async () => {
    const shown = async () => (await sendTo(b.address, 'GET', `/v1/${app.id}`, { token: app.admin.token })).body;
    const { version } = await shown();
    const collections = [...COLLECTIONS, { name: 'More', columns: [] }];
    const document = { id: app.id, name: 'Renamed', organization: 'Acme', collections };
    const published = await a.operator('POST', '/applications', document);
    assert.equal(published.status, 200, published.text);
    await until('the other node to show it', async () => (await shown()).version === version + 1);
    const { url: _there, ...expected } = published.body.application;
    const { url: _here, ...actual } = await shown();
    assert.deepEqual(actual, expected);
  });

  it('write at once with the definition that the other published', async () => {
    const token = app.admin.token;
    const document = (columns: object[]) => ({
      id: app.id,
      name: 'Renamed',
      organization: 'Acme',
      activityLogEnabled: true,
      collections: [{ name: 'Things', columns }],
    });
    for (let round = 0; round < 5; round++) {
      const columns = [
        { name: 'Title', type: 'String' },
        { name: `Column ${round}`, type: 'Number' },
      ];
      const published = await a.operator('POST', '/applications?allowDataLoss=true', document(columns));
      assert.equal(published.status, 200, published.text);
      const added: string = published.body.application.collections[0].columns[1].id;
      const json = { values: { [added]: { type: 'Number', value: round } } };
      const created = await sendTo(b.address, 'POST', `/v1/${app.id}${app.records('Things')}`, { token, json });
      assert.equal(created.status, 200, created.text);
    }
  });

  it('refuse passwords while single sign-on is on, and tokens never', async () => {
    const person = await app.addPerson('Single');
    assert.deepEqual(await both(person), [200, 200]);
    const singleSignOn = { issuer: 'https://login.example', clientId: 'cartulary', clientSecret: 'secret' };
    const put = await a.operator('PUT', '/organizations/Acme', { singleSignOn });
    assert.equal(put.status, 200, put.text);
    const here = await sendTo(a.address, 'GET', `/v1/${app.id}`, {
      headers: { authorization: basic(person.id, person.password) },
    });
    assert.equal(here.status, 401);
    assert.deepEqual(here.body, { code: 'UNAUTHORIZED' });
    await until('the other node to refuse', async () => (await both(person)).join() === '200,401');
    await a.operator('PUT', '/organizations/Acme', { singleSignOn: null });
    await until('the other node to take it', async () => (await both(person)).join() === '200,200');
  });

  it('stop serving an application that the other removed', async () => {
    const gone = await publishApplication(a, { name: 'Gone', collections: [] });
    const ask = async () => (await sendTo(b.address, 'GET', `/v1/${gone.id}`, { token: gone.admin.token })).status;
    assert.equal(await ask(), 200);
    assert.equal((await a.operator('DELETE', `/applications/${gone.id}`)).status, 204);
    await until('it to be gone', async () => (await ask()) === 401);
  });
});
