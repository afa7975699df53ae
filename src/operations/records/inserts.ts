// Inserts new records: all with one statement. If the database refuses a row, they are inserted again one by one, up to
// that row.

import { isoTime } from '../../domain/dates/iso-time.ts';
import { recordText } from '../../domain/records/record-text.ts';
import { readValues } from '../../domain/values/read-values.ts';
import { fault } from '../../faults.ts';
import type { Steps } from '../../load/slices.ts';
import { insertEntries, type SubjectEntry } from '../../store/activity/activity.ts';
import { type Change, loggedWrite } from '../../store/activity/logged-write.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import type { Reader, Transaction } from '../../store/database/handles.ts';
import { Joining } from '../../store/database/joining.ts';
import type { Statement } from '../../store/database/statements.ts';
import { textBytesInSlices } from '../../store/database/text-arrays.ts';
import { insertStatement, type JoinedCreate } from '../../store/records/joined-statements.ts';
import {
  insertLongRecord,
  insertRecords,
  insertRecordsInSlices,
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
import { insertOnCluster } from './cluster-insert.ts';
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
  if (drafts.length === 0) return { texts: [] };
  const { store, scope, table } = at;
  const date = isoTime(at.now());
  const rows = drafts.map((made) => newRow(at, made, date));
  const entries = entriesOfNew(at, rows);
  try {
    const [only, ...others] = rows;
    const isAlone = only !== undefined && others.length === 0;
    const long = isAlone && isLongAmongOthers(only.rec) ? await encodeLong(at, only) : undefined;
    const inserted =
      isAlone && long === undefined
        ? await insertJoined({ store, scope, table, row: only, entries: () => entries })
        : await loggedWrite(store, creating(table, long?.statement ?? (await encodeAll(at, rows))), entries);
    if (inserted.length < rows.length) throw new StaleDefinition();
    reportWritten(at, rows.length);
    return { texts: long === undefined ? rows.map((row) => row.rec) : [long.rec] };
  } catch (error) {
    if (violatedColumn(error) === undefined) throw error;
    const [only, ...others] = drafts;
    if (only !== undefined && others.length === 0)
      return { texts: [], failure: await refused(at, store, { made: only, index: 0, error }) };
  }
  return insertOneByOne(at, drafts, rows);
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
        const change = creating(members[0]!.table, insertStatement(texts.insert, members));
        return writeTogether(members, change, ({ row }) => row.id);
      },
    }),
);

const encodeAll = ({ slices, scope, table }: InCollection, rows: readonly RecordRow[]): Promise<Statement> =>
  slices.run(scope, insertRecordsInSlices(table, rows));

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
async function insertOneByOne(
  at: InCollection,
  drafts: readonly NewDraft[],
  rows: readonly RecordRow[],
): Promise<Outcome> {
  const { inserted, failure } = await at.store.dataTransaction(async (tx) => {
    const outcome = await insertUpToRefused(at, tx, { drafts, rows });
    const entries = entriesOfNew(at, rows.slice(0, outcome.inserted));
    if (entries.length > 0) await tx.commitWith([insertEntries(tx.schema, entries)]);
    return outcome;
  });
  reportWritten(at, inserted);
  const texts = rows.slice(0, inserted).map((row) => row.rec);
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
