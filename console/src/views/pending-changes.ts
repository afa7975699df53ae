// Records that are shown as they will be when a change is stored.

import type { RawRecord } from '../../../client/src/shapes.ts';

interface PendingChange {
  readonly before: RawRecord;
  /** As it will be when it is stored. */
  readonly after: RawRecord;
}

/** By record. */
export type PendingChanges = ReadonlyMap<string, PendingChange>;

/** How many more records a place has than the server knows, where `isThere` tells the records of that place. */
export function movedCount(pending: PendingChanges, isThere: (record: RawRecord) => boolean): number {
  let sum = 0;
  for (const { before, after } of pending.values()) sum += Number(isThere(after)) - Number(isThere(before));
  return sum;
}
