// Background maintenance of search indexes. Writes are appended to the index's pending list (store/records/tables). A long
// list slows searches down and merging it often slows writers down, so it is merged when a collection's writers pause, or
// after RECORDS_MAX records. A short list stays: a search reads 100 records of it in less than a millisecond, and merging each
// record by itself took several times what its create had taken. Good plans also need statistics of frequent words; autovacuum collects them too rarely, so a
// collection is analyzed each time it has about doubled. That takes half a second for 100,000 records, so a server that has just
// started asks how many there were the last time.

import type { Database } from '../database/database.ts';
import { StaleDefinition } from '../database/database-errors.ts';
import type { Writer } from '../database/handles.ts';
import { runOnShard } from '../database/shards.ts';
import type { Table } from './records.ts';
import { searchIndexName, tableOf } from './tables.ts';

const RECORDS_MAX = 4_000;
/** A list of fewer records, and of less text, is short. */
const RECORDS_MIN = 100;
const CHARACTERS_MIN = 128 * 1024;
const PAUSE_MS = 500;
const TABLES_MAX = 10_000;
const FIRST_ANALYZE_RECORDS = 1_000;
/** After such a pause even a short list is merged, because it would be forgotten: forgotten ones would add up. */
const FORGET_MS = 10 * 60_000;
/** What could not be done is tried again after this. */
const RETRY_MS = 10_000;
/** The database itself is probably away after so many. */
const FAILURES_MAX = 3;

interface IndexedTable {
  readonly applicationId: string;
  readonly index: string;
  readonly table: string;
  /** Written since the pending list was merged. */
  records: number;
  characters: number;
  lastWrite: number;
  /** Written since the table was analyzed, and the number at which it may be due again. */
  unanalyzed: number;
  analyzeAt: number;
  /** Not to be tried again before (`performance.now()`). */
  waitsUntil: number;
}

export class SearchIndexes {
  readonly #pending = new Map<string, IndexedTable>();

  /** This node has written records of the collection. `lengths`: of their texts, about. */
  wrote(applicationId: string, { schema, collection }: Table, lengths: readonly number[]): void {
    if (collection.projections.sections.length === 0) return;
    const records = lengths.length;
    const characters = lengths.reduce((sum, length) => sum + length, 0);
    const table = tableOf(schema, collection.definition.id);
    const held = this.#pending.get(table);
    const lastWrite = performance.now();
    if (held !== undefined) {
      held.records += records;
      held.characters += characters;
      held.unanalyzed += records;
      held.lastWrite = lastWrite;
      return;
    }
    if (this.#pending.size >= TABLES_MAX) return;
    const index = `${schema}.${searchIndexName(collection.definition.id)}`;
    const analyzeAt = FIRST_ANALYZE_RECORDS;
    const due = { records, characters, lastWrite, unanalyzed: records, analyzeAt, waitsUntil: 0 };
    this.#pending.set(table, { applicationId, index, table, ...due });
  }

  /**
   * Does what is due, one collection after another. One that fails waits, and so do those on the same worker of a cluster, which
   * may be lost; the others go on. Throws the first failure at the end.
   */
  async tidy(database: Database, signal?: AbortSignal): Promise<void> {
    const lost = new Set<object | undefined>();
    const failed: IndexedTable[] = [];
    let failure: unknown;
    for (const pending of [...this.#pending.values()]) {
      if (signal?.aborted || failed.length - lost.size >= FAILURES_MAX) break;
      if (isForgotten(pending)) this.#pending.delete(pending.table);
      if (!isDue(pending)) continue;
      if (lost.has(database.workerOf(pending.applicationId))) {
        pending.waitsUntil = performance.now() + RETRY_MS;
        continue;
      }
      try {
        await tidyOne(database, pending);
      } catch (error) {
        if (error instanceof StaleDefinition) {
          // The collection no longer exists, or is no longer searchable.
          this.#pending.delete(pending.table);
          continue;
        }
        pending.waitsUntil = performance.now() + RETRY_MS;
        failure ??= error;
        failed.push(pending);
        const worker = database.workerOf(pending.applicationId);
        if (worker !== undefined) lost.add(worker);
      }
    }
    // To the end: the next time others are tried first, which may find that only this one cannot be done.
    for (const pending of failed) {
      this.#pending.delete(pending.table);
      this.#pending.set(pending.table, pending);
    }
    if (failure !== undefined) throw failure;
  }
}

async function tidyOne(database: Database, pending: IndexedTable): Promise<void> {
  const { applicationId, index, table, records, characters } = pending;
  const indexed = (database.engine === 'citus' ? onWorker : here)(database.application(applicationId), {
    table,
    index,
  });
  await indexed.mergePending();
  // Others may have been written meanwhile.
  pending.records -= records;
  pending.characters -= characters;
  if (!mayNeedAnalyze(pending)) return;
  // -1 if the table was never analyzed.
  pending.analyzeAt = Math.max(FIRST_ANALYZE_RECORDS, await indexed.countAtAnalyze());
  if (!mayNeedAnalyze(pending)) return;
  const { unanalyzed } = pending;
  await indexed.analyze();
  pending.unanalyzed -= unanalyzed;
  pending.analyzeAt = FIRST_ANALYZE_RECORDS;
}

const mayNeedAnalyze = ({ unanalyzed, analyzeAt }: IndexedTable): boolean => unanalyzed >= analyzeAt;

const isSettled = (pending: IndexedTable): boolean => pending.records === 0 && !mayNeedAnalyze(pending);

const isForgotten = (pending: IndexedTable): boolean =>
  isSettled(pending) && performance.now() - pending.lastWrite > FORGET_MS;

function isDue(pending: IndexedTable): boolean {
  const { records, characters, lastWrite, waitsUntil } = pending;
  const now = performance.now();
  if (isSettled(pending) || now < waitsUntil) return false;
  const isShort = records < RECORDS_MIN && characters < CHARACTERS_MIN && !mayNeedAnalyze(pending);
  return records >= RECORDS_MAX || now - lastWrite >= (isShort ? FORGET_MS : PAUSE_MS);
}

type Named = Pick<IndexedTable, 'table' | 'index'>;

const here = (writer: Writer, { table, index }: Named) => ({
  mergePending: () => writer.write('select gin_clean_pending_list($1::regclass)', [index]),
  countAtAnalyze: async () =>
    (await writer.rows('select reltuples::int from pg_class where oid = $1::regclass', [table]))[0]?.[0] as number,
  analyze: () => writer.write(`analyze (skip_locked) ${table}`, []),
});

/** A cluster has the rows in a table of another name, whose indexes have its number at their end. */
const onWorker = (writer: Writer, { table, index }: Named) => ({
  mergePending: () =>
    runOnShard(
      writer,
      table,
      `select gin_clean_pending_list(i.indexrelid) from pg_index i join pg_class c on c.oid = i.indexrelid
       where i.indrelid = '%s'::regclass and starts_with(c.relname, '${index.split('.')[1]}_')`,
    ),
  countAtAnalyze: async () =>
    Number(await runOnShard(writer, table, "select reltuples::int from pg_class where oid = '%s'::regclass")),
  analyze: () => runOnShard(writer, table, 'analyze (skip_locked) %s'),
});
