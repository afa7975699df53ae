// Upserts: the record that has the key is updated; if there is none, one is created. A single upsert reads the record and
// writes it with one statement, on condition that it is unchanged. An upsert that loses that race a few times, and every
// batch, locks the records instead. If another request creates or deletes a record meanwhile, it is looked up again.

import { setTimeout as wait } from 'node:timers/promises';
import { isoTime } from '../../domain/dates/iso-time.ts';
import type { PreparedCollection } from '../../domain/definition/application.ts';
import { isInScope, writeScope } from '../../domain/people/access.ts';
import type { Projection } from '../../domain/records/projections.ts';
import { type RecordText, readRecordText } from '../../domain/records/record-text.ts';
import { type ReadValues, readValues } from '../../domain/values/read-values.ts';
import { Fault, fault, tooBusy } from '../../faults.ts';
import type { Steps } from '../../load/slices.ts';
import type { Transaction } from '../../store/database/handles.ts';
import { assertGeneration } from '../../store/records/fence.ts';
import { isLongRecord } from '../../store/records/long-records.ts';
import type { LockedText } from '../../store/records/records.ts';
import { getRecordByKey, lockRecordsByKeys } from '../../store/records/upsert-keys.ts';
import type { NewRecord } from '../../wire/records.ts';
import type { Values } from '../../wire/values.ts';
import { withBytes } from '../held-bytes.ts';
import type { InCollection } from '../in-collection.ts';
import { type Failure, inOrderInSlices, type Outcome } from '../in-order.ts';
import { elementSizes, writeInBatches } from './batched-writes.ts';
import { isDuplicatedIn } from './duplicated-values.ts';
import { draftNew, insertDrafts, type NewDraft } from './inserts.ts';
import {
  heldKeys,
  type PlannedWrite,
  PlanOutdated,
  planCreation,
  planUpdate,
  type RecordState,
  type RecordWrite,
  readState,
  writePlanned,
} from './planned-writes.ts';
import { replace } from './single-statement-updates.ts';
import { completeTargets, type FoundTargets, findTargets } from './targets.ts';
import { mergeValues } from './updates.ts';

/** How often a single upsert reads and writes before it locks. */
const RACES = 3;
/** How often the records are locked again because another request has created one of them meanwhile. */
const ATTEMPTS = 20;
/** A random pause, so that requests that collided do not collide again. */
const PAUSE_MS = 5;

export interface UpsertKey {
  readonly columnId: string;
  readonly projection: Projection;
}

export function upsertKey({ columns, projections }: PreparedCollection, columnId: string): UpsertKey {
  const column = columns.get(columnId);
  if (column === undefined) throw fault('COLUMN_NOT_FOUND', { columnId });
  const projection = projections.byColumn.get(columnId)?.key;
  if (projection === undefined || !column.searchable) {
    const lacking = [...(column.unique ? [] : ['unique']), ...(column.searchable ? [] : ['searchable'])];
    const reason = `the key column must be unique and searchable, and this one is not ${lacking.join(' and not ')}`;
    throw fault('INVALID_UPSERT_KEY', { columnId, reason });
  }
  return { columnId, projection };
}

export interface Upsert {
  readonly key: string;
  readonly read: ReadValues;
  readonly creatorId: string | undefined;
}

/** The key is checked before the other values. */
export function readUpsert(collection: PreparedCollection, key: UpsertKey, { values, creatorId }: NewRecord): Upsert {
  const { columnId, projection } = key;
  const entry = values[columnId] ?? null;
  if (entry === null) {
    const name = collection.columns.get(columnId)?.name ?? '';
    const byName = Object.hasOwn(values, name) ? `; its ID is ${columnId}, and "values" has its name` : '';
    throw fault('MISSING_UPSERT_KEY_VALUE', { columnId, reason: `the key column has no value${byName}` });
  }
  const keyFirst = { [columnId]: entry, ...values };
  const read = reportKeyAsMissing(key, () => readValues(collection.columns, keyFirst, { nullRemoves: true }));
  return { key: String(projection.read(read.values)), read, creatorId };
}

