// Entries of the user activity log. An entry is complete when it is written and never changes: its names and versions are
// those of that moment.

import { ACTIVITY_KINDS, type ActivityKind } from '../../wire/activity-kinds.ts';
import type { ActivityEntry } from '../../wire/activity-log.ts';
import type { UserShort } from '../../wire/users.ts';
import type { PreparedApplication, PreparedCollection } from '../definition/application.ts';
import { uuidMilliseconds } from '../ids.ts';

export type ActivitySource = Readonly<ActivityEntry['source']>;

/** Who did it, where, and from where: the members of an entry that all entries of one action share, as JSON. */
export type ActivityScene = string;

interface NamedApplication {
  readonly definition: Pick<PreparedApplication['definition'], 'id' | 'name'>;
  readonly version: number;
}

/** With the names and the version of this moment. */
export const sceneOf = (at: {
  readonly application: NamedApplication;
  readonly user: UserShort;
  readonly collection?: PreparedCollection | undefined;
  readonly source: ActivitySource;
}): ActivityScene => {
  const { application, user, collection, source } = at;
  const inside = collection === undefined ? '' : `,"collection":${collectionJson(collection)}`;
  const from = `{"context":"${source.context}","ip":${JSON.stringify(source.ip)}}`;
  const by = `{"id":"${user.id}","name":${JSON.stringify(user.name)}}`;
  return `"user":${by},"application":${applicationJson(application)}${inside},"source":${from}`;
};

// Prepared applications and collections never change, and every entry names them.
const applicationTexts = new WeakMap<NamedApplication, string>();
const collectionTexts = new WeakMap<PreparedCollection, string>();

function applicationJson(application: NamedApplication): string {
  let text = applicationTexts.get(application);
  if (text === undefined) {
    const { id, name } = application.definition;
    text = JSON.stringify({ id, name, version: application.version });
    applicationTexts.set(application, text);
  }
  return text;
}

function collectionJson(collection: PreparedCollection): string {
  let text = collectionTexts.get(collection);
  if (text === undefined) {
    const { id, name } = collection.definition;
    text = JSON.stringify({ id, name });
    collectionTexts.set(collection, text);
  }
  return text;
}

const KIND_TEXTS = new Map(
  ACTIVITY_KINDS.map((kind) => {
    const [type, subType] = kind.split('.');
    return [kind, `"type":"${type}","subType":"${subType}"`];
  }),
);

export interface LogEntry {
  /** UUIDv7 of the entry's date: keys are in the order of time, and a period is a range of keys. */
  readonly id: string;
  readonly entry: string;
}

/**
 * A complete JSON line and its key. The date is read from the key, so that the two always agree. Put together from finished
 * parts: stringifying the whole entry took four times as long.
 */
export function activityEntry(
  id: string,
  kind: ActivityKind,
  { scene, extra }: { scene: ActivityScene; extra: Readonly<Record<string, string>> },
): LogEntry {
  const date = dateOf(uuidMilliseconds(id));
  return { id, entry: `{"date":"${date}",${KIND_TEXTS.get(kind)},${scene},"extra":${JSON.stringify(extra)}}` };
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
