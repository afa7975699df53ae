// Inserts new records: all with one statement. If the database refuses a row, they are inserted again one by one, up to
// that row.

import { isoTime } from '../../domain/dates/iso-time.ts';
import { type RecordText, recordText } from '../../domain/records/record-text.ts';
import { readValues } from '../../domain/values/read-values.ts';
import { fault } from '../../faults.ts';
import type { Steps } from '../../load/slices.ts';
import { insertEntries, type SubjectEntry } from '../../store/activity/activity.ts';
import { type Change, loggedWrite } from '../../store/activity/logged-write.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import type { Reader, Transaction } from '../../store/database/handles.ts';
import { Joining } from '../../store/database/joining.ts';
import type { Statement } from '../../store/database/statements.ts';
import { textBytesInSlices, textsIn } from '../../store/database/text-arrays.ts';
import { insertStatement, type JoinedCreate } from '../../store/records/joined-statements.ts';
import {
  insertLongRecord,
  insertRecords,
  insertSeveralInSlices,
  type RecordRow,
  type Table,
} from '../../store/records/records.ts';
import { tableOf, violatedColumn } from '../../store/records/tables.ts';
import type { NewRecord } from '../../wire/records.ts';
import type { Values } from '../../wire/values.ts';
import { recordEntries } from '../activity/entries.ts';
import { type InCollection, reportWritten } from '../in-collection.ts';
import { type Failure, inOrder, inOrderInSlices, type Outcome } from '../in-order.ts';
import { writeTogether } from '../write-together.ts';
import { insertOnCluster } from './cluster-writes.ts';
import { duplicatedValues } from './duplicated-values.ts';
import { CREATES_UNDER_WAY, isLongAmongOthers, type JoinedRecordWrite, joinedByCollection } from './joined-writes.ts';
import { draftInSlices, type StoredForm } from './stored-forms.ts';
import { completeTargets, type FoundTargets, findTargets } from './targets.ts';

export interface NewDraft extends StoredForm {
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
  const drafted = await inOrderInSlices(at, reads, function* (read, index) {
    completeTargets(read.targets, found);
    const createdBy = creatorOf(at, records[index]?.creatorId, found);
    return { createdBy, ...(yield* draftInSlices(at, at.ids.long('r'), read.values)) };
  });
  const first = drafted.failure ?? failure;
  return first === undefined ? { drafts: drafted.done } : { drafts: drafted.done, failure: first };
}

/** The creator is the caller unless `creatorId` is given. */
export function* draftNew(
  at: InCollection,
  values: Values,
  { creatorId, found }: { creatorId: string | undefined; found: FoundTargets },
): Steps<NewDraft> {
  const createdBy = creatorOf(at, creatorId, found);
  return { createdBy, ...(yield* draftInSlices(at, at.ids.long('r'), values)) };
}

function creatorOf(
  { caller }: InCollection,
  creatorId: string | undefined,
  found: FoundTargets,
): NewDraft['createdBy'] {
  const name = creatorId === undefined ? caller.name : found.users.get(creatorId);
  if (name === undefined) throw fault('INVALID_CREATOR', { creatorId: creatorId ?? '' });
  return { id: creatorId ?? caller.id, name };
}

export async function insertDrafts(at: InCollection, drafts: readonly NewDraft[]): Promise<Outcome> {
  const [first, ...others] = drafts;
  if (first === undefined) return { texts: [] };
  const isAlone = others.length === 0;
  const now = isoTime(at.now());
  try {
    const texts = isAlone ? [await insertOnly(at, newRow(at, first, now))] : await insertTogether(at, drafts, now);
    reportWritten(
      at,
      drafts.map(({ valuesJson }) => valuesJson.length),
    );
    return { texts };
  } catch (error) {
    if (violatedColumn(error) === undefined) throw error;
    if (isAlone) return { texts: [], failure: await refused(at, at.store, { made: first, index: 0, error }) };
  }
  return insertOneByOne(at, drafts, now);
}

async function insertOnly(at: InCollection, row: RecordRow): Promise<RecordText> {
  const { store, scope, table } = at;
  const entries = entriesOfNew(at, [row]);
  const long = isLongAmongOthers(row.rec) ? await encodeLong(at, row) : undefined;
  const inserted =
    long === undefined
      ? await insertJoined({ store, scope, table, row, entries: () => entries })
      : await loggedWrite(store, creating(table, long.statement), entries);
  if (inserted.length === 0) throw new StaleDefinition();
  return long?.rec ?? row.rec;
}

