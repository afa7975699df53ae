// Values of long records that are referred to. They are read beside the others, a few megabytes at a time, once the request
// holds the bytes for them.

import type { ReferenceColumn } from '../domain/application.ts';
import type { Reader } from '../store/handles.ts';
import { type Referral, type Referred, readLongReferred } from '../store/references.ts';
import { requireBytes } from './held-bytes.ts';
import type { InCollection } from './in-collection.ts';

/** Records from which values are picked at once: a value may be all of its record. */
const PORTION_BYTES = 4 * 1024 * 1024;

interface LongReferences {
  readonly referrals: readonly Referral[];
  /** What is known of the records, to which the values are added. */
  readonly referred: ReadonlyMap<string, Map<string, Referred>>;
  /** Where values are put in. */
  readonly places: readonly { readonly recordId: string; readonly column: ReferenceColumn }[];
  /** Bytes of the texts into which they are put. */
  readonly held: number;
  /** No more than that is put in. */
  readonly charactersMax: number;
}

export async function readLongOnes(
  at: InCollection,
  reader: Reader,
  { referrals, referred, places, held, charactersMax }: LongReferences,
): Promise<void> {
  let bytes = 0;
  for (const { recordId, column } of places) {
    bytes += referred.get(column.referredCollectionId)?.get(recordId)?.longBytes ?? 0;
  }
  if (bytes === 0) return;
  // Once as values, and once where they are put in.
  requireBytes(at, held + 2 * Math.min(bytes, charactersMax));
  let characters = 0;
  for (const referral of referrals) {
    const records = referred.get(referral.collectionId);
    if (records === undefined) continue;
    for (const recordIds of portionsOf(referral.recordIds, (id) => records.get(id)?.longBytes ?? 0)) {
      if (characters > charactersMax) return;
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

/** Those that have a size, in order, and each portion no larger than it may be unless it is one alone. */
function* portionsOf(ids: readonly string[], sizeOf: (id: string) => number): Generator<string[]> {
  let portion: string[] = [];
  let bytes = 0;
  for (const id of ids) {
    const size = sizeOf(id);
    if (size === 0) continue;
    if (portion.length > 0 && bytes + size > PORTION_BYTES) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(id);
    bytes += size;
  }
  if (portion.length > 0) yield portion;
}
