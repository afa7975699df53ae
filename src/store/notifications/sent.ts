// The notifications that were sent, newest first, and what became of them. They are kept for some days (operations/upkeep).

import type { Delivery, TransportName } from '../../wire/notifications.ts';
import type { UserShort } from '../../wire/users.ts';
import type { Reader } from '../database/handles.ts';
import type { Row } from '../database/statements.ts';

export interface StoredNotification {
  readonly id: string;
  readonly createdAt: string;
  readonly createdBy: UserShort;
  readonly user: UserShort;
  /** JSON. */
  readonly message: string;
  readonly deliveries: readonly Delivery[];
}

/** Users are never removed, and their names never change. A user has some twenty devices at most, so a page is bounded. */
export async function listSent(
  reader: Reader,
  { before, limit }: { before: string; limit: number },
): Promise<StoredNotification[]> {
  const { schema } = reader;
  const rows = await reader.rows(
    `select n.id, n.created_at, n.message, s.id, s.name, u.id, u.name, q.device_id, q.state, q.attempts, q.problem,
       q.finished_at, d.transport, d.name
     from (select id, created_at, message, created_by, user_id from ${schema}.notifications
       where id < $1 order by id desc limit $2) as n
     join ${schema}.users s on s.id = n.created_by join ${schema}.users u on u.id = n.user_id
     left join ${schema}.deliveries q on q.notification_id = n.id
     left join ${schema}.devices d on d.id = q.device_id and d.user_id = n.user_id
     order by n.id desc, q.device_id`,
    [before, limit],
  );
  const sent = new Map<string, StoredNotification & { readonly deliveries: Delivery[] }>();
  for (const row of rows) {
    const notification = readNotification(row);
    const known = sent.get(notification.id) ?? notification;
    sent.set(known.id, known);
    known.deliveries.push(...readDelivery(row.slice(7)));
  }
  return [...sent.values()];
}

function readNotification(row: Row): StoredNotification & { readonly deliveries: Delivery[] } {
  const [id, createdAt, message, senderId, senderName, userId, userName] = row as [
    string,
    Date,
    string,
    string,
    string,
    string,
    string,
  ];
  return {
    id,
    createdAt: createdAt.toISOString(),
    createdBy: { id: senderId, name: senderName },
    user: { id: userId, name: userName },
    message,
    deliveries: [],
  };
}

function readDelivery(row: Row): Delivery[] {
  const [deviceId, state, attempts, problem, finishedAt, transport, deviceName] = row as [
    string | null,
    Delivery['state'],
    number,
    string | null,
    Date | null,
    TransportName | null,
    string | null,
  ];
  if (deviceId === null) return [];
  const device = transport === null ? {} : { transport, deviceName: deviceName ?? '' };
  return [
    {
      deviceId,
      ...device,
      state,
      attempts,
      ...(problem === null ? {} : { problem }),
      ...(finishedAt === null ? {} : { finishedAt: finishedAt.toISOString() }),
    },
  ];
}
