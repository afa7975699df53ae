// A backup: one archive of the database and the files of attachments, as of one moment, while the servers go on
// (docs/architecture/backup.md). Its bytes are made as its reader takes them.

import type { OperatorContext } from '../../context.ts';
import { ARCHIVE_FORMAT, type ArchivedTable, TABLE_PART_BYTES } from '../../domain/backup/archive.ts';
import { ArchiveWriter } from '../../domain/backup/archive-writer.ts';
import { fault } from '../../faults.ts';
import {
  copyOrganization,
  copySharedUsers,
  copySystemTable,
  listTables,
  type Moment,
  pageOfSnapshotApplications,
  readSnapshotApplication,
  readSystemMigration,
  type Snapshot,
  takeSnapshot,
} from '../../store/backup/snapshot.ts';
import { lockForBackup, releaseTables } from '../../store/database/backup-locks.ts';
import type { CopyConnection } from '../../store/database/copy-connections.ts';
import { archivedApplication, type SystemReferences } from './archived-application.ts';
import { archivedFiles } from './archived-files.ts';
import type { Archiving } from './archiving.ts';
import { FileList } from './file-list.ts';

/**
 * The tables of the system schema that a backup has. The others hold what is under way, and come back by themselves; and
 * who is named as an operator: an archive from elsewhere must not open the server to anybody.
 */
export const SYSTEM_TABLES = ['organizations', 'shared_users', 'server_keys'] as const;

export interface Backup {
  readonly bytes: AsyncIterable<Buffer>;
  /** Also for one that was not read to its end, or not at all. */
  close(): Promise<void>;
}

/** `applicationId`: of that application alone. */
export async function openBackup(
  context: Pick<OperatorContext, 'database' | 'attachments' | 'version'>,
  applicationId: string | undefined,
): Promise<Backup> {
  const opened: { close(): Promise<void> }[] = [];
  const close = async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  };
  try {
    const holder = await context.database.openCopyConnection();
    opened.push(holder);
    const copier = await context.database.openCopyConnection();
    opened.push(copier);
    await lockForBackup(holder);
    const snapshot = await takeSnapshot(holder, copier, context.database.engine);
    if (applicationId !== undefined && (await readSnapshotApplication(snapshot, applicationId)) === undefined) {
      throw fault('APPLICATION_NOT_FOUND', { applicationId });
    }
    const files = await FileList.create();
    opened.push(files);
    const writer = new ArchiveWriter(snapshot.takenAt);
    return { bytes: archive({ context, snapshot, writer, files, applicationId }, holder), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* archive(archiving: Archiving, holder: CopyConnection): AsyncGenerator<Buffer> {
  const { snapshot, writer, applicationId } = archiving;
  const system = await systemTables(archiving);
  yield await manifest(archiving, system);
  let references: SystemReferences | undefined;
  if (applicationId !== undefined) references = yield* archivedApplication(archiving, applicationId);
  else for await (const id of applicationsOf(snapshot)) yield* archivedApplication(archiving, id);
  yield* archivedSystem(archiving, system, references);
  await snapshot.end();
  await releaseTables(holder);
  yield* archivedFiles(archiving);
  yield writer.end();
}

async function* applicationsOf(snapshot: Snapshot): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const page = await pageOfSnapshotApplications(snapshot, after);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

async function systemTables({ snapshot, applicationId }: Archiving): Promise<ArchivedTable[]> {
  return (await listTables(snapshot, 'cartulary')).filter(
    ({ name }) =>
      (SYSTEM_TABLES as readonly string[]).includes(name) && !(applicationId !== undefined && name === 'server_keys'),
  );
}

async function manifest({ context, snapshot, writer, applicationId }: Archiving, system: readonly ArchivedTable[]) {
  return writer.manifest({
    cartularyBackup: ARCHIVE_FORMAT,
    program: context.version,
    takenAt: snapshot.takenAt.toISOString(),
    ...(applicationId === undefined ? {} : { applicationId }),
    migration: await readSystemMigration(snapshot),
    system,
  });
}

/**
 * After all applications: where these are later moments, whatever an application refers to is there by now, because no
 * organization and no shared user is ever removed. `references`: of one application alone.
 */
async function* archivedSystem(
  { snapshot, writer }: Archiving,
  tables: readonly ArchivedTable[],
  references: SystemReferences | undefined,
): AsyncGenerator<Buffer> {
  const moment = await snapshot.moment();
  for (const table of tables) {
    const statement = references === undefined ? copySystemTable(table) : await copyReferred(moment, table, references);
    let number = 0;
    for await (const bytes of moment.copy(statement, TABLE_PART_BYTES)) {
      number += 1;
      yield writer.systemPart(table.name, number, bytes);
    }
  }
  await moment.end();
}

/** The rows of a system table that concern the application. */
function copyReferred(
  moment: Moment,
  table: ArchivedTable,
  { organization, sharedUserIds }: SystemReferences,
): string | Promise<string> {
  if (table.name === 'shared_users') return copySharedUsers(table, sharedUserIds);
  return copyOrganization(moment, table, organization);
}
