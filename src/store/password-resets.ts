// Resets of passwords that were mailed and not used yet. Their tokens are here only as hashes.

import type { Reader, Statement } from './db.ts';
import { readUser, type StoredUser, USER_COLUMNS } from './users.ts';

/** The moments since `since` at which resets were mailed to the user, who is locked until the transaction ends. */
export async function resetsSince(tx: Reader, userId: string, since: string): Promise<number[]> {
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
  readonly createdAt: string;
  readonly expiresAt: string;
}

export function insertReset(schema: string, reset: ResetToInsert): Statement {
  return {
    text: `insert into ${schema}.password_resets (token_hash, user_id, epoch, created_at, expires_at)
      select $1, $2, $3, $4, $5 from ${schema}.fence returning user_id`,
    params: [Buffer.from(reset.tokenHash), reset.userId, reset.epoch, reset.createdAt, reset.expiresAt],
  };
}

export interface StoredReset {
  readonly epoch: string;
  readonly user: StoredUser;
}

/** The latest of its user alone: a newer one voids those before. */
export async function getReset(reader: Reader, tokenHash: Uint8Array, now: string): Promise<StoredReset | undefined> {
  const rows = await reader.rows(
    `select r.epoch, ${USER_COLUMNS}
     from ${reader.schema}.password_resets r join ${reader.schema}.users u on u.id = r.user_id
     where r.token_hash = $1 and r.expires_at > $2 and u.deleted_at is null and not exists (
       select from ${reader.schema}.password_resets newer
       where newer.user_id = r.user_id and newer.created_at > r.created_at)`,
    [Buffer.from(tokenHash), now],
  );
  const row = rows[0];
  return row && { epoch: row[0] as string, user: readUser(row.slice(1)) };
}

/** Whether the one of the token was among them: of several uses at once, one finds it. */
export async function removeResets(tx: Reader, userId: string, tokenHash: Uint8Array): Promise<boolean> {
  const rows = await tx.rows(`delete from ${tx.schema}.password_resets where user_id = $1 returning token_hash`, [
    userId,
  ]);
  return rows.some(([hash]) => Buffer.from(tokenHash).equals(hash as Buffer));
}
