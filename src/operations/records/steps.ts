// The elements of a batch as steps: each is applied in memory to a record that is locked, or makes a new one; then all
// are written, by as few statements as order allows, up to the first that the database refuses.

import type { PreparedCollection } from '../../domain/definition/application.ts';
import type { Projected } from '../../domain/records/projections.ts';
import { type RecordText, readRecordText, recordText, type StoredRecord } from '../../domain/records/record-text.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import type { SubjectEntry } from '../../store/activity/logged-write.ts';
import type { Transaction } from '../../store/database/handles.ts';
import { StaleDefinition } from '../../store/database/sqlstate.ts';
import type { Row, Statement } from '../../store/database/statements.ts';
import { insertRecords, type RecordRow, removeRecord, type Table, updateRecords } from '../../store/records/records.ts';
import { violatedColumn } from '../../store/records/tables.ts';
import type { Values } from '../../wire/values.ts';
import { type InCollection, noteWritten } from '../in-collection.ts';
import type { Failure, Outcome } from '../in-order.ts';
import { draft, duplicatedValues, laterOf, projectedOf, recordEntries } from './drafts.ts';
import { type NewDraft, newRow } from './inserts.ts';

export interface Step {
  readonly kind: 'record.create' | 'record.update';
  readonly row: RecordRow;
  readonly values: Values;
}

/** What is known of a record while the elements are applied to it. */
export interface State {
  readonly record: StoredRecord;
  readonly projected: readonly Projected[];
}

/** What each of the locked records has projected before anything is applied, by its identifier. */
export type HeldKeys = ReadonlyMap<string, readonly Projected[]>;

export function readState(collection: PreparedCollection, rec: RecordText): State {
  const record = readRecordText(rec);
  return { record, projected: projectedOf(collection, record.values) };
}

export const heldKeys = (states: Iterable<State>): HeldKeys =>
  new Map([...states].map(({ record, projected }) => [record.id, projected]));

/** A step, and what is known of its record from then on. */
export interface Stepped {
  readonly step: Step;
  readonly state: State;
}

export function updateStep(
  at: InCollection,
  { record }: State,
  { values, now }: { values: Values; now: string },
): Stepped {
  const { id, createdBy } = record;
  const { hash, projected, valuesJson } = draft(at.collection, id, values);
  const updatedAt = laterOf(now, record.updatedAt);
  const timestamp = hash === record.hash ? record.timestamp : laterOf(updatedAt, record.timestamp);
  const next = { ...record, values, hash, updatedAt, updatedBy: at.caller, timestamp };
  const rec = recordText({ ...next, valuesJson });
  const row = { id, rec, hash, createdBy, updatedBy: at.caller, updatedAt, projected };
  return { step: { kind: 'record.update', row, values }, state: { record: next, projected } };
}

export function createStep(at: InCollection, made: NewDraft, now: string): Stepped {
  const { id, createdBy, hash, values, projected } = made;
  const people = { createdBy, updatedBy: at.caller };
  const record = { id, ...people, hash, values, createdAt: now, timestamp: now, updatedAt: now };
  return { step: { kind: 'record.create', row: newRow(at, made, now), values }, state: { record, projected } };
}

export const outcome = (steps: readonly Step[], failure: Failure | undefined): Outcome => ({
  texts: steps.map((step) => step.row.rec),
  ...(failure === undefined ? {} : { failure }),
});

/** Of which record, and what was done to it. */
type Told = Pick<Step, 'kind'> & { readonly row: Pick<RecordRow, 'id'> };

export function entriesOf(at: InCollection, steps: readonly Told[]): SubjectEntry[] {
  return steps.flatMap(({ kind, row }) => recordEntries(at, { kind, recordIds: [row.id] }));
}

export function logging(at: InCollection, steps: readonly Told[]): Statement[] {
  const entries = entriesOf(at, steps);
  return entries.length === 0 ? [] : [insertEntries(at.table.schema, entries)];
}

export const refusal = ({ row: { id, projected }, values }: Step) => ({ id, projected, values });

/**
 * The records are locked, so a statement that meets none of them met the fence: a definition was published since they
 * were locked. Nothing has been written then, and the request starts over.
 */
export function assertWritten(results: readonly (readonly Row[])[]): void {
  if (results.some((rows) => rows.length === 0)) throw new StaleDefinition();
}

/** Thrown out of the transaction, which is thereby undone: the steps must be taken anew. */
export class StepsOutdated extends Error {
  /** Whether they are to be written one by one then. */
  readonly oneByOne: boolean;

  constructor(oneByOne: boolean) {
    super();
    this.oneByOne = oneByOne;
  }
}

