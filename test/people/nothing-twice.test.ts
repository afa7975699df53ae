// Users, tokens, sessions, notifications, attachments and applications whose statements fail, each in turn and in every
// way that makes a request start over: none is made twice, and what was made is answered.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { Client } from '../support/browser-sessions.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type FailingWire, type Failure, failingWire, throughEveryFailure } from '../support/failing-wire.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

interface Making {
  /** `name` is another one each time. */
  readonly make: (name: string) => Promise<Reply>;
  /** How many there are by that name. */
  readonly made: string;
  /** And how many entries of the log tell of it; undefined where it is not logged. */
  readonly entries: string | undefined;
  /** Whether something is read or cleared behind the commit without which the answer cannot be given. */
  readonly goesOn?: true;
  /** Where there are so many statements that all failures of all of them would take minutes. */
  readonly failures?: readonly Failure[];
}

describe('somebody or something new of which a statement fails', () => {
  let database: TestDatabase;
  let wire: FailingWire;
  let server: TestServer;
  let app: TestApplication;
  let member: Person;
  let own: pg.Client;

  before(async () => {
    database = await createDatabase();
    own = new pg.Client(database.connection);
    await own.connect();
    wire = await failingWire(database.connection);
    server = await startTestServer({ database, connection: wire.connection, connectionsMax: 4, expectFailures: true });
    app = await publishApplication(server, {
      pushNotificationsEnabled: true,
      collections: [{ name: 'Things', columns: [{ name: 'File', type: 'Attachment' }] }],
    });
    member = await app.addPerson('Member');
  });
  after(async () => {
    await server.close();
    await wire.close();
    await own.end();
    await database.drop();
  });

  const user = (name: string) => ({
    name,
    email: 'somebody@example.com',
    password: 'Secret-Passw0rd',
    admin: false,
    apiAccess: true,
    managementApiAccess: false,
    profile: { name: 'Standard' },
  });

  const activity = (type: string, subType: string, id: string): string =>
    `select count(*)::int from schema.activity where entry::json ->> 'type' = '${type}' and entry::json ->> 'subType' = '${subType}'
       and entry::json #>> '{extra,${id}Id}' in`;

  const MAKINGS: Readonly<Record<string, Making>> = {
    user: {
      make: (name) => app.send('POST', '/management/users', { json: user(name) }),
      made: 'select id from schema.users where name = $1',
      entries: activity('user', 'create', 'user'),
    },
    'user by the operator': {
      make: (name) => server.operator('POST', `/applications/${app.id}/users`, user(name)),
      made: 'select id from schema.users where name = $1',
      entries: activity('user', 'create', 'user'),
    },
    'token by the operator': {
      make: (name) => server.operator('POST', `/applications/${app.id}/users/${member.id}/tokens`, { name }),
      made: 'select id from schema.tokens where name = $1',
      entries: activity('token', 'create', 'token'),
    },
    notification: {
      make: (name) => app.send('POST', `/users/${member.id}/notifications`, { json: { title: name, body: 'Hello' } }),
      made: `select id::text from schema.notifications where message::json ->> 'title' = $1`,
      entries: activity('notification', 'send', 'notification'),
    },
    attachment: {
      make: (name) =>
        app.send('POST', `/collections/${app.ids.Things!.id}/attachments`, {
          raw: 'bytes',
          headers: { 'content-type': 'text/plain', 'content-disposition': `attachment; filename="${name}"` },
        }),
      made: `select id from schema.attachments where name = $1 and state = 'available'`,
      entries: activity('attachment', 'create', 'attachment'),
    },
    session: {
      make: (name) =>
        new Client(server.address, app.id).send('POST', '/session', {
          json: { userId: member.id, password: member.password },
          headers: { 'user-agent': name },
        }),
      made: 'select id from schema.sessions where agent = $1',
      entries: activity('session', 'login', 'session'),
      goesOn: true,
    },
    application: {
      make: (name) => server.operator('POST', '/applications', { name, collections: [] }),
      made: `select id from cartulary.applications where definition::json ->> 'name' = $1`,
      entries: undefined,
      failures: [{ sqlstate: '42703' }, 'lost'],
    },
  };

  let count = 0;

  for (const [what, { make, made, entries, goesOn, failures }] of Object.entries(MAKINGS)) {
    it(`${what}: none twice, and none without an answer`, async () => {
      const inSchema = (text: string) => text.replaceAll('schema.', `app_${app.id}.`);
      await throughEveryFailure(
        wire,
        async (failure, begin) => {
          const name = `number ${++count}`;
          begin();
          const reply = await make(name);
          return {
            reply,
            check: async () => {
              const ids = (await own.query(inSchema(made), [name])).rows.map(({ id }) => id);
              assert.ok(ids.length <= 1, 'made twice');
              if (entries !== undefined) {
                const found = await own.query(`${inSchema(entries)} (${ids.map((id) => `'${id}'`).join() || 'null'})`);
                assert.equal(found.rows[0].count, ids.length);
              }
              if (reply.status < 300) assert.equal(ids.length, 1);
              else if (failure !== 'lost' && goesOn !== true) assert.equal(ids.length, 0);
            },
          };
        },
        failures,
      );
    });
  }
});
