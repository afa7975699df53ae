// New records on their way into the table: all by one statement, and only when the database refuses one of them row by row
// up to it.

import type { Context } from '../context.ts';
import type { PreparedCollection } from '../domain/application.ts';
import { recordText } from '../domain/record-text.ts';
import { readValues } from '../domain/values/value-types.ts';
import { fault } from '../faults.ts';
import { insertEntries } from '../store/activity.ts';
import { loggedWrite } from '../store/logged-write.ts';
import { insertRecords, type RecordRow } from '../store/records.ts';
import { StaleDefinition, violatedConstraint } from '../store/sqlstate.ts';
import type { NewRecord } from '../wire/records.ts';
import { type Failure, inOrder } from './in-order.ts';
import { type Draft, draft, duplicatedValues, isoTime, recordEntries } from './record-drafts.ts';
import { completeTargets, findTargets } from './record-targets.ts';
import type { Outcome } from './record-updates.ts';

interface NewDraft extends Draft {
  readonly createdBy: { readonly id: string; readonly name: string };
}

export async function draftRecords(
  context: Context,
  collection: PreparedCollection,
  records: readonly NewRecord[],
): Promise<{ drafts: NewDraft[]; failure?: Failure }> {
  const { done: reads, failure } = inOrder(records, (record) =>
    readValues(collection.columns, record.values, { nullRemoves: false }),
  );
  const creatorIds = records.slice(0, reads.length).flatMap((record) => record.creatorId ?? []);
  const found = await findTargets(
    context,
    reads.flatMap((read) => read.targets),
    creatorIds,
  );
  const drafted = inOrder(reads, (read, index) => {
    completeTargets(read.targets, found);
    const creatorId = records[index]?.creatorId;
    const name = creatorId === undefined ? context.caller.name : found.users.get(creatorId);
    if (name === undefined) throw fault('INVALID_CREATOR', { creatorId: creatorId ?? '' });
    const createdBy = { id: creatorId ?? context.caller.id, name };
    return { ...draft(collection, context.ids.long('r'), read.values), createdBy };
  });
  return { drafts: drafted.done, ...((drafted.failure ?? failure) ? { failure: drafted.failure ?? failure } : {}) };
}

export async function insertDrafts(
  context: Context,
  collection: PreparedCollection,
  drafts: readonly NewDraft[],
): Promise<Outcome> {
  if (drafts.length === 0) return { texts: [] };
  const { store, application, caller } = context;
  const now = isoTime(context.now());
  const rows: RecordRow[] = drafts.map((made) => ({
    ...made,
    createdBy: made.createdBy.id,
    updatedAt: now,
    rec: recordText({ ...made, createdAt: now, timestamp: now, updatedAt: now, updatedBy: caller }),
  }));
  const entries = recordEntries(
    context,
    collection,
    'record.create',
    rows.map((row) => row.id),
    now,
  );
  try {
    const inserted = await loggedWrite(
      store,
      insertRecords(store.schema, collection, application.version, rows),
      entries,
    );
    if (inserted.length < rows.length) throw new StaleDefinition();
    return { texts: rows.map((row) => row.rec) };
  } catch (error) {
    if (violatedConstraint(error) === undefined) throw error;
    if (rows.length === 1) return refusedAt(context, collection, drafts, 0, error);
  }
  return insertOneByOne(context, collection, drafts, rows);
}

/** After the database refused the batch: row by row up to the one that it refuses, in one transaction. */
async function insertOneByOne(
  context: Context,
  collection: PreparedCollection,
  drafts: readonly NewDraft[],
  rows: readonly RecordRow[],
): Promise<Outcome> {
  const { store, application } = context;
  const { inserted, error } = await store.transaction(async (tx) => {
    const steps = rows.map((row) => insertRecords(tx.schema, collection, application.version, [row]));
    const { done, error } = await tx.ladder(steps);
    if (done.some((result) => result.length === 0)) throw new StaleDefinition();
    if (error !== undefined && violatedConstraint(error) === undefined) throw error;
    const applied = rows.slice(0, done.length).map((row) => row.id);
    const entries = recordEntries(context, collection, 'record.create', applied, isoTime(context.now()));
    if (entries.length > 0) await tx.last([insertEntries(tx.schema, entries)]);
    return { inserted: done.length, error };
  });
  const texts = rows.slice(0, inserted).map((row) => row.rec);
  return error === undefined
    ? { texts }
    : { ...(await refusedAt(context, collection, drafts, inserted, error)), texts };
}

async function refusedAt(
  context: Context,
  collection: PreparedCollection,
  drafts: readonly NewDraft[],
  index: number,
  error: unknown,
): Promise<Outcome> {
  const refused = drafts[index];
  const duplicated = refused && (await duplicatedValues(context.store, collection, error, refused));
  if (duplicated === undefined) throw error;
  return { texts: [], failure: { index, fault: duplicated } };
}
