// Every operation of the route tables, done once as it should be and refused in the ways that are usual for it, together
// with the entries that it leaves. A route without a line here fails the test that uses them.

import assert from 'node:assert/strict';
import type { TestApplication } from '../support/application.ts';
import { number, string } from '../support/application.ts';
import type { Reply, SendOptions, TestServer } from '../support/server.ts';
import { period } from './log.ts';

export interface World {
  readonly server: TestServer;
  readonly app: TestApplication;
  /** One whose users are the organization's. */
  readonly shared: { readonly id: string; readonly admin: { readonly id: string; readonly token: string } };
  /** In the application, as the admin. */
  readonly send: Send;
  readonly sendShared: Send;
  /** With the cookie of a session that was opened for it, of a user of its own. */
  signIn(): Promise<{ readonly userId: string; readonly send: Send }>;
  /** What is prepared for an operation, which must be there. */
  ready(reply: Promise<Reply>): Promise<Reply['body']>;
  name(): string;
}

type Send = (method: string, path: string, options?: SendOptions) => Promise<Reply>;

export interface Deed {
  /** `type.subType` and which members `extra` has, for each entry in order. */
  readonly entries: readonly (readonly [kind: string, ...members: string[]])[];
  readonly application?: 'shared';
  /** `api` unless it says otherwise. */
  readonly context?: 'api' | 'console' | 'operator';
  /** The operation, done. */
  readonly run: (world: World) => Promise<Reply>;
  /** By the status and code of the answer. */
  readonly refused?: Readonly<Record<string, (world: World) => Promise<Reply>>>;
}

/** Changes nothing that the log tells of. */
export const SILENT = 'silent';
/** Needs a provider or a mail server, and is looked at where there is one. */
export const ELSEWHERE = 'elsewhere';

const PASSWORD = 'Secret-Passw0rd';
const RIGHTS = { admin: false, apiAccess: true, managementApiAccess: false, profile: { name: 'Standard' } };
const TUS = { 'tus-resumable': '1.0.0' };
const OCTETS = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
const NO_RECORD = `r${'0'.repeat(26)}`;
const NO_ATTACHMENT = `a${'0'.repeat(26)}`;
const NO_USER = 'u0000000';
const NO_SHARED_USER = `u${'0'.repeat(26)}`;
const NO_TOKEN = '0123456789abcdef';

const values = ({ app }: World, title: string, count: unknown = number(1)) => ({
  values: { [app.ids.Things!.Title!]: string(title), [app.ids.Things!.Count!]: count },
});
const wrong = (world: World) => values(world, world.name(), string('no number'));
const records = ({ app }: World, recordId?: string) => app.records('Things', recordId);
const create = (world: World, title = world.name()) =>
  world.ready(world.send('POST', records(world), { json: values(world, title) }));
const upsert = (world: World) => `${records(world)}/upsert/${world.app.ids.Things!.Title}`;
const attachments = ({ app }: World) => `/collections/${app.ids.Things!.id}/attachments`;
const uploads = ({ app }: World) => `/collections/${app.ids.Things!.id}/uploads`;
const announce = async (world: World): Promise<string> => {
  const reply = await world.send('POST', uploads(world), { headers: { ...TUS, 'upload-length': '3' } });
  assert.equal(reply.status, 201, reply.text);
  return `${uploads(world)}/${reply.headers.get('location')?.split('/').at(-1)}`;
};
const newUser = (name: string) => ({ name, email: 'a@example.com', password: PASSWORD, ...RIGHTS });
const addUser = (world: World) => world.ready(world.send('POST', '/management/users', { json: newUser(world.name()) }));
const userUpdate = { ...RIGHTS, email: 'b@example.com', disabled: false };
const newSharedUser = (name: string) => ({ name, email: 'a@example.com', password: PASSWORD });
const addSharedUser = (world: World) =>
  world.ready(world.sendShared('POST', '/management/sharedUsers', { json: newSharedUser(world.name()) }));
const sharedUserUpdate = { email: 'b@example.com', disabled: false };
const addToken = async (world: World) => {
  const { id: userId } = await addUser(world);
  const { id } = await world.ready(world.send('POST', `/users/${userId}/tokens`, { json: { name: 'a' } }));
  return { userId, id };
};
const applicationAt = ({ app }: World) => `/applications/${app.id}`;

