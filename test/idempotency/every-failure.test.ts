// Requests with an Idempotency-Key whose statements fail, each of them in turn and in every way: sent again with the same
// key until it is replied to, the request has been done exactly once.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type PushService, startPushService } from '../notifications/push-service.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type FailingWire, type Failure, failingWire, throughEveryFailure } from '../support/failing-wire.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

const TITLE = 'ctitle00';
const CODE = 'ccode000';
const DOCUMENT = {
  pushNotificationsEnabled: true,
  collections: [
    {
      ...{ id: 'tthings0', name: 'Things' },
      columns: [
        { id: TITLE, name: 'Title', type: 'String' },
        { id: CODE, name: 'Code', type: 'String', unique: true },
      ],
    },
  ],
};

/** A deadlock, a definition that is stale, and both ways to lose a connection. */
const FAILURES: readonly Failure[] = [{ sqlstate: '40P01' }, { sqlstate: '42P01' }, 'cut', 'lost'];

describe('a request with an Idempotency-Key of which a statement fails', () => {
  let database: TestDatabase;
  let wire: FailingWire;
  let service: PushService;
  let server: TestServer;
  let app: TestApplication;
  /** One for all: there are hundreds of looks. */
  let own: pg.Client;

  before(async () => {
    database = await createDatabase();
    own = new pg.Client(database.connection);
    await own.connect();
    wire = await failingWire(database.connection);
    service = await startPushService();
    const push = { services: [service.origin] };
    const sizes = { connectionsMax: 4, expectFailures: true } as const;
    server = await startTestServer({ database, connection: wire.connection, push, ...sizes });
    app = await publishApplication(server, DOCUMENT);
    const made = await app.send('POST', app.records('Things'), { json: thing('holder', 'taken') });
    assert.equal(made.status, 200, made.text);
  });
  after(async () => {
    await server.close();
    await service.close();
    await wire.close();
    await own.end();
    await database.drop();
  });

  const thing = (title: string, code?: string) => ({
    values: { [TITLE]: string(title), ...(code === undefined ? {} : { [CODE]: string(code) }) },
  });
  const post = (path: string, json: unknown, key: string) =>
    app.send('POST', path, { json, headers: { 'idempotency-key': key } });

  /** What is there: titles of records, notifications, and how many entries the log has. */
  async function stored() {
    const { rows: records } = await own.query(`select rec from app_${app.id}.tthings0 `);
    const { rows: notifications } = await own.query(`select id from app_${app.id}.notifications`);
    const { rows: entries } = await own.query(`select entry from app_${app.id}.activity`);
    const kinds = entries.map(({ entry }) => JSON.parse(entry)).filter(({ subType }) => /create|send/.test(subType));
    const titles = records.map(({ rec }) => JSON.parse(rec).values[TITLE].value).sort();
    return { titles, notifications: notifications.length, entries: kinds.length };
  }

  async function clear(): Promise<void> {
    await own.query(`delete from app_${app.id}.tthings0 where rec not like '%"holder"%'`);
    await own.query(`delete from app_${app.id}.notifications`);
    await own.query(`delete from app_${app.id}.activity`);
  }

  async function untilReplied(send: () => Promise<Reply>): Promise<Reply> {
    for (let attempt = 0; attempt < 200; attempt++) {
      const reply = await send();
      if (reply.status < 500 && reply.status !== 409) return reply;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error('it is never replied to');
  }

  interface Done {
    readonly path: () => string;
    readonly json: unknown;
    readonly status: number;
    readonly titles?: readonly string[];
    readonly notifications?: number;
  }

  const REQUESTS: Readonly<Record<string, Done>> = {
    create: { path: () => app.records('Things'), json: thing('new', 'new'), status: 200, titles: ['new'] },
    'create that collides': { path: () => app.records('Things'), json: thing('new', 'taken'), status: 400 },
    'create many': {
      ...{ path: () => app.records('Things'), json: [thing('a'), thing('b', 'b')], status: 200 },
      titles: ['a', 'b'],
    },
    'create many of which the last collides': {
      ...{ path: () => app.records('Things'), json: [thing('a'), thing('b'), thing('c', 'taken')], status: 400 },
      titles: ['a', 'b'],
    },
    'create of something invalid': { path: () => app.records('Things'), json: { values: { c0: 1 } }, status: 400 },
    notification: {
      ...{ path: () => `/users/${app.admin.id}/notifications`, json: { body: 'Hello' }, status: 204 },
      notifications: 1,
    },
  };

  for (const [name, { path, json, status, titles = [], notifications = 0 }] of Object.entries(REQUESTS)) {
    it(`${name}: done once, and replied to alike`, async () => {
      await throughEveryFailure(
        wire,
        async (_, begin) => {
          await clear();
          const key = randomUUID();
          begin();
          const reply = await post(path(), json, key);
          const check = async () => {
            const again = await untilReplied(() => post(path(), json, key));
            assert.equal(again.status, status, again.text);
            if (reply.status === status) assert.equal(again.text, reply.text);
            const last = await post(path(), json, key);
            assert.equal(last.text, again.text);
            assert.equal(last.headers.get('idempotency-replayed'), 'true');
            const entries = titles.length + notifications;
            assert.deepEqual(await stored(), { titles: [...titles, 'holder'].sort(), notifications, entries });
          };
          return { reply, check };
        },
        FAILURES,
      );
    });
  }
});
