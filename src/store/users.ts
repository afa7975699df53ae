// The users of one application. A deleted user's row stays, because records go on naming it.

import { foldText } from '../domain/search/fold.ts';
import type { NewUser } from '../wire/users.ts';
import type { Reader, Statement } from './db.ts';

export interface StoredUser {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly passwordHash: string | null;
  readonly admin: boolean;
  readonly apiAccess: boolean;
  readonly managementApiAccess: boolean;
  readonly organizationManagementApiAccess: boolean;
  readonly profile: string;
  readonly team: string | null;
  readonly teamLeader: boolean | null;
  readonly disabled: boolean;
  readonly sharedUserId: string | null;
  /** Sessions of an earlier one have ended. */
  readonly sessionEpoch: number;
  /** Who it is at the provider of single sign-on. */
  readonly subject: string | null;
}

const COLUMNS: Readonly<Record<keyof StoredUser, string>> = {
  id: 'id',
  name: 'name',
  email: 'email',
  passwordHash: 'password_hash',
  admin: 'admin',
  apiAccess: 'api_access',
  managementApiAccess: 'management_api_access',
  organizationManagementApiAccess: 'organization_management_api_access',
  profile: 'profile',
  team: 'team',
  teamLeader: 'team_leader',
  disabled: 'disabled',
  sharedUserId: 'shared_user_id',
  sessionEpoch: 'session_epoch',
  subject: 'subject',
};

/** What readUser reads, of a table called `u`. */
export const USER_COLUMNS = Object.values(COLUMNS)
  .map((column) => `u.${column}`)
  .join(', ');

export function readUser(row: readonly unknown[]): StoredUser {
  return Object.fromEntries(Object.keys(COLUMNS).map((name, index) => [name, row[index]])) as {
    [Name in keyof StoredUser]: StoredUser[Name];
  };
}

export async function getUser(reader: Reader, userId: string): Promise<StoredUser | undefined> {
  const rows = await reader.rows(
    `select ${USER_COLUMNS} from ${reader.schema}.users u where u.id = $1 and u.deleted_at is null`,
    [userId],
  );
  return rows[0] && readUser(rows[0]);
}

/** Names of those of the users that exist. */
export async function userNames(reader: Reader, userIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await reader.rows(
    `select id, name from ${reader.schema}.users where id = any($1::text[]) and deleted_at is null`,
    [userIds],
  );
  return new Map(rows as [string, string][]);
}

export async function countUsers(reader: Reader): Promise<number> {
  const rows = await reader.rows(`select count(*)::int from ${reader.schema}.users where deleted_at is null and $1`, [
    true,
  ]);
  return Number(rows[0]?.[0]);
}

export interface UserToInsert extends Omit<NewUser, 'password'> {
  readonly id: string;
  /** Of a shared user a copy of its own. */
  readonly email?: string;
  readonly passwordHash: string | null;
  readonly sharedUserId: string | null;
  readonly createdAt: string;
}

/** Fenced by the generation of the definition whose modes the user was checked against. */
export function insertUser(schema: string, user: UserToInsert, generation: number): Statement {
  return {
    text: `insert into ${schema}.users (id, name, email, password_hash, admin, api_access, management_api_access,
        organization_management_api_access, profile, team, team_leader, disabled, shared_user_id, created_at,
        name_folded, email_folded, profile_folded, team_folded, session_epoch)
      select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, false, $12, $13, $14, $15, $16, $17, 0
      from ${schema}.fence where fence.generation = $18 returning id`,
    params: [
      user.id,
      user.name,
      user.email ?? null,
      user.passwordHash,
      user.admin,
      user.apiAccess,
      user.managementApiAccess,
      user.organizationManagementApiAccess ?? false,
      user.profile.name,
      user.team?.name ?? null,
      user.teamLeader ?? null,
      user.sharedUserId,
      user.createdAt,
      foldText(user.name),
      foldText(user.email ?? ''),
      foldText(user.profile.name),
      foldText(user.team?.name ?? ''),
      generation,
    ],
  };
}
