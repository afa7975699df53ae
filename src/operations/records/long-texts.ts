// Reads the texts of long records, beside other tenants about a megabyte at a time. The event loop serves their requests between
// two parts, and the database waits meanwhile: a page of 100 records of a megabyte would otherwise arrive as fast as both can.

import type { Reader } from '../../store/database/handles.ts';
import { bytesOf, type LongRecord, readLongTexts } from '../../store/records/long-records.ts';
import { inBatches } from '../batches.ts';
import type { InCollection } from '../in-collection.ts';

const PART_BYTES_BESIDE_OTHERS = 1024 * 1024;
/** Alone, few statements: the database reads the next records while these arrive. */
const PART_BYTES = 16 * PART_BYTES_BESIDE_OTHERS;
/**
 * What a megabyte costs others, from the database's socket to the client's: half of it is time of the event loop, the rest the
 * garbage and the processor that the database needs. With 4, another tenant's p99 beside 16 lists of 100 records of 1 MB was 9.6 and
 * 9.7 ms; with 8 it is 6.1 and 7.0, and a third fewer pages are read (`npm run bench -- neighbours --only long-lists`).
 */
const MEGABYTE_MS = 8;

/** How many bytes of records are read at once. */
export const partBytes = ({ slices, scope }: InCollection): number =>
  slices.isBesideOthers(scope.tenant) ? PART_BYTES_BESIDE_OTHERS : PART_BYTES;

/** Waits for the turn of a part of so many bytes. */
export const turnOf = ({ slices, scope }: InCollection, bytes: number): Promise<void> =>
  slices.turn(scope, (MEGABYTE_MS * bytes) / 2 ** 20);

/** By identifier; records that do not exist are absent. The request holds the bytes already. */
export async function readLongInTurns(
  at: InCollection,
  reader: Reader,
  records: readonly LongRecord[],
): Promise<Map<string, Buffer>> {
  const texts = new Map<string, Buffer>();
  for (const part of inBatches(
    records,
    ({ bytes }) => bytes,
    () => partBytes(at),
  )) {
    await turnOf(at, bytesOf(part));
    const ids = part.map(({ id }) => id);
    for (const [id, text] of await readLongTexts(reader, at.collection.definition.id, ids)) texts.set(id, text);
  }
  return texts;
}
