// The users of one application. The row of a deleted user stays, because records refer to it.

import { runsApplication } from '../../domain/people/users.ts';
import { foldText } from '../../domain/search/fold.ts';
import type { NewUser, UserShort } from '../../wire/users.ts';
import { StaleDefinition, violatedConstraint } from '../database/database-errors.ts';
import type { Reader, Transaction } from '../database/handles.ts';
import type { Statement } from '../database/statements.ts';

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
  /** Sessions of an earlier epoch have ended. */
  readonly sessionEpoch: number;
  /** `<issuer> <sub>` at the provider of single sign-on. */
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

/** The columns that readUser reads, of a table with the alias `u`. */
export const USER_COLUMNS = Object.values(COLUMNS)
  .map((column) => `u.${column}`)
  .join(', ');

export function readUser(row: readonly unknown[]): StoredUser {
  return Object.fromEntries(Object.keys(COLUMNS).map((name, index) => [name, row[index]])) as {
    [Name in keyof StoredUser]: StoredUser[Name];
  };
}

export async function getUser(reader: Reader, userId: string): Promise<StoredUser | undefined> {
  const { text, params } = userById(reader.schema, userId);
  const rows = await reader.rows(text, params);
  return rows[0] && readUser(rows[0]);
}

export const userById = (schema: string, userId: string): Statement => ({
  text: `select ${USER_COLUMNS} from ${schema}.users u where u.id = $1 and u.deleted_at is null`,
  params: [userId],
});

/** Skips users that do not exist. */
export async function getUsers(reader: Reader, userIds: readonly string[]): Promise<StoredUser[]> {
  const rows = await reader.rows(
    `select ${USER_COLUMNS} from ${reader.schema}.users u where u.id = any($1::text[]) and u.deleted_at is null`,
    [userIds],
  );
  return rows.map(readUser);
}

/** Names by identifier; skips users that do not exist. */
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

/** How many users have each profile, or each team. */
export async function countUsersBy(reader: Reader, column: 'profile' | 'team'): Promise<Map<string, number>> {
  const rows = await reader.rows(
    `select ${column}, count(*)::int from ${reader.schema}.users where deleted_at is null and ${column} is not null and $1
     group by ${column}`,
    [true],
  );
  return new Map(rows as [string, number][]);
}

export interface UserToInsert extends Omit<NewUser, 'password'> {
  readonly id: string;
  /** For a shared user, a copy of its address. */
  readonly email?: string;
  readonly passwordHash: string | null;
  readonly sharedUserId: string | null;
  readonly createdAt: string;
}

