// Shared users: the people of an organization, in the system schema. An application refers to those that it activated by
// `users.shared_user_id`. The row of a deleted shared user stays, like the row of a deleted user.

import { foldText } from '../../domain/search/fold.ts';
import { violatedConstraint } from '../database/database-errors.ts';
import type { Reader, Transaction, Writer } from '../database/handles.ts';
import type { Statement } from '../database/statements.ts';
import type { UserSearch } from './users.ts';

export interface SharedUser {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly disabled: boolean;
  /** Sessions of an earlier epoch have ended. */
  readonly sessionEpoch: number;
  /** `<issuer> <sub>` at the provider of single sign-on. */
  readonly subject: string | null;
}

const COLUMNS = 'id, organization, name, email, password_hash, disabled, session_epoch, subject';

function readSharedUser(row: readonly unknown[]): SharedUser {
  const [id, organization, name, email, passwordHash, disabled, sessionEpoch, subject] = row as [
    string,
    string,
    string,
    string,
    string | null,
    boolean,
    number,
    string | null,
  ];
  return { id, organization, name, email, passwordHash, disabled, sessionEpoch, subject };
}

export async function getSharedUser(reader: Reader, sharedUserId: string): Promise<SharedUser | undefined> {
  const rows = await reader.rows(`select ${COLUMNS} from cartulary.shared_users where id = $1 and deleted_at is null`, [
    sharedUserId,
  ]);
  return rows[0] && readSharedUser(rows[0]);
}

/** Skips shared users that do not exist. */
export async function getSharedUsers(reader: Reader, sharedUserIds: readonly string[]): Promise<SharedUser[]> {
  const rows = await reader.rows(
    `select ${COLUMNS} from cartulary.shared_users where id = any($1::text[]) and deleted_at is null`,
    [sharedUserIds],
  );
  return rows.map(readSharedUser);
}

/** Locks the shared user until the transaction ends, so that a later change finds the user created from it. */
export async function holdSharedUser(
  tx: Transaction,
  organization: string,
  name: string,
): Promise<SharedUser | undefined> {
  const rows = await tx.rows(
    `select ${COLUMNS} from cartulary.shared_users where organization = $1 and name = $2 and deleted_at is null
     for share`,
    [organization, name],
  );
  return rows[0] && readSharedUser(rows[0]);
}

/** Locks the shared user for a change. Shared users of other organizations are not found. */
export async function lockSharedUser(
  tx: Transaction,
  organization: string,
  sharedUserId: string,
): Promise<SharedUser | undefined> {
  const rows = await tx.rows(
    `select ${COLUMNS} from cartulary.shared_users where id = $2 and organization = $1 and deleted_at is null
     for update`,
    [organization, sharedUserId],
  );
  return rows[0] && readSharedUser(rows[0]);
}

export async function listSharedUsers(
  reader: Reader,
  organization: string,
  { search, name = '', email = '', skip, limit }: UserSearch,
): Promise<SharedUser[]> {
  const wanted: readonly [text: string, fits: (at: string) => string][] = [
    [search, (at) => `(strpos(name_folded, ${at}) > 0 or strpos(email_folded, ${at}) > 0)`],
    [name, (at) => `strpos(name_folded, ${at}) > 0`],
    [email, (at) => `strpos(email_folded, ${at}) > 0`],
  ];
  const given = wanted.filter(([text]) => text !== '');
  const fits = given.map(([, fit], index) => `and ${fit(`$${index + 4}`)}`).join(' ');
  // Walks shared_users_name_key, like the list of an application's users (store/people/users).
  const [rows = []] = await reader.longQuery({
    text: `select ${COLUMNS} from cartulary.shared_users where organization = $1 and deleted_at is null ${fits}
      order by name limit $2 offset $3`,
    params: [organization, limit, skip, ...given.map(([text]) => foldText(text))],
  });
  return rows.map(readSharedUser);
}

export type SharedUserToInsert = Omit<SharedUser, 'sessionEpoch' | 'subject'> & { readonly createdAt: string };

