// The devices that take a user's notifications. Each address is one device, and belongs to who registered it last.

import type { DeviceView, TransportName } from '../wire/notifications.ts';
import type { Reader, Statement } from './db.ts';

export interface DeviceToPut {
  readonly id: string;
  readonly userId: string;
  readonly sessionId: string | undefined;
  readonly transport: TransportName;
  readonly address: string;
  readonly addressHash: Uint8Array;
  readonly keys: string | null;
  readonly name: string;
  readonly createdAt: string;
}

const VIEW = 'd.id, d.transport, d.name, d.created_at';

export function readDevice(row: readonly unknown[]): DeviceView {
  const [id, transport, name, createdAt] = row as [string, TransportName, string, Date];
  return { id, transport, name, createdAt: createdAt.toISOString() };
}

/** One that comes from another user gets a new identifier: what is on its way to that user must not arrive at this one. */
export function putDevice(schema: string, device: DeviceToPut): Statement {
  return {
    text: `insert into ${schema}.devices as d
        (id, user_id, session_id, transport, address, address_hash, keys, name, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      on conflict (transport, address_hash) do update set
        id = case when d.user_id = excluded.user_id then d.id else excluded.id end,
        created_at = case when d.user_id = excluded.user_id then d.created_at else excluded.created_at end,
        user_id = excluded.user_id, session_id = excluded.session_id, keys = excluded.keys, name = excluded.name
      returning ${VIEW}`,
    params: [
      device.id,
      device.userId,
      device.sessionId ?? null,
      device.transport,
      device.address,
      Buffer.from(device.addressHash),
      device.keys,
      device.name,
      device.createdAt,
    ],
  };
}

/** All but the newest `kept`; `newest` is one of them, whatever its age. */
export function dropOldest(schema: string, userId: string, keep: { kept: number; newestId: string }): Statement {
  return {
    text: `delete from ${schema}.devices where user_id = $1 and id not in (
        select d.id from ${schema}.devices d where d.user_id = $1 order by d.id = $3 desc, d.created_at desc, d.id desc limit $2)`,
    params: [userId, keep.kept, keep.newestId],
  };
}

export async function listDevices(reader: Reader, userId: string): Promise<DeviceView[]> {
  const rows = await reader.rows(
    `select ${VIEW} from ${reader.schema}.devices d where d.user_id = $1 order by d.created_at, d.id`,
    [userId],
  );
  return rows.map(readDevice);
}

export interface LivingSessions {
  readonly epoch: string;
  readonly method: string;
  readonly now: string;
}

/** Those that were registered without a session, or whose session has neither ended nor been shut out. */
export async function deviceIdsOf(reader: Reader, userId: string, sessions: LivingSessions): Promise<string[]> {
  const rows = await reader.rows(
    `select d.id from ${reader.schema}.devices d left join ${reader.schema}.sessions s on s.id = d.session_id
     where d.user_id = $1
       and (d.session_id is null or (s.epoch = $2 and s.method = $3 and s.expires_at > $4 and s.user_id = $1))`,
    [userId, sessions.epoch, sessions.method, sessions.now],
  );
  return rows.map((row) => row[0] as string);
}

export function deleteDevice(schema: string, userId: string, deviceId: string): Statement {
  return {
    text: `delete from ${schema}.devices where user_id = $1 and id = $2 returning id`,
    params: [userId, deviceId],
  };
}

export function deleteDevices(schema: string, deviceIds: readonly string[]): Statement {
  return { text: `delete from ${schema}.devices where id = any($1::text[])`, params: [deviceIds] };
}
