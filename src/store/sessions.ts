// Sessions of the console. Secrets are here only as hashes.

import type { Statement } from './db.ts';

export type SignInMethod = 'password' | 'singleSignOn';

export interface SessionToInsert {
  readonly id: string;
  readonly userId: string;
  readonly method: SignInMethod;
  readonly epoch: string;
  readonly secretHash: Uint8Array;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly ip: string;
  readonly agent: string;
}

/** `from fence` keeps the insert on the application's own worker in a cluster. */
export function insertSession(schema: string, session: SessionToInsert): Statement {
  const { id, userId, method, epoch, secretHash, createdAt, expiresAt, ip, agent } = session;
  return {
    text: `insert into ${schema}.sessions (id, user_id, method, epoch, secret_hash, confirmed, created_at, rotated_at,
        expires_at, ip, agent)
      select $1, $2, $3, $4, $5, true, $6, $6, $7, $8, $9 from ${schema}.fence returning id`,
    params: [id, userId, method, epoch, Buffer.from(secretHash), createdAt, expiresAt, ip, agent],
  };
}
