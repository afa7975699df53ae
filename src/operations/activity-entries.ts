// Activity entries of what a user does in a collection.

import { type ActivityKind, activityEntry } from '../domain/activity.ts';
import type { SubjectEntry } from '../store/logged-write.ts';
import type { InCollection } from './in-collection.ts';

/** One for each `extra`, which names its subject under `member`; none when the application does not log. */
export function activityEntries(
  at: InCollection,
  { kind, member, date }: { kind: ActivityKind; member: 'recordId' | 'attachmentId'; date: string },
  extras: readonly Readonly<Record<string, string>>[],
): SubjectEntry[] {
  const { application, caller, source, ids, collection } = at;
  if (!application.definition.activityLogEnabled) return [];
  const scene = {
    date,
    user: { id: caller.id, name: caller.name },
    application: { id: application.id, name: application.definition.name, version: application.version },
    collection: { id: collection.definition.id, name: collection.definition.name },
    source,
  };
  return extras.map((extra) => ({
    id: ids.uuid(),
    subjectId: extra[member]!,
    entry: activityEntry(kind, scene, extra),
  }));
}
