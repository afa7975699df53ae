// The JSON of notifications and of the devices that receive them.

import type { Static } from 'typebox';
import { Instant, Type } from './type.ts';
import { UserShort } from './users.ts';

const strict = { additionalProperties: false } as const;

/** In code points. */
export const TITLE_LENGTH_MAX = 128;
export const BODY_LENGTH_MAX = 512;
export const URL_LENGTH_MAX = 1024;

export const NotificationRequest = Type.Object(
  {
    title: Type.Optional(Type.String({ minLength: 1, maxLength: TITLE_LENGTH_MAX })),
    body: Type.String({ minLength: 1, maxLength: BODY_LENGTH_MAX }),
    url: Type.Optional(Type.String({ minLength: 1, maxLength: URL_LENGTH_MAX })),
    sound: Type.Optional(Type.Enum(['default', ''])),
  },
  strict,
);
export type NotificationRequest = Static<typeof NotificationRequest>;

export const DEVICE_NAME_MAX = 100;
export const ENDPOINT_LENGTH_MAX = 2048;
export const PHONE_TOKEN_MAX = 1024;
const deviceName = Type.Optional(Type.String({ maxLength: DEVICE_NAME_MAX }));

/** `subscription` is the result of `PushSubscription.toJSON()` in a browser. */
const NewBrowser = Type.Object(
  {
    transport: Type.Literal('webPush'),
    subscription: Type.Object(
      {
        endpoint: Type.String({ minLength: 1, maxLength: ENDPOINT_LENGTH_MAX }),
        expirationTime: Type.Optional(Type.Union([Type.Null(), Type.Number()])),
        keys: Type.Object({ p256dh: Type.String(), auth: Type.String() }, strict),
      },
      strict,
    ),
    name: deviceName,
  },
  strict,
);

const newPhone = <const Name extends 'fcm' | 'apns'>(transport: Name) =>
  Type.Object(
    {
      transport: Type.Literal(transport),
      token: Type.String({ minLength: 1, maxLength: PHONE_TOKEN_MAX }),
      name: deviceName,
    },
    strict,
  );

const NewFcmPhone = newPhone('fcm');
const NewApnsPhone = newPhone('apns');

export const NEW_DEVICES = { webPush: NewBrowser, fcm: NewFcmPhone, apns: NewApnsPhone } as const;
export type TransportName = keyof typeof NEW_DEVICES;
export type NewDevice = Static<(typeof NEW_DEVICES)[TransportName]>;

export const DeviceView = Type.Object({
  id: Type.String(),
  transport: Type.Enum(['webPush', 'fcm', 'apns']),
  name: Type.String(),
  createdAt: Instant,
});
export type DeviceView = Static<typeof DeviceView>;

/** With it a browser subscribes: only this server can send to the browser then. */
export const PushKey = Type.Object({ publicKey: Type.String() });

/** What became of a notification on one device. A device that was removed since has neither transport nor name. */
export const Delivery = Type.Object({
  deviceId: Type.String(),
  transport: Type.Optional(Type.Enum(['webPush', 'fcm', 'apns'])),
  deviceName: Type.Optional(Type.String()),
  /** `gone`: the push service knows the device no more, so it was removed. */
  state: Type.Enum(['waiting', 'delivered', 'failed', 'gone']),
  attempts: Type.Integer(),
  /** Why the last attempt failed. */
  problem: Type.Optional(Type.String()),
  finishedAt: Type.Optional(Instant),
});
export type Delivery = Static<typeof Delivery>;

export const SentNotification = Type.Object({
  id: Type.String(),
  createdAt: Instant,
  createdBy: UserShort,
  user: UserShort,
  title: Type.String(),
  body: Type.String(),
  url: Type.Optional(Type.String()),
  /** One for each device that the user had; none if there was no device or the user was disabled. */
  deliveries: Type.Array(Delivery),
});
export type SentNotification = Static<typeof SentNotification>;
