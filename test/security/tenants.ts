// Two applications with the same collections, and requests to every route with what belongs to one of them. Each class of
// attack that concerns every route is tried on these.

import assert from 'node:assert/strict';
import { type Person, publishApplication, type TestApplication } from '../support/application.ts';
import { type Reply, startTestServer, type TestServer } from '../support/server.ts';

export interface Tenant {
  readonly app: TestApplication;
  readonly user: Person;
  /** A path parameter's value for each thing that the tenant has. */
  readonly things: Readonly<Record<string, string>>;
}

export interface Tenants {
  readonly server: TestServer;
  readonly ours: Tenant;
  readonly theirs: Tenant;
}

export const COLLECTIONS = [
  {
    name: 'Things',
    columns: [
      { name: 'Title', type: 'String', unique: true, searchable: true, sortable: true },
      { name: 'Count', type: 'Number', searchable: true, sortable: true },
    ],
  },
];

async function done(sent: Promise<Reply>): Promise<Reply> {
  const reply = await sent;
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return reply;
}

export async function openTenants(settings: Parameters<typeof startTestServer>[0] = {}): Promise<Tenants> {
  const server = await startTestServer(settings);
  const [ours, theirs] = [await openTenant(server, 'Ours'), await openTenant(server, 'Theirs')];
  return { server, ours, theirs };
}

async function openTenant(server: TestServer, name: string): Promise<Tenant> {
  const app = await publishApplication(server, {
    name,
    organization: name,
    pushNotificationsEnabled: true,
    collections: COLLECTIONS,
  });
  const user = await app.addPerson('User');
  const ids = app.ids.Things!;
  const values = { [ids.Title!]: { type: 'String', value: `secret of ${name}` } };
  const record = await done(app.send('POST', app.records('Things'), { json: { values } }));
  const at = `/collections/${ids.id}`;
  const headers = { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' };
  const file = await done(app.send('POST', `${at}/attachments`, { raw: '"bytes"', headers }));
  const view = await done(app.send('POST', `${at}/views`, { json: { name: 'View', settings: {} } }));
  const tokens = `/applications/${app.id}/users/${user.id}/tokens`;
  const token = await done(server.operator('POST', tokens, { name: 'second' }));
  return {
    app,
    user,
    things: {
      ...{ applicationId: app.id, signedInTo: app.id, collectionId: ids.id!, upsertKeyColumnId: ids.Title! },
      ...{ recordId: record.body.id, attachmentId: file.body.id, viewId: view.body.id, userId: user.id },
      ...{ tokenId: token.body.id, name, organization: name },
    },
  };
}

/** What a tenant has, read by its admin: whatever another one does leaves it as it is. */
export async function stateOf({ app, things }: Tenant): Promise<string> {
  const at = `/collections/${things.collectionId}`;
  const paths = [
    '',
    `${at}/records`,
    `${at}/views`,
    '/management/users',
    `/users/${things.userId}/tokens`,
    '/notifications',
  ];
  const replies = await Promise.all(paths.map((path) => done(app.send('GET', path))));
  const file = await app.send('GET', `${at}/attachments/${things.attachmentId}`);
  assert.equal(file.status, 200, file.text);
  return JSON.stringify(
    replies.map(({ body }) => body),
    (key, value) => (key === 'lastUsedAt' ? undefined : value),
  );
}
