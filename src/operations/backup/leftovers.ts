// What is left of a restoration that failed or whose process was killed: schemas of applications that were never published.

import type { OperatorContext } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { insertErasure } from '../../store/applications/erasures.ts';
import { dropApplicationSchema } from '../../store/applications/migrate.ts';
import { listUnpublishedSchemas } from '../../store/backup/restoring.ts';
import { lockForRestore } from '../../store/database/backup-locks.ts';
import type { CopyConnection } from '../../store/database/copy-connections.ts';
import { SYSTEM, schemaOf } from '../../store/database/schemas.ts';

/**
 * The connection has the lock of restorations: nothing of what is found belongs to one under way. It belongs to no request,
 * so that this works for a client that has left, too.
 */
export async function removeUnfinishedRestores(connection: CopyConnection, now: number): Promise<void> {
  for (const applicationId of await listUnpublishedSchemas(connection)) {
    await connection.transaction(async () => {
      await dropApplicationSchema(connection.within(schemaOf(applicationId)));
      // A job deletes its files (operations/upkeep/erasure).
      await insertErasure(connection.within(SYSTEM.schema), applicationId, isoTime(now));
    });
  }
}

/** For the job. */
export async function removeInterruptedRestores({
  database,
  now,
}: Pick<OperatorContext, 'database' | 'now'>): Promise<void> {
  if ((await listUnpublishedSchemas(database.system)).length === 0) return;
  const connection = await database.openCopyConnection();
  try {
    if (await lockForRestore(connection)) await removeUnfinishedRestores(connection, now());
  } finally {
    await connection.close();
  }
}
