// Three thousand notifications, a push service that fails half of the time, and a server that is killed in the middle.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type ServerProcess, spawnServer } from '../support/process.ts';
import { OPERATOR_KEY, sendTo } from '../support/server.ts';
import { type HalfFailing, startHalfFailing } from './half-failing.ts';
import { queueOf } from './scene.ts';

const NOTIFICATIONS = 3_000;
/** The first has a browser, for which every message is encrypted; the others have phones. */
const PEOPLE = 10;
const SENDERS = 16;
const MINUTES_MAX = 5;

interface Somebody {
  readonly id: string;
  readonly token: string;
}

describe('three thousand notifications', () => {
  let database: TestDatabase;
  let folder: string;
  let services: HalfFailing;
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
      CARTULARY_PUSH_SERVICES: services.origin,
      CARTULARY_FCM: join(folder, 'fcm.json'),
      DATABASE_URL: `postgres://${user}@/${name}?host=${encodeURIComponent(host!)}&port=${port}`,
    };
  };

  before(async () => {
    database = await createDatabase();
    folder = await mkdtemp(join(tmpdir(), 'ct-notifications-'));
    services = await startHalfFailing();
    await writeFile(join(folder, 'fcm.json'), JSON.stringify(services.fcmAccount));
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
    await services.close();
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
    const people: string[] = [];
    for (let index = 0; index < PEOPLE; index++) {
      const { id, token } = await somebody(`Person ${index}`);
      const { subscription } = services;
      const phone = `phone-${index}`.padEnd(100, '0');
      const json = index === 0 ? { transport: 'webPush', subscription } : { transport: 'fcm', token: phone };
      const reply = await sendTo(server.address, 'POST', `/v1/${applicationId}/users/${id}/devices`, { token, json });
      assert.equal(reply.status, 200, reply.text);
      people.push(id);
    }

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
          const status = await send(`/users/${people[index % PEOPLE]!}/notifications`, { body: `${body} ${tries}` });
          if (status === 204) {
            acknowledged.push(`${body} ${tries}`);
            break;
          }
          assert.ok(status === 0 || status === 503, `answered ${status}`);
          await restarted;
        }
        if (index % 100 === 0 && (await services.taken()) >= NOTIFICATIONS / 3) restarted ??= restart();
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, sender));
    const queuedMs = Date.now() - began;
    restarted ??= restart();
    await restarted;
    // Seldom, and by the index: who asks too much slows down what it waits for.
    const waiting = `select 1 from app_${applicationId}.deliveries where state = 'waiting' limit 1`;
    for (const end = began + MINUTES_MAX * 60_000; (await database.sql(waiting)).length > 0; await pause(250)) {
      assert.ok(Date.now() < end, `not empty after ${MINUTES_MAX} minutes`);
    }
    const elapsedMs = Date.now() - began;

    const { requests, bodies } = await services.arrived();
    const counts = new Map<string, number>();
    for (const body of bodies) counts.set(body, (counts.get(body) ?? 0) + 1);
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
