// A node that receives no notifications although its connections work and it can send. It notices only because its own
// heartbeats do not come back. Changes made on another node must still count within a second.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { Client, OTHER_PASSWORD, PASSWORD } from '../support/browser-sessions.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { basic, send } from '../support/http-client.ts';
import { type MuffledWire, muffleWire } from '../support/muffled-wire.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { withinASecond } from './within-a-second.ts';

describe('a node that receives no notifications', () => {
  let database: TestDatabase;
  let wire: MuffledWire;
  let a: TestServer;
  let b: TestServer;
  let app: TestApplication;

  before(async () => {
    database = await createDatabase();
    wire = await muffleWire(database.connection);
    a = await startTestServer({ database });
    b = await startTestServer({ database, connection: wire.connection });
    app = await publishApplication(a, { collections: [] });
  });
  after(async () => {
    await b.close();
    await a.close();
    await wire.close();
    await database.drop();
  });

  const onB = async (authorization: string) =>
    (await send(b.address, 'GET', `/v1/${app.id}`, { headers: { authorization } })).status;
  const byToken = ({ token }: Person) => onB(`Bearer ${token}`);
  const byPassword = ({ id }: Person, password = PASSWORD) => onB(basic(id, password));

  /** Right after a heartbeat, when the node trusts its cache most. */
  async function muffle(): Promise<void> {
    wire.muffled = false;
    const { passed } = wire.counts;
    await until('it to receive messages again', () => wire.counts.passed >= passed + 2);
    wire.muffled = true;
  }

  async function changed(reply: Promise<Reply>, status: number): Promise<void> {
    const { text, ...answer } = await reply;
    assert.equal(answer.status, status, text);
  }

  it('refuses a token that was revoked', async () => {
    const person = await app.addPerson('Revoked');
    assert.equal(await byToken(person), 200);
    await muffle();
    const path = `/applications/${app.id}/users/${person.id}/tokens/${person.token.split('.')[0]}`;
    await changed(a.operator('DELETE', path), 204);
    await withinASecond('the revoked token', async () => (await byToken(person)) === 401);
    assert.equal(await byPassword(person), 200);
  });

  it('refuses a user who was disabled', async () => {
    const person = await app.addPerson('Disabled');
    assert.deepEqual([await byToken(person), await byPassword(person)], [200, 200]);
    const rights = { admin: false, apiAccess: true, managementApiAccess: false };
    const json = { email: 'person@example.com', ...rights, profile: { name: 'Standard' }, disabled: true };
    await muffle();
    await changed(app.send('PUT', `/management/users/${person.id}`, { json }), 200);
    await withinASecond('the token', async () => (await byToken(person)) === 401);
    assert.equal(await byPassword(person), 401);
  });

  it('refuses the old password, and the sessions that ended with it', async () => {
    const person = await app.addPerson('Changes');
    const [changing, other] = [new Client(a.address, app.id), new Client(a.address, app.id)];
    for (const client of [changing, other]) {
      await changed(client.signIn(person.id), 200);
      assert.equal(await client.status(b.address), 200);
    }
    assert.equal(await byPassword(person), 200);
    await muffle();
    const json = { currentPassword: PASSWORD, newPassword: OTHER_PASSWORD };
    await changed(changing.send('PUT', '/session/password', { json }), 204);
    await Promise.all([
      withinASecond('the old password', async () => (await byPassword(person)) === 401),
      withinASecond('the other session', async () => (await other.status(b.address)) === 401),
    ]);
    assert.deepEqual([await byPassword(person, OTHER_PASSWORD), await changing.status(b.address)], [200, 200]);
    const { cookie } = changing;
    await muffle();
    await changed(changing.send('DELETE', '/session'), 204);
    changing.cookie = cookie;
    await withinASecond('the session that was signed out', async () => (await changing.status(b.address)) === 401);
  });

  it('shows what was published', async () => {
    const version = async () => {
      const headers = { authorization: `Bearer ${app.admin.token}` };
      return (await send(b.address, 'GET', `/v1/${app.id}`, { headers })).body.version as number;
    };
    const before = await version();
    await muffle();
    const document = { id: app.id, name: 'Renamed', activityLogEnabled: true, collections: [] };
    await changed(a.operator('POST', '/applications', document), 200);
    await withinASecond('the definition', async () => (await version()) === before + 1);
    assert.ok(wire.counts.swallowed > 0);
  });
});
