// A user as authentication needs it: in shared-users mode password, disabling and epoch come from the shared user too.

import type { Caller } from '../../domain/people/access.ts';
import { foldText } from '../../domain/search/fold.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { Database } from '../database/database.ts';
import type { Reader } from '../database/handles.ts';
import type { Statement } from '../database/statements.ts';
import { getSharedUser, getSharedUsers, type SharedUser } from './shared-users.ts';
import { getUser, getUsers, readUser, type StoredUser, USER_COLUMNS } from './users.ts';

export interface Account {
  readonly caller: Caller;
  readonly user: StoredUser;
  readonly shared: SharedUser | undefined;
  readonly passwordHash: string | undefined;
  readonly disabled: boolean;
  /** A session counts only while its epoch equals this one, which changes with the password and with disabling. */
  readonly epoch: string;
}

/** A shared user that is gone, or that its organization disabled, disables the user. */
export async function accountOf(system: Reader, user: StoredUser): Promise<Account> {
  return joined(user, user.sharedUserId === null ? undefined : await getSharedUser(system, user.sharedUserId));
}

function joined(user: StoredUser, shared: SharedUser | undefined): Account {
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

/** The accounts of those users that exist, in two statements whatever their number. */
export async function getAccounts(
  database: Database,
  applicationId: string,
  userIds: readonly string[],
): Promise<Map<string, Account>> {
  const users = await getUsers(database.application(applicationId), userIds);
  const sharedIds = users.flatMap(({ sharedUserId }) => sharedUserId ?? []);
  const shared = sharedIds.length === 0 ? [] : await getSharedUsers(database.system, sharedIds);
  const byId = new Map(shared.map((one) => [one.id, one]));
  return new Map(users.map((user) => [user.id, joined(user, byId.get(user.sharedUserId ?? ''))]));
}

/** Undefined while disabled, so that a remembered right password is not faster than a wrong one. */
export const presentHash = (account: Account | undefined): string | undefined =>
  account?.disabled === true ? undefined : account?.passwordHash;

/** The name given to sign in: an identifier, or an e-mail address in any case. */
export type Named = { readonly userId: string } | { readonly email: string };

/**
 * The account of a user of the application; undefined when several users have the address. Runs the same number of
 * statements whether or not the user exists, so that the time reveals nothing.
 */
export async function findAccount(
  database: Database,
  { id, organization, sharedUsersModeEnabled }: Definition,
  named: Named,
): Promise<Account | undefined> {
  const application = database.application(id);
  const user = await (sharedUsersModeEnabled && 'email' in named
    ? userOfSharedEmail(database.system, application, { organization, email: named.email })
    : 'email' in named
      ? soleUser(application, 'u.email_folded = $1', foldText(named.email))
      : soleUser(application, 'u.id = $1', named.userId));
  if (user !== undefined) return accountOf(database.system, user);
  if (sharedUsersModeEnabled) await getSharedUser(database.system, '');
  return undefined;
}

async function userOfSharedEmail(
  system: Reader,
  application: Reader,
  { organization, email }: { organization: string; email: string },
): Promise<StoredUser | undefined> {
  const rows = await system.rows(
    `select id from cartulary.shared_users where organization = $1 and email_folded = $2 and deleted_at is null`,
    [organization, foldText(email)],
  );
  const ids = rows.map(([id]) => id as string);
  return soleUser(application, 'u.shared_user_id = any($1::text[])', ids);
}

async function soleUser(reader: Reader, condition: string, value: unknown): Promise<StoredUser | undefined> {
  const rows = await reader.rows(
    `select ${USER_COLUMNS} from ${reader.schema}.users u where ${condition} and u.deleted_at is null limit 2`,
    [value],
  );
  const [only, another] = rows;
  return only !== undefined && another === undefined ? readUser(only) : undefined;
}

/** Changes nothing when a failure was recorded since `since`. */
export const recordLoginFailure = (
  schema: string,
  userId: string,
  { at, since }: { at: string; since: string },
): Statement => ({
  text: `update ${schema}.users set login_failed_at = $2
    where id = $1 and deleted_at is null and (login_failed_at is null or login_failed_at <= $3) returning id`,
  params: [userId, at, since],
});

function callerOf(user: StoredUser): Caller {
  const { id, name, admin, apiAccess, managementApiAccess, organizationManagementApiAccess } = user;
  return { id, name, admin, apiAccess, managementApiAccess, organizationManagementApiAccess };
}
