// Sending a notification: queues it, in one transaction with its activity entry. operations/upkeep/deliveries
// delivers it in the background.

import type { Context, KeptReply } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { type Message, notificationProblem } from '../../domain/notifications.ts';
import { fault } from '../../faults.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import { isMarkedDue, markDue } from '../../store/notifications/due.ts';
import { insertDeliveries, insertNotification } from '../../store/notifications/notifications.ts';
import type { NotificationRequest } from '../../wire/notifications.ts';
import { activityEntries } from '../activity/entries.ts';
import { keyedTransaction } from '../keyed-requests.ts';
import { requirePush, usableDevices } from './devices.ts';

/**
 * An application's queue is polled until its mark is WATCH_MS old, and it is marked again only if the mark is older than
 * FRESH_MS. The difference is the time that the queueing transaction may take.
 */
const FRESH_MS = 2_000;
export const WATCH_MS = 120_000;

/** The other members are columns of the row. */
export type StoredMessage = Omit<Message, 'notificationId' | 'createdAt'>;

export async function send<R extends KeptReply>(
  context: Context,
  { userId, request }: { readonly userId: string; readonly request: NotificationRequest },
  reply: R,
): Promise<R> {
  requirePush(context);
  const problem = notificationProblem(request);
  if (problem !== undefined) throw fault('INVALID_NOTIFICATION', problem);
  const { application, caller, database, store, ids, now } = context;
  const at = now();
  const { system } = database;
  const [{ account, devices }, marked] = await Promise.all([
    usableDevices(context, userId),
    isMarkedDue(system, application.id, isoTime(at - FRESH_MS)),
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
  // Before queueing, so that a node polls this application's queue by then.
  if (deviceIds.length > 0 && !marked) await markDue(system.repeatable, application.id, isoTime(at));
  const { schema } = store;
  const statements = [
    insertNotification(schema, notification),
    ...(deviceIds.length === 0 ? [] : [insertDeliveries(schema, notification, deviceIds)]),
    ...(entries.length === 0 ? [] : [insertEntries(schema, entries)]),
  ];
  const { keyed } = context;
  if (keyed !== undefined) return keyedTransaction(context, keyed, async () => ({ statements, reply: () => reply }));
  await store.transaction((tx) => tx.commitWith(statements));
  return reply;
}
