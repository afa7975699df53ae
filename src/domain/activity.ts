// Entries of the user activity log: made complete when the thing happens and never changed afterwards, because names and
// versions are those of that moment.

import type { UserShort } from '../wire/users.ts';

export type ActivityKind =
  | 'record.create'
  | 'record.update'
  | 'record.delete'
  | 'attachment.create'
  | 'attachment.download'
  | 'user.create'
  | 'token.create'
  | 'token.revoke'
  | 'application.publish';

export interface ActivitySource {
  readonly context: 'api' | 'console' | 'operator';
  readonly ip: string;
}

export interface ActivityScene {
  readonly date: string;
  readonly user: UserShort;
  readonly application: { readonly id: string; readonly name: string; readonly version: number };
  readonly collection?: { readonly id: string; readonly name: string };
  readonly source: ActivitySource;
}

/** One finished JSON line. */
export function activityEntry(
  kind: ActivityKind,
  scene: ActivityScene,
  extra: Readonly<Record<string, string>>,
): string {
  const [type, subType] = kind.split('.');
  return JSON.stringify({
    date: scene.date,
    type,
    subType,
    user: { id: scene.user.id, name: scene.user.name },
    application: scene.application,
    collection: scene.collection,
    source: scene.source,
    extra,
  });
}
