// Restores an archive: into an empty installation, or one application beside others (docs/architecture/backup.md). What is
// restored becomes visible in one transaction, after the end of the archive was found to match: a restoration that fails, or
// whose process is killed, has restored nothing.

import type { Manifest } from '../../domain/backup/archive.ts';
import { type ArchivedAttachment, ArchiveProblem } from '../../domain/backup/archive-reader.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { fault } from '../../faults.ts';
import { getApplication } from '../../store/applications/applications.ts';
import { knownMigrations } from '../../store/applications/migrate.ts';
import {
  createStagingTables,
  isEmptyInstallation,
  lockApplications,
  markRestoredAsMissing,
  revealApplication,
  revealInstallation,
  stagedCopy,
  takenSharedUserName,
  usedSharedUserIds,
} from '../../store/backup/restoring.ts';
import { lockForRestore } from '../../store/database/backup-locks.ts';
import type { CopyConnection } from '../../store/database/copy-connections.ts';
import { SYSTEM, schemaOf } from '../../store/database/schemas.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import type { RestoreReply } from '../../wire/backup.ts';
import { throwStorageUnavailable } from '../attachments/stored-files.ts';
import { ArchiveCursor } from './archive-cursor.ts';
import { removeUnfinishedRestores } from './leftovers.ts';
import { newer, restoreApplication } from './restored-application.ts';
import type { RestoreOptions, Restoring } from './restoring.ts';

