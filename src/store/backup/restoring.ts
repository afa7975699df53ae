// The statements of a restoration. Rows of the system schema wait in temporary tables until everything else is in place, and
// one transaction makes all of it visible.

import type { ArchivedApplication, ArchivedTable } from '../../domain/backup/archive.ts';
import type { CopyConnection } from '../database/copy-connections.ts';
import type { Reader, Transaction } from '../database/handles.ts';
import { schemaOf } from '../database/schemas.ts';

/** Whether nothing was published or shared yet. */
export async function isEmptyInstallation(reader: Pick<Reader, 'rows'>): Promise<boolean> {
  const rows = await reader.rows(
    `select not exists (select from cartulary.applications) and not exists (select from cartulary.shared_users)`,
  );
  return rows[0]?.[0] === true;
}

/** Until the commit, no application is published or removed. */
export async function lockApplications(tx: Transaction): Promise<void> {
  await tx.rows('lock table cartulary.applications in share row exclusive mode');
}

const STAGED = ['organizations', 'shared_users', 'server_keys', 'applications', 'publishing'] as const;

/** They end with the connection. */
export async function createStagingTables(connection: CopyConnection): Promise<void> {
  for (const table of STAGED) {
    await connection.rows(`create temporary table restored_${table} (like cartulary.${table})`);
  }
}

export const stagedCopy = ({ name, columns }: ArchivedTable): string =>
  `copy restored_${name} (${columns.join(', ')}) from stdin`;

export const tableCopy = (schema: string, { name, columns }: ArchivedTable): string =>
  `copy ${schema}.${name} (${columns.join(', ')}) from stdin`;

export interface StagedApplication extends Omit<ArchivedApplication, 'migration' | 'months' | 'tables' | 'name'> {}

export async function stageApplication(connection: CopyConnection, application: StagedApplication): Promise<void> {
  const { id, organization, version, generation, definition, publishedAt, publishing } = application;
  await connection.rows(
    `insert into restored_applications (id, organization, version, generation, definition, published_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, organization, version, generation, definition, publishedAt],
  );
  if (publishing === undefined) return;
  await connection.rows(
    `insert into restored_publishing (application_id, other, switched, step, done, total, started_at)
     values ($1, $2, $3, $4, 0, 0, $5)`,
    [id, publishing.other, publishing.switched, publishing.switched ? 'clearing' : 'undoing', publishing.startedAt],
  );
}

/** All of an installation that was empty: what the archive says replaces what a new server has made. */
export async function revealInstallation(
  tx: Transaction,
  { system }: { system: readonly ArchivedTable[] },
): Promise<void> {
  const columnsOf = (name: string) => system.find((table) => table.name === name)?.columns.join(', ') ?? '';
  const organizations = columnsOf('organizations');
  await tx.rows('delete from cartulary.organizations');
  await tx.rows(
    `insert into cartulary.organizations (${organizations}) select ${organizations} from restored_organizations returning 1`,
  );
  const people = columnsOf('shared_users');
  await tx.rows(
    `insert into cartulary.shared_users (${people}) select ${people} from restored_shared_users returning 1`,
  );
  await tx.rows(
    `insert into cartulary.server_keys (name, value, made_at) select name, value, made_at from restored_server_keys
     on conflict (name) do update set value = excluded.value, made_at = excluded.made_at returning 1`,
  );
  await revealApplications(tx);
}

/**
 * An application beside others: an organization and shared users that are there already stay as they are. The application
 * gets their current state, which a job copies (operations/upkeep/unsettled-shared-users).
 */
export async function revealApplication(
  tx: Transaction,
  { system, sharedUserIds, at }: { system: readonly ArchivedTable[]; sharedUserIds: readonly string[]; at: string },
): Promise<void> {
  const columnsOf = (name: string) => system.find((table) => table.name === name)?.columns.join(', ') ?? '';
  const organizations = columnsOf('organizations');
  await tx.rows(
    `insert into cartulary.organizations (${organizations}) select ${organizations} from restored_organizations
     where name in (select organization from restored_applications) on conflict (name) do nothing returning 1`,
  );
  const people = columnsOf('shared_users');
  await tx.rows(
    `insert into cartulary.shared_users (${people}) select ${people} from restored_shared_users
     where id = any($1::text[]) on conflict (id) do nothing returning 1`,
    [sharedUserIds],
  );
  await tx.rows('update cartulary.shared_users set unsettled_since = $2 where id = any($1::text[])', [
    sharedUserIds,
    at,
  ]);
  await revealApplications(tx);
}

async function revealApplications(tx: Transaction): Promise<void> {
  await tx.rows(
    `insert into cartulary.applications (id, organization, version, generation, definition, published_at)
     select id, organization, version, generation, definition, published_at from restored_applications returning 1`,
  );
  await tx.rows(
    `insert into cartulary.publishing (application_id, other, switched, step, done, total, started_at)
     select application_id, other, switched, step, done, total, started_at from restored_publishing returning 1`,
  );
}

/** The name of a shared user to be added that another one of the organization has. */
export async function takenSharedUserName(
  tx: Transaction,
  sharedUserIds: readonly string[],
): Promise<{ name: string; organization: string } | undefined> {
  const rows = await tx.rows(
    `select r.name, r.organization from restored_shared_users r join cartulary.shared_users s
       on s.organization = r.organization and s.name = r.name and s.deleted_at is null and s.id <> r.id
     where r.id = any($1::text[]) and r.deleted_at is null
       and not exists (select from cartulary.shared_users t where t.id = r.id) limit 1`,
    [sharedUserIds],
  );
  const [name, organization] = (rows[0] ?? []) as string[];
  return name === undefined || organization === undefined ? undefined : { name, organization };
}

export async function usedSharedUserIds(reader: Reader): Promise<string[]> {
  const rows = await reader.rows(`select shared_user_id from ${reader.schema}.users where shared_user_id is not null`);
  return rows.map((row) => row[0] as string);
}

/** Its bytes were not in the archive. */
export async function markRestoredAsMissing(connection: CopyConnection, schema: string, attachmentId: string) {
  await connection.rows(`update ${schema}.attachments set state = 'missing' where id = $1 and state = 'available'`, [
    attachmentId,
  ]);
}

const APPLICATION_SCHEMA = '^app_p[a-z0-9]{26}$';

/**
 * Applications that have a schema and are not published: what a restoration has left that did not end. The schemas are listed
 * first, because a publishing commits both at once.
 */
export async function listUnpublishedSchemas(system: Pick<Reader, 'rows'>): Promise<string[]> {
  const schemas = await system.rows('select nspname::text from pg_namespace where nspname ~ $1', [APPLICATION_SCHEMA]);
  const ids = schemas.map(([schema]) => (schema as string).slice(schemaOf('').length));
  const rows = await system.rows('select id from cartulary.applications where id = any($1::text[])', [ids]);
  const published = new Set(rows.map((row) => row[0] as string));
  return ids.filter((id) => !published.has(id));
}
