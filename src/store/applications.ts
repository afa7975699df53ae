// Published applications in the system schema: the definition as it stands, and its version.

import type { Definition } from '../wire/publish-document.ts';
import type { Reader, Transaction } from './db.ts';

export interface StoredApplication {
  readonly definition: Definition;
  readonly version: number;
  readonly publishedAt: number;
  /** Whether the organization has single sign-on. */
  readonly singleSignOn: boolean;
}

export async function getApplication(reader: Reader, applicationId: string): Promise<StoredApplication | undefined> {
  const rows = await reader.rows(
    `select a.definition, a.version, a.published_at, o.single_sign_on is not null
     from cartulary.applications a join cartulary.organizations o on o.name = a.organization where a.id = $1`,
    [applicationId],
  );
  const row = rows[0] as [string, number, Date, boolean] | undefined;
  if (row === undefined) return undefined;
  const [text, version, publishedAt, singleSignOn] = row;
  return { definition: JSON.parse(text) as Definition, version, publishedAt: publishedAt.getTime(), singleSignOn };
}

/** In the order of identifiers, which for those we made is the order of publishing. */
export async function listApplications(reader: Reader): Promise<{ definition: Definition; version: number }[]> {
  const rows = await reader.rows('select definition, version from cartulary.applications where $1 order by id', [true]);
  return (rows as [string, number][]).map(([text, version]) => ({
    definition: JSON.parse(text) as Definition,
    version,
  }));
}

export async function listApplicationIds(reader: Reader): Promise<string[]> {
  const rows = await reader.rows('select id from cartulary.applications where $1 order by id', [true]);
  return rows.map((row) => row[0] as string);
}

export async function putApplication(
  tx: Transaction,
  definition: Definition,
  version: number,
  publishedAt: string,
): Promise<void> {
  await tx.rows(
    `insert into cartulary.applications (id, organization, version, definition, published_at) values ($1, $2, $3, $4, $5)
     on conflict (id) do update set organization = excluded.organization, version = excluded.version,
       definition = excluded.definition, published_at = excluded.published_at`,
    [definition.id, definition.organization, version, JSON.stringify(definition), publishedAt],
  );
}

export async function removeApplication(tx: Transaction, applicationId: string): Promise<boolean> {
  const rows = await tx.rows('delete from cartulary.applications where id = $1 returning id', [applicationId]);
  return rows.length > 0;
}
