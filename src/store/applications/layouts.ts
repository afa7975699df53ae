// How the tables of collections were laid out by earlier servers, and what brings them to the present layout
// (store/records/tables): the one part of migrating that depends on definitions, and so cannot be a file of SQL.

import { type PreparedCollection, prepareCollections } from '../../domain/definition/application.ts';
import { readRecordText } from '../../domain/records/record-text.ts';
import { foldText } from '../../domain/search/fold.ts';
import { settleActivity } from '../activity/months.ts';
import type { Reader, Transaction } from '../database/handles.ts';
import { emailsOf } from '../people/shared-users.ts';
import { addProjections, createIndex, indexesOf, tableOf } from '../records/tables.ts';
import { fillLocked } from '../records/walks.ts';
import type { StoredApplication } from './applications.ts';
import { presentProjections, trigrams } from './publishing.ts';

/**
 * 1: without names, updated_by and projections of what is sorted and searched. 2: without the attachments that records
 * hold. 3: without what is searched of people besides their names, and copies of shared users' addresses. 4: with the
 * activity log in one table.
 */
export const LAYOUT = 5;

/** Within one transaction; requests wait for it. All locks come first, so that it gives way before it has done anything. */
export async function raiseLayout(
  tx: Transaction,
  system: Reader,
  { stored: { definition, generation }, layout }: { stored: StoredApplication; layout: number },
): Promise<void> {
  const collections = prepareCollections(definition);
  const tables = [...collections.keys(), 'users', 'activity'].map((name) => tableOf(tx.schema, name));
  await tx.rows(`lock table ${tables.join(', ')} in access exclusive mode`);
  await tx.rows('set local lock_timeout = 0');
  for (const collection of collections.values()) {
    if (layout < 2) await addPeople(tx, collection.definition.id);
    await project(tx, collection, generation);
  }
  if (layout < 4) await foldPeople(tx, system);
  if (layout < 5) await settleActivity(tx, { logs: definition.activityLogEnabled });
  await tx.rows(`update ${tx.schema}.fence set layout = $1`, [LAYOUT]);
}

async function addPeople(tx: Transaction, collectionId: string): Promise<void> {
  const table = tableOf(tx.schema, collectionId);
  await tx.rows(`alter table ${table} add column created_name text collate "C",
    add column updated_by text collate "C", add column updated_name text collate "C"`);
  await tx.rows(`update ${table} set created_name = rec::json #>> '{createdBy,name}',
    updated_by = rec::json #>> '{updatedBy,id}', updated_name = rec::json #>> '{updatedBy,name}'`);
  await tx.rows(`alter table ${table} alter column created_name set not null,
    alter column updated_by set not null, alter column updated_name set not null`);
}

async function project(tx: Transaction, collection: PreparedCollection, generation: number): Promise<void> {
  const { id } = collection.definition;
  const present = await presentProjections(tx, id);
  const projections = collection.projections.all.filter(({ name }) => !present.includes(name));
  if (projections.length > 0) {
    await tx.rows(addProjections(tx.schema, id, projections));
    await fillLocked(tx, {
      table: { schema: tx.schema, collection, generation },
      projections,
      fill: ({ id, rec, hash }) => {
        const { values } = readRecordText(rec);
        return { id, hash, projected: projections.map((projection) => projection.read(values)) };
      },
      onPage: () => undefined,
    });
  }
  const options = { trigrams: await trigrams(tx), concurrently: false };
  const built = await presentIndexes(tx, id);
  for (const index of indexesOf(collection).filter(({ name }) => !built.has(name))) {
    await tx.rows(createIndex(tx.schema, id, index, options));
  }
}

async function presentIndexes(tx: Transaction, collectionId: string): Promise<Set<string>> {
  const rows = await tx.rows(
    `select c.relname::text from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = $1::regclass`,
    [tableOf(tx.schema, collectionId)],
  );
  return new Set(rows.map((row) => row[0] as string));
}

/** The database's own folding depends on its locale. */
async function foldPeople(tx: Transaction, system: Reader): Promise<void> {
  const rows = await tx.rows(
    `select id, name, email, profile, team, shared_user_id from ${tx.schema}.users order by id`,
  );
  const users = rows as [string, string, string | null, string, string | null, string | null][];
  const shared = await emailsOf(
    system,
    users.flatMap(([, , , , , sharedUserId]) => sharedUserId ?? []),
  );
  const emails = users.map(([, , email, , , sharedUserId]) => email ?? shared.get(sharedUserId ?? '') ?? null);
  await tx.rows(
    `update ${tx.schema}.users as u set name_folded = r.name, email = r.email, email_folded = r.email_folded,
       profile_folded = r.profile, team_folded = r.team
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       as r(id, name, email, email_folded, profile, team)
     where u.id = r.id`,
    [
      users.map(([id]) => id),
      users.map(([, name]) => foldText(name)),
      emails,
      emails.map((email) => foldText(email ?? '')),
      users.map(([, , , profile]) => foldText(profile)),
      users.map(([, , , , team]) => foldText(team ?? '')),
    ],
  );
}
