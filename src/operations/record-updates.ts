// Updates that must know the record they change: batches, `replace` false, and targets that are gone. The records are
// locked, the elements are applied to them in order in memory, and what came before the first failure is written.

import type { PreparedCollection } from '../domain/application.ts';
import { recordText } from '../domain/record-text.ts';
import type { ReadValues } from '../domain/values/value-types.ts';
import { fault } from '../faults.ts';
import { insertEntries } from '../store/activity.ts';
import type { Row, Statement, Transaction } from '../store/db.ts';
import { assertVersion } from '../store/fence.ts';
import { loggedLast, type RecordLogEntry } from '../store/logged-write.ts';
import { type LockedRecord, lockRecords, type RecordRow, updateRecords } from '../store/records.ts';
import { StaleDefinition, violatedConstraint } from '../store/sqlstate.ts';
import type { UserShort } from '../wire/users.ts';
import type { Values } from '../wire/values.ts';
import { assertWritable, type InCollection } from './in-collection.ts';
import { type Failure, inOrder } from './in-order.ts';
import { type Draft, draft, duplicatedValues, isoTime, keysOf, laterOf, recordEntries } from './record-drafts.ts';
import { completeTargets, type FoundTargets } from './record-targets.ts';

export interface Change {
  readonly id: string;
  readonly replace: boolean;
  readonly read: ReadValues;
}

export interface Outcome {
  /** The text of each record after its element, for the elements before the failure. */
  readonly texts: string[];
  readonly failure?: Failure;
}

interface Step {
  readonly row: RecordRow;
  readonly values: Values;
}

/** What is known of a record while the elements are applied to it. */
interface State {
  readonly record: StoredRecord;
  readonly hash: string;
  readonly createdBy: string;
  readonly keys: readonly (string | null)[];
}

/** The keys that each of the locked records has before anything is applied. */
type HeldKeys = ReadonlyMap<string, readonly (string | null)[]>;

interface StoredRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly createdBy: UserShort;
  readonly timestamp: string;
  readonly updatedAt: string;
  readonly values: Values;
}

export interface UpdateConditions {
  readonly found: FoundTargets;
  /** The hash that the one record must have. */
  readonly ifHash?: string | undefined;
}

export async function applyUpdates(
  at: InCollection,
  changes: readonly Change[],
  conditions: UpdateConditions,
): Promise<Outcome> {
  let attempted: Step | undefined;
  try {
    return await at.store.transaction(async (tx) => {
      const ids = [...new Set(changes.map((change) => change.id))];
      const { records, fence } = await lockRecords(tx, at.table, ids);
      assertVersion(fence, at.table.version);
      const states = new Map([...records].map(([id, record]) => [id, readState(at.collection, record)]));
      const heldKeys = new Map([...states].map(([id, state]) => [id, state.keys]));
      const { done: steps, failure } = takeSteps(at, changes, { ...conditions, states });
      if (steps.length === 1) {
        attempted = steps[0];
        await writeOnly(at, tx, steps);
        return outcome(steps, failure);
      }
      return await writeSteps(at, tx, { steps, failure, heldKeys });
    });
  } catch (error) {
    // A single element goes out together with its commit; the database's refusal of it arrives here.
    const duplicated =
      attempted && (await duplicatedValues(at.store, at.collection, { error, refused: refusal(attempted) }));
    if (duplicated === undefined) throw error;
    return { texts: [], failure: { index: 0, fault: duplicated } };
  }
}

function readState(collection: PreparedCollection, { rec, hash, createdBy }: LockedRecord): State {
  const record = JSON.parse(rec) as StoredRecord;
  return { record, hash, createdBy, keys: keysOf(collection, record.values) };
}

const outcome = (steps: readonly Step[], failure: Failure | undefined): Outcome => ({
  texts: steps.map((step) => step.row.rec),
  ...(failure === undefined ? {} : { failure }),
});

