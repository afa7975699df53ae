// Subjects of single sign-on: `<issuer> <sub>` at the provider, stored with the user, or in shared-users mode with the shared
// user. A subject is bound once, by the e-mail address; after that the address no longer matters.

import { foldText } from '../../domain/search/fold.ts';
import { violatedConstraint } from '../database/database-errors.ts';
import type { Reader, Transaction } from '../database/handles.ts';
import { readUser, type StoredUser, USER_COLUMNS } from './users.ts';

/** A user or shared user with the e-mail address. */
export interface Addressee {
  readonly id: string;
  readonly email: string;
  readonly subject: string | null;
}

/** Two exact matches are already too many; the others are room for addresses that only look alike. */
const ADDRESSEES_MAX = 10;

export async function userOfSubject(reader: Reader, subject: string): Promise<StoredUser | undefined> {
  const rows = await reader.rows(
    `select ${USER_COLUMNS} from ${reader.schema}.users u where u.subject = $1 and u.deleted_at is null`,
    [subject],
  );
  return rows[0] && readUser(rows[0]);
}

/** The application's user of the shared user. */
export async function userOfSharedUser(reader: Reader, sharedUserId: string): Promise<StoredUser | undefined> {
  const rows = await reader.rows(
    `select ${USER_COLUMNS} from ${reader.schema}.users u where u.shared_user_id = $1 and u.deleted_at is null`,
    [sharedUserId],
  );
  return rows[0] && readUser(rows[0]);
}

export async function sharedUserIdOfSubject(
  system: Reader,
  organization: string,
  subject: string,
): Promise<string | undefined> {
  const rows = await system.rows(
    'select id from cartulary.shared_users where organization = $1 and subject = $2 and deleted_at is null',
    [organization, subject],
  );
  return rows[0]?.[0] as string | undefined;
}

/** Users that are not disabled, compared without case. */
export async function usersOfEmail(reader: Reader, email: string): Promise<Addressee[]> {
  const rows = await reader.rows(
    `select id, email, subject from ${reader.schema}.users
     where email_folded = $1 and not disabled and deleted_at is null limit ${ADDRESSEES_MAX}`,
    [foldText(email)],
  );
  return addressees(rows);
}

export async function sharedUsersOfEmail(system: Reader, organization: string, email: string): Promise<Addressee[]> {
  const rows = await system.rows(
    `select id, email, subject from cartulary.shared_users
     where organization = $1 and email_folded = $2 and not disabled and deleted_at is null limit ${ADDRESSEES_MAX}`,
    [organization, foldText(email)],
  );
  return addressees(rows);
}

const addressees = (rows: readonly (readonly unknown[])[]): Addressee[] =>
  (rows as [string, string, string | null][]).map(([id, email, subject]) => ({ id, email, subject }));

/** False when another request was first, or the address has changed. */
export async function bindUser(
  tx: Transaction,
  { id, email, subject: former }: Addressee,
  subject: string,
): Promise<boolean> {
  const rows = await tx.rows(
    `update ${tx.schema}.users set subject = $2
     where id = $1 and subject is not distinct from $3 and email = $4 and deleted_at is null returning id`,
    [id, subject, former, email],
  );
  return rows.length === 1;
}

export async function bindSharedUser(
  system: Transaction,
  { id, email, subject: former }: Addressee,
  subject: string,
): Promise<boolean> {
  const rows = await system.rows(
    `update cartulary.shared_users set subject = $2
     where id = $1 and subject is not distinct from $3 and email = $4 and deleted_at is null returning id`,
    [id, subject, former, email],
  );
  return rows.length === 1;
}

/** Whether another request has bound the same subject concurrently. */
export const isSubjectBound = (error: unknown): boolean =>
  ['users_subject_key', 'shared_users_subject_key'].includes(violatedConstraint(error) ?? '');
