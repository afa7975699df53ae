// Every operation of the route tables, done once as it should be and refused in the ways that are usual for it, together
// with the entries that it leaves. A route without a line here fails the test that uses them.

import { period } from './log.ts';
import { OPERATOR_LINES } from './operator-operations.ts';
import {
  addSharedUser,
  addToken,
  addUser,
  announce,
  attachments,
  create,
  type Deed,
  ELSEWHERE,
  NO_ATTACHMENT,
  NO_RECORD,
  NO_SHARED_USER,
  NO_TOKEN,
  NO_USER,
  newSharedUser,
  newUser,
  OCTETS,
  PASSWORD,
  records,
  SILENT,
  sharedUserUpdate,
  TUS,
  uploads,
  upsert,
  userUpdate,
  values,
  wrong,
} from './world.ts';

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
  'GET /v1/:applicationId/users/:userId/sessions': SILENT,
  'DELETE /v1/:applicationId/users/:userId/sessions': {
    entries: [['session.logout', 'sessionId', 'userId']],
    run: async (world) => world.send('DELETE', `/users/${(await world.signIn()).userId}/sessions`),
    refused: { '404 USER_NOT_FOUND': ({ send }) => send('DELETE', `/users/${NO_USER}/sessions`) },
  },
  'DELETE /v1/:applicationId/users/:userId/sessions/:sessionId': {
    entries: [['session.logout', 'sessionId']],
    context: 'console',
    run: async (world) => {
      const { userId, send } = await world.signIn();
      const [session] = await world.ready(send('GET', `/users/${userId}/sessions`));
      return send('DELETE', `/users/${userId}/sessions/${session.id}`);
    },
    refused: {
      '404 SESSION_NOT_FOUND': ({ send, app }) => send('DELETE', `/users/${app.admin.id}/sessions/${NO_TOKEN}`),
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
  'GET /v1/:applicationId/management/profiles': SILENT,
  'GET /v1/:applicationId/management/teams': SILENT,
  'POST /v1/:applicationId/management/users/:userId/passwordLink': {
    entries: [['user.passwordLink', 'userId']],
    run: async (world) =>
      world.send('POST', `/management/users/${(await addUser(world)).id}/passwordLink`, { json: { mail: false } }),
    refused: {
      '404 USER_NOT_FOUND': ({ send }) =>
        send('POST', `/management/users/${NO_USER}/passwordLink`, { json: { mail: false } }),
      '403 FEATURE_DISABLED': ({ send, app }) =>
        send('POST', `/management/users/${app.admin.id}/passwordLink`, { json: { mail: true } }),
    },
  },
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
  // People look at the log page by page; an export takes a copy of it away.
  'GET /v1/:applicationId/management/userActivityLogs/entries': SILENT,
  'GET /v1/:applicationId/management/userActivityLogs/figures': SILENT,
  'GET /v1/:applicationId/notifications': SILENT,
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
  ...OPERATOR_LINES,
};
