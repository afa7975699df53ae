// Referred records, read for a whole page at once: one statement per referred collection, all in one round trip. The
// database extracts values from long records, which is slow, so those are read separately.

import { valueTextIn } from '../../domain/records/record-text.ts';
import { BoundedMap } from '../../load/bounded-map.ts';
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

/**
 * Short values of records that were referred to lately, with all columns that were asked for. Of a known record the database
 * sends the hash alone: for a page of 100 records with two references that saves a third of the processor time. A record of the
 * same identifier and hash has the same values, in whatever application it is.
 */
const KNOWN_MAX = 8_000;
const KNOWN_CHARACTERS_MAX = 512;
const known = new BoundedMap<string, KnownRecord>(KNOWN_MAX);

interface KnownRecord extends Referred {
  /** The columns that were asked for, with or without a value. */
  readonly asked: ReadonlySet<string>;
}

function knownOf(recordId: string, columnIds: readonly string[]): KnownRecord | undefined {
  const record = known.get(recordId);
  return record !== undefined && columnIds.every((columnId) => record.asked.has(columnId)) ? record : undefined;
}

/** The texts are copied: a part of a text keeps the whole in memory. */
function remember(recordId: string, { hash, values }: Referred, columnIds: readonly string[]): void {
  const before = known.get(recordId);
  const same = before?.hash === hash ? before : undefined;
  const kept = new Map(same?.values);
  for (const [columnId, text] of values) kept.set(columnId, Buffer.from(text).toString());
  let characters = 0;
  for (const text of kept.values()) characters += text.length;
  if (characters > KNOWN_CHARACTERS_MAX) return;
  known.set(recordId, { hash, values: kept, asked: new Set([...(same?.asked ?? []), ...columnIds]) });
}

/** By collection and record; a record that does not exist or that the caller may not read is absent. */
export async function readReferred(
  reader: Reader,
  referrals: readonly Referral[],
): Promise<Map<string, Map<string, Referred>>> {
  const found = new Map(referrals.map(({ collectionId }) => [collectionId, new Map<string, Referred>()]));
  const changed: Referral[] = [];
  const parts = referrals.flatMap(partsOf);
  const results = await reader.pipeline(
    parts.map((part) => statementOf(reader, part, part.isKnown ? '' : picked(part))),
  );
  for (const [index, part] of parts.entries()) {
    const records = found.get(part.collectionId)!;
    const rows = (results[index] ?? []) as (string | null)[][];
    if (!part.isKnown) addRead(records, rows, part);
    else {
      const recordIds = addKnown(records, rows, part);
      if (recordIds.length > 0) changed.push({ ...part, recordIds });
    }
  }
  if (changed.length === 0) return found;
  const again = await reader.pipeline(changed.map((part) => statementOf(reader, part, picked(part))));
  for (const [index, part] of changed.entries()) {
    addRead(found.get(part.collectionId)!, (again[index] ?? []) as (string | null)[][], part);
  }
  return found;
}

/** Records of which the hash is enough, and the others. */
function partsOf(referral: Referral): (Referral & { readonly isKnown: boolean })[] {
  const { recordIds, columnIds } = referral;
  if (columnIds.length === 0) return [{ isKnown: true, ...referral }];
  const [knownIds, others]: [string[], string[]] = [[], []];
  for (const id of recordIds) (knownOf(id, columnIds) === undefined ? others : knownIds).push(id);
  return [
    ...(knownIds.length === 0 ? [] : [{ isKnown: true, ...referral, recordIds: knownIds }]),
    ...(others.length === 0 ? [] : [{ isKnown: false, ...referral, recordIds: others }]),
  ];
}

/** Returns the identifiers of the records that are not as they were known. */
function addKnown(
  records: Map<string, Referred>,
  rows: readonly (readonly (string | null)[])[],
  { columnIds }: Referral,
): string[] {
  const changed: string[] = [];
  for (const [id, hash] of rows as [string, string][]) {
    const record = columnIds.length === 0 ? { hash, values: NO_VALUES } : knownOf(id, columnIds);
    if (record?.hash === hash) records.set(id, record);
    else changed.push(id);
  }
  return changed;
}

function addRead(
  records: Map<string, Referred>,
  rows: readonly (readonly (string | null)[])[],
  { columnIds }: Referral,
): void {
  for (const row of rows) {
    const id = row[0]!;
    const referred = readRow(row, columnIds);
    if (referred.longBytes === undefined) remember(id, referred, columnIds);
    records.set(id, referred);
  }
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
