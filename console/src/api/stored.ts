// What was stored from here a moment ago. A page that was read before the change and arrives after it still has the record
// as it was: the newer one is shown.

import type { RawRecord } from '../../../client/src/shapes.ts';

/** Longer than any page is on its way. */
const KEPT_MS = 60_000;

const stored = new Map<string, { readonly record: RawRecord; readonly at: number }>();

export function noteStored(record: RawRecord, now = performance.now()): void {
  // In the order of time: the first are the oldest.
  stored.delete(record.id);
  stored.set(record.id, { record, at: now });
  for (const [id, { at }] of stored) {
    if (now - at <= KEPT_MS) return;
    stored.delete(id);
  }
}

export function newest(read: RawRecord): RawRecord {
  const own = stored.get(read.id)?.record;
  return own !== undefined && own.updatedAt > read.updatedAt ? own : read;
}
