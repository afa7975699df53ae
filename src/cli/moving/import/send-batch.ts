// Sends a batch, and goes on after a row that the server refuses. What each request settled goes into the journal.

import { CartularyError } from '../../../../client/src/errors.ts';
import type { RawOperations } from '../../../../client/src/operation-types.ts';
import type { RawNewRecord } from '../../../../client/src/shapes.ts';
import type { Collection } from '../../../wire/applications.ts';
import { CommandFailure } from '../../failure.ts';
import { shownCell } from '../values/cell-problem.ts';
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
  readonly reason?: string;
}

export async function sendBatch(batch: PreparedBatch, to: Destination): Promise<void> {
  const { from, rows } = batch;
  let done = batch.done;
  while (done < rows.length) {
    const rest = rows.slice(done);
    const good = rest.filter(({ problem }) => problem === undefined);
    const { stored, reason } = good.length === 0 ? { stored: 0 } : await send(good, to);
    const refused = reason === undefined ? undefined : good[stored];
    if (refused !== undefined) refused.problem = reason;
    // Without a refused row everything is settled, and otherwise everything up to it.
    const settled = refused === undefined ? rest.length : rest.indexOf(refused) + 1;
    const rejected = rest.slice(0, settled).flatMap(rejectionOf);
    done += settled;
    to.journal.noteSettled({ from, rows: rows.length, done, stored, rejected });
  }
}

const rejectionOf = ({ number, line, problem }: PreparedRow): RejectedRow[] =>
  problem === undefined ? [] : [{ row: number, line, reason: problem }];

async function send(rows: readonly PreparedRow[], to: Destination): Promise<Outcome> {
  const { raw, collection, upsertKeyColumnId, journal, patience } = to;
  const body = rows.map(({ values }) => ({ values }) as RawNewRecord);
  const first = rows[0]?.number ?? 0;
  const idempotencyKey = `${journal.head.id}-${first}`;
  journal.noteSent(first);
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
    throw new CommandFailure(
      'The server has already received these rows with other values, because records or users that they name have changed since. Look which of them are stored, and import the rest from a file of its own.',
    );
  }
  if (recordIndex === undefined || error.status >= 500) throw error;
  return { stored: recordIndex, reason: reasonOf(error, collection) };
}

/** In the words of the file: columns by their names. */
function reasonOf(error: CartularyError, { columns }: Collection): string {
  const nameOf = (id: string | undefined) => columns.find((column) => column.id === id)?.name ?? id ?? '';
  if (error.is('DUPLICATED_VALUES')) {
    const { duplicatedValues } = error.params;
    const taken = duplicatedValues.map(({ columnId, value }) => `${nameOf(columnId)} ${shownCell(bare(value))}`);
    return `${taken.join(', ')} is taken: another record has it`;
  }
  const { columnId, reason } = error.params as { readonly columnId?: string; readonly reason?: string };
  return columnId === undefined ? (reason ?? error.message) : `${nameOf(columnId)}: ${reason ?? error.code}`;
}

function bare(value: unknown): unknown {
  const { value: inner, name, recordId } = value as { value?: unknown; name?: unknown; recordId?: unknown };
  return inner ?? name ?? recordId ?? value;
}
