// What is tried again and what is not: backoff, gone and refused, other servers, fairness, stopping, removal.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { DELIVERY_MS_MAX, retryDelayMs } from '../../src/domain/notifications.ts';
import type { Observation } from '../../src/events/events.ts';
import { retryAfterMs } from '../../src/push/transport.ts';
import type { Person, TestApplication } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { onTable } from '../support/nodes.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { type PushService, type Reaction, startPushService } from './push-service.ts';
import { notify, publishWithPush, queueOf, registerBrowser } from './scene.ts';

describe('the wait for the next attempt', () => {
  const delay = (attempts: number, serviceFailing: boolean) => retryDelayMs({ attempts, serviceFailing, chance: 0.5 });

  it('doubles from a second to an hour while the service accepts nothing', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 12, 13, 60].map((attempts) => delay(attempts, true)),
      [1_000, 2_000, 4_000, 8_000, 2_048_000, 3_600_000, 3_600_000],
    );
  });

  it('is a second while the service accepts others, and doubles only after that', () => {
    assert.deepEqual(
      [1, 2, 15, 16, 17, 60].map((attempts) => delay(attempts, false)),
      [1_000, 1_000, 1_000, 2_000, 4_000, 3_600_000],
    );
  });

  it('is spread, and bounded when the service says how long', () => {
    const spread = [0, 1].map((chance) => retryDelayMs({ attempts: 3, serviceFailing: true, chance }));
    assert.deepEqual(spread, [3_000, 5_000]);
    const now = Date.parse('2026-01-01T00:00:00Z');
    const table = [
      undefined,
      '0',
      '90',
      'Thu, 01 Jan 2026 00:01:00 GMT',
      'Wed, 31 Dec 2025 00:00:00 GMT',
      '999999',
      'soon',
    ];
    assert.deepEqual(
      table.map((header) => retryAfterMs(header, now)),
      [undefined, 0, 90_000, 60_000, 0, 6 * 3_600_000, undefined],
    );
  });
});

