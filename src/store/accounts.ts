// A user as authentication needs it: in shared-users mode password, disabling and epoch come from the shared user too.

import type { Caller } from '../domain/access.ts';
import type { Database, Reader } from './db.ts';
import { getSharedUser, type SharedUser } from './shared-users.ts';
import { getUser, type StoredUser } from './users.ts';

export interface Account {
  readonly caller: Caller;
  readonly user: StoredUser;
  readonly shared: SharedUser | undefined;
  readonly passwordHash: string | undefined;
  readonly disabled: boolean;
  /** What a session must have been opened with to count: it changes with the password, and with disabling. */
  readonly epoch: string;
}

/** A shared user that is gone, or that its organization disabled, disables the user. */
export async function accountOf(system: Reader, user: StoredUser): Promise<Account> {
  const caller = callerOf(user);
  if (user.sharedUserId === null) {
    const { passwordHash, disabled, sessionEpoch } = user;
    return {
      caller,
      user,
      shared: undefined,
      passwordHash: passwordHash ?? undefined,
      disabled,
      epoch: `${sessionEpoch}`,
    };
  }
  const shared = await getSharedUser(system, user.sharedUserId);
  return {
    caller,
    user,
    shared,
    passwordHash: shared?.passwordHash ?? undefined,
    disabled: user.disabled || (shared?.disabled ?? true),
    epoch: `${user.sessionEpoch}.${shared?.sessionEpoch}`,
  };
}

export async function getAccount(
  database: Database,
  applicationId: string,
  userId: string,
): Promise<Account | undefined> {
  const user = await getUser(database.application(applicationId), userId);
  return user && accountOf(database.system, user);
}

function callerOf(user: StoredUser): Caller {
  const { id, name, admin, apiAccess, managementApiAccess, organizationManagementApiAccess } = user;
  return { id, name, admin, apiAccess, managementApiAccess, organizationManagementApiAccess };
}
