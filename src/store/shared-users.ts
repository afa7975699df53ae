// Shared users: the people of an organization, in the system schema. An application knows those that it activated by
// `users.shared_user_id`. A deleted one's row stays until its applications have followed.

import { foldText } from '../domain/search/fold.ts';
import type { Reader, Statement } from './db.ts';

export interface SharedUser {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly disabled: boolean;
  /** Sessions of an earlier one have ended. */
  readonly sessionEpoch: number;
  /** Who it is at the provider of single sign-on. */
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

export async function findSharedUser(
  reader: Reader,
  organization: string,
  name: string,
): Promise<SharedUser | undefined> {
  const rows = await reader.rows(
    `select ${COLUMNS} from cartulary.shared_users where organization = $1 and name = $2 and deleted_at is null`,
    [organization, name],
  );
  return rows[0] && readSharedUser(rows[0]);
}

export type SharedUserToInsert = Omit<SharedUser, 'sessionEpoch' | 'subject'> & { readonly createdAt: string };

export function insertSharedUser(user: SharedUserToInsert): Statement {
  return {
    text: `insert into cartulary.shared_users (id, organization, name, email, password_hash, disabled, session_epoch,
        created_at, name_folded, email_folded)
      values ($1, $2, $3, $4, $5, $6, 0, $7, $8, $9) returning id`,
    params: [
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
  };
}

/** Those that an earlier server has stored: it did not fold, and the database's own folding depends on its locale. */
export async function foldSharedUsers(tx: Reader): Promise<void> {
  const rows = await tx.rows('select id, name, email from cartulary.shared_users where name_folded is null');
  if (rows.length === 0) return;
  const users = rows as [string, string, string][];
  await tx.rows(
    `update cartulary.shared_users as u set name_folded = r.name, email_folded = r.email
     from unnest($1::text[], $2::text[], $3::text[]) as r(id, name, email) where u.id = r.id`,
    [users.map(([id]) => id), users.map(([, name]) => foldText(name)), users.map(([, , email]) => foldText(email))],
  );
}

export async function emailsOf(reader: Reader, sharedUserIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await reader.rows('select id, email from cartulary.shared_users where id = any($1::text[])', [
    sharedUserIds,
  ]);
  return new Map(rows as [string, string][]);
}
