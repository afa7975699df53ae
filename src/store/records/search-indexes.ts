// What searches need done behind the writers' backs. The search index appends what is written to a list that has yet to be
// sorted in (store/records/tables): a long list slows searches down, sorting in little by little slows writers down, so it is done
// when a collection's writers pause, and at the latest after so many records. And the database must know which words are
// frequent to search well; by itself it looks only now and then, so a growing collection is looked at by its doubling.

import type { Database } from '../database/database.ts';
import { StaleDefinition } from '../database/sqlstate.ts';
import type { Table } from './records.ts';
import { searchIndexName, tableOf } from './tables.ts';

const RECORDS_MAX = 4_000;
const PAUSE_MS = 500;
const TABLES_MAX = 10_000;
const FIRST_LOOK = 1_000;
const FORGET_MS = 10 * 60_000;

interface IndexedTable {
  readonly applicationId: string;
  readonly index: string;
  readonly table: string;
  /** Written since the list was sorted in. */
  records: number;
  lastWrite: number;
  /** Written since the last look, and how many call for another. */
  unseen: number;
  look: number;
}

export class SearchIndexes {
  readonly #pending = new Map<string, IndexedTable>();

  /** This node has written records of the collection. */
  wrote(applicationId: string, { schema, collection }: Table, records: number): void {
    if (collection.projections.sections.length === 0) return;
    const table = tableOf(schema, collection.definition.id);
    const held = this.#pending.get(table);
    const lastWrite = performance.now();
    if (held !== undefined) {
      held.records += records;
      held.unseen += records;
      held.lastWrite = lastWrite;
      return;
    }
    if (this.#pending.size >= TABLES_MAX) return;
    const index = `${schema}.${searchIndexName(collection.definition.id)}`;
    const look = FIRST_LOOK;
    this.#pending.set(table, { applicationId, index, table, records, lastWrite, unseen: records, look });
  }

  /** Does what is due, one collection after the other. A cluster's workers do it in their own time. */
  async tidy(database: Database): Promise<void> {
    for (const pending of [...this.#pending.values()]) {
      try {
        await this.#tidyOne(database, pending);
      } catch (error) {
        // Otherwise the collection is no longer there, or no longer searched.
        if (!(error instanceof StaleDefinition)) throw error;
        this.#pending.delete(pending.table);
      }
      if (performance.now() - pending.lastWrite > FORGET_MS) this.#pending.delete(pending.table);
    }
  }

  async #tidyOne(database: Database, pending: IndexedTable): Promise<void> {
    const { applicationId, index, table } = pending;
    const paused = performance.now() - pending.lastWrite >= PAUSE_MS;
    if (pending.records === 0 || (pending.records < RECORDS_MAX && !paused)) return;
    pending.records = 0;
    if (database.engine === 'citus') return;
    const writer = database.application(applicationId);
    await writer.write('select gin_clean_pending_list($1::regclass)', [index]);
    if (pending.unseen < pending.look) return;
    pending.unseen = 0;
    pending.look *= 2;
    await writer.write(`analyze (skip_locked) ${table}`, []);
  }
}
