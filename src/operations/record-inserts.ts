// New records on their way into the table: all by one statement, and only when the database refuses one of them row by row
// up to it.

import { isoTime } from '../domain/dates/iso-time.ts';
import { recordText } from '../domain/record-text.ts';
import { readValues } from '../domain/values/value-types.ts';
import { fault } from '../faults.ts';
import { insertEntries } from '../store/activity.ts';
import { loggedWrite } from '../store/logged-write.ts';
import { insertRecords, type RecordRow } from '../store/records.ts';
import { StaleDefinition, violatedConstraint } from '../store/sqlstate.ts';
import type { NewRecord } from '../wire/records.ts';
import type { Values } from '../wire/values.ts';
import { type InCollection, noteWritten } from './in-collection.ts';
import { type Failure, inOrder, type Outcome } from './in-order.ts';
import { type Draft, draft, duplicatedValues, recordEntries } from './record-drafts.ts';
import { completeTargets, type FoundTargets, findTargets } from './record-targets.ts';

export interface NewDraft extends Draft {
  readonly createdBy: { readonly id: string; readonly name: string };
}

export async function draftRecords(
  at: InCollection,
  records: readonly NewRecord[],
): Promise<{ drafts: NewDraft[]; failure?: Failure }> {
  const { done: reads, failure } = await inOrder(at, records, (record) =>
    readValues(at.collection.columns, record.values, { nullRemoves: false }),
  );
  const creatorIds = records.slice(0, reads.length).flatMap((record) => record.creatorId ?? []);
  const found = await findTargets(
    at,
    reads.flatMap((read) => read.targets),
    creatorIds,
  );
  const drafted = await inOrder(at, reads, (read, index) => {
    completeTargets(read.targets, found);
    return draftNew(at, read.values, { creatorId: records[index]?.creatorId, found });
  });
  return drafted.failure === undefined && failure !== undefined
    ? { drafts: drafted.done, failure }
    : { ...drafted, drafts: drafted.done };
}

/** Without `creatorId` the caller is the creator. */
export function draftNew(
  at: InCollection,
  values: Values,
  { creatorId, found }: { creatorId: string | undefined; found: FoundTargets },
): NewDraft {
  const name = creatorId === undefined ? at.caller.name : found.users.get(creatorId);
  if (name === undefined) throw fault('INVALID_CREATOR', { creatorId: creatorId ?? '' });
  const createdBy = { id: creatorId ?? at.caller.id, name };
  return { ...draft(at.collection, at.ids.long('r'), values), createdBy };
}

export async function insertDrafts(at: InCollection, drafts: readonly NewDraft[]): Promise<Outcome> {
  if (drafts.length === 0) return { texts: [] };
  const date = isoTime(at.now());
  const rows = drafts.map((made) => newRow(at, made, date));
  const entries = recordEntries(at, { kind: 'record.create', recordIds: rows.map((row) => row.id) });
  try {
    const inserted = await loggedWrite(at.store, insertRecords(at.table, rows), entries);
    if (inserted.length < rows.length) throw new StaleDefinition();
    noteWritten(at, rows.length);
    return { texts: rows.map((row) => row.rec) };
  } catch (error) {
    if (violatedConstraint(error) === undefined) throw error;
    const [only, ...others] = drafts;
    if (only !== undefined && others.length === 0)
      return { texts: [], failure: await refused(at, only, { index: 0, error }) };
  }
  return insertOneByOne(at, drafts, rows);
}

export function newRow(
  { caller }: InCollection,
  { id, hash, projected, valuesJson, createdBy }: NewDraft,
  now: string,
): RecordRow {
  const times = { createdAt: now, timestamp: now, updatedAt: now };
  const rec = recordText({ id, hash, valuesJson, createdBy, updatedBy: caller, ...times });
  return { id, rec, hash, projected, createdBy, updatedBy: caller, updatedAt: now };
}

/** After the database refused the batch: row by row up to the one that it refuses, in one transaction. */
async function insertOneByOne(
  at: InCollection,
  drafts: readonly NewDraft[],
  rows: readonly RecordRow[],
): Promise<Outcome> {
  const { inserted, error } = await at.store.transaction(async (tx) => {
    const { done, error } = await tx.ladder(rows.map((row) => insertRecords(at.table, [row])));
    if (done.some((result) => result.length === 0)) throw new StaleDefinition();
    if (error !== undefined && violatedConstraint(error) === undefined) throw error;
    const recordIds = rows.slice(0, done.length).map((row) => row.id);
    const entries = recordEntries(at, { kind: 'record.create', recordIds });
    if (entries.length > 0) await tx.last([insertEntries(tx.schema, entries)]);
    return { inserted: done.length, error };
  });
  noteWritten(at, inserted);
  const texts = rows.slice(0, inserted).map((row) => row.rec);
  const next = drafts[inserted];
  return next === undefined ? { texts } : { texts, failure: await refused(at, next, { index: inserted, error }) };
}

async function refused(
  at: InCollection,
  made: NewDraft,
  { index, error }: { index: number; error: unknown },
): Promise<Failure> {
  const duplicated = await duplicatedValues(at.store, at.collection, { error, refused: made });
  if (duplicated === undefined) throw error;
  return { index, fault: duplicated };
}
