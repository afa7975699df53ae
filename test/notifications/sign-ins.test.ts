// For how long a device takes messages: it depends on how its user was known when it was registered.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Person, TestApplication } from '../support/application.ts';
import { signedIn } from '../support/browser-sessions.ts';
import { type Reply, type SendOptions, startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type Browser, type PushService, startPushService } from './push-service.ts';
import { notify, publishWithPush } from './scene.ts';

describe('a device', () => {
  let server: TestServer;
  let service: PushService;
  let app: TestApplication;
  let names = 0;

  before(async () => {
    service = await startPushService();
    server = await startTestServer({ push: { services: [service.origin] } });
    app = await publishWithPush(server);
  });
  after(async () => {
    await server.close();
    await service.close();
  });

  /** Asks as somebody. */
  type Ask = (method: string, path: string, options?: SendOptions) => Promise<Reply>;

  const somebody = () => app.addPerson(`Person ${names++}`);
  const withToken =
    ({ token }: Person): Ask =>
    (method, path, options) =>
      app.send(method, path, { token, ...options });
  const withPassword = ({ id, password }: Person): Ask => {
    const authorization = `Basic ${Buffer.from(`${id}:${password}`).toString('base64')}`;
    return (method, path, options) =>
      server.send(method, `/v1/${app.id}${path}`, { headers: { authorization }, ...options });
  };
  const inSession = async (person: Person): Promise<Ask> => {
    const client = await signedIn(server, app, person);
    return (method, path, options) => client.send(method, path, options);
  };
  async function register({ id }: Person, ask: Ask, browser = service.browser()): Promise<Browser> {
    const json = { transport: 'webPush', subscription: browser.subscription };
    const reply = await ask('POST', `/users/${id}/devices`, { json });
    assert.equal(reply.status, 200, reply.text);
    return browser;
  }
  const devicesOf = async ({ id }: Person): Promise<object[]> => (await app.send('GET', `/users/${id}/devices`)).body;
  /** Whether a message arrives. */
  async function reached(person: Person, { arrivals }: Browser): Promise<boolean> {
    const earlier = arrivals.length;
    await notify(app, person, { body: 'a' });
    await until('settled', async () => {
      const rows = await server.database.sql(`select 1 from app_${app.id}.deliveries where state = 'waiting'`);
      return rows.length === 0;
    });
    return arrivals.length > earlier;
  }
  const sql = (text: string, ...params: unknown[]) =>
    server.database.sql(text.replaceAll('APP', `app_${app.id}`), params);

  it('of a session outlives it when it ends by idling, and goes when it is signed out', async () => {
    const person = await somebody();
    const browser = await register(person, await inSession(person));
    assert.equal(await reached(person, browser), true);
    await sql('update APP.sessions set rotated_at = $2 where user_id = $1', person.id, '2020-01-01');
    assert.equal(await reached(person, browser), true, 'idle');
    await sql('delete from APP.sessions where user_id = $1', person.id);
    assert.equal(await reached(person, browser), true, 'swept');
    const again = await inSession(person);
    const other = await register(person, again);
    assert.equal((await again('DELETE', '/session')).status, 204);
    assert.equal(await reached(person, other), false, 'signed out');
    assert.equal((await devicesOf(person)).length, 1);
  });

  it('of a session or a password goes with a new password, but for the session that changed it', async () => {
    const person = await somebody();
    const mine = await inSession(person);
    const own = await register(person, mine);
    const others = [await register(person, await inSession(person)), await register(person, withPassword(person))];
    const byToken = await register(person, withToken(person));
    const json = { currentPassword: person.password, newPassword: `${person.password}!` };
    assert.equal((await mine('PUT', '/session/password', { json })).status, 204);
    assert.equal(await reached(person, own), true, 'the session goes on');
    assert.deepEqual([byToken.arrivals.length, ...others.map(({ arrivals }) => arrivals.length)], [1, 0, 0]);
    assert.equal((await devicesOf(person)).length, 2);
    assert.deepEqual(await sql('select count(*)::int from APP.devices where user_id = $1', person.id), [[2]]);
  });

  it('of a token goes when that is revoked or expires', async () => {
    for (const ending of ['revoked_at', 'expires_at']) {
      const person = await somebody();
      const browser = await register(person, withToken(person));
      assert.equal(await reached(person, browser), true);
      await sql(`update APP.tokens set ${ending} = $2 where user_id = $1`, person.id, '2020-01-01');
      assert.equal(await reached(person, browser), false, ending);
      assert.deepEqual(await sql('select 1 from APP.devices where user_id = $1', person.id), []);
    }
  });

  it('that was removed works again when it is registered again', async () => {
    const person = await somebody();
    const browser = await register(person, withToken(person));
    await sql('update APP.tokens set revoked_at = $2 where user_id = $1', person.id, '2020-01-01');
    await register(person, await inSession(person), browser);
    assert.equal(await reached(person, browser), true);
  });
});
