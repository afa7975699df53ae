// A node whose listening connection is cut while the database takes no new connections. Changes made on another node must
// still count within a second.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { ARGON2 } from '../../src/gate/credentials/password-check.ts';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { Client } from '../support/browser-sessions.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { basic, send } from '../support/http-client.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import * as waiting from './within-a-second.ts';

const LISTENERS = `from pg_stat_activity where application_name like 'cartulary listener %' and datname = current_database()`;

describe('a node whose listening connection is cut', () => {
  let database: TestDatabase;
  let a: TestServer;
  let b: TestServer;
  let app: TestApplication;
  let people: Record<'steady' | 'disabled' | 'revoked' | 'password', Person>;
  let direct: pg.Client;
  let admin: pg.Client;

  const connectable = (yes: boolean) =>
    admin.query(`alter database ${database.connection.database} with allow_connections ${yes}`);
  const listeners = async () =>
    Number((await direct.query(`select count(*)::int as count ${LISTENERS}`)).rows[0].count);

  before(async () => {
    database = await createDatabase();
    // One connection each, which stays open: neither node needs a new one while there are none to have.
    a = await startTestServer({ database, connectionsMax: 1 });
    b = await startTestServer({ database, connectionsMax: 1 });
    app = await publishApplication(a, { collections: [] });
    people = {
      steady: await app.addPerson('Steady'),
      disabled: await app.addPerson('Disabled'),
      revoked: await app.addPerson('Revoked'),
      password: await app.addPerson('Password'),
    };
    direct = new pg.Client(database.connection);
    admin = new pg.Client({ connectionString: process.env.CARTULARY_TEST_DATABASE_URL });
    await Promise.all([direct.connect(), admin.connect()]);
    for (const person of Object.values(people)) assert.deepEqual(await both(person), [200, 200]);
    await connectable(false);
    await direct.query(`select pg_terminate_backend(pid) ${LISTENERS}`);
    // The connection that has published is kept for a moment.
    await direct.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'cartulary publisher' and datname = current_database()`,
    );
    await until('the listeners to be gone', async () => (await listeners()) === 0);
  });
  after(async () => {
    await Promise.all([direct.end(), admin.end()]);
    await b.close();
    await a.close();
    await database.drop();
  });

  const onB = async (authorization: string) =>
    (await send(b.address, 'GET', `/v1/${app.id}`, { headers: { authorization } })).status;
  const both = async (person: Person) => [
    await onB(`Bearer ${person.token}`),
    await onB(basic(person.id, person.password)),
  ];

  async function withinASecond(what: string, happened: () => Promise<boolean>): Promise<void> {
    assert.equal(await listeners(), 0, 'no node listens');
    await waiting.withinASecond(what, happened);
  }

  it('refuses a disabled user, an old password and a revoked token', async () => {
    const { disabled, password, revoked } = people;
    const hash = await ARGON2.hash('Another-Passw0rd');
    const tokens = `/applications/${app.id}/users/${revoked.id}/tokens`;
    for (const person of [disabled, password, revoked]) assert.deepEqual(await both(person), [200, 200]);
    await direct.query(`update app_${app.id}.users set disabled = true where id = $1`, [disabled.id]);
    await direct.query(`update app_${app.id}.users set password_hash = $2 where id = $1`, [password.id, hash]);
    const reply = await a.operator('DELETE', `${tokens}/${revoked.token.split('.')[0]}`);
    assert.equal(reply.status, 204, reply.text);
    await Promise.all([
      withinASecond('the disabled user', async () => (await both(disabled)).join() === '401,401'),
      withinASecond('the old password', async () => (await both(password)).join() === '200,401'),
      withinASecond('the revoked token', async () => (await both(revoked)).join() === '401,200'),
    ]);
    assert.equal(await onB(basic(password.id, 'Another-Passw0rd')), 200);
  });

  it('refuses sessions that ended elsewhere', async () => {
    const signedIn = async () => {
      const client = new Client(a.address, app.id);
      assert.equal((await client.signIn(people.steady.id)).status, 200);
      assert.equal(await client.status(b.address), 200);
      return client;
    };
    const [out, epoch] = [await signedIn(), await signedIn()];
    const { cookie } = out;
    assert.equal((await out.send('DELETE', '/session')).status, 204);
    out.cookie = cookie;
    await withinASecond('the session that was signed out', async () => (await out.status(b.address)) === 401);
    assert.equal(await epoch.status(b.address), 200);
    await direct.query(`update app_${app.id}.users set session_epoch = session_epoch + 1 where id = $1`, [
      people.steady.id,
    ]);
    await withinASecond('the session of an earlier epoch', async () => (await epoch.status(b.address)) === 401);
  });

  it('cannot publish, and replies why', async () => {
    const refused = await a.operator('POST', '/applications', { id: app.id, name: 'Renamed', collections: [] });
    assert.equal(refused.status, 503, refused.text);
  });

  it('shows what another node published', async () => {
    const version = async () =>
      (await send(b.address, 'GET', `/v1/${app.id}`, { headers: { authorization: `Bearer ${app.admin.token}` } })).body
        .version;
    const before = await version();
    // Publishing takes a connection of its own, which is not to be had now: this is what it leaves.
    await direct.query(`with moved as (update app_${app.id}.fence set generation = generation + 1)
      update cartulary.applications set version = version + 1, generation = generation + 1 where id = '${app.id}'`);
    await withinASecond('the definition', async () => (await version()) === before + 1);
  });

  it('keeps serving users that did not change', async () => {
    const ends = performance.now() + 1200;
    while (performance.now() < ends) assert.deepEqual(await both(people.steady), [200, 200]);
    assert.equal(await listeners(), 0);
  });

  it('listens again once it can connect', async () => {
    await connectable(true);
    await until('both nodes to listen', async () => (await listeners()) === 2);
    assert.deepEqual(await both(people.steady), [200, 200]);
    await direct.query(`update app_${app.id}.users set disabled = true where id = $1`, [people.steady.id]);
    await direct.query(`select pg_notify('cartulary', $1)`, [`application ${app.id}`]);
    await until('the message to count', async () => (await both(people.steady)).join() === '401,401');
  });
});
