// Organizations and their single sign-on settings, in the system schema.

import type { Reader } from './db.ts';

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
  const text = rows[0]?.[0] as string | null | undefined;
  return text === undefined
    ? undefined
    : { name, singleSignOn: text === null ? null : (JSON.parse(text) as SingleSignOn) };
}

export async function putOrganization(reader: Reader, name: string, singleSignOn: SingleSignOn | null): Promise<void> {
  await reader.rows(
    `insert into cartulary.organizations (name, single_sign_on) values ($1, $2)
     on conflict (name) do update set single_sign_on = excluded.single_sign_on`,
    [name, singleSignOn === null ? null : JSON.stringify(singleSignOn)],
  );
}

/** Publishing names an organization; the first to do so brings it into being. */
export async function ensureOrganization(reader: Reader, name: string): Promise<void> {
  await reader.rows('insert into cartulary.organizations (name) values ($1) on conflict (name) do nothing', [name]);
}
