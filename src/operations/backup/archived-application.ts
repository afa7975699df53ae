// The tables of one application in an archive: what describes it, and then the rows of each table, all as of one moment.

import { setTimeout as pause } from 'node:timers/promises';
import { type ArchivedTable, TABLE_PART_BYTES } from '../../domain/backup/archive.ts';
import { prepareCollections } from '../../domain/definition/application.ts';
import { activityPartitions } from '../../store/activity/months.ts';
import { readDefinition } from '../../store/applications/applications.ts';
import {
  copyActivity,
  copyAttachments,
  copyTable,
  listSharedUserIds,
  listTables,
  type Moment,
  pageOfStoredFiles,
  readSnapshotApplication,
  readSnapshotFence,
  type Snapshot,
  type SnapshotApplication,
} from '../../store/backup/snapshot.ts';
import { schemaOf } from '../../store/database/schemas.ts';
import { COLLECTION_COLUMNS } from '../../store/records/tables.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import type { Definition } from '../../wire/publish-document.ts';
import type { Archiving } from './archiving.ts';
import type { FileList } from './file-list.ts';

/** What an application refers to in the tables of the system. */
export interface SystemReferences {
  readonly organization: string;
  /** Empty in a backup of all applications, which has all shared users. */
  readonly sharedUserIds: readonly string[];
}

export async function* archivedApplication(
  { snapshot, writer, files, applicationId: single }: Archiving,
  applicationId: string,
): AsyncGenerator<Buffer, SystemReferences> {
  const { moment, stored, migration } = await momentOf(snapshot, applicationId);
  const schema = schemaOf(applicationId);
  const definition = readDefinition(stored.definition);
  const { organization, version, generation, publishedAt, publishing } = stored;
  const tables = archivedTables(await listTables(moment, schema), definition);
  const partitions = await activityPartitions({ schema, rows: moment.rows });
  yield writer.application({
    id: applicationId,
    name: definition.name,
    ...{ organization, version, generation },
    publishedAt: publishedAt.toISOString(),
    definition: stored.definition,
    ...(publishing === undefined
      ? {}
      : { publishing: { ...publishing, startedAt: publishing.startedAt.toISOString() } }),
    migration,
    months: partitions.map(({ table }) => table),
    tables,
  });
  for (const table of tables) {
    let number = 0;
    for await (const bytes of moment.copy(copyStatement(schema, table), TABLE_PART_BYTES)) {
      number += 1;
      yield writer.tablePart({ applicationId, table: table.name }, number, bytes);
    }
  }
  await listFiles(moment, applicationId, files);
  const sharedUserIds = single === undefined ? [] : await listSharedUserIds(moment, schema);
  await moment.end();
  return { organization, sharedUserIds };
}

/** Longer than Citus takes to settle what a lost node left half committed: a minute by default. */
const MOMENT_ATTEMPTS = 900;
const MOMENT_PAUSE_MS = 100;

/**
 * On a cluster the coordinator and the worker each have a snapshot of their own. If a publish was committed between the two,
 * the definition of one would come with the tables of the other, so it is tried again until both have the same generation.
 */
async function momentOf(
  snapshot: Snapshot,
  applicationId: string,
): Promise<{ moment: Moment; stored: SnapshotApplication; migration: number }> {
  for (let attempt = 1; attempt <= MOMENT_ATTEMPTS; attempt++) {
    const moment = await snapshot.moment();
    // First, because it has the worker of the application begin its transaction.
    const { generation, migration } = await readSnapshotFence(moment, schemaOf(applicationId));
    const stored = await readSnapshotApplication(moment, applicationId);
    if (stored === undefined) throw new Error(`the snapshot has lost ${applicationId}`);
    if (stored.generation === generation) return { moment, stored, migration };
    await moment.end();
    await pause(MOMENT_PAUSE_MS);
  }
  throw new Error(`a publish of ${applicationId} is committed on one node and not on the other`);
}

async function listFiles(moment: Moment, applicationId: string, files: FileList): Promise<void> {
  for (let after = ''; ; ) {
    const page = await pageOfStoredFiles(moment, schemaOf(applicationId), after);
    const last = page.at(-1);
    if (last === undefined) return;
    await files.add(applicationId, page);
    after = last.id;
  }
}

/**
 * Of a collection, the columns of the current definition: those that a publishing under way has added or will drop would not
 * be in the table that is created from it. The fence is created with the schema.
 */
function archivedTables(tables: readonly ArchivedTable[], definition: Definition): ArchivedTable[] {
  const collections = prepareCollections(definition);
  return tables.flatMap(({ name, columns }) => {
    if (name === 'fence') return [];
    if (!isIdentifier('collectionId', name)) return { name, columns };
    const collection = collections.get(name);
    if (collection === undefined) return [];
    return {
      name,
      columns: [...COLLECTION_COLUMNS, ...collection.projections.all.map((projection) => projection.name)],
    };
  });
}

function copyStatement(schema: string, table: ArchivedTable): string {
  if (table.name === 'attachments') return copyAttachments(schema, table);
  return table.name === 'activity' ? copyActivity(schema, table) : copyTable(schema, table);
}
