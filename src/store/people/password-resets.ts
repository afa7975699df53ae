// Links to set a password that were mailed or handed over, and not used yet. Only hashes of their tokens are stored.

import type { Reader, Transaction } from '../database/handles.ts';
import type { Statement } from '../database/statements.ts';
import { readUser, type StoredUser, USER_COLUMNS } from './users.ts';

/** The times since `since` at which resets were mailed to the user. Locks the user until the transaction ends. */
export async function resetsSince(tx: Transaction, userId: string, since: string): Promise<number[]> {
  await tx.rows(`select id from ${tx.schema}.users where id = $1 for update`, [userId]);
  const rows = await tx.rows(
    `select created_at from ${tx.schema}.password_resets where user_id = $1 and created_at > $2`,
    [userId, since],
  );
  return rows.map(([createdAt]) => (createdAt as Date).getTime());
}

export interface ResetToInsert {
  readonly tokenHash: Uint8Array;
  readonly userId: string;
  readonly epoch: string;
  /** Hash of the address that the mail goes to. */
  readonly addressHash: Uint8Array;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export function insertReset(schema: string, reset: ResetToInsert): Statement {
  return {
    text: `insert into ${schema}.password_resets (token_hash, user_id, epoch, address_hash, created_at, expires_at)
      select $1, $2, $3, $4, $5, $6 from ${schema}.fence returning user_id`,
    params: [
      Buffer.from(reset.tokenHash),
      reset.userId,
      reset.epoch,
      Buffer.from(reset.addressHash),
      reset.createdAt,
      reset.expiresAt,
    ],
  };
}

/** Makes the reset the user's only one. */
export async function replaceResets(tx: Transaction, reset: ResetToInsert): Promise<void> {
  await tx.rows(`select id from ${tx.schema}.users where id = $1 for update`, [reset.userId]);
  await tx.pipeline([
    { text: `delete from ${tx.schema}.password_resets where user_id = $1`, params: [reset.userId] },
    insertReset(tx.schema, reset),
  ]);
}

export interface StoredReset {
  readonly epoch: string;
  readonly addressHash: Uint8Array;
  readonly user: StoredUser;
}

/** Finds only the latest reset of a user: a newer one voids those before. */
export async function getReset(reader: Reader, tokenHash: Uint8Array, now: string): Promise<StoredReset | undefined> {
  const rows = await reader.rows(
    `select r.epoch, r.address_hash, ${USER_COLUMNS}
     from ${reader.schema}.password_resets r join ${reader.schema}.users u on u.id = r.user_id
     where r.token_hash = $1 and r.expires_at > $2 and u.deleted_at is null and not exists (
       select from ${reader.schema}.password_resets newer
       where newer.user_id = r.user_id and newer.created_at > r.created_at)`,
    [Buffer.from(tokenHash), now],
  );
  if (rows[0] === undefined) return undefined;
  const [epoch, addressHash, ...user] = rows[0] as [string, Buffer, ...unknown[]];
  return { epoch, addressHash: new Uint8Array(addressHash), user: readUser(user) };
}

/** Removes all resets of the user. True when the token's own was among them: of several concurrent uses only one finds it. */
export async function removeResets(tx: Transaction, userId: string, tokenHash: Uint8Array): Promise<boolean> {
  const rows = await tx.rows(`delete from ${tx.schema}.password_resets where user_id = $1 returning token_hash`, [
    userId,
  ]);
  return rows.some(([hash]) => Buffer.from(tokenHash).equals(hash as Buffer));
}