export async function restore(
  context: Restoring['context'],
  archive: AsyncIterable<Uint8Array>,
  options: RestoreOptions,
): Promise<RestoreReply> {
  const cursor = new ArchiveCursor(archive);
  const opened: CopyConnection[] = [];
  try {
    for (let n = 0; n < 2; n++) opened.push(await context.database.openCopyConnection());
    const [holder, copier] = opened as [CopyConnection, CopyConnection];
    if (!(await lockForRestore(holder))) {
      throw fault('RESTORE_CONFLICT', { reason: 'Another backup is being restored; wait until that is done.' });
    }
    await removeUnfinishedRestores(holder, context.now());
    const manifest = await readManifest(cursor);
    const single = options.applicationId ?? manifest.applicationId;
    const counts = { applications: 0, rows: 0, attachments: 0, missing: 0 };
    const chosen = { ...options, applicationId: single };
    const restoring = { context, cursor, manifest, options: chosen, holder, copier, restored: new Map(), counts };
    await refuseConflicts(restoring);
    try {
      return await restoreAll(restoring);
    } catch (error) {
      // Those that were committed and are not published. If this fails too, a job does it.
      await removeUnfinishedRestores(holder, context.now()).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    if (error instanceof ArchiveProblem) throw fault('INVALID_ARCHIVE', { reason: error.message });
    throw error;
  } finally {
    await cursor.close();
    for (const connection of opened) await connection.close();
  }
}

async function readManifest(cursor: ArchiveCursor): Promise<Manifest> {
  const first = await cursor.take();
  if (first?.kind !== 'manifest') throw new ArchiveProblem('The backup has no manifest.');
  const { manifest } = first;
  if (manifest.migration > (await knownMigrations()).system) throw newer(manifest.program);
  return manifest;
}

async function refuseConflicts({ context, holder, options }: Restoring): Promise<void> {
  const { applicationId, as } = options;
  if (applicationId === undefined) {
    if (as !== undefined) throw fault('INVALID_PARAMETER', { parameter: 'as', reason: 'needs an application' });
    if (await isEmptyInstallation(holder)) return;
    throw fault('RESTORE_CONFLICT', { reason: NOT_EMPTY });
  }
  if (as !== undefined || (await getApplication(context.database.system, applicationId)) === undefined) return;
  throw exists(applicationId);
}

const NOT_EMPTY =
  'The server has applications or shared users already. Restore into an empty data folder and database, or only one application of the backup with --application.';

const exists = (applicationId: string) =>
  fault('RESTORE_CONFLICT', {
    reason: `The application ${applicationId} exists. Remove it first, or restore the backup as another application with --as and a name.`,
  });

async function restoreAll(restoring: Restoring): Promise<RestoreReply> {
  const { cursor, manifest, options, holder, counts } = restoring;
  await createStagingTables(holder);
  let name: string | undefined;
  for (let entry = await cursor.peek(); entry !== undefined && entry.kind !== 'end'; entry = await cursor.peek()) {
    if (entry.kind === 'system') {
      const { table: part } = entry;
      const table = manifest.system.find((one) => one.name === part);
      if (table === undefined)
        throw new ArchiveProblem(`The backup has rows of a table that it does not name: ${part}.`);
      await holder.copyIn(
        stagedCopy(table),
        cursor.parts((next) => next.kind === 'system' && next.table === part),
      );
      continue;
    }
    await cursor.take();
    if (entry.kind === 'application' && (options.applicationId ?? entry.application.id) === entry.application.id) {
      name = options.as ?? entry.application.name;
      await restoreApplication(restoring, entry.application);
    } else if (entry.kind === 'attachment') await restoreAttachment(restoring, entry);
    else if (entry.kind === 'missing') await markMissing(restoring, entry);
  }
  // The cursor fails where the archive ends without its end marker.
  await cursor.take();
  if (options.applicationId !== undefined && counts.applications === 0) {
    throw fault('APPLICATION_NOT_FOUND', { applicationId: options.applicationId });
  }
  await reveal(restoring);
  const id = options.applicationId && restoring.restored.get(options.applicationId);
  return { ...counts, ...(id === undefined || name === undefined ? {} : { application: { id, name } }) };
}

async function restoreAttachment(restoring: Restoring, entry: ArchivedAttachment): Promise<void> {
  const { context, restored, counts } = restoring;
  const applicationId = restored.get(entry.applicationId);
  if (applicationId === undefined) return;
  const { attachmentId } = entry;
  await context.attachments.blobs.put({ applicationId, attachmentId }, entry.bytes).catch((error: unknown) => {
    if (error instanceof ArchiveProblem) throw error;
    throwStorageUnavailable(error);
  });
  counts.attachments += 1;
}

/** Its bytes were not there, or those before this entry are not its own. */
async function markMissing(
  { context, restored, copier, counts }: Restoring,
  entry: { readonly applicationId: string; readonly attachmentId: string },
): Promise<void> {
  const applicationId = restored.get(entry.applicationId);
  if (applicationId === undefined) return;
  const { attachmentId } = entry;
  await context.attachments.blobs.removeAll({ applicationId, attachmentId }).catch(throwStorageUnavailable);
  await markRestoredAsMissing(copier, schemaOf(applicationId), attachmentId);
  counts.missing += 1;
}

/** Publishes what was restored. */
async function reveal({ context, manifest, options, holder, restored }: Restoring): Promise<void> {
  const ids = [...restored.values()];
  await holder.transaction(async () => {
    const tx = holder.within(SYSTEM.schema);
    await lockApplications(tx);
    if (options.applicationId === undefined) {
      if (!(await isEmptyInstallation(tx))) throw fault('RESTORE_CONFLICT', { reason: NOT_EMPTY });
      await revealInstallation(tx, manifest);
    } else {
      const [id = ''] = ids;
      if ((await getApplication(tx, id)) !== undefined) throw exists(id);
      const sharedUserIds = await usedSharedUserIds(holder.within(schemaOf(id)));
      const taken = await takenSharedUserName(tx, sharedUserIds);
      if (taken !== undefined) throw nameTaken(taken);
      await revealApplication(tx, { ...manifest, sharedUserIds, at: isoTime(context.now()) });
    }
    for (const application of ids) await announceToNodes(tx, { application });
  });
  for (const application of ids) context.invalidate({ application });
}

const nameTaken = ({ name, organization }: { name: string; organization: string }) =>
  fault('RESTORE_CONFLICT', {
    reason: `The organization ${organization} has another shared user called ${name} than the backup; rename that one first.`,
  });