export const LINES: Readonly<Record<string, Deed | typeof SILENT | typeof ELSEWHERE>> = {
  'GET /v1/:applicationId': SILENT,
  'GET /v1/:applicationId/openapi.json': SILENT,
  'GET /v1/:applicationId/collections/:collectionId/records': SILENT,
  'GET /v1/:applicationId/collections/:collectionId/records/figures': SILENT,
  // Views say how records are shown, and change none.
  'GET /v1/:applicationId/collections/:collectionId/views': SILENT,
  'POST /v1/:applicationId/collections/:collectionId/views': SILENT,
  'GET /v1/:applicationId/collections/:collectionId/views/:viewId': SILENT,
  'PUT /v1/:applicationId/collections/:collectionId/views/:viewId': SILENT,
  'DELETE /v1/:applicationId/collections/:collectionId/views/:viewId': SILENT,
  'DELETE /v1/:applicationId/collections/:collectionId/records': {
    entries: [
      ['record.delete', 'recordId'],
      ['record.delete', 'recordId'],
    ],
    run: async (world) => {
      for (const title of ['dispensable one', 'dispensable two']) await create(world, title);
      return world.send('DELETE', `${records(world)}?search=dispensable`);
    },
    refused: {
      '400 INVALID_PARAMETER': (world) => world.send('DELETE', `${records(world)}?limit=0`),
      '400 INVALID_SEARCH': (world) => world.send('DELETE', `${records(world)}?search=(`),
      '404 COLLECTION_NOT_FOUND': ({ send }) => send('DELETE', '/collections/t0000000/records'),
    },
  },
  'POST /v1/:applicationId/collections/:collectionId/records': {
    entries: [
      ['record.create', 'recordId'],
      ['record.create', 'recordId'],
    ],
    run: (world) =>
      world.send('POST', records(world), { json: [values(world, world.name()), values(world, world.name())] }),
    refused: {
      '400 INVALID_VALUE': (world) => world.send('POST', records(world), { json: wrong(world) }),
      '400 INVALID_BODY': (world) => world.send('POST', records(world), { json: [{}] }),
      '404 COLLECTION_NOT_FOUND': (world) =>
        world.send('POST', '/collections/t0000000/records', { json: values(world, 'a') }),
      '400 DUPLICATED_VALUES': (world) => world.send('POST', records(world), { json: values(world, 'kept') }),
    },
  },
  'PUT /v1/:applicationId/collections/:collectionId/records': {
    entries: [
      ['record.update', 'recordId'],
      ['record.update', 'recordId'],
    ],
    run: async (world) => {
      const both = [await create(world), await create(world)];
      return world.send('PUT', records(world), {
        json: both.map(({ id }) => ({ id, ...values(world, world.name()) })),
      });
    },
    refused: {
      '404 RECORD_NOT_FOUND': (world) =>
        world.send('PUT', records(world), { json: [{ id: NO_RECORD, ...values(world, 'a') }] }),
    },
  },
  'PATCH /v1/:applicationId/collections/:collectionId/records/upsert/:upsertKeyColumnId': {
    entries: [
      ['record.update', 'recordId'],
      ['record.create', 'recordId'],
    ],
    run: async (world) => {
      const title = world.name();
      await create(world, title);
      return world.send('PATCH', upsert(world), { json: [values(world, title), values(world, world.name())] });
    },
    refused: {
      '400 MISSING_UPSERT_KEY_VALUE': (world) => world.send('PATCH', upsert(world), { json: { values: {} } }),
      '400 INVALID_VALUE': (world) => world.send('PATCH', upsert(world), { json: wrong(world) }),
    },
  },
  'GET /v1/:applicationId/collections/:collectionId/records/:recordId': SILENT,
  'PUT /v1/:applicationId/collections/:collectionId/records/:recordId': {
    entries: [['record.update', 'recordId']],
    run: async (world) => {
      const { id } = await create(world);
      return world.send('PUT', records(world, id), { json: values(world, world.name()) });
    },
    refused: {
      '404 RECORD_NOT_FOUND': (world) => world.send('PUT', records(world, NO_RECORD), { json: values(world, 'a') }),
      '412 PRECONDITION_FAILED': async (world) => {
        const { body } = await world.send('GET', `${records(world)}?limit=1`);
        const headers = { 'if-match': '"other"' };
        return world.send('PUT', records(world, body[0].id), { json: values(world, world.name()), headers });
      },
      '400 DUPLICATED_VALUES': async (world) => {
        const { body } = await world.send('GET', `${records(world)}?limit=2`);
        const other = body.find((one: { values: object }) => !JSON.stringify(one.values).includes('"kept"'));
        return world.send('PUT', records(world, other.id), { json: values(world, 'kept') });
      },
    },
  },
  'DELETE /v1/:applicationId/collections/:collectionId/records/:recordId': {
    entries: [['record.delete', 'recordId']],
    run: async (world) => world.send('DELETE', records(world, (await create(world)).id)),
    refused: { '404 RECORD_NOT_FOUND': (world) => world.send('DELETE', records(world, NO_RECORD)) },
  },
  'POST /v1/:applicationId/collections/:collectionId/attachments': {
    entries: [['attachment.create', 'attachmentId']],
    run: (world) => world.send('POST', attachments(world), { raw: 'abc', headers: { 'content-type': 'text/plain' } }),
    refused: {
      '400 INVALID_BODY': (world) =>
        world.send('POST', attachments(world), { raw: 'a'.repeat(2_000), headers: { 'content-type': 'text/plain' } }),
      '404 COLLECTION_NOT_FOUND': ({ send }) =>
        send('POST', '/collections/t0000000/attachments', { raw: 'abc', headers: { 'content-type': 'text/plain' } }),
    },
  },
  'GET /v1/:applicationId/collections/:collectionId/attachments/:attachmentId': {
    entries: [['attachment.download', 'attachmentId']],
    run: async (world) => {
      const { id } = await world.ready(
        world.send('POST', attachments(world), { raw: '123', headers: { 'content-type': 'text/plain' } }),
      );
      return world.send('GET', `${attachments(world)}/${id}`);
    },
    refused: {
      '404 ATTACHMENT_NOT_FOUND': (world) => world.send('GET', `${attachments(world)}/${NO_ATTACHMENT}`),
    },
  },
  'OPTIONS /v1/:applicationId/collections/:collectionId/uploads': SILENT,
  // An attachment is there, and in the log, when all of its bytes are.
  'POST /v1/:applicationId/collections/:collectionId/uploads': SILENT,
  'HEAD /v1/:applicationId/collections/:collectionId/uploads/:attachmentId': SILENT,
  'PATCH /v1/:applicationId/collections/:collectionId/uploads/:attachmentId': {
    entries: [['attachment.create', 'attachmentId']],
    run: async (world) => {
      const upload = await announce(world);
      return world.send('PATCH', upload, { raw: 'abc', headers: { ...TUS, ...OCTETS } });
    },
    refused: {
      '404 ATTACHMENT_NOT_FOUND': (world) =>
        world.send('PATCH', `${uploads(world)}/${NO_ATTACHMENT}`, { raw: 'abc', headers: { ...TUS, ...OCTETS } }),
    },
  },
  'DELETE /v1/:applicationId/collections/:collectionId/uploads/:attachmentId': SILENT,
  'POST /v1/:applicationId/collections/:collectionId/uploads/:attachmentId': {
    entries: [['attachment.create', 'attachmentId']],
    run: async (world) => {
      const headers = { ...TUS, ...OCTETS, 'x-http-method-override': 'PATCH' };
      return world.send('POST', await announce(world), { raw: 'abc', headers });
    },
  },
  'POST /v1/:applicationId/users/:userId/notifications': {
    entries: [['notification.send', 'notificationId', 'userId']],
    run: ({ send, app }) => send('POST', `/users/${app.admin.id}/notifications`, { json: { body: 'Hello' } }),
    refused: {
      '400 INVALID_NOTIFICATION': ({ send, app }) =>
        send('POST', `/users/${app.admin.id}/notifications`, { json: { body: '' } }),
      '404 USER_NOT_FOUND': ({ send }) => send('POST', `/users/${NO_USER}/notifications`, { json: { body: 'a' } }),
    },
  },
  // A device is where a notification goes to, and nobody's business but its owner's.
  'GET /v1/:applicationId/users/:userId/devices': SILENT,
  'POST /v1/:applicationId/users/:userId/devices': SILENT,
  'DELETE /v1/:applicationId/users/:userId/devices/:deviceId': SILENT,
  'GET /v1/:applicationId/pushKey': SILENT,
  'GET /v1/:applicationId/session': SILENT,
  'DELETE /v1/:applicationId/session': {
    entries: [['session.logout', 'sessionId']],
    context: 'console',
    run: async (world) => (await world.signIn()).send('DELETE', '/session'),
    refused: { '400 INVALID_PARAMETER': ({ send }) => send('DELETE', '/session') },
  },
  'PUT /v1/:applicationId/session/password': {
    entries: [['user.update', 'userId']],
    context: 'console',
    run: async (world) => {
      const json = { currentPassword: PASSWORD, newPassword: 'Another-Passw0rd' };
      return (await world.signIn()).send('PUT', '/session/password', { json });
    },
  },
  'GET /v1/:applicationId/users/:userId/tokens': SILENT,
  'POST /v1/:applicationId/users/:userId/tokens': {
    entries: [['token.create', 'tokenId', 'userId']],
    run: async (world) =>
      world.send('POST', `/users/${(await addUser(world)).id}/tokens`, { json: { name: 'A token' } }),
    refused: {
      '404 USER_NOT_FOUND': ({ send }) => send('POST', `/users/${NO_USER}/tokens`, { json: { name: 'a' } }),
      '400 INVALID_BODY': ({ send, app }) => send('POST', `/users/${app.admin.id}/tokens`, { json: { name: '' } }),
    },
  },
  'DELETE /v1/:applicationId/users/:userId/tokens/:tokenId': {
    entries: [['token.revoke', 'tokenId', 'userId']],
    run: async (world) => {
      const { userId, id } = await addToken(world);
      return world.send('DELETE', `/users/${userId}/tokens/${id}`);
    },
    refused: {
      '404 TOKEN_NOT_FOUND': ({ send, app }) => send('DELETE', `/users/${app.admin.id}/tokens/${NO_TOKEN}`),
    },
  },
  'GET /v1/:applicationId/users': SILENT,
  'GET /v1/:applicationId/management/users': SILENT,
  'GET /v1/:applicationId/management/users/:userId': SILENT,
  'POST /v1/:applicationId/management/users': {
    entries: [['user.create', 'userId']],
    run: (world) => world.send('POST', '/management/users', { json: newUser(world.name()) }),
    refused: {
      '400 USER_NAME_TAKEN': ({ send }) => send('POST', '/management/users', { json: newUser('Admin') }),
      '400 WEAK_PASSWORD': ({ send, name }) =>
        send('POST', '/management/users', { json: { ...newUser(name()), password: 'weak' } }),
      '400 UNKNOWN_PROFILE': ({ send, name }) =>
        send('POST', '/management/users', { json: { ...newUser(name()), profile: { name: 'None' } } }),
      '400 MISSING_PROPERTY': ({ send }) => send('POST', '/management/users', { json: {} }),
    },
  },
  'PUT /v1/:applicationId/management/users/:userId': {
    entries: [['user.update', 'userId']],
    run: async (world) => world.send('PUT', `/management/users/${(await addUser(world)).id}`, { json: userUpdate }),
    refused: {
      '404 USER_NOT_FOUND': ({ send }) => send('PUT', `/management/users/${NO_USER}`, { json: userUpdate }),
      '400 FORBIDDEN_SELF_CHANGE': ({ send, app }) =>
        send('PUT', `/management/users/${app.admin.id}`, { json: { ...userUpdate, disabled: true } }),
    },
  },
  'DELETE /v1/:applicationId/management/users/:userId': {
    entries: [['user.delete', 'userId']],
    run: async (world) => world.send('DELETE', `/management/users/${(await addUser(world)).id}`),
    refused: {
      '404 USER_NOT_FOUND': ({ send }) => send('DELETE', `/management/users/${NO_USER}`),
      '400 FORBIDDEN_SELF_CHANGE': ({ send, app }) => send('DELETE', `/management/users/${app.admin.id}`),
    },
  },
  'GET /v1/:applicationId/management/sharedUsers': SILENT,
  'GET /v1/:applicationId/management/sharedUsers/:sharedUserId': SILENT,
  'POST /v1/:applicationId/management/sharedUsers': {
    application: 'shared',
    entries: [['sharedUser.create', 'sharedUserId']],
    run: ({ sendShared, name }) => sendShared('POST', '/management/sharedUsers', { json: newSharedUser(name()) }),
    refused: {
      '400 USER_NAME_TAKEN': ({ sendShared }) =>
        sendShared('POST', '/management/sharedUsers', { json: newSharedUser('Admin') }),
      '400 WEAK_PASSWORD': ({ sendShared, name }) =>
        sendShared('POST', '/management/sharedUsers', { json: { ...newSharedUser(name()), password: 'weak' } }),
      '403 FEATURE_DISABLED': ({ send, name }) =>
        send('POST', '/management/sharedUsers', { json: newSharedUser(name()) }),
    },
  },
  'PUT /v1/:applicationId/management/sharedUsers/:sharedUserId': {
    application: 'shared',
    entries: [['sharedUser.update', 'sharedUserId']],
    run: async (world) => {
      const { id } = await addSharedUser(world);
      return world.sendShared('PUT', `/management/sharedUsers/${id}`, { json: sharedUserUpdate });
    },
    refused: {
      '404 SHARED_USER_NOT_FOUND': ({ sendShared }) =>
        sendShared('PUT', `/management/sharedUsers/${NO_SHARED_USER}`, { json: sharedUserUpdate }),
    },
  },
  'DELETE /v1/:applicationId/management/sharedUsers/:sharedUserId': {
    application: 'shared',
    entries: [['sharedUser.delete', 'sharedUserId']],
    run: async (world) => world.sendShared('DELETE', `/management/sharedUsers/${(await addSharedUser(world)).id}`),
    refused: {
      '404 SHARED_USER_NOT_FOUND': ({ sendShared }) =>
        sendShared('DELETE', `/management/sharedUsers/${NO_SHARED_USER}`),
    },
  },
  'GET /v1/:applicationId/management/userActivityLogs': {
    entries: [['activityLog.export', 'startDate', 'endDate']],
    run: ({ send }) => send('GET', period(0, 0)),
    refused: {
      '400 INVALID_PERIOD': ({ send }) => send('GET', period(1, 0)),
      '400 INVALID_PARAMETER': ({ send }) => send('GET', '/management/userActivityLogs'),
    },
  },
  'POST /v1/:applicationId/session': {
    entries: [['session.login', 'sessionId']],
    context: 'console',
    run: async (world) => {
      const { id } = await addUser(world);
      const headers = { origin: world.server.address, 'sec-fetch-site': 'same-origin' };
      const json = { userId: id, password: PASSWORD };
      return world.server.send('POST', `/v1/${world.app.id}/session`, { json, headers });
    },
    refused: {
      '401 UNAUTHORIZED': ({ server, app }) =>
        server.send('POST', `/v1/${app.id}/session`, {
          json: { userId: NO_USER, password: PASSWORD },
          headers: { origin: server.address, 'sec-fetch-site': 'same-origin' },
        }),
    },
  },
  'GET /v1/:applicationId/session/methods': SILENT,
  'POST /v1/:applicationId/session/passwordReset': SILENT,
  // test/sessions/password-reset.test.ts
  'PUT /v1/:applicationId/session/passwordReset': ELSEWHERE,
  'GET /v1/:applicationId/session/singleSignOn': SILENT,
  // test/single-sign-on
  'GET /signOn/callback/:organization': ELSEWHERE,
  'GET /operator/v1/publish-document.schema.json': SILENT,
  'POST /operator/v1/proof': SILENT,
  'POST /operator/v1/applications': {
    context: 'operator',
    entries: [['application.publish']],
    run: async ({ server, app }) => {
      const { body } = await server.operator('GET', `/applications/${app.id}`);
      return server.operator('POST', '/applications', { ...body, name: `${body.name} again` });
    },
    refused: {
      '400 INVALID_DEFINITION': ({ server, app }) => server.operator('POST', '/applications', { id: app.id, name: '' }),
      '409 WOULD_LOSE_DATA': async (world) => {
        const { body } = await world.server.operator('GET', applicationAt(world));
        return world.server.operator('POST', '/applications', { ...body, collections: [] });
      },
    },
  },
  'GET /operator/v1/applications': SILENT,
  'GET /operator/v1/applications/:applicationId': SILENT,
  'GET /operator/v1/applications/:applicationId/publishing': SILENT,
  'GET /operator/v1/quotas': SILENT,
  'GET /operator/v1/backup': SILENT,
  // The entries of the archive are those of the restored application.
  'POST /operator/v1/restore': SILENT,
  'GET /operator/v1/applications/:applicationId/quotas': SILENT,
  'PUT /operator/v1/applications/:applicationId/quotas': {
    context: 'operator',
    entries: [['application.publish']],
    run: (world) =>
      world.server.operator('PUT', `${applicationAt(world)}/quotas`, { limits: { 'records-read': 1_000_000 } }),
    refused: {
      '400 INVALID_BODY': (world) => world.server.operator('PUT', `${applicationAt(world)}/quotas`, { plan: 'gold' }),
    },
  },
  // The log goes with the application.
  'DELETE /operator/v1/applications/:applicationId': SILENT,
  'POST /operator/v1/applications/:applicationId/users': {
    context: 'operator',
    entries: [['user.create', 'userId']],
    run: (world) => world.server.operator('POST', `${applicationAt(world)}/users`, newUser(world.name())),
    refused: {
      '400 USER_NAME_TAKEN': (world) =>
        world.server.operator('POST', `${applicationAt(world)}/users`, newUser('Admin')),
    },
  },
  'GET /operator/v1/applications/:applicationId/users': SILENT,
  'GET /operator/v1/applications/:applicationId/users/:userId': SILENT,
  'PUT /operator/v1/applications/:applicationId/users/:userId': {
    context: 'operator',
    entries: [['user.update', 'userId']],
    run: async (world) =>
      world.server.operator('PUT', `${applicationAt(world)}/users/${(await addUser(world)).id}`, userUpdate),
    refused: {
      '404 USER_NOT_FOUND': (world) =>
        world.server.operator('PUT', `${applicationAt(world)}/users/${NO_USER}`, userUpdate),
      '400 MISSING_PROPERTY': (world) =>
        world.server.operator('PUT', `${applicationAt(world)}/users/${world.app.admin.id}`, {}),
    },
  },
  'DELETE /operator/v1/applications/:applicationId/users/:userId': {
    context: 'operator',
    entries: [['user.delete', 'userId']],
    run: async (world) => world.server.operator('DELETE', `${applicationAt(world)}/users/${(await addUser(world)).id}`),
    refused: {
      '404 USER_NOT_FOUND': (world) => world.server.operator('DELETE', `${applicationAt(world)}/users/${NO_USER}`),
    },
  },
  'PUT /operator/v1/applications/:applicationId/users/:userId/password': {
    context: 'operator',
    entries: [['user.update', 'userId']],
    run: async (world) =>
      world.server.operator('PUT', `${applicationAt(world)}/users/${(await addUser(world)).id}/password`, {
        password: PASSWORD,
      }),
    refused: {
      '400 WEAK_PASSWORD': (world) =>
        world.server.operator('PUT', `${applicationAt(world)}/users/${world.app.admin.id}/password`, {
          password: 'weak',
        }),
    },
  },
  'GET /operator/v1/applications/:applicationId/tokens': SILENT,
  'POST /operator/v1/applications/:applicationId/users/:userId/tokens': {
    context: 'operator',
    entries: [['token.create', 'tokenId', 'userId']],
    run: (world) =>
      world.server.operator('POST', `${applicationAt(world)}/users/${world.app.admin.id}/tokens`, { name: 'a' }),
    refused: {
      '404 USER_NOT_FOUND': (world) =>
        world.server.operator('POST', `${applicationAt(world)}/users/${NO_USER}/tokens`, { name: 'a' }),
    },
  },
  'GET /operator/v1/applications/:applicationId/users/:userId/tokens': SILENT,
  'DELETE /operator/v1/applications/:applicationId/users/:userId/tokens/:tokenId': {
    context: 'operator',
    entries: [['token.revoke', 'tokenId', 'userId']],
    run: async (world) => {
      const { userId, id } = await addToken(world);
      return world.server.operator('DELETE', `${applicationAt(world)}/users/${userId}/tokens/${id}`);
    },
    refused: {
      '404 TOKEN_NOT_FOUND': (world) =>
        world.server.operator('DELETE', `${applicationAt(world)}/users/${world.app.admin.id}/tokens/${NO_TOKEN}`),
    },
  },
  // What belongs to no application is in no application's log.
  'GET /operator/v1/organizations': SILENT,
  'GET /operator/v1/organizations/:name': SILENT,
  'PUT /operator/v1/organizations/:name': SILENT,
  'GET /operator/v1/organizations/:name/sharedUsers': SILENT,
  'POST /operator/v1/organizations/:name/sharedUsers': SILENT,
  'GET /operator/v1/organizations/:name/sharedUsers/:sharedUserId': SILENT,
  'PUT /operator/v1/organizations/:name/sharedUsers/:sharedUserId': SILENT,
  'DELETE /operator/v1/organizations/:name/sharedUsers/:sharedUserId': SILENT,
  'PUT /operator/v1/organizations/:name/sharedUsers/:sharedUserId/password': SILENT,
  'POST /operator/v1/doctor': SILENT,
};
