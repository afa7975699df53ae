// What follows a publish: columns, indexes and tables that only the other definition needed are dropped. A job does the same
// for publishes whose process was killed (operations/upkeep/interrupted-publishes).

import { prepareCollections } from '../../domain/definition/application.ts';
import { SEARCH_TEXT } from '../../domain/records/projections.ts';
import { getApplication } from '../../store/applications/applications.ts';
import { getPublishState, removePublishState, tryLockPublishing } from '../../store/applications/publish-state.ts';
import {
  awaitWriters,
  dropOtherIndexes,
  dropOtherProjections,
  dropTable,
} from '../../store/applications/table-changes.ts';
import { isBackupUnderWay } from '../../store/database/backup-locks.ts';
import type { Publisher } from '../../store/database/handles.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import { indexesOf } from '../../store/records/tables.ts';
import { fillColumns, moveGeneration, type PublishingContext, searchesMore } from './filling.ts';
import { reportProgress } from './progress.ts';

/**
 * Drops everything that the stored definition does not need: after the switch, after a publish that failed, and after one
 * whose process was killed. Does nothing where no publish has left a row.
 */
export async function cleanUp(context: PublishingContext, publisher: Publisher, applicationId: string): Promise<void> {
  const left = await getPublishState(publisher.system, applicationId);
  const stored = left && (await getApplication(publisher.system, applicationId));
  if (left === undefined || stored === undefined) return;
  const reporter = reportProgress(context, applicationId);
  let { generation } = stored;
  if (stored.preparing !== undefined) {
    generation += 1;
    await moveGeneration(context, publisher, { applicationId, generation, preparing: undefined });
  }
  const others = prepareCollections(left.other);
  const step = left.switched ? 'clearing' : 'undoing';
  const collections = prepareCollections(stored.definition);
  const wanted = [...collections];
  // Most indexes are dropped with their columns.
  await dropOtherProjections(publisher, new Map(wanted.map(([id, { projections }]) => [id, projections.all])));
  await dropOtherIndexes(publisher, new Map(wanted.map(([id, collection]) => [id, indexesOf(collection)])));
  for (const [id, collection] of collections) {
    const find = collection.projections.all.filter(({ name }) => name === SEARCH_TEXT);
    if (find.length > 0 && searchesMore(others.get(id), collection)) {
      await awaitWriters(publisher, id);
      await fillColumns(context, publisher, { collection, toFill: find, generation, step }, reporter);
    }
    others.delete(id);
  }
  // Tables of new collections are created by the switch itself, so before it there is none to drop.
  if (left.switched) for (const id of others.keys()) await dropTable(publisher, id);
  await removePublishState(publisher.system, applicationId);
  // From now on nodes may rely on search texts that hold nothing of another definition.
  await announceToNodes(publisher.system, { application: applicationId });
  context.invalidate({ application: applicationId });
}

/** Unless a publisher of the application is alive: then that one cleans up. */
export async function cleanUpAbandoned(context: PublishingContext, applicationId: string): Promise<void> {
  await context.database.publisher(applicationId, async (publisher) => {
    if (await tryLockPublishing(publisher, applicationId)) await cleanUp(context, publisher, applicationId);
  });
}

/** That it gives way to a backup needs no report: a job tries again until the backup is done. */
export function reportUnsettled({ observe }: PublishingContext, applicationId: string, error: unknown): void {
  if (!isBackupUnderWay(error)) observe({ event: 'application.unsettled', applicationId, error });
}