export interface Taken {
  readonly steps: readonly Step[];
  readonly failure: Failure | undefined;
  readonly heldKeys: HeldKeys;
  /**
   * The unique column by which records were looked for. New ones go in in its order, so that batches with the same keys
   * cannot deadlock; a collision in it means that another has made such a record since.
   */
  readonly keyColumnId?: string | undefined;
  readonly oneByOne?: boolean;
}

/** StepsOutdated only where there is a key column. */
export async function writeSteps(at: InCollection, tx: Transaction, taken: Taken): Promise<Outcome> {
  const { steps, failure, keyColumnId } = taken;
  if (steps.length === 0) return outcome(steps, failure);
  noteWritten(at, steps.length);
  if (taken.oneByOne !== true && independent(at.collection, taken)) {
    const [created, updated] = [createdRows(at.table, taken), steps.flatMap((step) => (isNew(step) ? [] : step.row))];
    const { done, error } = await tx.runUntilFailure([
      ...(created.length > 0 ? [insertRecords(at.table, created)] : []),
      ...(updated.length > 0 ? [updateRecords(at.table, updated)] : []),
    ]);
    assertWritten(done);
    if (error === undefined) {
      await tx.commitWith(logging(at, steps));
      return outcome(steps, failure);
    }
    const violated = violatedColumn(error);
    if (violated === undefined) throw error;
    if (violated === keyColumnId) throw new StepsOutdated(false);
    // What was created stands when the updates behind it were refused, and only the whole can be undone.
    if (done.length > 0) throw new StepsOutdated(true);
  }
  return writeOneByOne(at, tx, taken);
}

/**
 * New records first go in with their key alone, in its order, and then become what their elements say, in the order of
 * those; the ones behind a failure are taken out again.
 */
async function writeOneByOne(at: InCollection, tx: Transaction, taken: Taken): Promise<Outcome> {
  const { steps, failure, keyColumnId } = taken;
  const claimed = claimedRows(at, taken);
  const claims = claimed.length > 0 ? [insertRecords(at.table, claimed)] : [];
  const { done, error } = await tx.runUntilFailure([
    ...claims,
    ...steps.map((step) => updateRecords(at.table, [step.row])),
  ]);
  assertWritten(done);
  if (error === undefined) {
    await tx.commitWith(logging(at, steps));
    return outcome(steps, failure);
  }
  if (keyColumnId !== undefined && violatedColumn(error) === keyColumnId) throw new StepsOutdated(true);
  const index = done.length - claims.length;
  const refused = steps[index];
  const duplicated = refused && (await duplicatedValues(tx, at.collection, { error, refused: refusal(refused) }));
  if (duplicated === undefined) throw error;
  const unreached = steps.slice(index).filter(isNew);
  const removals = unreached.map(({ row }) => removeRecord(at.table, row.id, { scope: undefined, ifHash: undefined }));
  assertWritten(await tx.pipeline(removals));
  const applied = steps.slice(0, index);
  await tx.commitWith(logging(at, applied));
  return outcome(applied, { index, fault: duplicated });
}

const isNew = ({ kind }: Step): boolean => kind === 'record.create';

type Creating = Pick<Taken, 'steps' | 'keyColumnId'>;

export const claimedRows = (at: InCollection, creating: Creating): RecordRow[] =>
  createdRows(at.table, creating).map((row) => ({ ...row, projected: keyAlone(at, row, creating.keyColumnId) }));

/** In the order of their keys. */
function createdRows({ collection }: Table, { steps, keyColumnId }: Creating): RecordRow[] {
  const index = keyIndex(collection, keyColumnId);
  const keyOf = (row: RecordRow) => String(row.projected[index]);
  const rows = steps.filter(isNew).map(({ row }) => row);
  return rows.sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

const keyAlone = ({ collection }: InCollection, { projected }: RecordRow, keyColumnId: string | undefined) =>
  projected.map((value, index) => (index === keyIndex(collection, keyColumnId) ? value : null));

const keyIndex = ({ uniqueColumns }: PreparedCollection, keyColumnId: string | undefined): number =>
  uniqueColumns.findIndex((column) => column.id === keyColumnId);

/**
 * Whether all rows may be written at once, that is in no particular order: each record once, and no unique value moving
 * from one of them to another.
 */
function independent(collection: PreparedCollection, { steps, heldKeys: held }: Taken): boolean {
  if (new Set(steps.map((step) => step.row.id)).size < steps.length) return false;
  return collection.uniqueColumns.every((_, index) => {
    const holders = new Map([...held].map(([id, projected]) => [projected[index] ?? null, id]));
    return steps.every(({ row }) => {
      const key = row.projected[index] ?? null;
      return key === null || (holders.get(key) ?? row.id) === row.id;
    });
  });
}
