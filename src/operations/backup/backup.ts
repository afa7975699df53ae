// A backup: one archive of the database and the files of attachments, as of one moment, while the servers go on
// (docs/architecture/backup.md). Its bytes are made as its reader takes them.

import type { OperatorContext } from '../../context.ts';
import { ARCHIVE_FORMAT, TABLE_PART_BYTES } from '../../domain/backup/archive.ts';
import { ArchiveWriter } from '../../domain/backup/archive-writer.ts';
import { fault } from '../../faults.ts';
import {
  copyOrganization,
  copySharedUsers,
  copyTable,
  listSharedUserIds,
  listTables,
  pageOfSnapshotApplications,
  readSnapshotApplication,
  readSystemMigration,
  type Snapshot,
  takeSnapshot,
} from '../../store/backup/snapshot.ts';
import { lockForBackup, releaseTables } from '../../store/database/backup-locks.ts';
import type { CopyConnection } from '../../store/database/copy-connections.ts';
import { schemaOf } from '../../store/database/schemas.ts';
import { archivedApplication } from './archived-application.ts';
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
    const [holder, copier] = [await context.database.openCopyConnection(), await context.database.openCopyConnection()];
    opened.push(holder, copier);
    await lockForBackup(holder);
    const snapshot = await takeSnapshot(holder, copier);
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
  yield* archivedSystem(archiving);
  if (applicationId !== undefined) yield* archivedApplication(archiving, applicationId);
  else for await (const id of applicationsOf(snapshot)) yield* archivedApplication(archiving, id);
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

async function* archivedSystem({ context, snapshot, writer, applicationId }: Archiving): AsyncGenerator<Buffer> {
  const tables = (await listTables(snapshot, 'cartulary')).filter(
    ({ name }) =>
      (SYSTEM_TABLES as readonly string[]).includes(name) && !(applicationId !== undefined && name === 'server_keys'),
  );
  yield writer.manifest({
    cartularyBackup: ARCHIVE_FORMAT,
    program: context.version,
    takenAt: snapshot.takenAt.toISOString(),
    ...(applicationId === undefined ? {} : { applicationId }),
    migration: await readSystemMigration(snapshot),
    system: tables,
  });
  for (const table of tables) {
    const statement =
      applicationId === undefined
        ? copyTable('cartulary', table)
        : await ofApplication(snapshot, { table, applicationId });
    let number = 0;
    for await (const bytes of snapshot.copy(statement, TABLE_PART_BYTES)) {
      number += 1;
      yield writer.systemPart(table.name, number, bytes);
    }
  }
}

/** The rows of a system table that concern the application. */
async function ofApplication(
  snapshot: Snapshot,
  { table, applicationId }: { table: { name: string; columns: readonly string[] }; applicationId: string },
): Promise<string> {
  if (table.name === 'shared_users') {
    return copySharedUsers(table, await listSharedUserIds(snapshot, schemaOf(applicationId)));
  }
  const application = await readSnapshotApplication(snapshot, applicationId);
  return copyOrganization(snapshot, table, application?.organization ?? '');
}
