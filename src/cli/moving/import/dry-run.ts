// Checks every row of a file by the definition, and what it names, without storing anything.

import type { RawOperations } from '../../../../client/src/operation-types.ts';
import { openTable } from '../formats/choose.ts';
import type { RejectedRow } from './journal.ts';
import { makePatience } from './patience.ts';
import { batchesOf } from './prepared-rows.ts';
import { makeProgress } from './progress.ts';
import { checkNamed, completionOf, type ImportJob } from './run-import.ts';

/** Values of unique columns that are remembered to find doubles within the file. */
const REMEMBERED_MAX = 1_000_000;

export interface Checked {
  readonly rows: number;
  readonly rejected: readonly RejectedRow[];
  /** More rows than are listed. */
  readonly more: number;
}

/** `raw` is undefined if the collection does not exist yet: then nothing can be looked up. */
export async function dryRun(job: ImportJob, raw: RawOperations | undefined): Promise<Checked> {
  const progress = makeProgress();
  const patience = makePatience(job.patienceMs, (reason) => progress.say(`${reason}; waiting …`));
  const completion = raw === undefined ? undefined : completionOf(job, raw, '', patience);
  const table = await openTable(job.file, job.format, job.readOptions);
  const doubles = doublesIn(job);
  const rejected: RejectedRow[] = [];
  let [rows, more] = [0, 0];
  try {
    for await (const batch of batchesOf(table, job.preparation, () => undefined)) {
      if (completion !== undefined) await checkNamed(batch.rows, completion);
      for (const row of batch.rows) {
        rows += 1;
        const reason = row.problem ?? doubles(row);
        if (reason === undefined) continue;
        if (rejected.length < job.rejectedMax) rejected.push({ row: row.number, line: row.line, reason });
        else more += 1;
      }
      progress.show(rows, table.progress());
    }
  } finally {
    progress.clear();
    await table.close();
  }
  return { rows, rejected, more };
}

/** An upsert may name a record twice: the later row then changes what the earlier made. */
function doublesIn({ collection, upsertKey }: ImportJob) {
  const columns = collection.columns.filter(({ unique, id }) => unique && id !== upsertKey?.id);
  const seen = new Map<string, number>();
  return ({ values, line }: { values: Readonly<Record<string, unknown>>; line: number }): string | undefined => {
    for (const { id, name } of columns) {
      if (values[id] === undefined || values[id] === null) continue;
      const key = `${id}${JSON.stringify(values[id])}`;
      const first = seen.get(key);
      if (first !== undefined) return `${name}: line ${first} has the same value, and the column is unique`;
      if (seen.size < REMEMBERED_MAX) seen.set(key, line);
    }
    return undefined;
  };
}
