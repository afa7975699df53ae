// The routes of notifications and devices.

import { fault } from '../../faults.ts';
import * as devices from '../../operations/notifications/devices.ts';
import * as notifications from '../../operations/notifications/notifications.ts';
import { sent } from '../../operations/notifications/sent.ts';
import { DeviceView, NEW_DEVICES, NotificationRequest, PushKey, SentNotification } from '../../wire/notifications.ts';
import { NO_CONTENT, replyJson } from '../replies/reply.ts';
import { json, list, nothing, withHeaders } from '../replies/success.ts';
import { nextLink, readWalkLimit, readWalkPosition, WALK_PARAMETERS } from '../requests/list-parameters.ts';
import { members, oneOf } from '../requests/shapes.ts';
import { keyedRoute, ORDINARY_BYTES_MAX, type UserRoute, userRoute } from './row.ts';

const USER = '/v1/:applicationId/users/:userId';

const CODES = { missing: 'MISSING_PROPERTY', unexpected: 'UNEXPECTED_PROPERTY', invalid: 'INVALID_PROPERTY' } as const;

const notification = members(NotificationRequest, ({ property, reason }) =>
  fault('INVALID_NOTIFICATION', { property, reason }),
);
const newDevice = oneOf('transport', NEW_DEVICES, ({ kind, property, reason }) =>
  fault(CODES[kind], { property, reason }),
);

export const NOTIFICATION_ROUTES: readonly UserRoute[] = [
  keyedRoute({
    method: 'POST',
    path: `${USER}/notifications`,
    permission: 'admin',
    group: 'records-write',
    body: { shape: notification, bytesMax: ORDINARY_BYTES_MAX },
    operation: 'sendNotification',
    sentence: 'Sends a push notification to every device of a user.',
    success: [nothing('The notification is on its way.')],
    run: (context, { params, body }) =>
      notifications.send(context, { userId: params.userId!, request: body }, NO_CONTENT),
  }),
  userRoute({
    method: 'GET',
    path: '/v1/:applicationId/notifications',
    permission: 'admin',
    group: 'records-read',
    parameters: WALK_PARAMETERS,
    operation: 'listNotifications',
    sentence: 'Lists the notifications of the last seven days, newest first, with what became of them.',
    success: [
      withHeaders(list(SentNotification, 'A page of notifications.'), {
        Link: 'The address of the next page, unless this is the last.',
      }),
    ],
    run: async (context, { query, address }) => {
      const page = await sent(context, { after: readWalkPosition(query), limit: readWalkLimit(query) });
      const link = page.next && nextLink(address(), query, page.next, WALK_PARAMETERS);
      return { ...replyJson(page.notifications), headers: link === undefined ? {} : { link } };
    },
  }),
  userRoute({
    method: 'GET',
    path: `${USER}/devices`,
    permission: 'self',
    operation: 'listDevices',
    sentence: 'The devices that take a user’s notifications.',
    success: [list(DeviceView, 'The devices.')],
    run: async (context, { params }) => replyJson(await devices.list(context, params.userId!)),
  }),
  userRoute({
    method: 'POST',
    path: `${USER}/devices`,
    permission: 'self',
    body: { shape: newDevice, bytesMax: ORDINARY_BYTES_MAX },
    operation: 'registerDevice',
    sentence: 'Registers a browser or a phone of one’s own for notifications.',
    success: [json(DeviceView, 'The device.')],
    run: async (context, { params, body }) => replyJson(await devices.register(context, params.userId!, body)),
  }),
  userRoute({
    method: 'DELETE',
    path: `${USER}/devices/:deviceId`,
    permission: 'self',
    operation: 'removeDevice',
    sentence: 'Removes a device, which gets no notifications any more.',
    success: [nothing('Removed.')],
    run: async (context, { params }) => {
      await devices.remove(context, params.userId!, params.deviceId!);
      return NO_CONTENT;
    },
  }),
  userRoute({
    method: 'GET',
    path: '/v1/:applicationId/pushKey',
    permission: 'self',
    operation: 'getPushKey',
    sentence: 'The key with which a browser subscribes to notifications.',
    success: [json(PushKey, 'The key.')],
    run: (context) => replyJson(devices.pushKey(context)),
  }),
];
