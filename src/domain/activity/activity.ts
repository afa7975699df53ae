// Entries of the user activity log. An entry is complete when it is written and never changes: its names and versions are
// those of that moment.

import type { ActivityEntry } from '../../wire/activity-log.ts';
import type { UserShort } from '../../wire/users.ts';
import type { PreparedApplication, PreparedCollection } from '../definition/application.ts';
import { uuidMilliseconds } from '../ids.ts';

export const ACTIVITY_KINDS = [
  'record.create',
  'record.update',
  'record.delete',
  'attachment.create',
  'attachment.download',
  'session.login',
  'session.loginFailed',
  'session.logout',
  'user.create',
  'user.update',
  'user.delete',
  'sharedUser.create',
  'sharedUser.update',
  'sharedUser.delete',
  'token.create',
  'token.revoke',
  'notification.send',
  'application.publish',
  'activityLog.export',
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

export type ActivitySource = Readonly<ActivityEntry['source']>;

export interface ActivityScene {
  readonly user: UserShort;
  readonly application: { readonly id: string; readonly name: string; readonly version: number };
  readonly collection?: { readonly id: string; readonly name: string };
  readonly source: ActivitySource;
}

/** With the names and the version of this moment. */
export const sceneOf = (at: {
  readonly application: Pick<PreparedApplication, 'definition' | 'version'>;
  readonly user: UserShort;
  readonly collection?: PreparedCollection | undefined;
  readonly source: ActivitySource;
}): ActivityScene => {
  const { definition, version } = at.application;
  const collection = at.collection?.definition;
  return {
    user: { id: at.user.id, name: at.user.name },
    application: { id: definition.id, name: definition.name, version },
    ...(collection === undefined ? {} : { collection: { id: collection.id, name: collection.name } }),
    source: at.source,
  };
};

export interface LogEntry {
  /** UUIDv7 of the entry's date: keys are in the order of time, and a period is a range of keys. */
  readonly id: string;
  readonly entry: string;
}

/** A complete JSON line and its key. The date is read from the key, so that the two always agree. */
export function activityEntry(
  id: string,
  kind: ActivityKind,
  { scene, extra }: { scene: ActivityScene; extra: Readonly<Record<string, string>> },
): LogEntry {
  const [type, subType] = kind.split('.');
  const entry = JSON.stringify({
    date: dateOf(uuidMilliseconds(id)),
    type,
    subType,
    user: scene.user,
    application: scene.application,
    collection: scene.collection,
    source: scene.source,
    extra,
  });
  return { id, entry };
}

let lastMilliseconds = Number.NaN;
let lastDate = '';

/** Cached: all entries of a batch have the same date. */
function dateOf(milliseconds: number): string {
  if (milliseconds !== lastMilliseconds) {
    lastMilliseconds = milliseconds;
    lastDate = new Date(milliseconds).toISOString();
  }
  return lastDate;
}
