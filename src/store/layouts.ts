// How the tables of collections were laid out by earlier servers, and what brings them to the present layout
// (store/tables): the one part of migrating that depends on definitions, and so cannot be a file of SQL.

import { type PreparedCollection, prepareCollections } from '../domain/application.ts';
import { readRecordText } from '../domain/record-text.ts';
import { foldText } from '../domain/search/fold.ts';
import type { StoredApplication } from './applications.ts';
import type { Transaction } from './db.ts';
import { presentProjections, trigrams } from './publishing.ts';
import { fillLocked } from './record-walks.ts';
import { addProjections, createIndex, indexesOf, tableOf } from './tables.ts';

/**
 * 1: without names, updated_by and projections of what is sorted and searched. 2: without the attachments that records
 * hold.
 */
export const LAYOUT = 3;

/** Within one transaction; requests wait for it. */
export async function raiseLayout(
  tx: Transaction,
  { definition, generation }: StoredApplication,
  layout: number,
): Promise<void> {
  for (const collection of prepareCollections(definition).values()) {
    if (layout < 2) await addPeople(tx, collection.definition.id);
    await project(tx, collection, generation);
  }
  if (layout < 2) await foldNames(tx);
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
async function foldNames(tx: Transaction): Promise<void> {
  const rows = (await tx.rows(`select id, name from ${tx.schema}.users order by id`)) as [string, string][];
  await tx.rows(
    `update ${tx.schema}.users as u set name_folded = r.folded from unnest($1::text[], $2::text[]) as r(id, folded)
     where u.id = r.id`,
    [rows.map(([id]) => id), rows.map(([, name]) => foldText(name))],
  );
}
