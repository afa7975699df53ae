// Setting the password of an existing account. Each statement raises the epoch, which ends the sessions opened before, and
// returns false when the account has changed since it was read.

import type { Transaction } from '../database/handles.ts';
import type { Account } from './accounts.ts';

export async function setUserPassword(tx: Transaction, { user }: Account, passwordHash: string): Promise<boolean> {
  const rows = await tx.rows(
    `update ${tx.schema}.users set password_hash = $2, session_epoch = session_epoch + 1
     where id = $1 and session_epoch = $3 and email is not distinct from $4 and not disabled and deleted_at is null
     returning id`,
    [user.id, passwordHash, user.sessionEpoch, user.email],
  );
  return rows.length > 0;
}

export async function setSharedUserPassword(
  tx: Transaction,
  shared: NonNullable<Account['shared']>,
  passwordHash: string,
): Promise<boolean> {
  const rows = await tx.rows(
    `update cartulary.shared_users set password_hash = $2, session_epoch = session_epoch + 1
     where id = $1 and session_epoch = $3 and email = $4 and not disabled and deleted_at is null returning id`,
    [shared.id, passwordHash, shared.sessionEpoch, shared.email],
  );
  return rows.length > 0;
}