/** Throws StaleDefinition unless the definition still has the generation that the user was checked against. */
export async function insertUser(tx: Transaction, user: UserToInsert, generation: number): Promise<void> {
  const { schema } = tx;
  const rows = await tx.rows(
    `insert into ${schema}.users (id, name, email, password_hash, admin, api_access, management_api_access,
        organization_management_api_access, profile, team, team_leader, disabled, shared_user_id, created_at,
        name_folded, email_folded, profile_folded, team_folded, session_epoch)
      select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, false, $12, $13, $14, $15, $16, $17, 0
      from ${schema}.fence where fence.generation = $18 returning id`,
    [
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
  );
  if (rows.length === 0) throw new StaleDefinition();
}

const CONFLICTS: Readonly<Record<string, 'id' | 'name' | 'sharedUser'>> = {
  users_pkey: 'id',
  users_name_key: 'name',
  users_shared_user_id_key: 'sharedUser',
};

/** Which unique value an inserted user shares with another; undefined for any other error. */
export const userConflict = (error: unknown) => CONFLICTS[violatedConstraint(error) ?? ''];

export interface UserPage {
  /** Empty: all users. */
  readonly search: string;
  readonly skip: number;
  readonly limit: number;
}

/** Each text is searched on its own, and all have to be found; case does not matter. */
export interface UserSearch extends UserPage {
  readonly name?: string;
  readonly email?: string;
}

/** Ordered by code points of the name, which the search compares too. */
export async function listUsersShort(reader: Reader, { search, ...page }: UserPage): Promise<UserShort[]> {
  const rows = await pageOfUsers(reader, 'u.id, u.name', { ...page, wanted: [[search, 'name']] });
  return (rows as [string, string][]).map(([id, name]) => ({ id, name }));
}

/** Case does not matter to the search; the team's name counts only where the application has teams. */
export async function listUsers(
  reader: Reader,
  { search, name = '', email = '', ...page }: UserSearch,
  { teamsModeEnabled }: { teamsModeEnabled: boolean },
): Promise<StoredUser[]> {
  const columns = ['name_folded', 'email_folded', 'profile_folded', ...(teamsModeEnabled ? ['team_folded'] : [])];
  const wanted: Wanted[] = [
    [foldText(search), ...columns],
    [foldText(name), 'name_folded'],
    [foldText(email), 'email_folded'],
  ];
  const rows = await pageOfUsers(reader, USER_COLUMNS, { ...page, wanted });
  return rows.map(readUser);
}

/** A text, and the columns of which one has to contain it. Every user has an empty text. */
type Wanted = readonly [text: string, ...columns: string[]];

/**
 * Walks users_name_key and stops at the end of the page. Measured with 100,000 users on a busy machine: the first page takes
 * 0.7 ms, a page after 99,900 users 260 ms; a search without a match reads all users, in 400 ms, which is the worst case.
 * Planned with its actual numbers: with an unknown limit the planner assumes that a page is a tenth of the table.
 */
async function pageOfUsers(
  reader: Reader,
  selected: string,
  { skip, limit, wanted }: Omit<UserPage, 'search'> & { wanted: readonly Wanted[] },
) {
  const given = wanted.filter(([text]) => text !== '');
  const fits = given.map(([, ...columns], index) => {
    const found = columns.map((column) => `strpos(u.${column}, $${index + 3}) > 0`);
    return `and (${found.join(' or ')})`;
  });
  const [rows = []] = await reader.longQuery({
    text: `select ${selected} from ${reader.schema}.users u
      where u.deleted_at is null ${fits.join(' ')} order by u.name limit $1 offset $2`,
    params: [limit, skip, ...given.map(([text]) => text)],
  });
  return rows;
}

/**
 * Locks the user until the transaction ends. With `andWhoRun` also locks, in one fixed order, all users who can run the
 * application (`runsApplication`), of whom one must remain.
 */
export async function lockUser(
  tx: Transaction,
  userId: string,
  { andWhoRun }: { andWhoRun: boolean },
): Promise<{ user: StoredUser | undefined; whoRun: StoredUser[] }> {
  const others = andWhoRun ? 'or (u.admin and u.management_api_access and not u.disabled)' : '';
  const rows = await tx.rows(
    `select ${USER_COLUMNS} from ${tx.schema}.users u where u.deleted_at is null and (u.id = $1 ${others})
     order by u.id for update`,
    [userId],
  );
  const users = rows.map(readUser);
  return { user: users.find(({ id }) => id === userId), whoRun: users.filter(runsApplication) };
}

/** Throws StaleDefinition like insertUser. The name and the shared user stay. */
export async function updateUser(tx: Transaction, user: StoredUser, generation: number): Promise<void> {
  const { schema } = tx;
  const rows = await tx.rows(
    `update ${schema}.users as u set email = $2, email_folded = $3, password_hash = $4, admin = $5, api_access = $6,
        management_api_access = $7, organization_management_api_access = $8, profile = $9, profile_folded = $10,
        team = $11, team_folded = $12, team_leader = $13, disabled = $14, session_epoch = $15, subject = $17
      from ${schema}.fence where u.id = $1 and u.deleted_at is null and fence.generation = $16 returning u.id`,
    [
      user.id,
      user.email,
      foldText(user.email ?? ''),
      user.passwordHash,
      user.admin,
      user.apiAccess,
      user.managementApiAccess,
      user.organizationManagementApiAccess,
      user.profile,
      foldText(user.profile),
      user.team,
      foldText(user.team ?? ''),
      user.teamLeader,
      user.disabled,
      user.sessionEpoch,
      generation,
      user.subject,
    ],
  );
  if (rows.length === 0) throw new StaleDefinition();
}

/**
 * Keeps the row, which records, shared views and the activity log refer to, and removes sessions, devices, password resets and
 * the views that are not shared.
 */
export async function removeUser(tx: Transaction, userId: string, at: string): Promise<void> {
  const { schema } = tx;
  const params = [userId];
  await tx.pipeline([
    { text: `update ${schema}.users set deleted_at = $2 where id = $1 and deleted_at is null`, params: [userId, at] },
    {
      text: `delete from ${schema}.deliveries
        where state = 'waiting' and device_id in (select id from ${schema}.devices where user_id = $1)`,
      params,
    },
    { text: `delete from ${schema}.devices where user_id = $1`, params },
    { text: `delete from ${schema}.sessions where user_id = $1`, params },
    { text: `delete from ${schema}.password_resets where user_id = $1`, params },
    { text: `delete from ${schema}.views where owner_id = $1 and not shared`, params },
  ]);
}

/** Locks the application's user of the shared user. */
export async function lockUserOfShared(tx: Transaction, sharedUserId: string): Promise<StoredUser | undefined> {
  const rows = await tx.rows(
    `select ${USER_COLUMNS} from ${tx.schema}.users u where u.shared_user_id = $1 and u.deleted_at is null for update`,
    [sharedUserId],
  );
  return rows[0] && readUser(rows[0]);
}

export async function setUserEmail(tx: Transaction, userId: string, email: string): Promise<void> {
  await tx.rows(`update ${tx.schema}.users set email = $2, email_folded = $3 where id = $1`, [
    userId,
    email,
    foldText(email),
  ]);
}
