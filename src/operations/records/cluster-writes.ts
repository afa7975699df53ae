// Writes one record and its entries on a cluster, in one round trip. Citus plans a statement on one table with given values
// once for a connection and runs it like any other; one that joins or selects what it inserts, as the fence and the entries want
// it, is planned each time, for 0.7 ms. So the entries are sent along with the change, and what must hold is asked
// after it: a question that is answered with no divides by zero, which undoes all of it.

import { insertEntry, type SubjectEntry } from '../../store/activity/activity.ts';
import { isDivisionByZero } from '../../store/database/database-errors.ts';
import type { Writer } from '../../store/database/handles.ts';
import type { Row, Statement } from '../../store/database/statements.ts';
import { requireGeneration, staleByFence } from '../../store/records/fence.ts';
import {
  type Conditions,
  insertGivenRecord,
  lockGivenRecord,
  type RecordRow,
  type Replacement,
  removeGivenRecord,
  replaceGivenRecord,
  requireChanged,
  requireFulfilled,
  type Table,
} from '../../store/records/records.ts';

interface Logged {
  readonly table: Table;
  readonly entries: readonly SubjectEntry[];
}

export async function insertOnCluster(
  writer: Writer,
  { table, entries, row }: Logged & { readonly row: RecordRow },
): Promise<Row[]> {
  try {
    return await commitLogged(writer, { table, entries, change: insertGivenRecord(table, row) });
  } catch (error) {
    throw staleByFence(error);
  }
}

/** No row if the record does not fulfil the conditions or the definition is stale, as of the statement for plain PostgreSQL. */
export function replaceOnCluster(
  writer: Writer,
  {
    replacement,
    conditions,
    ...logged
  }: Logged & { readonly replacement: Replacement; readonly conditions: Conditions },
): Promise<Row[]> {
  const { table } = logged;
  const change = replaceGivenRecord(table, replacement, conditions);
  return unlessRefused(commitLogged(writer, { ...logged, change, after: [requireChanged(table, replacement.id)] }));
}

/** A deleted record leaves no trace of the transaction that deleted it, so it is locked and looked at before. */
export function removeOnCluster(
  writer: Writer,
  { recordId, conditions, ...logged }: Logged & { readonly recordId: string; readonly conditions: Conditions },
): Promise<Row[]> {
  const { table } = logged;
  const before = [lockGivenRecord(table, recordId), requireFulfilled(table, recordId, conditions)];
  return unlessRefused(
    commitLogged(writer, { ...logged, before, change: removeGivenRecord(table, recordId, conditions) }),
  );
}

interface LoggedChange extends Logged {
  readonly before?: readonly Statement[];
  readonly change: Statement;
  readonly after?: readonly Statement[];
}

/** The rows of the change. */
function commitLogged(
  writer: Writer,
  { table: { schema, generation }, entries, before = [], change, after = [] }: LoggedChange,
): Promise<Row[]> {
  return writer.dataTransaction(async (tx) => {
    const results = await tx.commitWith([
      ...before,
      change,
      ...after,
      ...entries.map((entry) => insertEntry(schema, entry)),
      requireGeneration(schema, generation),
    ]);
    return results[before.length] ?? [];
  });
}

async function unlessRefused(writing: Promise<Row[]>): Promise<Row[]> {
  try {
    return await writing;
  } catch (error) {
    if (isDivisionByZero(error)) return [];
    throw error;
  }
}
