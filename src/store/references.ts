// What records refer to, read for a whole page at once: one statement per referred collection, all in one round trip.

import { readRecordText } from '../domain/record-text.ts';
import type { Reader } from './handles.ts';
import { tableOf } from './tables.ts';

export interface Referral {
  readonly collectionId: string;
  /** Columns of the referred collection whose values are wanted. */
  readonly columnIds: readonly string[];
  readonly recordIds: readonly string[];
  /** The creator whose records alone the caller may read there. */
  readonly scope: string | undefined;
}

export interface Referred {
  readonly hash: string;
  /** Column → its value as JSON text; absent where the record has none. */
  readonly values: ReadonlyMap<string, string>;
}

/** Above this the database picks the values out of a record; below it takes that longer than sending the record whole. */
const WHOLE_BYTES_MAX = 8_192;

/** By collection and record; a record that is not there or that the caller may not read is absent. */
export async function readReferred(
  reader: Reader,
  referrals: readonly Referral[],
): Promise<Map<string, Map<string, Referred>>> {
  const results = await reader.flight(
    referrals.map(({ collectionId, columnIds, recordIds, scope }) => ({
      text: `select id, hash${columnIds.length === 0 ? '' : picked(columnIds)}
        from ${tableOf(reader.schema, collectionId)}
        where id = any($1::text[]) and ($2::text is null or created_by = $2)`,
      params: [recordIds, scope ?? null],
    })),
  );
  return new Map(
    referrals.map(({ collectionId, columnIds }, index) => [
      collectionId,
      new Map((results[index] ?? []).map((row) => [row[0] as string, readRow(row as (string | null)[], columnIds)])),
    ]),
  );
}

function picked(columnIds: readonly string[]): string {
  const long = `octet_length(rec) > ${WHOLE_BYTES_MAX}`;
  const values = columnIds.map((id) => `, case when ${long} then (rec::json -> 'values' -> '${id}')::text end`);
  return `, case when not ${long} then rec end${values.join('')}`;
}

function readRow([, hash, rec, ...texts]: readonly (string | null)[], columnIds: readonly string[]): Referred {
  const whole = typeof rec === 'string' ? readRecordText(rec).values : undefined;
  const values = new Map<string, string>();
  columnIds.forEach((columnId, index) => {
    const value = whole?.[columnId];
    const text = whole === undefined ? texts[index] : value && JSON.stringify(value);
    if (typeof text === 'string') values.set(columnId, text);
  });
  return { hash: hash ?? '', values };
}
