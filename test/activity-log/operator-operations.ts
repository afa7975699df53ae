// The operator's part of the table in operations.ts.

import {
  addToken,
  addUser,
  applicationAt,
  type Deed,
  NO_TOKEN,
  NO_USER,
  newUser,
  PASSWORD,
  SILENT,
  userUpdate,
} from './world.ts';

export const OPERATOR_LINES: Readonly<Record<string, Deed | typeof SILENT>> = {
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
  'GET /operator/v1/applications/:applicationId/versions': SILENT,
  'GET /operator/v1/applications/:applicationId/versions/:version': SILENT,
  'GET /operator/v1/quotas': SILENT,
  'GET /operator/v1/use': SILENT,
  'GET /operator/v1/applications/:applicationId/use': SILENT,
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
  'GET /operator/v1/operators': SILENT,
  'PUT /operator/v1/applications/:applicationId/users/:userId/operator': {
    context: 'operator',
    entries: [['operator.name', 'userId']],
    run: async (world) =>
      world.server.operator('PUT', `${applicationAt(world)}/users/${(await addUser(world)).id}/operator`),
    refused: {
      '404 USER_NOT_FOUND': (world) =>
        world.server.operator('PUT', `${applicationAt(world)}/users/${NO_USER}/operator`),
    },
  },
  'DELETE /operator/v1/applications/:applicationId/users/:userId/operator': {
    context: 'operator',
    entries: [['operator.unname', 'userId']],
    run: async (world) => {
      const path = `${applicationAt(world)}/users/${(await addUser(world)).id}/operator`;
      await world.server.operator('PUT', path);
      return world.server.operator('DELETE', path);
    },
    refused: {
      '404 USER_NOT_FOUND': (world) =>
        world.server.operator('DELETE', `${applicationAt(world)}/users/${NO_USER}/operator`),
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
  'POST /operator/v1/organizations/:name/singleSignOn/examination': SILENT,
  'GET /operator/v1/organizations/:name': SILENT,
  'PUT /operator/v1/organizations/:name': SILENT,
  'GET /operator/v1/organizations/:name/sharedUsers': SILENT,
  'POST /operator/v1/organizations/:name/sharedUsers': SILENT,
  'GET /operator/v1/organizations/:name/sharedUsers/:sharedUserId': SILENT,
  'PUT /operator/v1/organizations/:name/sharedUsers/:sharedUserId': SILENT,
  'DELETE /operator/v1/organizations/:name/sharedUsers/:sharedUserId': SILENT,
  'PUT /operator/v1/organizations/:name/sharedUsers/:sharedUserId/password': SILENT,
  'POST /operator/v1/doctor': SILENT,
  'GET /operator/v1/metrics': SILENT,
};
