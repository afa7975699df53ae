// Shared users: the people of an organization, in the system schema. An application knows those that it activated by
// `users.shared_user_id`.

import type { Reader, Writer } from './db.ts';

export interface SharedUser {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly disabled: boolean;
}

const COLUMNS = 'id, organization, name, email, password_hash, disabled';

function readSharedUser(row: readonly unknown[]): SharedUser {
  const [id, organization, name, email, passwordHash, disabled] = row as [
    string,
    string,
    string,
    string,
    string | null,
    boolean,
  ];
  return { id, organization, name, email, passwordHash, disabled };
}

export async function getSharedUser(reader: Reader, sharedUserId: string): Promise<SharedUser | undefined> {
  const rows = await reader.rows(`select ${COLUMNS} from cartulary.shared_users where id = $1`, [sharedUserId]);
  return rows[0] && readSharedUser(rows[0]);
}

export async function findSharedUser(
  reader: Reader,
  organization: string,
  name: string,
): Promise<SharedUser | undefined> {
  const rows = await reader.rows(
    `select ${COLUMNS} from cartulary.shared_users where organization = $1 and name = $2`,
    [organization, name],
  );
  return rows[0] && readSharedUser(rows[0]);
}

export async function insertSharedUser(writer: Writer, user: SharedUser & { createdAt: string }): Promise<void> {
  await writer.write(
    `insert into cartulary.shared_users (${COLUMNS}, created_at) values ($1, $2, $3, $4, $5, $6, $7)`,
    [user.id, user.organization, user.name, user.email, user.passwordHash, user.disabled, user.createdAt],
  );
}
