// Inserts one record and its entries on a cluster, in one round trip. Citus plans an insert of given values once for a
// connection and runs it like any other; one that selects, as the fence and the entries want it, is planned each time, for
// 0.7 ms. So the fence is asked after the inserts, and fails the transaction if it refuses.

import { insertEntry, type SubjectEntry } from '../../store/activity/activity.ts';
import type { Writer } from '../../store/database/handles.ts';
import type { Row } from '../../store/database/statements.ts';
import { requireGeneration, staleByFence } from '../../store/records/fence.ts';
import { insertGivenRecord, type RecordRow, type Table } from '../../store/records/records.ts';

interface Insert {
  readonly table: Table;
  readonly row: RecordRow;
  readonly entries: readonly SubjectEntry[];
}

export function insertOnCluster(writer: Writer, { table, row, entries }: Insert): Promise<Row[]> {
  const { schema, generation } = table;
  return writer.dataTransaction(async (tx) => {
    try {
      const [rows = []] = await tx.commitWith([
        insertGivenRecord(table, row),
        ...entries.map((entry) => insertEntry(schema, entry)),
        requireGeneration(schema, generation),
      ]);
      return rows;
    } catch (error) {
      throw staleByFence(error);
    }
  });
}
