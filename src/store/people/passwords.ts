// Setting the password of somebody who exists. Each raises the epoch, which ends the sessions that were opened before.

import type { Statement } from '../database/statements.ts';
import type { Account } from './accounts.ts';

/** Nothing when the account has changed since it was read. */
export function setUserPassword(schema: string, { user }: Account, passwordHash: string): Statement {
  return {
    text: `update ${schema}.users set password_hash = $2, session_epoch = session_epoch + 1
      where id = $1 and session_epoch = $3 and email is not distinct from $4 and not disabled and deleted_at is null
      returning id`,
    params: [user.id, passwordHash, user.sessionEpoch, user.email],
  };
}

export function setSharedUserPassword(shared: NonNullable<Account['shared']>, passwordHash: string): Statement {
  return {
    text: `update cartulary.shared_users set password_hash = $2, session_epoch = session_epoch + 1
      where id = $1 and session_epoch = $3 and email = $4 and not disabled and deleted_at is null returning id`,
    params: [shared.id, passwordHash, shared.sessionEpoch, shared.email],
  };
}
