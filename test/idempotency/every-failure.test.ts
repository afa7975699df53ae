// Requests with an Idempotency-Key whose statements fail, each of them in turn and in every way: sent again with the same
// key until it is replied to, the request has been done exactly once.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type PushService, startPushService } from '../notifications/push-service.ts';
import { publishApplication, string, type TestApplication } from '../support/application.ts';
import { openStore, type TestStore } from '../support/attachments.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type FailingWire, type Failure, failingWire, throughEveryFailure } from '../support/failing-wire.ts';
import { type Reply, sendTo, startTestServer, type TestServer } from '../support/server.ts';

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
  /** Where a request is repeated. */
  let other: TestServer;
  let files: TestStore;
  let app: TestApplication;
  /** One for all: there are hundreds of looks. */
  let own: pg.Client;

  before(async () => {
    database = await createDatabase();
    own = new pg.Client(database.connection);
    await own.connect();
    wire = await failingWire(database.connection);
    service = await startPushService();
    files = await openStore('disk');
    const common = { database, attachments: files.place, push: { services: [service.origin] } };
    const sizes = { connectionsMax: 4, expectFailures: true } as const;
    server = await startTestServer({ ...common, connection: wire.connection, ...sizes });
    other = await startTestServer(common);
    app = await publishApplication(server, DOCUMENT);
    const made = await app.send('POST', app.records('Things'), { json: thing('holder', 'taken') });
    assert.equal(made.status, 200, made.text);
  });
  after(async () => {
    await other.close();
    await server.close();
    await files.close();
    await service.close();
    await wire.close();
    await own.end();
    await database.drop();
  });

  const thing = (title: string, code?: string) => ({
    values: { [TITLE]: string(title), ...(code === undefined ? {} : { [CODE]: string(code) }) },
  });
  const post = ({ address }: TestServer, { path, json, raw }: Done, key: string): Promise<Reply> =>
    sendTo(address, 'POST', `/v1/${app.id}${path()}`, {
      ...{ token: app.admin.token, headers: { 'idempotency-key': key } },
      ...(raw === undefined ? { json } : { raw }),
    });

  /** What is there: titles of records, how many notifications and attachments, and how many entries the log has. */
  async function stored() {
    const { rows: records } = await own.query(`select rec from app_${app.id}.tthings0 `);
    const { rows: notifications } = await own.query(`select id from app_${app.id}.notifications`);
    const { rows: attachments } = await own.query(`select id from app_${app.id}.attachments where state = 'available'`);
    const { rows: entries } = await own.query(`select entry from app_${app.id}.activity`);
    const kinds = entries.map(({ entry }) => JSON.parse(entry)).filter(({ subType }) => /create|send/.test(subType));
    const titles = records.map(({ rec }) => JSON.parse(rec).values[TITLE].value).sort();
    const counts = { notifications: notifications.length, attachments: attachments.length, entries: kinds.length };
    return { titles, ...counts };
  }

  async function clear(): Promise<void> {
    await own.query(`delete from app_${app.id}.tthings0 where rec not like '%"holder"%'`);
    await own.query(`delete from app_${app.id}.notifications`);
    await own.query(`delete from app_${app.id}.attachments where state = 'available'`);
    await own.query(`delete from app_${app.id}.activity`);
  }

  async function untilReplied(send: () => Promise<Reply>): Promise<Reply> {
    for (let attempt = 0; attempt < 2_000; attempt++) {
      const reply = await send();
      if (reply.status < 500 && reply.status !== 409) return reply;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    throw new Error('it is never replied to');
  }

  interface Done {
    readonly path: () => string;
    readonly json?: unknown;
    readonly raw?: string;
    readonly status: number;
    readonly titles?: readonly string[];
    readonly notifications?: number;
    readonly attachments?: number;
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
    upload: { path: () => '/collections/tthings0/attachments', raw: 'content', status: 200, attachments: 1 },
  };

  for (const [name, request] of Object.entries(REQUESTS)) {
    const { status, titles = [], notifications = 0, attachments = 0 } = request;
    it(`${name}: done once, and replied to alike`, async () => {
      await throughEveryFailure(
        wire,
        async (_, begin) => {
          await clear();
          const key = randomUUID();
          begin();
          const reply = await post(server, request, key);
          const check = async () => {
            const again = await untilReplied(() => post(other, request, key));
            assert.equal(again.status, status, again.text);
            if (reply.status === status) assert.equal(again.text, reply.text);
            const last = await post(server, request, key);
            assert.equal(last.text, again.text);
            assert.equal(last.headers.get('idempotency-replayed'), 'true');
            const entries = titles.length + notifications + attachments;
            assert.deepEqual(await stored(), {
              titles: [...titles, 'holder'].sort(),
              notifications,
              attachments,
              entries,
            });
          };
          return { reply, check };
        },
        FAILURES,
      );
    });
  }
});
