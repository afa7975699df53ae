// Devices that receive a user's notifications: registered by the user, listed and removed by the user or an admin.

import { createHash, randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { base32hex } from '../../domain/base32hex.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { DEVICES_MAX, deliveryAddress, deviceProblem } from '../../domain/notifications.ts';
import { fault } from '../../faults.ts';
import {
  deleteDevice,
  deleteUnusable,
  devicesAndUser,
  dropOldest,
  mayReceive,
  putDevice,
  readDevice,
} from '../../store/notifications/devices.ts';
import { type Account, accountOf, getAccount } from '../../store/people/accounts.ts';
import { getUser } from '../../store/people/users.ts';
import type { DeviceView, NewDevice } from '../../wire/notifications.ts';

const DEVICE_ID_BYTES = 10;
const DEVICE_ID_CHARACTERS = 16;

export function requirePush({ application }: Pick<Context, 'application'>): void {
  if (!application.definition.pushNotificationsEnabled)
    throw fault('FEATURE_DISABLED', { feature: 'pushNotifications' });
}

/** Browsers subscribe with this key, so that only this server can send to them. */
export function pushKey(context: Context): { publicKey: string } {
  requirePush(context);
  return { publicKey: context.people.push.publicKey };
}

export async function register(context: Context, userId: string, device: NewDevice): Promise<DeviceView> {
  requirePush(context);
  const { application, caller, sessionId, tokenId, store, people, database, now } = context;
  const problem = deviceProblem(device) ?? untrusted(context, device);
  if (problem !== undefined) throw fault('INVALID_PROPERTY', problem);
  if (userId !== caller.id) throw fault('FORBIDDEN');
  if (!people.push.has(device.transport)) throw fault('FEATURE_DISABLED', { feature: 'pushNotifications' });
  const account = await getAccount(database, application.id, userId);
  if (account === undefined) throw fault('USER_NOT_FOUND', { userId });
  const target = deliveryAddress(device);
  const row = putDevice(store.schema, {
    ...target,
    id: base32hex(randomBytes(DEVICE_ID_BYTES), DEVICE_ID_CHARACTERS),
    userId,
    sessionId,
    tokenId,
    epoch: account.epoch,
    addressHash: createHash('sha256').update(target.address).digest(),
    name: device.name ?? '',
    createdAt: isoTime(now()),
  });
  return store.transaction(async (tx) => {
    const [put] = await tx.rows(row.text, row.params);
    const view = readDevice(put ?? []);
    await tx.commitWith([dropOldest(tx.schema, userId, { kept: DEVICES_MAX, newestId: view.id })]);
    return view;
  });
}

function untrusted({ people }: Context, device: NewDevice): { property: string; reason: string } | undefined {
  if (device.transport !== 'webPush' || people.push.trusts(device.subscription.endpoint)) return undefined;
  return { property: 'subscription.endpoint', reason: 'must be an address of a push service that this server trusts' };
}

export async function list(context: Context, userId: string): Promise<DeviceView[]> {
  await requireOwn(context, userId);
  return (await usableDevices(context, userId)).devices;
}

/** Throws USER_NOT_FOUND. Devices that can never receive a message again are deleted on the way. */
export async function usableDevices(
  { database, store, now }: Context,
  userId: string,
): Promise<{ account: Account; devices: DeviceView[] }> {
  const { devices: listed, user } = await devicesAndUser(store, userId, isoTime(now()));
  if (user === undefined) throw fault('USER_NOT_FOUND', { userId });
  const account = await accountOf(database.system, user);
  const unusable = listed.filter((device) => !mayReceive(device, account));
  if (unusable.length > 0) await deleteUnusable(store.repeatable, unusable);
  return { account, devices: listed.filter((device) => !unusable.includes(device)).map(({ view }) => view) };
}

export async function remove(context: Context, userId: string, deviceId: string): Promise<void> {
  await requireOwn(context, userId);
  const { store } = context;
  const { text, params } = deleteDevice(store.schema, userId, deviceId);
  const rows = await store.write(text, params);
  if (rows.length === 0) throw fault('DEVICE_NOT_FOUND', { deviceId: deviceId.slice(0, DEVICE_ID_CHARACTERS) });
}

/** Users may manage their own devices, admins those of any existing user. */
async function requireOwn({ caller, store }: Context, userId: string): Promise<void> {
  if (userId === caller.id) return;
  if (!caller.admin) throw fault('FORBIDDEN');
  if ((await getUser(store, userId)) === undefined) throw fault('USER_NOT_FOUND', { userId });
}
