// Sending a notification: it is put into the queue, durably and together with its activity entry. operations/upkeep/deliveries
// does the rest.

import type { Context } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { type Message, notificationProblem } from '../../domain/notifications.ts';
import { fault } from '../../faults.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import { isNoted, noteDue } from '../../store/notifications/due.ts';
import { insertDeliveries, insertNotification } from '../../store/notifications/notifications.ts';
import type { NotificationRequest } from '../../wire/notifications.ts';
import { activityEntries } from '../activity/entries.ts';
import { livingDevices, requirePush } from './devices.ts';

/**
 * A note is looked at again and again until it is YOUNG_MS old, and a new one is written only where the last is older
 * than FRESH_MS. What lies between is the time that the transaction behind it may take.
 */
const FRESH_MS = 2_000;
export const YOUNG_MS = 120_000;

/** What the stored message leaves out is in its row. */
export type StoredMessage = Omit<Message, 'notificationId' | 'createdAt'>;

export async function send(context: Context, userId: string, request: NotificationRequest): Promise<void> {
  requirePush(context);
  const problem = notificationProblem(request);
  if (problem !== undefined) throw fault('INVALID_NOTIFICATION', problem);
  const { application, caller, database, store, ids, now } = context;
  const at = now();
  const { system } = database;
  const [{ account, devices }, noted] = await Promise.all([
    livingDevices(context, userId),
    isNoted(system, application.id, isoTime(at - FRESH_MS)),
  ]);
  const deviceIds = account.disabled ? [] : devices.map(({ id }) => id);
  const { name } = application.definition;
  const { title = name, body, url, sound } = request;
  const message: StoredMessage = {
    application: { id: application.id, name },
    title,
    body,
    ...(url === undefined ? {} : { url }),
    ...(sound === 'default' ? { sound } : {}),
  };
  const notificationId = ids.uuid();
  const notification = {
    id: notificationId,
    userId,
    createdBy: caller.id,
    message: JSON.stringify(message),
    createdAt: isoTime(at),
  };
  const extra = { notificationId, userId };
  const entries = activityEntries(context, { kind: 'notification.send', member: 'notificationId' }, [extra]);
  // Before the queue is written: from then on somebody looks.
  if (deviceIds.length > 0 && !noted) await noteDue(system.repeatable, application.id, isoTime(at));
  await store.transaction(async (tx) => {
    await tx.commitWith([
      insertNotification(tx.schema, notification),
      ...(deviceIds.length === 0 ? [] : [insertDeliveries(tx.schema, notification, deviceIds)]),
      ...(entries.length === 0 ? [] : [insertEntries(tx.schema, entries)]),
    ]);
  });
}
