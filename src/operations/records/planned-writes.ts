// Writes of records planned in memory: each element of a request is applied to a locked record, or makes a new one. Then
// all are written, with as few statements as their order allows, up to the first that the database refuses.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import type { Projected } from '../../domain/records/projections.ts';
import { type RecordText, readRecordText, recordText, type StoredRecord } from '../../domain/records/record-text.ts';
import type { Fault } from '../../faults.ts';
import type { Steps } from '../../load/slices.ts';
import type { SubjectEntry } from '../../store/activity/activity.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import { StaleDefinition } from '../../store/database/database-errors.ts';
import type { Transaction } from '../../store/database/handles.ts';
import type { Row, Statement } from '../../store/database/statements.ts';
import {
  insertRecords,
  insertRecordsInSlices,
  type RecordRow,
  removeRecord,
  type Table,
  updateRecordsInSlices,
} from '../../store/records/records.ts';
import { violatedColumn } from '../../store/records/tables.ts';
import type { Values } from '../../wire/values.ts';
import { recordEntries } from '../activity/entries.ts';
import { type InCollection, reportWritten } from '../in-collection.ts';
import { type Failure, inOrderInSlices, type Outcome } from '../in-order.ts';
import { duplicatedValues } from './duplicated-values.ts';
import { type NewDraft, newRow } from './inserts.ts';
import { draftInSlices, keysOf, laterOf } from './stored-forms.ts';

export interface RecordWrite {
  readonly kind: 'record.create' | 'record.update';
  readonly row: RecordRow;
  readonly values: Values;
}

/** A record while elements are applied to it. */
export interface RecordState {
  readonly record: StoredRecord;
  /** In the order of the unique columns; other values may follow. */
  readonly keys: readonly Projected[];
}

/** Record identifier → the keys that the locked record has before any element is applied. */
export type HeldKeys = ReadonlyMap<string, readonly Projected[]>;

export function readState(collection: PreparedCollection, rec: RecordText): RecordState {
  const record = readRecordText(rec);
  return { record, keys: keysOf(collection, record.values) };
}

export const heldKeys = (states: Iterable<RecordState>): HeldKeys =>
  new Map([...states].map(({ record, keys }) => [record.id, keys]));

/** What is to be written for one element, and the record as the next element finds it. */
export interface PlannedWrite {
  readonly write: RecordWrite;
  readonly state: RecordState;
}

export function* planUpdate(
  at: InCollection,
  { record }: RecordState,
  { values, now }: { values: Values; now: string },
): Steps<PlannedWrite> {
  const { id, createdBy } = record;
  const { hash, projected, valuesJson } = yield* draftInSlices(at, id, values);
  const updatedAt = laterOf(now, record.updatedAt);
  const timestamp = hash === record.hash ? record.timestamp : laterOf(updatedAt, record.timestamp);
  const next = { ...record, values, hash, updatedAt, updatedBy: at.caller, timestamp };
  const rec = recordText({ valuesJson, ...next });
  const row = { id, rec, hash, createdBy, updatedBy: at.caller, updatedAt, projected };
  return { write: { kind: 'record.update', row, values }, state: { record: next, keys: projected } };
}

export function planCreation(at: InCollection, made: NewDraft, now: string): PlannedWrite {
  const { id, createdBy, hash, values, projected } = made;
  const people = { createdBy, updatedBy: at.caller };
  const record = { id, ...people, hash, values, createdAt: now, timestamp: now, updatedAt: now };
  return { write: { kind: 'record.create', row: newRow(at, made, now), values }, state: { record, keys: projected } };
}

export const outcome = (writes: readonly RecordWrite[], failure: Failure | undefined): Outcome => ({
  texts: writes.map((write) => write.row.rec),
  ...(failure === undefined ? {} : { failure }),
});

/** What the activity log needs of a write. */
type WrittenRecord = Pick<RecordWrite, 'kind'> & { readonly row: Pick<RecordRow, 'id'> };

/** In the order of the writes. */
export function entriesOf(at: InCollection, written: readonly WrittenRecord[]): SubjectEntry[] {
  const entries: SubjectEntry[] = [];
  for (let from = 0; from < written.length; ) {
    const { kind } = written[from]!;
    let to = from + 1;
    while (written[to]?.kind === kind) to += 1;
    entries.push(...recordEntries(at, { kind, recordIds: written.slice(from, to).map(({ row }) => row.id) }));
    from = to;
  }
  return entries;
}

export function logStatements(at: InCollection, written: readonly WrittenRecord[]): Statement[] {
  const entries = entriesOf(at, written);
  return entries.length === 0 ? [] : [insertEntries(at.table.schema, entries)];
}

export const draftOf = ({ row: { id, projected }, values }: RecordWrite) => ({ id, projected, values });

/**
 * The records are locked, so a statement that matches no row was stopped by the fence: a definition was published after
 * the lock was taken. Nothing has been written then, and the request starts over.
 */
export function assertWritten(results: readonly (readonly Row[])[]): void {
  if (results.some((rows) => rows.length === 0)) throw new StaleDefinition();
}

/** Another request created one of the records. Thrown to roll the transaction back; the writes are then planned again. */
export class PlanOutdated extends Error {
  /** Whether the next attempt must write one by one. */
  readonly oneByOne: boolean;

  constructor(oneByOne: boolean) {
    super();
    this.oneByOne = oneByOne;
  }
}

export interface PlannedBatch {
  readonly writes: readonly RecordWrite[];
  readonly failure: Failure | undefined;
  readonly heldKeys: HeldKeys;
  /**
   * The unique column by which an upsert looks up records. New records are inserted in its order, so that batches with
   * the same keys cannot deadlock; a collision in it means that another request has created the record meanwhile.
   */
  readonly keyColumnId?: string | undefined;
  readonly oneByOne?: boolean;
}

