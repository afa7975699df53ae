// Reads the texts of long records, about a megabyte at a time. The event loop serves other requests between two parts, and the
// database waits meanwhile: a page of 100 records of a megabyte would otherwise arrive as fast as both can.

import type { Reader } from '../../store/database/handles.ts';
import { bytesOf, type LongRecord, readLongTexts } from '../../store/records/long-records.ts';
import { inBatches } from '../batches.ts';
import type { InCollection } from '../in-collection.ts';

const PART_BYTES = 1024 * 1024;
/** What a megabyte costs the event loop from the database's socket to the client's. */
const MEGABYTE_MS = 4;

/** Waits for the turn of a part of so many bytes. */
export const turnOf = ({ slices, scope }: Pick<InCollection, 'slices' | 'scope'>, bytes: number): Promise<void> =>
  slices.turn(scope, (MEGABYTE_MS * bytes) / 2 ** 20);

/** By identifier; records that do not exist are absent. The request holds the bytes already. */
export async function readLongInTurns(
  at: InCollection,
  reader: Reader,
  records: readonly LongRecord[],
): Promise<Map<string, Buffer>> {
  const texts = new Map<string, Buffer>();
  for (const part of inBatches(records, ({ bytes }) => bytes, PART_BYTES)) {
    await turnOf(at, bytesOf(part));
    const ids = part.map(({ id }) => id);
    for (const [id, text] of await readLongTexts(reader, at.collection.definition.id, ids)) texts.set(id, text);
  }
  return texts;
}
