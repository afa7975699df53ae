// API tokens of an application's users. Secrets are here only as hashes.

import type { Reader, Statement } from './db.ts';
import { readUser, type StoredUser, USER_COLUMNS } from './users.ts';

export interface TokenOwner {
  readonly secretHash: Uint8Array;
  readonly user: StoredUser;
}

export async function getTokenOwner(reader: Reader, tokenId: string): Promise<TokenOwner | undefined> {
  const rows = await reader.rows(
    `select t.secret_hash, ${USER_COLUMNS}
     from ${reader.schema}.tokens t join ${reader.schema}.users u on u.id = t.user_id
     where t.id = $1 and t.revoked_at is null and u.deleted_at is null`,
    [tokenId],
  );
  const row = rows[0];
  return row && { secretHash: new Uint8Array(row[0] as Buffer), user: readUser(row.slice(1)) };
}

export interface TokenToInsert {
  readonly id: string;
  readonly userId: string;
  readonly name: string;
  readonly secretHash: Uint8Array;
  readonly createdAt: string;
}

export function insertToken(schema: string, token: TokenToInsert): Statement {
  return {
    text: `insert into ${schema}.tokens (id, user_id, name, secret_hash, created_at) values ($1, $2, $3, $4, $5)`,
    params: [token.id, token.userId, token.name, Buffer.from(token.secretHash), token.createdAt],
  };
}

export interface TokenView {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

export async function listTokens(reader: Reader, userId: string): Promise<TokenView[]> {
  const rows = await reader.rows(
    `select id, name, created_at from ${reader.schema}.tokens where user_id = $1 and revoked_at is null order by id`,
    [userId],
  );
  return (rows as [string, string, Date][]).map(([id, name, createdAt]) => ({
    id,
    name,
    createdAt: createdAt.toISOString(),
  }));
}

export async function revokeToken(reader: Reader, userId: string, tokenId: string, now: string): Promise<boolean> {
  const rows = await reader.rows(
    `update ${reader.schema}.tokens set revoked_at = $3
     where id = $2 and user_id = $1 and revoked_at is null returning id`,
    [userId, tokenId, now],
  );
  return rows.length > 0;
}