/** Throws PlanOutdated only if there is a key column. */
export async function writePlanned(at: InCollection, tx: Transaction, batch: PlannedBatch): Promise<Outcome> {
  const { writes, failure, keyColumnId } = batch;
  if (writes.length === 0) return outcome(writes, failure);
  reportWritten(
    at,
    writes.map(({ row }) => row.rec.length),
  );
  if (batch.oneByOne !== true && areIndependent(at.collection, batch)) {
    const created = createdRows(at.table, batch);
    const updated = writes.flatMap((write) => (isNew(write) ? [] : write.row));
    const { done, error } = await tx.runUntilFailure(
      await at.slices.run(at.scope, statementsOf(at.table, created, updated)),
    );
    assertWritten(done);
    if (error === undefined) {
      await tx.commitWith(logStatements(at, writes));
      return outcome(writes, failure);
    }
    const violated = violatedColumn(error);
    if (violated === undefined) throw error;
    if (violated === keyColumnId) throw new PlanOutdated(false);
    // The insert stands although the update after it was refused; only the whole transaction can be rolled back.
    if (done.length > 0) throw new PlanOutdated(true);
  }
  return writeOneByOne(at, tx, batch);
}

function* statementsOf(table: Table, created: readonly RecordRow[], updated: readonly RecordRow[]): Steps<Statement[]> {
  return [
    ...(created.length > 0 ? [yield* insertRecordsInSlices(table, created)] : []),
    ...(updated.length > 0 ? [yield* updateRecordsInSlices(table, updated)] : []),
  ];
}

/** New records that come after a failure are deleted again. */
async function writeOneByOne(at: InCollection, tx: Transaction, batch: PlannedBatch): Promise<Outcome> {
  const { writes, failure, keyColumnId } = batch;
  const claims = claimKeys(at, batch);
  const { written, refused } = await updateOneByOne(at, tx, { claims, writes, keyColumnId });
  const applied = writes.slice(0, written);
  await removeClaimed(at, tx, writes.slice(written).filter(isNew));
  await tx.commitWith(logStatements(at, applied));
  return outcome(applied, refused === undefined ? failure : { index: written, fault: refused });
}

/**
 * Runs the claims and then one update for each write, in order, up to the first that the database refuses for a unique
 * value. All go out in one round trip.
 */
export async function updateOneByOne(
  at: InCollection,
  tx: Transaction,
  { claims, writes, keyColumnId }: Pick<PlannedBatch, 'writes' | 'keyColumnId'> & { claims: readonly Statement[] },
): Promise<{ written: number; refused?: Fault }> {
  const { done: updates } = await inOrderInSlices(at, writes, ({ row }) => updateRecordsInSlices(at.table, [row]));
  const { done, error } = await tx.runUntilFailure([...claims, ...updates]);
  assertWritten(done);
  const written = done.length - claims.length;
  if (error === undefined) return { written };
  if (keyColumnId !== undefined && violatedColumn(error) === keyColumnId) throw new PlanOutdated(true);
  const write = writes[written];
  const refused = write && (await duplicatedValues(tx, at.collection, { error, refused: draftOf(write) }));
  if (refused === undefined) throw error;
  return { written, refused };
}

/**
 * Inserts new records in the order of their keys, with no projected value but the key. The updates of their elements
 * follow in the order of the request.
 */
export function claimKeys(at: InCollection, batch: Creating): Statement[] {
  const rows = createdRows(at.table, batch);
  const claims = rows.map((row) => ({ ...row, projected: keyAlone(at, row, batch.keyColumnId) }));
  return claims.length === 0 ? [] : [insertRecords(at.table, claims)];
}

/** Deletes new records whose keys were claimed and whose elements were not reached. */
export async function removeClaimed(at: InCollection, tx: Transaction, writes: readonly RecordWrite[]): Promise<void> {
  if (writes.length === 0) return;
  const unconditional = { scope: undefined, ifHash: undefined };
  assertWritten(await tx.pipeline(writes.map(({ row }) => removeRecord(at.table, row.id, unconditional))));
}

const isNew = ({ kind }: RecordWrite): boolean => kind === 'record.create';

type Creating = Pick<PlannedBatch, 'writes' | 'keyColumnId'>;

/** In the order of their keys. */
function createdRows({ collection }: Table, { writes, keyColumnId }: Creating): RecordRow[] {
  const index = keyIndex(collection, keyColumnId);
  const keyOf = (row: RecordRow) => String(row.projected[index]);
  const rows = writes.filter(isNew).map(({ row }) => row);
  return rows.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

const keyAlone = ({ collection }: InCollection, { projected }: RecordRow, keyColumnId: string | undefined) =>
  projected.map((value, index) => (index === keyIndex(collection, keyColumnId) ? value : null));

const keyIndex = ({ uniqueColumns }: PreparedCollection, keyColumnId: string | undefined): number =>
  uniqueColumns.findIndex((column) => column.id === keyColumnId);

/**
 * Whether the rows may be written in any order, and so all at once: no record occurs twice, and no unique value moves from
 * one record to another.
 */
function areIndependent(collection: PreparedCollection, { writes, heldKeys: held }: PlannedBatch): boolean {
  if (new Set(writes.map((write) => write.row.id)).size < writes.length) return false;
  return collection.uniqueColumns.every((_, index) => {
    const holders = new Map([...held].map(([id, keys]) => [keys[index] ?? null, id]));
    return writes.every(({ row }) => {
      const key = row.projected[index] ?? null;
      return key === null || (holders.get(key) ?? row.id) === row.id;
    });
  });
}
