// The devices that receive a user's notifications. Each address is one device and belongs to the user who registered it last.

import type { DeviceView, TransportName } from '../../wire/notifications.ts';
import type { Reader, Writer } from '../database/handles.ts';
import type { Statement } from '../database/statements.ts';
import { readUser, type StoredUser, userById } from '../people/users.ts';

export interface DeviceToPut {
  readonly id: string;
  readonly userId: string;
  readonly sessionId: string | undefined;
  readonly tokenId: string | undefined;
  /** The account's epoch at the registration. */
  readonly epoch: string;
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

/** A device taken over from another user gets a new identifier: queued notifications of that user must not reach it. */
export function putDevice(schema: string, device: DeviceToPut): Statement {
  return {
    text: `insert into ${schema}.devices as d
        (id, user_id, session_id, token_id, epoch, transport, address, address_hash, keys, name, created_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
      on conflict (transport, address_hash) do update set
        id = case when d.user_id = excluded.user_id then d.id else excluded.id end,
        created_at = case when d.user_id = excluded.user_id then d.created_at else excluded.created_at end,
        user_id = excluded.user_id, session_id = excluded.session_id, token_id = excluded.token_id,
        epoch = excluded.epoch, keys = excluded.keys, name = excluded.name
      returning ${VIEW}`,
    params: [
      device.id,
      device.userId,
      device.sessionId ?? null,
      device.tokenId ?? null,
      device.epoch,
      device.transport,
      device.address,
      Buffer.from(device.addressHash),
      device.keys,
      device.name,
      device.createdAt,
    ],
  };
}

/** Deletes all but the newest `kept` devices; `newestId` is always kept. */
export function dropOldest(schema: string, userId: string, keep: { kept: number; newestId: string }): Statement {
  return {
    text: `delete from ${schema}.devices where user_id = $1 and id not in (
        select d.id from ${schema}.devices d where d.user_id = $1 order by d.id = $3 desc, d.created_at desc, d.id desc limit $2)`,
    params: [userId, keep.kept, keep.newestId],
  };
}

/** Decides whether a device may still receive messages; see `mayReceive`. */
export interface DeviceValidity {
  readonly epoch: string;
  /** Whether the token of the registration is neither revoked nor expired; null for a registration in a session. */
  readonly tokenIsValid: boolean | null;
}

/** Once false it stays false: epochs only increase, and revoked tokens stay revoked. */
export const mayReceive = ({ epoch, tokenIsValid }: DeviceValidity, account: { readonly epoch: string }): boolean =>
  tokenIsValid ?? epoch === account.epoch;

/** `tokenIsValid` of devices `d` and their tokens `t`; `now` names the parameter that holds the time. */
export const tokenIsValidSql = (now: string): string =>
  `case when d.token_id is not null
     then t.id is not null and t.revoked_at is null and (t.expires_at is null or t.expires_at > ${now}) end`;

export interface ListedDevice extends DeviceValidity {
  readonly tokenId: string | null;
  readonly view: DeviceView;
}

/** One round trip. The user is read last, so that a device whose epoch differs from the user's has an older one. */
export async function devicesAndUser(
  reader: Reader,
  userId: string,
  now: string,
): Promise<{ devices: ListedDevice[]; user: StoredUser | undefined }> {
  const { schema } = reader;
  const [rows = [], [user] = []] = await reader.pipeline([
    {
      text: `select d.epoch, d.token_id, ${tokenIsValidSql('$2')}, ${VIEW}
        from ${schema}.devices d left join ${schema}.tokens t on t.id = d.token_id
        where d.user_id = $1 order by d.created_at, d.id`,
      params: [userId, now],
    },
    userById(schema, userId),
  ]);
  const devices = rows.map(([epoch, tokenId, tokenValid, ...view]) => ({
    epoch: epoch as string,
    tokenId: tokenId as string | null,
    tokenIsValid: tokenValid as boolean | null,
    view: readDevice(view),
  }));
  return { devices, user: user && readUser(user) };
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

/** Deletes devices that may no longer receive messages, unless they were registered again since they were read. */
export async function deleteUnusable(writer: Writer, devices: readonly ListedDevice[]): Promise<void> {
  const { schema } = writer;
  await writer.write(
    `delete from ${schema}.devices as d
     using ${schema}.fence, unnest($1::text[], $2::text[], $3::text[]) as r(id, epoch, token_id)
     where d.id = r.id and d.epoch = r.epoch and coalesce(d.token_id, '') = r.token_id`,
    [
      devices.map(({ view }) => view.id),
      devices.map(({ epoch }) => epoch),
      devices.map(({ tokenId }) => tokenId ?? ''),
    ],
  );
}
