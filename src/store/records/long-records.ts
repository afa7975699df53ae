// Records that are too long to be read together with others. Statements that select texts return the size and identifier
// of a long record instead. Its text is then read separately, as bytes, once the request holds that much byte budget.

import { isIdentifier } from '../../wire/identifiers.ts';
import type { Reader } from '../database/handles.ts';
import { tableOf } from './tables.ts';

/**
 * Longer records count as long: when read alone, and when read with up to a hundred others on a page or in a batch. The
 * size of a text that is stored out of line is known without reading it.
 */
export const LONG_ALONE_BYTES = 64 * 1024;
export const LONG_AMONG_OTHERS_BYTES = 16 * 1024;

/** SQL: the text of `rec` up to `bytesMax`, otherwise the form that `readLongRecord` reads. */
export const shortText = (alias: string, bytesMax: number): string =>
  `case when octet_length(${alias}rec) <= ${bytesMax} then ${alias}rec
    else octet_length(${alias}rec)::text || ' ' || ${alias}id end`;

export interface LongRecord {
  readonly bytes: number;
  readonly id: string;
}

/** A record's text begins with a brace, a size does not. */
export const isLongRecord = (selected: string): boolean => selected.charCodeAt(0) !== 0x7b;

export function readLongRecord(selected: string): LongRecord {
  const [bytes, id = ''] = selected.split(' ');
  return { bytes: Number(bytes), id };
}

export function longRecordsIn(selected: readonly string[]): LongRecord[] {
  return selected.filter(isLongRecord).map(readLongRecord);
}

export const bytesOf = (records: readonly LongRecord[]): number => records.reduce((sum, { bytes }) => sum + bytes, 0);

/** By identifier; records that do not exist are absent. */
export async function readLongTexts(
  reader: Reader,
  collectionId: string,
  ids: readonly string[],
): Promise<Map<string, Buffer>> {
  if (ids.length === 0) return new Map();
  for (const id of ids) if (!isIdentifier('recordId', id)) throw new Error(`${id} is no identifier of a record`);
  const rows = await reader.copied(
    `select id, rec from ${tableOf(reader.schema, collectionId)} where id in ('${ids.join("', '")}')`,
  );
  return new Map(rows.map(([id, rec]) => [String(id), rec!]));
}
