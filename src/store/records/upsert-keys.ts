// Records found by the key of a unique column, for upserts. The results include records that the caller may not read; the
// operation decides what that means.

import type { Projection } from '../../domain/records/projections.ts';
import type { Transaction } from '../database/handles.ts';
import type { Row } from '../database/statements.ts';
import { fenceGeneration } from './fence.ts';
import { JoinedReads, type Requester } from './joined-reads.ts';
import { isLongRecord, LONG_ALONE_BYTES, LONG_AMONG_OTHERS_BYTES, readLongRecord, shortText } from './long-records.ts';
import type { LockedText, Table } from './records.ts';
import { tableOf } from './tables.ts';

/**
 * The upserts that were looked up together are written together. Like gets, two lookups at once and the first of a turn alone, 32
 * connections took 0.25 lookups and 0.21 writes for an upsert; this way 0.12 and 0.17.
 */
const PACE = { underWayMax: 1, collectsTurn: true };

interface Texts {
  readonly gets: JoinedReads;
  readonly lock: string;
}

const textsOf = new WeakMap<Projection, Texts>();

function texts({ schema, collection }: Table, key: Projection): Texts {
  let found = textsOf.get(key);
  if (found === undefined) {
    const table = tableOf(schema, collection.definition.id);
    const get = `select ${shortText('', LONG_ALONE_BYTES)} from ${table} where ${key.name} = $1`;
    found = {
      gets: new JoinedReads(
        `select ${key.name}, ${shortText('', LONG_AMONG_OTHERS_BYTES)}, created_by from ${table} where ${key.name} = any($1::text[])`,
        async ({ store, value }) => (await store.rows(get, [value]))[0]?.[0] as string | undefined,
        PACE,
      ),
      lock: `select ${shortText('', LONG_AMONG_OTHERS_BYTES)},
          case when octet_length(rec) > ${LONG_AMONG_OTHERS_BYTES} then ${key.name} end
        from ${table} where ${key.name} = any($1::text[]) order by id for update`,
    };
    textsOf.set(key, found);
  }
  return found;
}

/** The text of the record that has the key, or the size of a long one (store/records/long-records). */
export function getRecordByKey(
  { store, scope, table }: Requester,
  { projection, key }: { projection: Projection; key: string },
): Promise<string | undefined> {
  return texts(table, projection).gets.get({ store, scope, table, value: key, readScope: undefined });
}

/** The texts of the records found, and the long ones by their keys. Locks in the order of identifiers, like lockRecords. */
export async function lockRecordsByKeys(
  tx: Transaction,
  table: Table,
  { projection, keys }: { projection: Projection; keys: readonly string[] },
): Promise<{ recs: string[]; long: Map<string, LockedText>; fence: Row[] | undefined }> {
  const lock = { text: texts(table, projection).lock, params: [keys] };
  const [rows = [], fence] = await tx.pipeline([lock, fenceGeneration(tx.schema)]);
  const recs: string[] = [];
  const long = new Map<string, LockedText>();
  for (const [rec, key] of rows as [string, string | null][]) {
    if (isLongRecord(rec)) long.set(key ?? '', { id: readLongRecord(rec).id, rec });
    else recs.push(rec);
  }
  return { recs, long, fence };
}
