// Values that are referred to and take much memory: those of long records, which are read beside the others and a few
// megabytes at a time, and short ones that are many. The request holds the bytes for them first.

import type { ReferenceColumn } from '../../domain/definition/application.ts';
import type { Reader } from '../../store/database/handles.ts';
import { type Referral, type Referred, readLongReferred } from '../../store/records/references.ts';
import type { InCollection } from '../in-collection.ts';
import { requireBytes } from './held-bytes.ts';

/** Of short values together: up to this they are as little as the page that they are put into. */
const SHORT_CHARACTERS = 1024 * 1024;
/** Records from which values are picked at once: a value may be all of its record. */
const PICKED_BYTES_MAX = 4 * 1024 * 1024;

interface LongReferences {
  readonly referrals: readonly Referral[];
  /** What is known of the records, to which the values are added. */
  readonly referred: ReadonlyMap<string, Map<string, Referred>>;
  /** Where values are put in. */
  readonly entries: readonly { readonly recordId: string; readonly column: ReferenceColumn }[];
  /** Bytes of the texts into which they are put. */
  readonly held: number;
  /** No more than that is put in. */
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
  // Once as values, and once where they are put in.
  if (bytes > 0) requireBytes(at, held + 2 * Math.min(bytes, charactersMax));
  if (long === 0) return;
  let characters = 0;
  for (const referral of referrals) {
    const records = referred.get(referral.collectionId);
    if (records === undefined) continue;
    for (const recordIds of batchesOf(referral.recordIds, (id) => records.get(id)?.longBytes ?? 0)) {
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

/** Groups the records that have a size, in order, so that no batch exceeds the maximum unless it is a single record. */
function* batchesOf(ids: readonly string[], sizeOf: (id: string) => number): Generator<string[]> {
  let batch: string[] = [];
  let bytes = 0;
  for (const id of ids) {
    const size = sizeOf(id);
    if (size === 0) continue;
    if (batch.length > 0 && bytes + size > PICKED_BYTES_MAX) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(id);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