describe('deliveries', () => {
  let database: TestDatabase;
  let server: TestServer;
  let service: PushService;
  let dead: { origin: string; hits: number; close(): void };
  let app: TestApplication;
  const observed: Observation[] = [];
  let names = 0;

  before(async () => {
    service = await startPushService();
    const redirector = createServer((_request, response) => {
      dead.hits += 1;
      response.writeHead(307, { location: `${service.origin}/send/x` }).end();
    });
    redirector.listen(0, '127.0.0.1');
    await new Promise((done) => redirector.once('listening', done));
    const origin = `http://127.0.0.1:${(redirector.address() as AddressInfo).port}`;
    dead = { origin, hits: 0, close: () => redirector.close().closeAllConnections() };
    database = await createDatabase();
    server = await startTestServer({
      database,
      push: { services: [service.origin, origin, 'http://127.0.0.1:9'] },
      observe: (observation) => observed.push(observation),
    });
    app = await publishWithPush(server);
  });
  after(async () => {
    await server.close();
    await service.close();
    await database.drop();
    dead.close();
  });

  const somebody = async (where = app) => {
    const person = await where.addPerson(`Person ${names++}`);
    return { person, browser: await registerBrowser(where, person, service) };
  };
  const stateOf = async (person: Person) => {
    const [row] = await server.database.sql(
      `select d.state, d.attempts, d.problem, d.due_at from app_${app.id}.deliveries d
         join app_${app.id}.notifications n on n.id = d.notification_id where n.user_id = $1`,
      [person.id],
    );
    const [state, attempts, problem, dueAt] = row as [string, number, string | null, Date];
    return { state, attempts, problem, dueAt };
  };
  const finished = (person: Person) => until('finished', async () => (await stateOf(person)).state !== 'waiting');
  const reactions = (...list: Reaction[]) => {
    service.react = () => list.shift() ?? { status: 201 };
  };

  it('that fail are retried until they are accepted', async () => {
    const { person, browser } = await somebody();
    reactions({ status: 500 }, { status: 503 });
    await notify(app, person, { body: 'a' });
    await finished(person);
    assert.deepEqual(
      { ...(await stateOf(person)), dueAt: undefined },
      {
        state: 'delivered',
        attempts: 3,
        problem: null,
        dueAt: undefined,
      },
    );
    assert.equal(browser.arrivals.length, 1);
  });

  it('wait for as long as the service asks', async () => {
    const { person } = await somebody();
    reactions({ status: 429, headers: { 'retry-after': '3600' } });
    await notify(app, person, { body: 'a' });
    await until('tried', async () => (await stateOf(person)).problem !== null);
    const { state, dueAt, problem } = await stateOf(person);
    assert.equal(state, 'waiting');
    assert.equal(problem, 'answered 429');
    assert.ok(dueAt.getTime() > Date.now() + 3_500_000, String(dueAt));
    await server.database.sql(`delete from app_${app.id}.notifications where user_id = $1`, [person.id]);
  });

  it('to a subscription that is gone drop it', async () => {
    for (const status of [404, 410]) {
      const { person } = await somebody();
      reactions({ status });
      await notify(app, person, { body: 'a' });
      await finished(person);
      assert.equal((await stateOf(person)).state, 'gone');
      await until('dropped', async () => (await app.send('GET', `/users/${person.id}/devices`)).body.length === 0);
    }
  });

  it('that are refused fail at once, and the log says so; nothing is sent where a redirect leads', async () => {
    for (const status of [400, 403, 413]) {
      const { person } = await somebody();
      reactions({ status, body: `no\n${'x'.repeat(100_000)}` });
      await notify(app, person, { body: 'a' });
      await finished(person);
      const { state, attempts, problem } = await stateOf(person);
      assert.deepEqual([state, attempts], ['failed', 1]);
      assert.match(problem ?? '', new RegExp(`^answered ${status} no x{50,}$`));
      assert.equal((await app.send('GET', `/users/${person.id}/devices`)).body.length, 1);
      assert.ok(observed.some((o) => o.event === 'notification.failed' && o.problem === problem));
    }
    const { person } = await somebody();
    const [before, requests] = [dead.hits, service.requests];
    await server.database.sql(`update app_${app.id}.devices set address = $2 where user_id = $1`, [
      person.id,
      `${dead.origin}/a`,
    ]);
    await notify(app, person, { body: 'a' });
    await finished(person);
    assert.equal((await stateOf(person)).state, 'failed');
    assert.deepEqual([dead.hits, service.requests], [before + 1, requests]);
  });

  it('to a service that is no longer trusted are not sent', async () => {
    const { person } = await somebody();
    await server.database.sql(`update app_${app.id}.devices set address = 'http://127.0.0.1:1/a' where user_id = $1`, [
      person.id,
    ]);
    await notify(app, person, { body: 'a' });
    await finished(person);
    assert.match((await stateOf(person)).problem ?? '', /not a trusted one/);
  });

  it('are given up after a day', async () => {
    const { person } = await somebody();
    await server.database.sql(`update app_${app.id}.devices set address = 'http://127.0.0.1:9/a' where user_id = $1`, [
      person.id,
    ]);
    await notify(app, person, { body: 'a' });
    await until('tried', async () => (await stateOf(person)).problem !== null);
    assert.match((await stateOf(person)).problem ?? '', /^no answer: ECONNREFUSED$/);
    await server.database.sql(`update app_${app.id}.notifications set created_at = $2 where user_id = $1`, [
      person.id,
      new Date(Date.now() - DELIVERY_MS_MAX + 500),
    ]);
    await finished(person);
    assert.equal((await stateOf(person)).state, 'failed');
  });

  it('of one application do not wait for the many of another', async () => {
    const crowded = await publishWithPush(server, { name: 'Crowded' });
    const { person } = await somebody(crowded);
    const quick = await somebody();
    const [[deviceId] = []] = await server.database.sql(`select id from app_${crowded.id}.devices`);
    const message = JSON.stringify({ application: { id: crowded.id, name: 'Crowded' }, title: 't', body: 'b' });
    await server.database.sql(
      `with n as (insert into app_${crowded.id}.notifications
           select gen_random_uuid(), $1, $1, $2, now() from generate_series(1, 5000) returning id)
         insert into app_${crowded.id}.deliveries select id, $3, 'waiting', 0, now() - interval '1 hour' from n`,
      [person.id, message, deviceId],
    );
    service.react = () => ({ status: 201, delayMs: 30 });
    // Makes the server look.
    await notify(crowded, person, { body: 'one more' });
    await until('begun', async () => ((await queueOf(server, crowded)).delivered ?? 0) > 0);
    await notify(app, quick.person, { body: 'a' });
    const began = Date.now();
    await finished(quick.person);
    const left = (await queueOf(server, crowded)).waiting ?? 0;
    assert.ok(left > 3_000, `${left} left in the other after ${Date.now() - began} ms`);
    assert.ok(service.busiest <= 8, `${service.busiest} at a time`);
    // And an application goes with its queue, whatever is under way.
    assert.equal((await server.operator('DELETE', `/applications/${crowded.id}`)).status, 204);
    reactions();
    await until('forgotten', async () => {
      const notes = await server.database.sql('select 1 from cartulary.due_notifications where application_id = $1', [
        crowded.id,
      ]);
      return notes.length === 0;
    });
    const after = await somebody();
    await notify(app, after.person, { body: 'still works' });
    await finished(after.person);
    assert.deepEqual(
      observed.filter(({ event }) => event === 'job.failed'),
      [],
    );
  });

  it('of one application go on when the queue of another cannot be read', async () => {
    const broken = await publishWithPush(server, { name: 'Broken' });
    const unlucky = await somebody(broken);
    const lucky = await somebody();
    await server.database.sql(
      `create function app_${broken.id}.break() returns trigger language plpgsql as $$ begin raise 'broken'; end $$`,
    );
    const table = `app_${broken.id}.deliveries`;
    const trigger = `create trigger break before update on %s execute function app_${broken.id}.break()`;
    await onTable(server.database, table, trigger);
    reactions();
    await notify(broken, unlucky.person, { body: 'a' });
    await until('observed', () => observed.some((o) => o.event === 'job.failed' && o.applicationId === broken.id));
    await notify(app, lucky.person, { body: 'a' });
    await until('delivered', () => lucky.browser.arrivals.length === 1);
    await onTable(server.database, table, 'drop trigger break on %s');
    await server.database.sql('update cartulary.due_notifications set due_at = now() where application_id = $1', [
      broken.id,
    ]);
    await until('delivered, too', () => unlucky.browser.arrivals.length === 1);
    assert.equal((await server.operator('DELETE', `/applications/${broken.id}`)).status, 204);
  });

  it('that cannot be read fail, and take no room from others', async () => {
    const { person, browser } = await somebody();
    reactions({ status: 503 });
    await notify(app, person, { body: 'a' });
    await server.database.sql(`update app_${app.id}.notifications set message = '{' where user_id = $1`, [person.id]);
    await finished(person);
    assert.match((await stateOf(person)).problem ?? '', /^cannot be sent: /);
    reactions();
    const other = await somebody();
    await notify(app, other.person, { body: 'b' });
    await finished(other.person);
    assert.equal(other.browser.arrivals.length, 1);
    assert.deepEqual(browser.arrivals, []);
  });

  it('to a user who has been disabled meanwhile fail, and the device stays until its sign-in has ended', async () => {
    const { person, browser } = await somebody();
    const path = `/users/${person.id}`;
    const before = service.requests;
    reactions({ status: 503 });
    await notify(app, person, { body: 'a' });
    await until('tried', () => service.requests > before);
    await server.database.sql(`update app_${app.id}.users set disabled = true where id = $1`, [person.id]);
    await finished(person);
    const { state, problem } = await stateOf(person);
    assert.deepEqual([state, problem], ['failed', 'the user is disabled or no longer exists']);
    assert.equal((await app.send('GET', `${path}/devices`)).body.length, 1);
    await server.database.sql(`update app_${app.id}.users set disabled = false where id = $1`, [person.id]);
    await server.database.sql(`delete from app_${app.id}.notifications where user_id = $1`, [person.id]);
    // By a token, whose revocation is found when it is sent.
    const tried = service.requests;
    reactions({ status: 503 });
    await notify(app, person, { body: 'b' });
    await until('tried again', () => service.requests > tried);
    await server.database.sql(`update app_${app.id}.tokens set revoked_at = now() where user_id = $1`, [person.id]);
    await finished(person);
    assert.match((await stateOf(person)).problem ?? '', /^the sign-in by which the device was registered has ended$/);
    assert.deepEqual(browser.arrivals, []);
    assert.deepEqual((await app.send('GET', `${path}/devices`)).body, []);
  });

  it('that a stopping server has claimed but not started are released, and those in progress finish', async () => {
    const own = await publishWithPush(server, { name: 'Stopping' });
    const { person, browser } = await somebody(own);
    await server.close();
    service.react = () => ({ status: 201, delayMs: 400 });
    service.busiest = 0;
    const stopping = await startTestServer({ database, push: { services: [service.origin] } });
    for (let index = 0; index < 40; index++) {
      const path = `/v1/${own.id}/users/${person.id}/notifications`;
      await stopping.send('POST', path, { token: own.admin.token, json: { body: String(index) } });
    }
    await until('under way', () => service.busiest >= 8);
    await stopping.close();
    const queue = await queueOf({ database }, own);
    assert.equal(queue.delivered, browser.arrivals.length, 'what arrived is written down');
    // What the service had no room for was put off by two seconds at the most; a claim goes on for ten.
    const ahead = await database.sql(
      `select 1 from app_${own.id}.deliveries where state = 'waiting' and due_at > now() + interval '5 seconds'`,
    );
    assert.deepEqual(ahead, [], 'nothing is held');
    service.react = () => ({ status: 201 });
    // The walk at the start finds what has no note.
    await database.sql('delete from cartulary.due_notifications');
    server = await startTestServer({ database, push: { services: [service.origin] } });
    await until('the rest', async () => (await queueOf({ database }, own)).delivered === 40);
    assert.equal(new Set(browser.arrivals.map(({ message }) => message.body)).size, 40);
    assert.equal(browser.arrivals.length, 40);
  });
});
