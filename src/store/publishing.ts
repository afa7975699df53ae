// What publishing asks of the tables that are already there: locks, counts, collisions, and the rewriting of records.

import type { Reader, Row, Statement, Transaction } from './db.ts';
import type { Table } from './records.ts';
import { isLocked } from './sqlstate.ts';
import { addProjection, dropProjection, lockAgainstWriters, type Projection, tableOf } from './tables.ts';

const EXAMPLES_MAX = 5;
const SHOWN_CHARACTERS = 200;
const PAGE = 1_000;

/** One publisher of an application at a time, over all nodes; two numbers name the lock ("publ", and the application). */
const PUBLISH_LOCK = 0x7075626c;

export async function lockPublishing(tx: Transaction, applicationId: string): Promise<void> {
  let key = 0;
  for (const character of applicationId) key = (Math.imul(key, 31) + (character.codePointAt(0) ?? 0)) | 0;
  await tx.rows('select pg_advisory_xact_lock($1, $2)', [PUBLISH_LOCK, key]);
}

export async function countRecords(reader: Reader, collectionId: string, columnId?: string): Promise<number> {
  const table = tableOf(reader.schema, collectionId);
  const where = columnId === undefined ? '' : `where rec::json -> 'values' -> '${columnId}' is not null`;
  const rows = await reader.rows(`select count(*)::int from ${table} ${where}`);
  return Number(rows[0]?.[0]);
}

export interface Collision {
  /** The value; the beginning of its JSON text when it is long. */
  readonly value: unknown;
  readonly recordIds: readonly string[];
}

function readShown(text: string): unknown {
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : (JSON.parse(text) as unknown);
}

/** Values that several records have in a column, with some of the records; equal values have equal canonical text. */
export async function findCollisions(reader: Reader, collectionId: string, columnId: string): Promise<Collision[]> {
  const rows = await reader.rows(
    `select left(value, ${SHOWN_CHARACTERS + 1}), (array_agg(id order by id))[1:${EXAMPLES_MAX}]
     from (select id, (rec::json -> 'values' -> '${columnId}')::text as value from ${tableOf(reader.schema, collectionId)}) v
     where value is not null group by value having count(*) > 1 order by 1 limit ${EXAMPLES_MAX}`,
  );
  return (rows as [string, string[]][]).map(([text, recordIds]) => ({ value: readShown(text), recordIds }));
}

/** How long a change of a table may keep readers waiting before it gives way to them, and how often it tries again. */
const READERS_WAIT_MS = 200;
const LOCK_ATTEMPTS = 60;

/**
 * Runs a statement that needs a table for itself. Whoever waits for such a lock makes all who come later wait behind it,
 * readers included; so it waits only for a moment at a time.
 */
export async function changeTable(tx: Transaction, statement: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { error } = await tx.ladder([
      { text: `set local lock_timeout = ${READERS_WAIT_MS}`, params: [] },
      { text: statement, params: [] },
      { text: 'set local lock_timeout = 0', params: [] },
    ]);
    if (error === undefined) return;
    if (!isLocked(error) || attempt === LOCK_ATTEMPTS) throw error;
    await new Promise((resolve) => setTimeout(resolve, READERS_WAIT_MS * Math.random()));
  }
}

/** Nothing but nullable columns that no reader or writer of the present definition knows. */
export async function addProjections(
  tx: Transaction,
  collectionId: string,
  projections: readonly Projection[],
): Promise<void> {
  const present = await presentProjections(tx, collectionId);
  for (const projection of projections) {
    if (!present.has(projection.name)) await changeTable(tx, addProjection(tx.schema, collectionId, projection));
  }
}

/** Those that the definition has no more, and what an interrupted publishing may have left. */
export async function dropOtherProjections(
  tx: Transaction,
  collectionId: string,
  wanted: readonly Projection[],
): Promise<void> {
  const names = new Set(wanted.map((projection) => projection.name));
  for (const name of await presentProjections(tx, collectionId)) {
    if (!names.has(name)) await changeTable(tx, dropProjection(tx.schema, collectionId, { name }));
  }
}

async function presentProjections(tx: Transaction, collectionId: string): Promise<Set<string>> {
  const rows = await tx.rows(
    `select attname::text from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
       and attname like 'u\\_%'`,
    [tableOf(tx.schema, collectionId)],
  );
  return new Set(rows.map((row) => row[0] as string));
}

/** Until the commit. `table`: a collection, or another table of the application. */
export async function keepWritersOut(tx: Transaction, table: string): Promise<void> {
  await tx.rows(lockAgainstWriters(tx.schema, table));
}

/**
 * Walks all records in pages and writes what `change` makes of them; undefined where a record stays as it is. The table
 * names the version that the fence holds until the switch.
 */
export async function rewriteRecords<T>(
  tx: Transaction,
  table: Table,
  { change, write }: { change: (id: string, rec: string) => T | undefined; write: (rows: T[]) => Statement },
): Promise<void> {
  const name = tableOf(table.schema, table.collection.definition.id);
  for (let after = ''; ; ) {
    const page: Row[] = await tx.rows(`select id, rec from ${name} where id > $1 order by id limit ${PAGE}`, [after]);
    const rows = (page as [string, string][]).map(([id, rec]) => change(id, rec)).filter((row) => row !== undefined);
    if (rows.length > 0) {
      const { text, params } = write(rows);
      await tx.rows(text, params);
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.[0] as string;
  }
}
