// Sends a batch, and goes on after a row that the server refuses. What each request settled goes into the journal.

import { CartularyError } from '../../../client/src/errors.ts';
import type { RawOperations } from '../../../client/src/operation-types.ts';
import type { CollectionDefinition as Collection, RawNewRecord } from '../../../client/src/shapes.ts';
import { MovingFailure } from '../failure.ts';
import { type RowProblem, shownCell } from '../problems.ts';
import type { Journal, RejectedRow } from './journal.ts';
import type { Patience } from './patience.ts';
import type { PreparedBatch, PreparedRow } from './prepared-rows.ts';

export interface Destination {
  readonly raw: RawOperations;
  readonly collection: Collection;
  readonly upsertKeyColumnId: string | undefined;
  readonly journal: Journal;
  readonly patience: Patience;
}

interface Outcome {
  /** How many of the records that were sent are stored. */
  readonly stored: number;
  /** Why the next one is not. */
  readonly problem?: RowProblem;
}

export async function sendBatch(batch: PreparedBatch, to: Destination): Promise<void> {
  const { from, rows } = batch;
  let done = batch.done;
  while (done < rows.length) {
    const rest = rows.slice(done);
    const good = rest.filter(({ problems }) => problems.length === 0);
    const { stored, problem } = good.length === 0 ? { stored: 0 } : await send(good, to);
    const refused = problem === undefined ? undefined : good[stored];
    if (problem !== undefined) refused?.problems.push(problem);
    // Without a refused row everything is settled, and otherwise everything up to it.
    const settled = refused === undefined ? rest.length : rest.indexOf(refused) + 1;
    const rejected = rest.slice(0, settled).flatMap(rejectionOf);
    done += settled;
    await to.journal.noteSettled({ from, rows: rows.length, done, stored, rejected });
  }
}

const rejectionOf = ({ number, line, problems }: PreparedRow): RejectedRow[] =>
  problems.length === 0 ? [] : [{ row: number, line, problems }];

async function send(rows: readonly PreparedRow[], to: Destination): Promise<Outcome> {
  const { raw, collection, upsertKeyColumnId, journal, patience } = to;
  const body = rows.map(({ values }) => ({ values }) as RawNewRecord);
  const first = rows[0]?.number ?? 0;
  const idempotencyKey = `${journal.head.id}-${first}`;
  await journal.noteSent(first);
  try {
    await patience.withRetries(() =>
      upsertKeyColumnId === undefined
        ? raw.createRecords({ collectionId: collection.id, body, idempotencyKey })
        : raw.upsertRecords({ collectionId: collection.id, upsertKeyColumnId, body }),
    );
    return { stored: rows.length };
  } catch (error) {
    return refusedRow(error, collection);
  }
}

function refusedRow(error: unknown, collection: Collection): Outcome {
  if (!(error instanceof CartularyError)) throw error;
  const { recordIndex } = error.params as { readonly recordIndex?: number };
  if (error.code === 'IDEMPOTENCY_KEY_REUSED') {
    throw new MovingFailure('keyReused');
  }
  if (recordIndex === undefined || error.status >= 500) throw error;
  return { stored: recordIndex, problem: problemOf(error, collection) };
}

/** In the words of the file: columns by their names. */
function problemOf(error: CartularyError, { columns }: Collection): RowProblem {
  const nameOf = (id: string | undefined) => columns.find((column) => column.id === id)?.name ?? id ?? '';
  if (error.is('DUPLICATED_VALUES')) {
    const { duplicatedValues } = error.params;
    const taken = duplicatedValues.map(({ columnId, value }) => `${nameOf(columnId)} ${shownCell(bare(value))}`);
    return { code: 'taken', params: { text: taken.join(', ') } };
  }
  const { columnId, reason } = error.params as { readonly columnId?: string; readonly reason?: string };
  if (columnId === undefined) return { code: 'refused', params: { text: reason ?? error.message } };
  return { code: 'refused', params: { text: reason ?? error.code }, at: { id: columnId, name: nameOf(columnId) } };
}

function bare(value: unknown): unknown {
  const { value: inner, name, recordId } = value as { value?: unknown; name?: unknown; recordId?: unknown };
  return inner ?? name ?? recordId ?? value;
}