/** Any invalid value of the key column is reported as MISSING_UPSERT_KEY_VALUE. */
function reportKeyAsMissing<T>({ columnId }: UpsertKey, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'INVALID_VALUE') throw error;
    const problem = error.params as { columnId: string; reason: string };
    throw problem.columnId === columnId
      ? fault('MISSING_UPSERT_KEY_VALUE', { columnId, reason: problem.reason })
      : error;
  }
}

const findUpsertTargets = (at: InCollection, upserts: readonly Upsert[]): Promise<FoundTargets> =>
  findTargets(
    at,
    upserts.flatMap(({ read }) => read.targets),
    upserts.flatMap(({ creatorId }) => creatorId ?? []),
  );

/** The new values of the record that has the key. FORBIDDEN reveals that a record exists, but nothing else of it. */
function changedValues(
  at: InCollection,
  { key, upsert, found }: FoundUpsert,
  held: { createdBy: { id: string }; values: Values },
): Values {
  if (!isInScope(writeScope(at.collection.definition, at.caller), held.createdBy.id)) throw fault('FORBIDDEN');
  reportKeyAsMissing(key, () => completeTargets(upsert.read.targets, found, held.values));
  return mergeValues(held.values, { replace: false, read: upsert.read });
}

function* newRecord(at: InCollection, { key, upsert, found }: FoundUpsert): Steps<NewDraft> {
  reportKeyAsMissing(key, () => completeTargets(upsert.read.targets, found));
  return yield* draftNew(at, upsert.read.values, { creatorId: upsert.creatorId, found });
}

interface FoundUpsert {
  readonly key: UpsertKey;
  readonly upsert: Upsert;
  readonly found: FoundTargets;
}

interface Written {
  readonly id: string;
  readonly text: RecordText;
}

export async function upsertOne(at: InCollection, key: UpsertKey, upsert: Upsert): Promise<Written> {
  const look = () => getRecordByKey(at, { projection: key.projection, key: upsert.key });
  const [found, first] = await Promise.all([findUpsertTargets(at, [upsert]), look()]);
  const looked = { key, upsert, found };
  let stored = first;
  for (let race = 1; race <= RACES; race++) {
    if (race > 1) stored = await look();
    if (stored !== undefined && isLongRecord(stored)) break;
    const written = stored === undefined ? await insertNew(at, looked) : await changeStored(at, looked, stored);
    if (written !== undefined) return written;
  }
  const { texts, failure } = await upsertLocked(at, [upsert], { key, found });
  if (failure !== undefined) throw failure.fault;
  const [text = ''] = texts;
  return { id: readRecordText(text).id, text };
}

/** Undefined if another request has created a record with the key meanwhile. */
async function insertNew(at: InCollection, looked: FoundUpsert): Promise<Written | undefined> {
  const made = await at.slices.run(at.scope, newRecord(at, looked));
  const { texts, failure } = await insertDrafts(at, [made]);
  if (failure === undefined) return { id: made.id, text: texts[0]! };
  if (isDuplicatedIn(looked.key.columnId, failure.fault)) return undefined;
  throw failure.fault;
}

/** Undefined if the record has been changed or deleted meanwhile. */
async function changeStored(at: InCollection, looked: FoundUpsert, stored: string): Promise<Written | undefined> {
  const record = readRecordText(stored);
  const values = changedValues(at, looked, record);
  const text = await replace(at, record.id, { values, onHash: record.hash, ifHash: undefined });
  return text === undefined ? undefined : { id: record.id, text };
}

export async function upsertMany(at: InCollection, key: UpsertKey, upserts: readonly Upsert[]): Promise<Outcome> {
  return upsertLocked(at, upserts, { key, found: await findUpsertTargets(at, upserts) });
}

