// One record that is too long to be read along with those of others (store/records/long-records).

import type { RecordText } from '../../domain/records/record-text.ts';
import { readLongRecord, readLongTexts } from '../../store/records/long-records.ts';
import type { InCollection } from '../in-collection.ts';
import { requireBytes, withBytes } from './held-bytes.ts';
import { withLiveReferencesFrom } from './live-references.ts';

/**
 * As the caller sees it; undefined when it has gone since. `selected`: what told that it is long. Whoever may read it then
 * may do so now: its creator does not change.
 */
export function readLong(at: InCollection, selected: string): Promise<RecordText | undefined> {
  const { id, bytes } = readLongRecord(selected);
  return withBytes(at, async () => {
    requireBytes(at, bytes);
    const stored = (await readLongTexts(at.store, at.collection.definition.id, [id])).get(id);
    if (stored === undefined) return undefined;
    // It may have grown.
    requireBytes(at, stored.length);
    const [text] = await withLiveReferencesFrom(at, at.store, [stored]);
    return text;
  });
}
