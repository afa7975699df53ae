// Published applications in the system schema: the current definition, its version, and its generation, of which the
// fence in the application's schema holds a copy (store/records/fence).

import type { Definition, Limits, Plan } from '../../wire/publish-document.ts';
import type { Reader, Transaction } from '../database/handles.ts';

export interface StoredApplication {
  readonly definition: Definition;
  readonly version: number;
  readonly generation: number;
  /** The next definition, while tables are being prepared for it. */
  readonly preparing: Definition | undefined;
  /** Whether no publishing is under way or has left anything to clean up. */
  readonly isSettled: boolean;
  readonly publishedAt: number;
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
       o.sign_on_epoch, not exists (select from cartulary.publishing p where p.application_id = a.id)
     from cartulary.applications a join cartulary.organizations o on o.name = a.organization where a.id = $1`,
    [applicationId],
  );
  const row = rows[0] as [string, number, number, string | null, Date, boolean, number, boolean] | undefined;
  if (row === undefined) return undefined;
  const [text, version, generation, next, publishedAt, singleSignOn, signOnEpoch, isSettled] = row;
  const definition = readDefinition(text);
  const preparing = next === null ? undefined : readDefinition(next);
  return {
    definition,
    version,
    generation,
    preparing,
    isSettled,
    publishedAt: publishedAt.getTime(),
    singleSignOn,
    signOnEpoch,
  };
}

/** Ordered by identifier; generated identifiers sort in the order of publishing. */
export async function listApplications(reader: Reader): Promise<{ definition: Definition; version: number }[]> {
  const rows = await reader.rows('select definition, version from cartulary.applications order by id', [], {
    prepare: true,
  });
  return (rows as [string, number][]).map(([text, version]) => ({
    definition: readDefinition(text),
    version,
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
    `select id, definition::json ->> 'name', definition::json ->> 'plan', definition::json ->> 'limits'
     from cartulary.applications where id > $1 order by id limit ${IDS_PAGE}`,
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

export async function putApplication(
  tx: Transaction,
  { definition, version, generation }: Pick<StoredApplication, 'definition' | 'version' | 'generation'>,
  publishedAt: string,
): Promise<void> {
  await tx.rows(
    `insert into cartulary.applications (id, organization, version, generation, definition, published_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (id) do update set organization = excluded.organization, version = excluded.version,
       generation = excluded.generation, definition = excluded.definition, preparing = null,
       published_at = excluded.published_at`,
    [definition.id, definition.organization, version, generation, JSON.stringify(definition), publishedAt],
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
