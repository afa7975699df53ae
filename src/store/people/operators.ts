// Users whom the operator has named, in the system schema. Read anew for every request that needs it, so that naming and
// its end take effect at once on every node.

import type { Reader, Transaction } from '../database/handles.ts';

export interface NamedUser {
  readonly applicationId: string;
  readonly userId: string;
}

/** False when the user had been named before. */
export async function insertOperator(
  tx: Transaction,
  { applicationId, userId }: NamedUser,
  { sharedUserId, at }: { sharedUserId: string | null; at: string },
): Promise<boolean> {
  const rows = await tx.rows(
    `insert into cartulary.operators (application_id, user_id, shared_user_id, named_at) values ($1, $2, $3, $4)
     on conflict (application_id, user_id) do nothing returning user_id`,
    [applicationId, userId, sharedUserId, at],
  );
  return rows.length > 0;
}

/** False when the user was not named. */
export async function removeOperator(tx: Transaction, { applicationId, userId }: NamedUser): Promise<boolean> {
  const rows = await tx.rows(
    'delete from cartulary.operators where application_id = $1 and user_id = $2 returning user_id',
    [applicationId, userId],
  );
  return rows.length > 0;
}

export async function removeSharedOperator(tx: Transaction, sharedUserId: string): Promise<void> {
  await tx.rows('delete from cartulary.operators where shared_user_id = $1', [sharedUserId]);
}

export async function isOperator(reader: Reader, { applicationId, userId }: NamedUser): Promise<boolean> {
  const rows = await reader.rows('select from cartulary.operators where application_id = $1 and user_id = $2', [
    applicationId,
    userId,
  ]);
  return rows.length > 0;
}

/** Whether the shared user is named as a user of any application. */
export async function isSharedOperator(reader: Reader, sharedUserId: string): Promise<boolean> {
  const rows = await reader.rows('select from cartulary.operators where shared_user_id = $1 limit 1', [sharedUserId]);
  return rows.length > 0;
}

/** In the order of naming. */
export async function listOperators(
  reader: Reader,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<(NamedUser & { readonly namedAt: number })[]> {
  const rows = await reader.rows(
    `select application_id, user_id, named_at from cartulary.operators
     order by named_at, application_id, user_id limit $1 offset $2`,
    [limit, skip],
  );
  return (rows as [string, string, Date][]).map(([applicationId, userId, namedAt]) => ({
    applicationId,
    userId,
    namedAt: namedAt.getTime(),
  }));
}
