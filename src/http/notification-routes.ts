// Notifications and devices: a part of the table in http/routes.

import { fault } from '../faults.ts';
import * as devices from '../operations/devices.ts';
import * as notifications from '../operations/notifications.ts';
import { NEW_DEVICES, NewDevice, NotificationRequest, type TransportName } from '../wire/notifications.ts';
import { answerJson, NO_CONTENT } from './answer.ts';
import { type Route, route } from './route.ts';
import { type MemberProblem, members, type Shape } from './shapes.ts';

const BYTES_MAX = 100 * 1024;
const USER = '/v1/:applicationId/users/:userId';

const CODES = { missing: 'MISSING_PROPERTY', unexpected: 'UNEXPECTED_PROPERTY', invalid: 'INVALID_PROPERTY' } as const;
const refuseProperty = ({ kind, property, reason }: MemberProblem) => fault(CODES[kind], { property, reason });

const notification = members(NotificationRequest, ({ property, reason }) =>
  fault('INVALID_NOTIFICATION', { property, reason }),
);

const byTransport: Readonly<Record<TransportName, Shape<NewDevice>>> = {
  webPush: members(NEW_DEVICES.webPush, refuseProperty),
  fcm: members(NEW_DEVICES.fcm, refuseProperty),
  apns: members(NEW_DEVICES.apns, refuseProperty),
};

/** What else a device has depends on its transport. */
const newDevice: Shape<NewDevice> = {
  schema: NewDevice,
  read(body) {
    const transport = (body as { transport?: unknown } | null | undefined)?.transport;
    if (typeof transport === 'string' && Object.hasOwn(byTransport, transport)) {
      return byTransport[transport as TransportName].read(body);
    }
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return byTransport.webPush.read(body);
    if (transport === undefined) throw fault('MISSING_PROPERTY', { property: 'transport', reason: 'is missing' });
    const reason = `must be one of ${Object.keys(byTransport).join(', ')}`;
    throw fault('INVALID_PROPERTY', { property: 'transport', reason });
  },
};

export const NOTIFICATION_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: `${USER}/notifications`,
    permission: 'admin',
    body: { shape: notification, bytesMax: BYTES_MAX },
    sentence: 'Sends a push notification to every device of a user.',
    run: async (context, { params, body }) => {
      await notifications.send(context, params.userId!, body);
      return NO_CONTENT;
    },
  }),
  route({
    method: 'GET',
    path: `${USER}/devices`,
    permission: 'self',
    sentence: 'The devices that take a user’s notifications.',
    run: async (context, { params }) => answerJson(await devices.list(context, params.userId!)),
  }),
  route({
    method: 'POST',
    path: `${USER}/devices`,
    permission: 'self',
    body: { shape: newDevice, bytesMax: BYTES_MAX },
    sentence: 'Registers a browser or a phone of one’s own for notifications.',
    run: async (context, { params, body }) => answerJson(await devices.register(context, params.userId!, body)),
  }),
  route({
    method: 'DELETE',
    path: `${USER}/devices/:deviceId`,
    permission: 'self',
    sentence: 'Removes a device, which gets no notifications any more.',
    run: async (context, { params }) => {
      await devices.remove(context, params.userId!, params.deviceId!);
      return NO_CONTENT;
    },
  }),
  route({
    method: 'GET',
    path: '/v1/:applicationId/pushKey',
    permission: 'self',
    sentence: 'The key with which a browser subscribes to notifications.',
    run: (context) => answerJson(devices.pushKey(context)),
  }),
];