async function insertTogether(at: InCollection, drafts: readonly NewDraft[], now: string): Promise<RecordText[]> {
  const { store, scope, slices, table } = at;
  const { statement, entries, texts } = await slices.run(scope, encodeTogether(at, drafts, now));
  const inserted = await loggedWrite(store, creating(table, statement), entries);
  if (inserted.length < drafts.length) throw new StaleDefinition();
  return texts;
}

/**
 * The texts of a large body are kept as bytes, which the statement has already: a megabyte of strings that lives as long as the
 * statement is copied by the collector, and others wait for that.
 */
function* encodeTogether(at: InCollection, drafts: readonly NewDraft[], now: string) {
  const rows = drafts.map((made) => newRow(at, made, now));
  const statement = yield* insertSeveralInSlices(at.table, rows);
  const texts: RecordText[] = at.scope.heavy ? textsIn(statement.recs) : rows.map((row) => row.rec);
  return { statement, texts, entries: entriesOfNew(at, rows) };
}

type Create = JoinedRecordWrite & JoinedCreate;

/** The identifiers of new records are made for them. */
const creating = ({ schema, collection }: Table, { text, params }: Statement): Change => ({
  text,
  params,
  creates: tableOf(schema, collection.definition.id),
});

const insertAlone = ({ store, table, row, entries }: Create) =>
  store.engine === 'citus'
    ? insertOnCluster(store, { table, row, entries: entries() })
    : loggedWrite(store, creating(table, insertRecords(table, [row])), entries());

const insertJoined = joinedByCollection<Create>(
  (texts) =>
    new Joining({
      underWayMax: CREATES_UNDER_WAY,
      collectsTurn: true,
      alone: insertAlone,
      together: (members) => {
        const change = creating(members[0]!.table, insertStatement(texts().insert, members));
        return writeTogether(members, change, ({ row }) => row.id);
      },
    }),
);

/** The text as bytes is for the reply too. */
function encodeLong({ slices, scope, table }: InCollection, row: RecordRow) {
  return slices.run(
    scope,
    (function* () {
      const rec = yield* textBytesInSlices(row.rec);
      return { rec, statement: yield* insertLongRecord(table, row, rec) };
    })(),
  );
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

/** In one transaction, up to the row that the database refuses. */
async function insertOneByOne(at: InCollection, drafts: readonly NewDraft[], now: string): Promise<Outcome> {
  const rows = drafts.map((made) => newRow(at, made, now));
  const { inserted, failure } = await at.store.dataTransaction(async (tx) => {
    const outcome = await insertUpToRefused(at, tx, { drafts, rows });
    const entries = entriesOfNew(at, rows.slice(0, outcome.inserted));
    if (entries.length > 0) await tx.commitWith([insertEntries(tx.schema, entries)]);
    return outcome;
  });
  const texts = rows.slice(0, inserted).map((row) => row.rec);
  reportWritten(
    at,
    texts.map((text) => text.length),
  );
  return failure === undefined ? { texts } : { texts, failure };
}

export const entriesOfNew = (at: InCollection, rows: readonly RecordRow[]): SubjectEntry[] =>
  recordEntries(at, { kind: 'record.create', recordIds: rows.map((row) => row.id) });

export async function insertUpToRefused(
  at: InCollection,
  tx: Transaction,
  { drafts, rows }: { drafts: readonly NewDraft[]; rows: readonly RecordRow[] },
): Promise<{ inserted: number; failure: Failure | undefined }> {
  const { done, error } = await tx.runUntilFailure(rows.map((row) => insertRecords(at.table, [row])));
  if (done.some((result) => result.length === 0)) throw new StaleDefinition();
  const index = done.length;
  const next = drafts[index];
  // Before the commit: an error that cannot be explained still rolls the transaction back, so it may be retried.
  return { inserted: index, failure: next && (await refused(at, tx, { made: next, index, error })) };
}

async function refused(
  { collection }: InCollection,
  reader: Reader,
  { made, index, error }: { made: NewDraft; index: number; error: unknown },
): Promise<Failure> {
  const duplicated = await duplicatedValues(reader, collection, { error, refused: made });
  if (duplicated === undefined) throw error;
  return { index, fault: duplicated };
}
