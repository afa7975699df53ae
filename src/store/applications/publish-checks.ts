// Checks of a collection's records before a publish changes anything: their number, and values that collide in a column
// that becomes unique.

import type { Reader } from '../database/handles.ts';
import { tableOf } from '../records/tables.ts';

const EXAMPLES_MAX = 5;
const SHOWN_CHARACTERS = 200;

/** With a column: only the records that have a value in it. */
export async function countRecords(reader: Reader, collectionId: string, columnId?: string): Promise<number> {
  const table = tableOf(reader.schema, collectionId);
  const where = columnId === undefined ? '' : `where rec::json -> 'values' -> '${columnId}' is not null`;
  const rows = await reader.rows(`select count(*)::int from ${table} ${where}`);
  return Number(rows[0]?.[0]);
}

export interface Collision {
  /** The value, or the start of its JSON text when it is long. */
  readonly value: unknown;
  readonly recordIds: readonly string[];
}

/**
 * Values that several records have in a column, with some of the records; equal values have equal canonical text.
 * `byKey`: compared by the keys already filled in, which ignore the name of a User.
 */
export async function findCollisions(
  reader: Reader,
  collectionId: string,
  columnId: string,
  { byKey } = { byKey: false },
): Promise<Collision[]> {
  const value = `(rec::json -> 'values' -> '${columnId}')::text`;
  const rows = await reader.rows(
    `select left(min(value), ${SHOWN_CHARACTERS + 1}), (array_agg(id order by id))[1:${EXAMPLES_MAX}]
     from (select id, ${value} as value, ${byKey ? `u_${columnId}` : value} as key from ${tableOf(reader.schema, collectionId)}) v
     where key is not null group by key having count(*) > 1 order by 1 limit ${EXAMPLES_MAX}`,
  );
  return (rows as [string, string[]][]).map(([text, recordIds]) => ({ value: readShown(text), recordIds }));
}

function readShown(text: string): unknown {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : (JSON.parse(text) as unknown);
}
