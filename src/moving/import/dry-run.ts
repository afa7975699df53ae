// Checks every row of a file by the definition, and what it names, without storing anything.

import type { RowProblem } from '../problems.ts';
import type { RejectedRow } from './journal.ts';
import { batchesOf, type PreparedRow } from './prepared-rows.ts';
import { checkNamed, completionOf, type ImportJob, type ImportSurroundings } from './run-import.ts';

/** Values of unique columns that are remembered to find doubles within the file. */
const REMEMBERED_MAX = 1_000_000;

export interface Checked {
  readonly rows: number;
  readonly rejected: readonly RejectedRow[];
  /** More rows than are listed. */
  readonly more: number;
}

/** `progress` hears the rows, how many of them would be rejected, and the share of the file that is read. */
export interface CheckSurroundings extends Pick<ImportSurroundings, 'beforeBatch'> {
  /** Undefined if the collection does not exist yet: then nothing can be looked up. */
  readonly connection: Pick<ImportSurroundings, 'raw' | 'files' | 'patience'> | undefined;
  readonly progress: (rows: number, rejected: number, share: number) => void;
}

export async function dryRun(job: ImportJob, surroundings: CheckSurroundings): Promise<Checked> {
  const { connection, progress, beforeBatch } = surroundings;
  const completion = connection === undefined ? undefined : completionOf(job, connection);
  const table = await job.open();
  const doubles = doublesIn(job);
  const rejected: RejectedRow[] = [];
  let [rows, more] = [0, 0];
  try {
    for await (const batch of batchesOf(table, job.preparation, () => undefined)) {
      await beforeBatch?.();
      if (completion !== undefined) await checkNamed(batch.rows, completion);
      for (const row of batch.rows) {
        rows += 1;
        const problems = row.problems.length > 0 ? row.problems : doubles(row);
        if (problems.length === 0) continue;
        if (rejected.length < job.rejectedMax) rejected.push({ row: row.number, line: row.line, problems });
        else more += 1;
      }
      progress(rows, rejected.length + more, table.progress());
    }
  } finally {
    await table.close();
  }
  return { rows, rejected, more };
}

/** An upsert may name a record twice: the later row then changes what the earlier made. */
function doublesIn({ collection, upsertKey }: ImportJob) {
  const columns = collection.columns.filter(({ unique, id }) => unique && id !== upsertKey?.id);
  const seen = new Map<string, number>();
  return ({ values, line }: PreparedRow): RowProblem[] => {
    for (const { id, name } of columns) {
      if (values[id] === undefined || values[id] === null) continue;
      const key = `${id}${JSON.stringify(values[id])}`;
      const first = seen.get(key);
      if (first !== undefined) return [{ code: 'double', params: { count: first }, at: { id, name } }];
      if (seen.size < REMEMBERED_MAX) seen.set(key, line);
    }
    return [];
  };
}
