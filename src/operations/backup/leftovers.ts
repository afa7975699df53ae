// What is left of a restoration whose process was killed: schemas of applications that were never published.

import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { insertErasure } from '../../store/applications/erasures.ts';
import { dropApplicationSchema } from '../../store/applications/migrate.ts';
import { listUnpublishedSchemas } from '../../store/backup/restoring.ts';
import { lockForRestore } from '../../store/database/backup-locks.ts';

export type RestoreContext = Pick<OperatorContext, 'database' | 'now'>;

/** The caller has the lock of restorations: nothing of what is found belongs to one under way. */
export async function removeUnfinishedRestores({ database, now }: RestoreContext): Promise<void> {
  for (const applicationId of await listUnpublishedSchemas(database.system)) {
    await database.jointTransaction(applicationId, async (tx) => {
      await tx.system.removeTimeout();
      await dropApplicationSchema(tx.application);
      // A job deletes its files (operations/upkeep/erasure).
      await insertErasure(tx.system, applicationId, isoTime(now()));
    });
  }
}

/** For the job. */
export async function removeInterruptedRestores(context: RestoreContext): Promise<void> {
  const { database } = context;
  if ((await listUnpublishedSchemas(database.system)).length === 0) return;
  const connection = await database.openCopyConnection();
  try {
    if (await lockForRestore(connection)) await removeUnfinishedRestores(context);
  } finally {
    await connection.close();
  }
}