export async function insertSharedUser(tx: Transaction, user: SharedUserToInsert): Promise<void> {
  await tx.rows(
    `insert into cartulary.shared_users (id, organization, name, email, password_hash, disabled, session_epoch,
        created_at, name_folded, email_folded)
      values ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9) returning id`,
    [
      user.id,
      user.organization,
      user.name,
      user.email,
      user.passwordHash,
      user.disabled,
      user.createdAt,
      foldText(user.name),
      foldText(user.email),
    ],
  );
}

/** Names are unique within an organization. */
export const isSharedUserNameTaken = (error: unknown): boolean => violatedConstraint(error) === 'shared_users_name_key';

/** Those of the shared users that exist and are not disabled. */
export async function enabledAmong(reader: Reader, sharedUserIds: readonly string[]): Promise<Set<string>> {
  const rows = await reader.rows(
    `select id from cartulary.shared_users where id = any($1::text[]) and not disabled and deleted_at is null`,
    [sharedUserIds],
  );
  return new Set(rows.map(([id]) => id as string));
}

export interface SharedUserChange
  extends Pick<SharedUser, 'id' | 'email' | 'passwordHash' | 'disabled' | 'sessionEpoch' | 'subject'> {
  /** Set when the applications need the change too (operations/people/settling). */
  readonly unsettledSince: string | undefined;
}

export async function updateSharedUser(tx: Transaction, user: SharedUserChange): Promise<void> {
  await tx.rows(
    `update cartulary.shared_users set email = $2, email_folded = $3, password_hash = $4, disabled = $5,
        session_epoch = $6, unsettled_since = coalesce($7, unsettled_since), subject = $8 where id = $1`,
    [
      user.id,
      user.email,
      foldText(user.email),
      user.passwordHash,
      user.disabled,
      user.sessionEpoch,
      user.unsettledSince ?? null,
      user.subject,
    ],
  );
}

export async function removeSharedUser(tx: Transaction, sharedUserId: string, at: string): Promise<void> {
  await tx.rows(
    'update cartulary.shared_users set deleted_at = $2, unsettled_since = $2 where id = $1 and deleted_at is null',
    [sharedUserId, at],
  );
}

/** A shared user with a change that not all applications have yet (operations/people/settling). */
export interface Unsettled {
  readonly id: string;
  readonly organization: string;
  readonly since: string;
}

/**
 * Claims the shared user that has been unsettled longest, if it was so before `before`. Moves its mark to `until`, so that no
 * other node claims it meanwhile, and so that one that fails does not block the others.
 */
export async function claimUnsettled(
  writer: Writer,
  { before, until }: { before: string; until: string },
): Promise<Unsettled | undefined> {
  const rows = await writer.write(
    `update cartulary.shared_users set unsettled_since = $2 where id = (
       select id from cartulary.shared_users where unsettled_since < $1
       order by unsettled_since limit 1 for update skip locked)
     returning id, organization`,
    [before, until],
  );
  const row = rows[0] as [string, string] | undefined;
  return row && { id: row[0], organization: row[1], since: until };
}

/** After a failure: moves the mark, so that it is claimed again after the others. */
export const postponed = ({ id, since }: Unsettled, to: string): Statement => ({
  text: 'update cartulary.shared_users set unsettled_since = $3 where id = $1 and unsettled_since = $2',
  params: [id, since, to],
});

/** The latest state of a shared user, deleted or not, locked against changes. */
export async function holdLatest(
  tx: Transaction,
  sharedUserId: string,
): Promise<{ email: string; deletedAt: Date | null } | undefined> {
  const rows = await tx.rows('select email, deleted_at from cartulary.shared_users where id = $1 for share', [
    sharedUserId,
  ]);
  const row = rows[0] as [string, Date | null] | undefined;
  return row && { email: row[0], deletedAt: row[1] };
}

/** Removes the mark, unless the shared user has changed again. */
export const settled = ({ id, since }: Unsettled): Statement => ({
  text: 'update cartulary.shared_users set unsettled_since = null where id = $1 and unsettled_since = $2',
  params: [id, since],
});
