// Referred values that take much memory: those of long records, which are read separately and a few megabytes at a time,
// and large numbers of short ones. The request takes byte budget for them first.

import type { ReferenceColumn } from '../../domain/definition/application.ts';
import type { Reader } from '../../store/database/handles.ts';
import { type Referral, type Referred, readLongReferred } from '../../store/records/references.ts';
import { inBatches } from '../batches.ts';
import { requireBytes } from '../held-bytes.ts';
import type { InCollection } from '../in-collection.ts';
import { partBytes, turnOf } from './long-texts.ts';

/** Short values up to this total need no budget: they are no larger than the page itself. */
const SHORT_CHARACTERS = 1024 * 1024;
/** Size of the records read at once: a value may be nearly all of its record. */
const PICKED_BYTES_MAX = 4 * 1024 * 1024;
/** Against a record that is only copied: the database looks for the value, which becomes a string and is inserted. */
const PICKED_COST = 2;

interface LongReferences {
  readonly referrals: readonly Referral[];
  /** The referred records read so far; values of long ones are added. */
  readonly referred: ReadonlyMap<string, Map<string, Referred>>;
  /** The references into which values are inserted. */
  readonly entries: readonly { readonly recordId: string; readonly column: ReferenceColumn }[];
  /** Bytes of the texts that contain them. */
  readonly held: number;
  /** The most that is inserted in all. */
  readonly charactersMax: number;
}

export async function readLongValues(
  at: InCollection,
  reader: Reader,
  { referrals, referred, entries, held, charactersMax }: LongReferences,
): Promise<void> {
  let [long, short] = [0, 0];
  for (const { recordId, column } of entries) {
    const record = referred.get(column.referredCollectionId)?.get(recordId);
    if (record?.longBytes !== undefined) long += record.longBytes;
    else short += record?.values.get(column.referredColumnId)?.length ?? 0;
  }
  const bytes = long + (short > SHORT_CHARACTERS ? short : 0);
  // Once as values, and once in the texts.
  if (bytes > 0) requireBytes(at, held + 2 * Math.min(bytes, charactersMax));
  if (long === 0) return;
  let characters = 0;
  for (const referral of referrals) {
    const records = referred.get(referral.collectionId);
    if (records === undefined) continue;
    const sizeOf = (id: string) => records.get(id)?.longBytes ?? 0;
    const longIds = referral.recordIds.filter((id) => sizeOf(id) > 0);
    for (const recordIds of inBatches(longIds, sizeOf, () => Math.min(PICKED_BYTES_MAX, partBytes(at)))) {
      if (characters > charactersMax) return;
      const bytes = recordIds.reduce((sum, id) => sum + sizeOf(id), 0);
      await turnOf(at, PICKED_COST * bytes);
      const found = await readLongReferred(reader, { ...referral, recordIds });
      for (const id of recordIds) {
        const record = found.get(id);
        if (record === undefined) records.delete(id);
        else records.set(id, record);
        for (const value of record?.values.values() ?? []) characters += value.length;
      }
    }
  }
}
