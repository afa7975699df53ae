// Activity entries of what a user does, in a collection or outside of any.

import type { Context } from '../context.ts';
import { type ActivityKind, type ActivityScene, activityEntry, type LogEntry } from '../domain/activity.ts';
import type { PreparedCollection } from '../domain/application.ts';
import type { SubjectEntry } from '../store/logged-write.ts';

type Scene = Pick<Context, 'application' | 'caller' | 'source' | 'ids'> & { readonly collection?: PreparedCollection };

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
  const scene = sceneOf(at);
  return extras.map((extra) => ({
    ...activityEntry(at.ids.uuid(), kind, { scene, extra }),
    subjectId: extra[member]!,
  }));
}

/** Of what has no subject. None when the application does not log. */
export function activityEntryOf(at: Scene, kind: ActivityKind, extra: Readonly<Record<string, string>>): LogEntry[] {
  if (!at.application.definition.activityLogEnabled) return [];
  return [activityEntry(at.ids.uuid(), kind, { scene: sceneOf(at), extra })];
}

function sceneOf({ application, caller, source, collection }: Scene): ActivityScene {
  return {
    user: { id: caller.id, name: caller.name },
    application: { id: application.id, name: application.definition.name, version: application.version },
    ...(collection === undefined
      ? {}
      : { collection: { id: collection.definition.id, name: collection.definition.name } }),
    source,
  };
}