function takeSteps(
  at: InCollection,
  changes: readonly Change[],
  { found, ifHash, states }: UpdateConditions & { states: Map<string, State> },
): { done: Step[]; failure?: Failure } {
  const now = isoTime(at.now());
  return inOrder(changes, (change) => {
    const state = states.get(change.id);
    assertWritable(at, change.id, state?.createdBy);
    if (state === undefined) throw new Error('a record that is not there was taken for writable');
    if (ifHash !== undefined && state.hash !== ifHash) throw fault('PRECONDITION_FAILED');
    completeTargets(change.read.targets, found, state.record.values);
    const next = draft(at.collection, change.id, merged(state.record.values, change));
    const { hash, keys, values, valuesJson } = next;
    const stored = nextRecord(state, next, now);
    states.set(change.id, { ...state, record: stored, hash, keys });
    const rec = recordText({ ...stored, hash, updatedBy: at.caller, valuesJson });
    return { values, row: { id: next.id, rec, hash, createdBy: state.createdBy, updatedAt: stored.updatedAt, keys } };
  });
}

/** The values after the change. */
export function merged(current: Values, { replace, read }: Change): Values {
  if (replace) return read.values;
  const values = { ...current, ...read.values };
  for (const columnId of read.removed) delete values[columnId];
  return values;
}

function nextRecord({ record, hash }: State, next: Draft, now: string): StoredRecord {
  const updatedAt = laterOf(now, record.updatedAt);
  return {
    ...record,
    values: next.values,
    updatedAt,
    timestamp: next.hash === hash ? record.timestamp : laterOf(updatedAt, record.timestamp),
  };
}

function entriesOf(at: InCollection, steps: readonly Step[]): RecordLogEntry[] {
  const recordIds = steps.map((step) => step.row.id);
  return recordEntries(at, { kind: 'record.update', recordIds, date: isoTime(at.now()) });
}

function logging(at: InCollection, steps: readonly Step[]): Statement[] {
  const entries = entriesOf(at, steps);
  return entries.length === 0 ? [] : [insertEntries(at.table.schema, entries)];
}

const refusal = ({ row: { id, keys }, values }: Step) => ({ id, keys, values });

/**
 * The records are locked, so a statement that meets none of them met the fence: a definition was published since they
 * were locked. Nothing has been written then, and the request starts over.
 */
function assertWritten(results: readonly (readonly Row[])[]): void {
  if (results.some((rows) => rows.length === 0)) throw new StaleDefinition();
}

async function writeOnly(at: InCollection, tx: Transaction, steps: readonly Step[]): Promise<void> {
  const change = updateRecords(
    at.table,
    steps.map((step) => step.row),
  );
  assertWritten([await loggedLast(at.store, tx, change, entriesOf(at, steps))]);
}

interface Taken {
  readonly steps: readonly Step[];
  readonly failure: Failure | undefined;
  readonly heldKeys: HeldKeys;
}

async function writeSteps(at: InCollection, tx: Transaction, { steps, failure, heldKeys }: Taken): Promise<Outcome> {
  if (steps.length === 0) return outcome(steps, failure);
  if (independent(at.collection, steps, heldKeys)) {
    const { done, error } = await tx.ladder([
      updateRecords(
        at.table,
        steps.map((step) => step.row),
      ),
    ]);
    assertWritten(done);
    if (error === undefined) {
      await tx.last(logging(at, steps));
      return outcome(steps, failure);
    }
    if (violatedConstraint(error) === undefined) throw error;
  }
  const { done, error } = await tx.ladder(steps.map((step) => updateRecords(at.table, [step.row])));
  assertWritten(done);
  const applied = steps.slice(0, done.length);
  const refused = steps[done.length];
  const duplicated = refused && (await duplicatedValues(tx, at.collection, { error, refused: refusal(refused) }));
  if (refused !== undefined && duplicated === undefined) throw error;
  if (applied.length > 0) await tx.last(logging(at, applied));
  return outcome(applied, duplicated === undefined ? failure : { index: done.length, fault: duplicated });
}

/**
 * Whether all rows may be written by one statement, which applies them in no particular order: each record once, and no
 * unique value moving from one of them to another.
 */
function independent(collection: PreparedCollection, steps: readonly Step[], heldKeys: HeldKeys): boolean {
  if (new Set(steps.map((step) => step.row.id)).size < steps.length) return false;
  return collection.uniqueColumns.every((_, index) => {
    const holders = new Map([...heldKeys].map(([id, keys]) => [keys[index] ?? null, id]));
    return steps.every(({ row }) => {
      const key = row.keys[index] ?? null;
      return key === null || (holders.get(key) ?? row.id) === row.id;
    });
  });
}
