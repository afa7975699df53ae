// Published applications in the system schema: the current definition, its version, and its generation, of which the
// fence in the application's schema holds a copy (store/records/fence).

import type { ApplicationSummary } from '../../wire/operator.ts';
import type { Definition, Limits, Plan } from '../../wire/publish-document.ts';
import type { Reader, Transaction, Writer } from '../database/handles.ts';

export interface StoredApplication {
  readonly definition: Definition;
  readonly version: number;
  readonly generation: number;
  /** The next definition, while tables are being prepared for it. */
  readonly preparing: Definition | undefined;
  /** Whether no publishing is under way or has left anything to clean up. */
  readonly isSettled: boolean;
  readonly publishedAt: number;
  /** The last migration that is known to be applied to its schema; 0 if none is (store/applications/migrate). */
  readonly migration: number;
  /** Whether the organization has single sign-on. */
  readonly singleSignOn: boolean;
  /** Goes up when single sign-on is turned on or off, or another provider is set (domain/people/sessions). */
  readonly signOnEpoch: number;
}

/** One that was stored before definitions had a member has its default. */
export const readDefinition = (text: string): Definition => ({ allowedOrigins: [], ...JSON.parse(text) });

export async function getApplication(reader: Reader, applicationId: string): Promise<StoredApplication | undefined> {
  const rows = await reader.rows(
    `select a.definition, a.version, a.generation, a.preparing, a.published_at, o.single_sign_on is not null,
       o.sign_on_epoch, not exists (select from cartulary.publishing p where p.application_id = a.id), a.migration
     from cartulary.applications a join cartulary.organizations o on o.name = a.organization where a.id = $1`,
    [applicationId],
  );
  type Stored = [string, number, number, string | null, Date, boolean, number, boolean, number | null];
  const row = rows[0] as Stored | undefined;
  if (row === undefined) return undefined;
  const [text, version, generation, next, publishedAt, singleSignOn, signOnEpoch, isSettled, migration] = row;
  const definition = readDefinition(text);
  const preparing = next === null ? undefined : readDefinition(next);
  return {
    definition,
    version,
    generation,
    preparing,
    isSettled,
    publishedAt: publishedAt.getTime(),
    migration: migration ?? 0,
    singleSignOn,
    signOnEpoch,
  };
}

/**
 * One page, ordered by identifier, after the given one; generated identifiers sort in the order of publishing. Without the
 * definitions, which may take megabytes each.
 */
export async function pageOfSummaries(system: Reader, after: string): Promise<ApplicationSummary[]> {
  const rows = await system.rows(
    `select a.id, d.name, a.version, a.organization, d.plan
     from cartulary.applications a, json_to_record(a.definition::json) as d (name text, plan text)
     where a.id > $1 order by a.id limit ${IDS_PAGE}`,
    [after],
  );
  return (rows as [string, string, number, string, Plan][]).map(([id, name, version, organization, plan]) => ({
    ...{ id, name, version, organization, plan },
  }));
}

export async function listApplicationIds(reader: Reader): Promise<string[]> {
  const rows = await reader.rows('select id from cartulary.applications order by id', [], { prepare: true });
  return rows.map((row) => row[0] as string);
}

export async function countApplications(reader: Reader): Promise<number> {
  const rows = await reader.rows('select count(*)::int from cartulary.applications', [], { prepare: true });
  return Number(rows[0]?.[0]);
}

const IDS_PAGE = 500;

/** Those whose schema is not known to have that migration. */
export async function listUnmigrated(reader: Reader, latest: number): Promise<string[]> {
  const rows = await reader.rows(
    'select id from cartulary.applications where migration is null or migration < $1 order by id',
    [latest],
  );
  return rows.map((row) => row[0] as string);
}

/** Waits for nobody: a publishing may hold the row for long, and then it is found out again the next time. */
export async function noteMigration(writer: Writer, applicationId: string, migration: number): Promise<void> {
  await writer.repeatable.write(
    `update cartulary.applications set migration = $2 where id =
       (select id from cartulary.applications where id = $1 for update skip locked)`,
    [applicationId, migration],
  );
}

/** One page of identifiers, in order, after the given one. */
export async function pageOfApplications(system: Reader, after: string): Promise<string[]> {
  const rows = await system.rows(`select id from cartulary.applications where id > $1 order by id limit ${IDS_PAGE}`, [
    after,
  ]);
  return rows.map((row) => row[0] as string);
}

export type ApplicationPlan = Pick<Definition, 'id' | 'name' | 'plan' | 'limits'>;

/** Pages like `pageOfApplications`, with only the members that quotas depend on: whole definitions are much larger. */
export async function pageOfPlans(system: Reader, after: string): Promise<ApplicationPlan[]> {
  const rows = await system.rows(
    `select a.id, d.name, d.plan, d.limits
     from cartulary.applications a, json_to_record(a.definition::json) as d (name text, plan text, limits text)
     where a.id > $1 order by a.id limit ${IDS_PAGE}`,
    [after],
  );
  return (rows as [string, string, Plan, string][]).map(([id, name, plan, limits]) => ({
    id,
    name,
    plan,
    limits: JSON.parse(limits) as Limits,
  }));
}

/** The applications that know the organization's shared users. */
export async function listSharing(reader: Reader, organization: string): Promise<string[]> {
  const rows = await reader.rows(
    `select id from cartulary.applications
     where organization = $1 and (definition::json ->> 'sharedUsersModeEnabled')::boolean order by id`,
    [organization],
  );
  return rows.map((row) => row[0] as string);
}

/** `migration`: of the schema, if it is new. */
export async function putApplication(
  tx: Transaction,
  {
    definition,
    version,
    generation,
    migration,
  }: Pick<StoredApplication, 'definition' | 'version' | 'generation'> & { readonly migration: number | undefined },
  publishedAt: string,
): Promise<void> {
  await tx.rows(
    `insert into cartulary.applications (id, organization, version, generation, definition, published_at, migration)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (id) do update set organization = excluded.organization, version = excluded.version,
       generation = excluded.generation, definition = excluded.definition, preparing = null,
       published_at = excluded.published_at`,
    [definition.id, definition.organization, version, generation, JSON.stringify(definition), publishedAt, migration],
  );
}

/** Writers of this generation also write what `preparing` needs; without `preparing`, only what the definition needs. */
export async function putGeneration(
  tx: Transaction,
  applicationId: string,
  { generation, preparing }: { generation: number; preparing: Definition | undefined },
): Promise<void> {
  await tx.rows('update cartulary.applications set generation = $2, preparing = $3 where id = $1', [
    applicationId,
    generation,
    preparing === undefined ? null : JSON.stringify(preparing),
  ]);
}

export async function removeApplication(tx: Transaction, applicationId: string): Promise<boolean> {
  const rows = await tx.rows('delete from cartulary.applications where id = $1 returning id', [applicationId]);
  return rows.length > 0;
}
