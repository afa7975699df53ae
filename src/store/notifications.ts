// Notifications of an application and the queue of their deliveries, one for each device.

import { firstUuidAt } from '../domain/ids.ts';
import type { TransportName } from '../wire/notifications.ts';
import type { Reader, Statement, Writer } from './db.ts';

export interface NotificationToInsert {
  readonly id: string;
  readonly userId: string;
  readonly createdBy: string;
  /** As JSON. */
  readonly message: string;
  readonly createdAt: string;
}

export function insertNotification(schema: string, notification: NotificationToInsert): Statement {
  const { id, userId, createdBy, message, createdAt } = notification;
  return {
    text: `insert into ${schema}.notifications (id, user_id, created_by, message, created_at)
      values ($1, $2, $3, $4, $5)`,
    params: [id, userId, createdBy, message, createdAt],
  };
}

/** `from fence` keeps the insert on the application's own worker in a cluster. */
export function insertDeliveries(
  schema: string,
  { id, createdAt }: Pick<NotificationToInsert, 'id' | 'createdAt'>,
  deviceIds: readonly string[],
): Statement {
  return {
    text: `insert into ${schema}.deliveries (notification_id, device_id, state, attempts, due_at)
      select $1::uuid, d.id, 'waiting', 0, $2::timestamptz from ${schema}.fence, unnest($3::text[]) as d(id)
      returning device_id`,
    params: [id, createdAt, deviceIds],
  };
}

export interface Claimed {
  readonly notificationId: string;
  readonly deviceId: string;
  /** This one included. */
  readonly attempts: number;
  readonly message: string;
  readonly createdAt: Date;
  /** Undefined when it is gone, or nobody's any more. */
  readonly device:
    | { readonly transport: TransportName; readonly address: string; readonly keys: string | null }
    | undefined;
}

/** Takes what is due for itself until `until`; what another takes at this moment is passed over. */
export async function claimDeliveries(
  writer: Writer,
  { now, until, limit }: { now: string; until: string; limit: number },
): Promise<Claimed[]> {
  const { schema } = writer;
  const rows = await writer.write(
    `update ${schema}.deliveries as x set due_at = $2, attempts = x.attempts + 1
     from (select q.notification_id, q.device_id, n.message, n.created_at, d.transport, d.address, d.keys,
             u.disabled or u.deleted_at is not null as shut_out
           from ${schema}.deliveries q
             join ${schema}.notifications n on n.id = q.notification_id
             join ${schema}.users u on u.id = n.user_id
             left join ${schema}.devices d on d.id = q.device_id and d.user_id = n.user_id
           where q.state = 'waiting' and q.due_at <= $1 order by q.due_at limit $3
           for update of q skip locked) as c
     where x.notification_id = c.notification_id and x.device_id = c.device_id
     returning x.notification_id, x.device_id, x.attempts, c.message, c.created_at, c.transport, c.address, c.keys,
       c.shut_out`,
    [now, until, limit],
  );
  return (
    rows as [string, string, number, string, Date, TransportName | null, string | null, string | null, boolean][]
  ).map(([notificationId, deviceId, attempts, message, createdAt, transport, address, keys, shutOut]) => ({
    notificationId,
    deviceId,
    attempts,
    message,
    createdAt,
    device: transport === null || address === null || shutOut ? undefined : { transport, address, keys },
  }));
}

/** When the next is due, or whoever claimed it is taken for gone. */
export async function nextDue(reader: Reader): Promise<Date | undefined> {
  const rows = await reader.rows(
    `select due_at from ${reader.schema}.deliveries where state = $1 and state = 'waiting' order by due_at limit 1`,
    ['waiting'],
  );
  return rows[0]?.[0] as Date | undefined;
}

export interface Marking {
  readonly notificationId: string;
  readonly deviceId: string;
  /** Of the claim. */
  readonly attempts: number;
  readonly state: 'waiting' | 'delivered' | 'failed' | 'gone';
  /** As they are to stand: an attempt that did not take place is not counted. */
  readonly counted: number;
  readonly dueAt: string;
  readonly problem: string | null;
  readonly finishedAt: string | null;
}

/** What has arrived has arrived; but what is still to be tried is left to who has claimed it since. */
export async function markDeliveries(writer: Writer, markings: readonly Marking[]): Promise<void> {
  const { schema } = writer;
  await writer.write(
    `update ${schema}.deliveries as x set state = m.state, attempts = m.counted, due_at = m.due_at,
       problem = m.problem, finished_at = m.finished_at
     from ${schema}.fence, unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::int[], $6::timestamptz[],
       $7::text[], $8::timestamptz[])
       as m(notification_id, device_id, attempts, state, counted, due_at, problem, finished_at)
     where x.notification_id = m.notification_id and x.device_id = m.device_id and x.state = 'waiting'
       and (m.state <> 'waiting' or x.attempts = m.attempts)`,
    [
      markings.map((m) => m.notificationId),
      markings.map((m) => m.deviceId),
      markings.map((m) => m.attempts),
      markings.map((m) => m.state),
      markings.map((m) => m.counted),
      markings.map((m) => m.dueAt),
      markings.map((m) => m.problem),
      markings.map((m) => m.finishedAt),
    ],
  );
}

const REMOVED_AT_ONCE = 1_000;

/** Notifications made before that, of which nothing is waiting; how many went. Identifiers tell when they were made. */
export async function removeFinished(writer: Writer, before: number): Promise<number> {
  const { schema } = writer;
  const rows = await writer.write(
    `delete from ${schema}.notifications where id in (
       select n.id from ${schema}.notifications n where n.id < $1
         and not exists (select 1 from ${schema}.deliveries d where d.notification_id = n.id and d.state = 'waiting')
       order by n.id limit ${REMOVED_AT_ONCE})
     returning id`,
    [firstUuidAt(before)],
  );
  return rows.length;
}

export const removedAll = (removed: number): boolean => removed < REMOVED_AT_ONCE;
