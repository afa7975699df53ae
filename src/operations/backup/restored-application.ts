// Restores one application of an archive: its schema by our own migrations, its tables from its definition, and then their
// rows, in one transaction. It is published only when the whole archive was read (restore.ts).

import type { ArchivedApplication } from '../../domain/backup/archive.ts';
import { ArchiveProblem } from '../../domain/backup/archive-reader.ts';
import { prepareCollections } from '../../domain/definition/application.ts';
import { createPartitions } from '../../store/activity/months.ts';
import { readDefinition } from '../../store/applications/applications.ts';
import { createApplicationSchema, knownMigrations, migrateApplication } from '../../store/applications/migrate.ts';
import { analyzeTable, createBareTable, createIndexes } from '../../store/applications/table-changes.ts';
import { stageApplication, tableCopy } from '../../store/backup/restoring.ts';
import { schemaOf } from '../../store/database/schemas.ts';
import type { Restoring } from './restoring.ts';

/** An application that is restored as another one begins without these: they belong to the clients and devices of the first. */
const OF_THE_ORIGINAL = [
  ...['sessions', 'sign_ons', 'password_resets', 'idempotency_keys'],
  ...['devices', 'notifications', 'deliveries'],
];

export async function restoreApplication(restoring: Restoring, archived: ArchivedApplication): Promise<void> {
  const { context, copier, holder, options, counts } = restoring;
  const known = await knownMigrations();
  if (archived.migration > known.application) throw newer(restoring.manifest.program);
  const id = options.as === undefined ? archived.id : context.ids.long('p');
  restoring.restored.set(archived.id, id);
  // Nodes may still know a removed application with the same identifier by its generation.
  const generation = Math.floor(context.now()) % 1_000_000_000;
  const definition = { ...readDefinition(archived.definition), id, ...(options.as && { name: options.as }) };
  await copier.transaction(() => fillSchema(restoring, archived, { id, generation }));
  await migrateApplication(context.database, id);
  await stageApplication(holder, {
    ...archived,
    ...{ id, generation },
    definition: options.as === undefined ? archived.definition : JSON.stringify(definition),
  });
  counts.applications += 1;
}

async function fillSchema(
  { copier, cursor, counts, options }: Restoring,
  archived: ArchivedApplication,
  { id, generation }: { id: string; generation: number },
): Promise<void> {
  const schema = schemaOf(id);
  const tx = copier.within(schema);
  const definition = readDefinition(archived.definition);
  const collections = [...prepareCollections(definition).values()];
  await createApplicationSchema(tx, { generation, upTo: archived.migration });
  await createPartitions(tx, archived.months);
  for (const collection of collections) await createBareTable(tx, collection);
  for (let entry = await cursor.peek(); entry?.kind === 'table'; entry = await cursor.peek()) {
    const { applicationId, table: name } = entry;
    if (applicationId !== archived.id) break;
    const table = archived.tables.find((one) => one.name === name);
    if (table === undefined) throw new ArchiveProblem(`The backup has rows of a table that it does not name: ${name}.`);
    const parts = cursor.parts(
      (part) => part.kind === 'table' && part.applicationId === applicationId && part.table === name,
    );
    if (options.as !== undefined && OF_THE_ORIGINAL.includes(name)) for await (const _ of parts);
    else counts.rows += await copier.copyIn(tableCopy(schema, table), parts);
  }
  for (const collection of collections) {
    await createIndexes(tx, collection);
    await analyzeTable({ application: tx }, collection.definition.id);
  }
}

export const newer = (program: string): ArchiveProblem =>
  new ArchiveProblem(
    `The backup was made by a newer version of Cartulary (${program}), whose tables this version does not know. Restore it with that version or a later one.`,
  );
