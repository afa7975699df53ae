// Reads one record that is too long to share a connection with other reads (store/records/long-records).

import type { RecordText } from '../../domain/records/record-text.ts';
import { readLongRecord } from '../../store/records/long-records.ts';
import { requireBytes, withBytes } from '../held-bytes.ts';
import type { InCollection } from '../in-collection.ts';
import { withLiveReferencesFrom } from './live-references.ts';
import { readLongInTurns } from './long-texts.ts';

/**
 * The record as the caller sees it; undefined if it has been deleted meanwhile. `selected` is what the statement returned
 * instead of the text. Access need not be checked again, because a record's creator never changes.
 */
export function readLong(at: InCollection, selected: string): Promise<RecordText | undefined> {
  const record = readLongRecord(selected);
  return withBytes(at, async () => {
    requireBytes(at, record.bytes);
    const stored = (await readLongInTurns(at, at.store, [record])).get(record.id);
    if (stored === undefined) return undefined;
    // It may have grown.
    requireBytes(at, stored.length);
    const [text] = await withLiveReferencesFrom(at, at.store, [stored]);
    return text;
  });
}
