// Makes the activity entries of users' actions.

import type { Context } from '../../context.ts';
import { type ActivityScene, activityEntry, type LogEntry, sceneOf } from '../../domain/activity/activity.ts';
import type { PreparedCollection } from '../../domain/definition/application.ts';
import type { SubjectEntry } from '../../store/activity/activity.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import type { Transaction } from '../../store/database/handles.ts';
import type { ActivityKind } from '../../wire/activity-kinds.ts';
import type { UserShort } from '../../wire/users.ts';

type Scene = Pick<Context, 'application' | 'source' | 'ids'> & {
  readonly caller: UserShort;
  readonly collection?: PreparedCollection;
};

export interface Activity {
  readonly kind: ActivityKind;
  /** The member of `extra` that identifies the changed object. */
  readonly member: 'recordId' | 'attachmentId' | 'userId' | 'sharedUserId' | 'tokenId' | 'sessionId' | 'notificationId';
}

/** One entry for each `extra`; none when the application's activity log is off. */
export function activityEntries(
  at: Scene,
  { kind, member }: Activity,
  extras: readonly Readonly<Record<string, string>>[],
): SubjectEntry[] {
  if (!at.application.definition.activityLogEnabled) return [];
  const scene = sceneBy(at);
  return extras.map((extra) => {
    const { id, entry } = activityEntry(at.ids.uuid(), kind, { scene, extra });
    return { id, entry, subjectId: extra[member]! };
  });
}

/** One entry for each record; none if the application has no activity log. */
export const recordEntries = (
  at: Scene,
  { kind, recordIds }: { kind: ActivityKind; recordIds: readonly string[] },
): SubjectEntry[] =>
  activityEntries(
    at,
    { kind, member: 'recordId' },
    recordIds.map((recordId) => ({ recordId })),
  );

/** For actions without a subject. No entry when the application's activity log is off. */
export function activityEntryOf(at: Scene, kind: ActivityKind, extra: Readonly<Record<string, string>>): LogEntry[] {
  if (!at.application.definition.activityLogEnabled) return [];
  return [activityEntry(at.ids.uuid(), kind, { scene: sceneBy(at), extra })];
}

const sceneBy = ({ application, caller: user, collection, source }: Scene): ActivityScene =>
  sceneOf({ application, user, collection, source });

export async function writeEntries(tx: Transaction, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const { text, params } = insertEntries(tx.schema, entries);
  await tx.rows(text, params);
}
