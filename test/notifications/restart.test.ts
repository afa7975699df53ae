// Ten thousand notifications, a push service that fails half of the time, and a server that is killed in the middle.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, sendTo } from '../support/server.ts';
import { type PhoneService, startFcm } from './phones.ts';
import { type PushService, startPushService } from './push-service.ts';
import { queueOf, until } from './scene.ts';

const NOTIFICATIONS = 10_000;
const PEOPLE = 10;
const SENDERS = 12;

interface Somebody {
  readonly id: string;
  readonly token: string;
}

describe('ten thousand notifications', () => {
  let database: TestDatabase;
  let folder: string;
  let service: PushService;
  let fcm: PhoneService;
  let server: ServerProcess;
  let applicationId: string;
  let admin: Somebody;
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
  const start = () => spawnServer(environment());
  const environment = () => {
    const { user, host, port, database: name } = database.connection as Record<string, string>;
    return {
      CARTULARY_DATA: folder,
      CARTULARY_OPERATOR_KEY: OPERATOR_KEY,
      CARTULARY_PUSH_SERVICES: service.origin,
      CARTULARY_FCM: join(folder, 'fcm.json'),
      DATABASE_URL: `postgres://${user}@/${name}?host=${encodeURIComponent(host!)}&port=${port}`,
    };
  };

  before(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'ct-notifications-'));
    [service, fcm] = await Promise.all([startPushService(), startFcm()]);
    await writeFile(join(folder, 'fcm.json'), JSON.stringify(fcm.account));
    server = await start();
    const operator = async (path: string, json: object) => {
      const options = { token: OPERATOR_KEY, json };
      const reply = await sendTo(server.address, 'POST', `/operator/v1/applications${path}`, options);
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };
    const document = { name: 'Many', activityLogEnabled: true, pushNotificationsEnabled: true, collections: [] };
    applicationId = (await operator('', document)).application.id;
    somebody = async (name) => {
      const flags = { admin: true, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
      const account = { name, email: 'a@example.com', password: 'Secret-Passw0rd', ...flags };
      const { id } = await operator(`/${applicationId}/users`, account);
      return { id, token: (await operator(`/${applicationId}/users/${id}/tokens`, { name: 'test' })).token };
    };
    admin = await somebody('Admin');
  });
  let somebody: (name: string) => Promise<Somebody>;
  after(async () => {
    agent.destroy();
    await server.end('SIGTERM');
    await Promise.all([service.close(), fcm.close()]);
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The status, or 0 where there was no answer. */
  const send = (path: string, json: object): Promise<number> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(server.address);
      const headers = { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' };
      const options = { hostname, port, path: `/v1/${applicationId}${path}`, method: 'POST', headers, agent };
      const asked = request(options, (response) => {
        response.resume();
        response.on('close', () => resolve(response.statusCode ?? 0));
      });
      asked.on('error', () => resolve(0));
      asked.end(JSON.stringify(json));
    });

  it('each arrives at least once, hardly any twice, and the queue ends empty', async (t) => {
    // Every second one has a browser, the others a phone.
    const people: { id: string; arrived: () => string[] }[] = [];
    for (let index = 0; index < PEOPLE; index++) {
      const { id, token } = await somebody(`Person ${index}`);
      const browser = service.browser();
      const phone = `phone-${index}`.padEnd(100, '0');
      const json =
        index % 2 === 0
          ? { transport: 'webPush', subscription: browser.subscription }
          : { transport: 'fcm', token: phone };
      const reply = await sendTo(server.address, 'POST', `/v1/${applicationId}/users/${id}/devices`, { token, json });
      assert.equal(reply.status, 200, reply.text);
      const arrived = () =>
        index % 2 === 0
          ? browser.arrivals.map(({ message }) => message.body as string)
          : fcm.taken
              .filter(({ body }) => body.message.token === phone)
              .map(({ body }) => body.message.notification.body as string);
      people.push({ id, arrived });
    }
    let requests = 0;
    let taken = 0;
    const byChance = (status: number) => {
      requests += 1;
      if (Math.random() < 0.5) return { status: 503 };
      taken += 1;
      return { status };
    };
    service.react = () => byChance(201);
    fcm.react = () => byChance(200);

    const began = Date.now();
    let restarted: Promise<void> | undefined;
    const restart = async () => {
      await server.end('SIGKILL');
      server = await start();
    };
    const acknowledged: string[] = [];
    let next = 0;
    const sender = async () => {
      while (next < NOTIFICATIONS) {
        const index = next++;
        const body = `message ${index}`;
        // What was not acknowledged is sent again, as its sender would; it may be there twice then, and is left out.
        for (let tries = 1; ; tries++) {
          const status = await send(`/users/${people[index % PEOPLE]!.id}/notifications`, { body: `${body} ${tries}` });
          if (status === 204) {
            acknowledged.push(`${body} ${tries}`);
            break;
          }
          assert.ok(status === 0 || status === 503, `answered ${status}`);
          await restarted;
        }
        if (taken >= NOTIFICATIONS / 3) restarted ??= restart();
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    const queuedMs = Date.now() - began;
    restarted ??= restart();
    await restarted;
    await until(
      async () => (await queueOf({ database }, { id: applicationId })).waiting === undefined,
      'empty',
      120_000,
    );
    const elapsedMs = Date.now() - began;

    const counts = new Map<string, number>();
    for (const { arrived } of people) {
      for (const body of arrived()) counts.set(body, (counts.get(body) ?? 0) + 1);
    }
    assert.equal(acknowledged.length, NOTIFICATIONS);
    const lost = acknowledged.filter((body) => !counts.has(body));
    assert.deepEqual(lost, []);
    const twice = [...counts.values()].reduce((sum, count) => sum + count - 1, 0);
    t.diagnostic(
      `${counts.size} messages in ${requests} requests, ${twice} duplicates, queued in ${queuedMs} ms, empty after ${elapsedMs} ms`,
    );
    assert.ok(twice < NOTIFICATIONS / 100, `${twice} duplicates`);
    const states = await queueOf({ database }, { id: applicationId });
    assert.deepEqual(Object.keys(states), ['delivered']);
    const [[entries] = []] = await database.sql(
      `select count(*)::int from app_${applicationId}.activity where entry like '%"notification","subType":"send"%'`,
    );
    assert.equal(entries, states.delivered, 'one entry for each notification that was queued');
  });
});
