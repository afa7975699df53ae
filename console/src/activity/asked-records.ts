// Which records of a log are asked for together. Entries are only ever added at the end of the list, and they are taken in
// blocks from its beginning, so that what was asked for once is the same request when the list has grown.

import type { RawActivityEntry } from '../../../client/src/main.ts';

/** A page of the log. */
const BLOCK = 100;
/** A search has at most 64 criteria. */
const IDS_MAX = 60;

export interface AskedRecords {
  readonly collectionId: string;
  readonly ids: readonly string[];
}

type Entry = Pick<RawActivityEntry, 'subType' | 'collection' | 'extra'>;

/** `known`: the collections that there are. A record of which only the end is told is not there to be asked for. */
export function askedRecords(entries: readonly Entry[], known: ReadonlySet<string>): readonly AskedRecords[] {
  const asked: AskedRecords[] = [];
  for (let start = 0; start < entries.length; start += BLOCK) {
    const wanted = new Map<string, Set<string>>();
    for (const { subType, collection, extra } of entries.slice(start, start + BLOCK)) {
      if (collection === undefined || extra.recordId === undefined) continue;
      if (subType === 'delete' || !known.has(collection.id)) continue;
      wanted.set(collection.id, (wanted.get(collection.id) ?? new Set()).add(extra.recordId));
    }
    for (const [collectionId, set] of wanted) {
      const ids = [...set];
      for (let from = 0; from < ids.length; from += IDS_MAX)
        asked.push({ collectionId, ids: ids.slice(from, from + IDS_MAX) });
    }
  }
  return asked;
}
