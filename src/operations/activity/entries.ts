// Activity entries of what a user does, in a collection or outside of any, and writing entries that stand alone.

import type { Context } from '../../context.ts';
import { type ActivityKind, activityEntry, type LogEntry, sceneOf } from '../../domain/activity/activity.ts';
import type { PreparedCollection } from '../../domain/definition/application.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import type { SubjectEntry } from '../../store/activity/logged-write.ts';
import type { Transaction } from '../../store/database/handles.ts';
import type { UserShort } from '../../wire/users.ts';

type Scene = Pick<Context, 'application' | 'source' | 'ids'> & {
  readonly caller: UserShort;
  readonly collection?: PreparedCollection;
};

export interface Activity {
  readonly kind: ActivityKind;
  /** Which member of `extra` names what is changed. */
  readonly member: 'recordId' | 'attachmentId' | 'userId' | 'sharedUserId' | 'tokenId' | 'sessionId' | 'notificationId';
}

/** One for each `extra`; none when the application does not log. */
export function activityEntries(
  at: Scene,
  { kind, member }: Activity,
  extras: readonly Readonly<Record<string, string>>[],
): SubjectEntry[] {
  if (!at.application.definition.activityLogEnabled) return [];
  const scene = sceneOf({ ...at, user: at.caller });
  return extras.map((extra) => ({
    ...activityEntry(at.ids.uuid(), kind, { scene, extra }),
    subjectId: extra[member]!,
  }));
}

/** Of what has no subject. None when the application does not log. */
export function activityEntryOf(at: Scene, kind: ActivityKind, extra: Readonly<Record<string, string>>): LogEntry[] {
  if (!at.application.definition.activityLogEnabled) return [];
  return [activityEntry(at.ids.uuid(), kind, { scene: sceneOf({ ...at, user: at.caller }), extra })];
}

export async function writeEntries(tx: Transaction, entries: readonly LogEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const { text, params } = insertEntries(tx.schema, entries);
  await tx.rows(text, params);
}
