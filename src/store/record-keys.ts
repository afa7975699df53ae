// Records found by the key of a unique column, which is how an upsert asks for them. Whoever asked is told of records
// that they may not read, too: what that means to them is for the operation to say.

import type { Projection } from '../domain/projections.ts';
import { fenceGeneration } from './fence.ts';
import type { Reader, Transaction } from './handles.ts';
import type { Table } from './records.ts';
import type { Row } from './statements.ts';
import { tableOf } from './tables.ts';

interface Texts {
  readonly get: string;
  readonly lock: string;
}

const textsOf = new WeakMap<Projection, Texts>();

function texts({ schema, collection }: Table, key: Projection): Texts {
  let found = textsOf.get(key);
  if (found === undefined) {
    const table = tableOf(schema, collection.definition.id);
    found = {
      get: `select rec from ${table} where ${key.name} = $1`,
      lock: `select rec from ${table} where ${key.name} = any($1::text[]) order by id for update`,
    };
    textsOf.set(key, found);
  }
  return found;
}

/** The text of the record that has the key. */
export async function getRecordByKey(
  reader: Reader,
  table: Table,
  { projection, key }: { projection: Projection; key: string },
): Promise<string | undefined> {
  const rows = await reader.rows(texts(table, projection).get, [key]);
  return rows[0]?.[0] as string | undefined;
}

/** The texts of those records that there are. Locks in the order of identifiers, as lockRecords does. */
export async function lockRecordsByKeys(
  tx: Transaction,
  table: Table,
  { projection, keys }: { projection: Projection; keys: readonly string[] },
): Promise<{ recs: string[]; fence: Row[] | undefined }> {
  const lock = { text: texts(table, projection).lock, params: [keys] };
  const [rows = [], fence] = await tx.flight([lock, fenceGeneration(tx.schema)]);
  return { recs: (rows as [string][]).map(([rec]) => rec), fence };
}
