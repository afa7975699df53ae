// The routes of notifications and devices.

import { fault } from '../../faults.ts';
import * as devices from '../../operations/notifications/devices.ts';
import * as notifications from '../../operations/notifications/notifications.ts';
import { NEW_DEVICES, NotificationRequest } from '../../wire/notifications.ts';
import { NO_CONTENT, replyJson } from '../replies/reply.ts';
import { members, oneOf } from '../requests/shapes.ts';
import { ORDINARY_BYTES_MAX, type UserRoute, userRoute } from './row.ts';

const USER = '/v1/:applicationId/users/:userId';

const CODES = { missing: 'MISSING_PROPERTY', unexpected: 'UNEXPECTED_PROPERTY', invalid: 'INVALID_PROPERTY' } as const;

const notification = members(NotificationRequest, ({ property, reason }) =>
  fault('INVALID_NOTIFICATION', { property, reason }),
);
const newDevice = oneOf('transport', NEW_DEVICES, ({ kind, property, reason }) =>
  fault(CODES[kind], { property, reason }),
);

export const NOTIFICATION_ROUTES: readonly UserRoute[] = [
  userRoute({
    method: 'POST',
    path: `${USER}/notifications`,
    permission: 'admin',
    group: 'records-write',
    body: { shape: notification, bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Sends a push notification to every device of a user.',
    run: async (context, { params, body }) => {
      await notifications.send(context, params.userId!, body);
      return NO_CONTENT;
    },
  }),
  userRoute({
    method: 'GET',
    path: `${USER}/devices`,
    permission: 'self',
    sentence: 'The devices that take a user’s notifications.',
    run: async (context, { params }) => replyJson(await devices.list(context, params.userId!)),
  }),
  userRoute({
    method: 'POST',
    path: `${USER}/devices`,
    permission: 'self',
    body: { shape: newDevice, bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Registers a browser or a phone of one’s own for notifications.',
    run: async (context, { params, body }) => replyJson(await devices.register(context, params.userId!, body)),
  }),
  userRoute({
    method: 'DELETE',
    path: `${USER}/devices/:deviceId`,
    permission: 'self',
    sentence: 'Removes a device, which gets no notifications any more.',
    run: async (context, { params }) => {
      await devices.remove(context, params.userId!, params.deviceId!);
      return NO_CONTENT;
    },
  }),
  userRoute({
    method: 'GET',
    path: '/v1/:applicationId/pushKey',
    permission: 'self',
    sentence: 'The key with which a browser subscribes to notifications.',
    run: (context) => replyJson(devices.pushKey(context)),
  }),
];
