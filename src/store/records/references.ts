// Referred records, read for a whole page at once: one statement per referred collection, all in one round trip. The
// database extracts values from long records, which is slow, so those are read separately.

import { valueTextIn } from '../../domain/records/record-text.ts';
import type { Reader } from '../database/handles.ts';
import { plainArray } from '../database/text-arrays.ts';
import { isLongRecord, LONG_AMONG_OTHERS_BYTES } from './long-records.ts';
import { tableOf } from './tables.ts';

export interface Referral {
  readonly collectionId: string;
  /** Columns of the referred collection whose values are read. */
  readonly columnIds: readonly string[];
  readonly recordIds: readonly string[];
  /** The caller may read only records of this creator. */
  readonly scope: string | undefined;
}

export interface Referred {
  readonly hash: string;
  /** Column → its value as JSON text; absent where the record has none, or is long. */
  readonly values: ReadonlyMap<string, string>;
  /** The size of a long record whose values have not been read yet. */
  readonly longBytes?: number;
}

/** Above this the database extracts the values; below, sending the whole record is faster. */
const WHOLE_BYTES_MAX = 8_192;

const NO_VALUES: ReadonlyMap<string, string> = new Map();

/** By collection and record; a record that does not exist or that the caller may not read is absent. */
export async function readReferred(
  reader: Reader,
  referrals: readonly Referral[],
): Promise<Map<string, Map<string, Referred>>> {
  const results = await reader.pipeline(
    referrals.map((referral) => statementOf(reader, referral, referral.columnIds.length === 0 ? '' : picked(referral))),
  );
  return new Map(
    referrals.map(({ collectionId, columnIds }, index) => [
      collectionId,
      new Map((results[index] ?? []).map((row) => [row[0] as string, readRow(row as (string | null)[], columnIds)])),
    ]),
  );
}

/** The same for long records of one collection; the caller asks for no more than memory allows. */
export async function readLongReferred(reader: Reader, referral: Referral): Promise<Map<string, Referred>> {
  const { columnIds } = referral;
  const values = columnIds.map((columnId) => `, ${valueIn(columnId)}`).join('');
  const [rows = []] = await reader.longQuery(statementOf(reader, referral, values));
  return new Map(
    (rows as (string | null)[][]).map(([id, hash, ...texts]) => [
      id ?? '',
      { hash: hash ?? '', values: valuesOf(columnIds, (_, index) => texts[index]) },
    ]),
  );
}

function statementOf(reader: Reader, { collectionId, recordIds, scope }: Referral, values: string) {
  return {
    text: `select id, hash${values}
        from ${tableOf(reader.schema, collectionId)}
        where id = any($1::text[]) and ($2::text is null or created_by = $2)`,
    params: [plainArray(recordIds), scope ?? null],
  };
}

const valueIn = (columnId: string): string => `(rec::json -> 'values' -> '${columnId}')::text`;

function picked({ columnIds }: Referral): string {
  const bytes = 'octet_length(rec)';
  const isPicked = `${bytes} > ${WHOLE_BYTES_MAX} and ${bytes} <= ${LONG_AMONG_OTHERS_BYTES}`;
  const values = columnIds.map((columnId) => `, case when ${isPicked} then ${valueIn(columnId)} end`);
  return `, case when ${bytes} <= ${WHOLE_BYTES_MAX} then rec
      when ${bytes} > ${LONG_AMONG_OTHERS_BYTES} then ${bytes}::text end${values.join('')}`;
}

function readRow([, hash, rec, ...texts]: readonly (string | null)[], columnIds: readonly string[]): Referred {
  if (typeof rec !== 'string') return { hash: hash ?? '', values: valuesOf(columnIds, (_, index) => texts[index]) };
  if (isLongRecord(rec)) return { hash: hash ?? '', values: NO_VALUES, longBytes: Number(rec) };
  return { hash: hash ?? '', values: valuesOf(columnIds, (columnId) => valueTextIn(rec, columnId)) };
}

function valuesOf(
  columnIds: readonly string[],
  textOf: (columnId: string, index: number) => string | null | undefined,
): Map<string, string> {
  const values = new Map<string, string>();
  columnIds.forEach((columnId, index) => {
    const text = textOf(columnId, index);
    if (typeof text === 'string') values.set(columnId, text);
  });
  return values;
}
