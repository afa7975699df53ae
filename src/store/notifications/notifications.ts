// Notifications of an application and the queue of their deliveries, one for each device.

import { firstUuidAt } from '../../domain/ids.ts';
import type { TransportName } from '../../wire/notifications.ts';
import type { Reader, Writer } from '../database/handles.ts';
import type { Row, Statement } from '../database/statements.ts';
import { type DeviceValidity, tokenIsValidSql } from './devices.ts';

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

export interface ClaimedDevice extends DeviceValidity {
  readonly transport: TransportName;
  readonly address: string;
  readonly keys: string | null;
}

export interface Claimed {
  readonly notificationId: string;
  readonly deviceId: string;
  /** The recipient. */
  readonly userId: string;
  /** Including this one. */
  readonly attempts: number;
  readonly message: string;
  readonly createdAt: Date;
  /** Undefined when the device was removed or belongs to another user now. */
  readonly device: ClaimedDevice | undefined;
}

/**
 * Claims due deliveries until `until` and skips those that another node is claiming. Materialized, because the planner may
 * run a subquery again for every joined row, and each run would lock other rows.
 */
export async function claimDeliveries(
  writer: Writer,
  { now, until, limit }: { now: string; until: string; limit: number },
): Promise<Claimed[]> {
  const { schema } = writer;
  const rows = await writer.write(
    `with c as materialized (
       select q.notification_id, q.device_id from ${schema}.deliveries q
       where q.state = 'waiting' and q.due_at <= $1 order by q.due_at limit $3 for update skip locked)
     update ${schema}.deliveries as x set due_at = $2, attempts = x.attempts + 1
     from c join ${schema}.notifications n on n.id = c.notification_id
       left join ${schema}.devices d on d.id = c.device_id and d.user_id = n.user_id
       left join ${schema}.tokens t on t.id = d.token_id
     where x.notification_id = c.notification_id and x.device_id = c.device_id
     returning x.notification_id, x.device_id, n.user_id, x.attempts, n.message, n.created_at, d.transport, d.address,
       d.keys, d.epoch, ${tokenIsValidSql('$1')}`,
    [now, until, limit],
  );
  return rows.map(readClaimed);
}

function readClaimed(row: Row): Claimed {
  const [notificationId, deviceId, userId, attempts, message, createdAt, transport, ...target] = row as [
    string,
    string,
    string,
    number,
    string,
    Date,
    TransportName | null,
    string,
    string | null,
    string,
    boolean | null,
  ];
  const [address, keys, epoch, tokenValid] = target;
  const device = transport === null ? undefined : { transport, address, keys, epoch, tokenIsValid: tokenValid };
  return { notificationId, deviceId, userId, attempts, message, createdAt, device };
}

/** When the next delivery is due or its claim ends. */
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
  /** The end of the claim, which identifies it. */
  readonly claimedUntil: string;
  readonly state: 'waiting' | 'delivered' | 'failed' | 'gone';
  /** The number of attempts to store; one less than claimed when none was made. */
  readonly counted: number;
  readonly dueAt: string;
  readonly problem: string | null;
  readonly finishedAt: string | null;
}

/**
 * A final state is always written, a retry only if the delivery was not claimed again since. At most one marking for each
 * delivery: of several, any might be written.
 */
export async function markDeliveries(writer: Writer, markings: readonly Marking[]): Promise<void> {
  const { schema } = writer;
  await writer.write(
    `update ${schema}.deliveries as x set state = m.state, attempts = m.counted, due_at = m.due_at,
       problem = m.problem, finished_at = m.finished_at
     from ${schema}.fence, unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::text[], $5::int[], $6::timestamptz[],
       $7::text[], $8::timestamptz[])
       as m(notification_id, device_id, claimed_until, state, counted, due_at, problem, finished_at)
     where x.notification_id = m.notification_id and x.device_id = m.device_id and x.state = 'waiting'
       and (m.state <> 'waiting' or x.due_at = m.claimed_until)`,
    [
      markings.map((m) => m.notificationId),
      markings.map((m) => m.deviceId),
      markings.map((m) => m.claimedUntil),
      markings.map((m) => m.state),
      markings.map((m) => m.counted),
      markings.map((m) => m.dueAt),
      markings.map((m) => m.problem),
      markings.map((m) => m.finishedAt),
    ],
  );
}

const REMOVED_AT_ONCE = 1_000;

/** Removes notifications created before `before` without waiting deliveries and returns their number. Identifiers contain the time. */
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
