// Organizations and their single sign-on settings, in the system schema.

import type { Reader, Transaction } from '../database/handles.ts';
import type { Row } from '../database/statements.ts';

export interface SingleSignOn {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string;
  /** For providers that never say whether an address is verified. */
  readonly emailsAreVerified?: boolean;
}

export async function getOrganization(
  reader: Reader,
  name: string,
): Promise<{ name: string; singleSignOn: SingleSignOn | null } | undefined> {
  const rows = await reader.rows('select single_sign_on from cartulary.organizations where name = $1', [name]);
  return rows[0] && { name, singleSignOn: readSettings(rows[0]) };
}

/** Ordered by code points of the name. */
export async function listOrganizations(
  reader: Reader,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<{ name: string; singleSignOn: SingleSignOn | null }[]> {
  const rows = await reader.rows(
    'select single_sign_on, name from cartulary.organizations order by name limit $1 offset $2',
    [limit, skip],
  );
  return rows.map((row) => ({ name: row[1] as string, singleSignOn: readSettings(row) }));
}

/** Locks the row for a change; creates the organization if necessary. */
export async function lockSingleSignOn(tx: Transaction, name: string): Promise<SingleSignOn | null> {
  await ensureOrganization(tx, name);
  const rows = await tx.rows('select single_sign_on from cartulary.organizations where name = $1 for update', [name]);
  return readSettings(rows[0]!);
}

const readSettings = ([text]: Row): SingleSignOn | null => JSON.parse((text as string | null) ?? 'null');

export async function setSingleSignOn(
  tx: Transaction,
  name: string,
  { singleSignOn, endsSessions }: { singleSignOn: SingleSignOn | null; endsSessions: boolean },
): Promise<void> {
  await tx.rows(
    'update cartulary.organizations set single_sign_on = $2, sign_on_epoch = sign_on_epoch + $3 where name = $1',
    [name, singleSignOn === null ? null : JSON.stringify(singleSignOn), endsSessions ? 1 : 0],
  );
}

/** An organization comes into being with the first application that names it. */
export async function ensureOrganization(reader: Reader, name: string): Promise<void> {
  await reader.rows('insert into cartulary.organizations (name) values ($1) on conflict (name) do nothing', [name]);
}