async function upsertLocked(
  at: InCollection,
  upserts: readonly Upsert[],
  given: { key: UpsertKey; found: FoundTargets },
): Promise<Outcome> {
  let oneByOne = false;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      const locking = { upserts, oneByOne, ...given };
      return await withBytes(at, () => at.store.dataTransaction((tx) => lockAndWrite(at, tx, locking)));
    } catch (error) {
      if (!(error instanceof PlanOutdated)) throw error;
      oneByOne = error.oneByOne;
      await wait(Math.random() * PAUSE_MS * attempt);
    }
  }
  throw tooBusy();
}

interface UpsertBatch {
  readonly key: UpsertKey;
  readonly found: FoundTargets;
  readonly upserts: readonly Upsert[];
  readonly oneByOne: boolean;
}

async function lockAndWrite(at: InCollection, tx: Transaction, locking: UpsertBatch): Promise<Outcome> {
  const { columnId, projection } = locking.key;
  const keys = [...new Set(locking.upserts.map(({ key }) => key))];
  const { recs, long, fence } = await lockRecordsByKeys(tx, at.table, { projection, keys });
  assertGeneration(fence, at.table.generation);
  const locked = recs.map((rec) => readState(at.collection, rec));
  const keyOf = ({ record }: RecordState) => String(projection.read(record.values));
  const all = new Map(long);
  for (const [index, state] of locked.entries()) all.set(keyOf(state), { id: state.record.id, rec: recs[index]! });
  const elements = locking.upserts.map(({ key, read }) => ({ name: key, values: read.values }));
  const sizes = elementSizes(elements, all);
  if (sizes !== undefined) return writeLongBatch(at, tx, { ...locking, sizes, locked: all });
  const states = new Map(locked.map((state) => [keyOf(state), state]));
  const { done: writes, failure } = await planWrites(at, locking, states);
  const { oneByOne } = locking;
  return writePlanned(at, tx, { writes, failure, heldKeys: heldKeys(locked), keyColumnId: columnId, oneByOne });
}

/** `states`, by key: the locked records and those that earlier elements have created. */
function planWrites(
  at: InCollection,
  { key, found, upserts }: UpsertBatch,
  states: Map<string, RecordState>,
): Promise<{ done: RecordWrite[]; failure?: Failure }> {
  const now = isoTime(at.now());
  return inOrderInSlices(at, upserts, function* (upsert) {
    const looked = { key, upsert, found };
    const state = states.get(upsert.key);
    const next = yield* state === undefined ? planNew(at, looked, now) : planChange(at, looked, { state, now });
    states.set(upsert.key, next.state);
    return next.write;
  });
}

function* planNew(at: InCollection, looked: FoundUpsert, now: string): Steps<PlannedWrite> {
  return planCreation(at, yield* newRecord(at, looked), now);
}

const planChange = (
  at: InCollection,
  looked: FoundUpsert,
  { state, now }: { state: RecordState; now: string },
): Steps<PlannedWrite> => planUpdate(at, state, { values: changedValues(at, looked, state.record), now });

type LongUpsertBatch = UpsertBatch & {
  readonly sizes: readonly number[];
  readonly locked: ReadonlyMap<string, LockedText>;
};

/** New records depend only on the body, so all are drafted first; the first that fails ends the batch. */
async function writeLongBatch(at: InCollection, tx: Transaction, locking: LongUpsertBatch): Promise<Outcome> {
  const { key, found, upserts, sizes, locked } = locking;
  const now = isoTime(at.now());
  const created = new Map<string, PlannedWrite>();
  const { done: names, failure } = await inOrderInSlices(at, upserts, function* (upsert) {
    if (!locked.has(upsert.key) && !created.has(upsert.key)) {
      created.set(upsert.key, yield* planNew(at, { key, upsert, found }, now));
    }
    return upsert.key;
  });
  const change = (index: number, state: RecordState | undefined) => {
    if (state === undefined) throw new Error('a record that is neither stored nor new cannot be updated');
    return planChange(at, { key, upsert: upserts[index]!, found }, { state, now });
  };
  return writeInBatches(at, tx, {
    ...{ names, sizes: sizes.slice(0, names.length), locked, created, change, failure },
    keyColumnId: key.columnId,
  });
}
