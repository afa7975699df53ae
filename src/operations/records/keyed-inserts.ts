// Inserts new records together with the reply to a request that has an Idempotency-Key. Such requests do not travel with
// others: each has a transaction of its own, with all that it inserts, the elements before a refused one included.

import type { KeptReply, KeyedRequest } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import type { RecordText } from '../../domain/records/record-text.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import type { Transaction } from '../../store/database/handles.ts';
import { insertRecords, type RecordRow } from '../../store/records/records.ts';
import { violatedColumn } from '../../store/records/tables.ts';
import { type InCollection, reportWritten } from '../in-collection.ts';
import type { Failure } from '../in-order.ts';
import { keyedTransaction } from '../keyed-requests.ts';
import { entriesOfNew, insertUpToRefused, type NewDraft, newRow } from './inserts.ts';
import { withLiveReferencesIfPossible } from './live-references.ts';

/** In characters. A longer reply is kept, and sent, without the values of its references: they can be many megabytes. */
const REPLY_LENGTH_MAX = 4 * 1024 * 1024;

export async function insertKeyed<R extends KeptReply>(
  at: InCollection,
  keyed: KeyedRequest,
  creation: {
    readonly drafts: readonly NewDraft[];
    readonly finished: (texts: readonly RecordText[], failure: Failure | undefined) => R;
  },
): Promise<R> {
  const { drafts, finished } = creation;
  const date = isoTime(at.now());
  const rows = drafts.map((made) => newRow(at, made, date));
  // Before the transaction, which waits for nothing but its own statements.
  const texts = await liveTexts(at, rows);
  let written = 0;
  try {
    return await keyedTransaction(at, keyed, async (tx) => {
      const { inserted, failure } = await insertAll(at, tx, { drafts, rows });
      written = inserted;
      const entries = entriesOfNew(at, rows.slice(0, inserted));
      return {
        statements: entries.length === 0 ? [] : [insertEntries(tx.schema, entries)],
        reply: () => finished(texts.slice(0, inserted), failure),
      };
    });
  } finally {
    if (keyed.kept) {
      reportWritten(
        at,
        rows.slice(0, written).map(({ rec }) => rec.length),
      );
    }
  }
}

async function liveTexts(at: InCollection, rows: readonly RecordRow[]): Promise<readonly RecordText[]> {
  const stored = rows.map((row) => row.rec);
  const texts = await withLiveReferencesIfPossible(at, stored);
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return length > REPLY_LENGTH_MAX ? stored : texts;
}

/** With one statement, or one by one if the database refuses a row. */
async function insertAll(
  at: InCollection,
  tx: Transaction,
  batch: { readonly drafts: readonly NewDraft[]; readonly rows: readonly RecordRow[] },
): Promise<{ inserted: number; failure: Failure | undefined }> {
  const { length } = batch.rows;
  if (length === 0) return { inserted: 0, failure: undefined };
  if (length === 1) return insertUpToRefused(at, tx, batch);
  const { done, error } = await tx.runUntilFailure([insertRecords(at.table, batch.rows)]);
  if (error === undefined) {
    if (done[0]?.length !== length) throw new StaleDefinition();
    return { inserted: length, failure: undefined };
  }
  if (violatedColumn(error) === undefined) throw error;
  return insertUpToRefused(at, tx, batch);
}
