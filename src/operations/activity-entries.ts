// Activity entries of what a user does, in a collection or outside of any.

import type { Context } from '../context.ts';
import { type ActivityKind, activityEntry } from '../domain/activity.ts';
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
  const { application, caller, source, ids, collection } = at;
  if (!application.definition.activityLogEnabled) return [];
  const scene = {
    user: { id: caller.id, name: caller.name },
    application: { id: application.id, name: application.definition.name, version: application.version },
    ...(collection === undefined
      ? {}
      : { collection: { id: collection.definition.id, name: collection.definition.name } }),
    source,
  };
  return extras.map((extra) => ({
    ...activityEntry(ids.uuid(), kind, { scene, extra }),
    subjectId: extra[member]!,
  }));
}
