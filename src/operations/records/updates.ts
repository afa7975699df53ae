// Updates that depend on the stored record: batches, `replace` false, and missing targets. The records are locked, the
// elements are applied to them in memory and in order, and those before the first failure are written.

import { isoTime } from '../../domain/dates/iso-time.ts';
import type { ReadValues } from '../../domain/values/read-values.ts';
import { fault } from '../../faults.ts';
import type { Steps } from '../../load/slices.ts';
import { commitLogged } from '../../store/activity/logged-write.ts';
import type { Transaction } from '../../store/database/handles.ts';
import { assertGeneration } from '../../store/records/fence.ts';
import { lockRecords, updateRecords } from '../../store/records/records.ts';
import type { Values } from '../../wire/values.ts';
import { withBytes } from '../held-bytes.ts';
import { assertWritable, type InCollection, reportWritten } from '../in-collection.ts';
import { type Failure, inOrderInSlices, type Outcome } from '../in-order.ts';
import { elementSizes, writeInBatches } from './batched-writes.ts';
import { inTurn } from './changes-in-turn.ts';
import { duplicatedValues } from './duplicated-values.ts';
import {
  assertWritten,
  draftOf,
  entriesOf,
  heldKeys,
  outcome,
  type PlannedWrite,
  planUpdate,
  type RecordState,
  type RecordWrite,
  readState,
  writePlanned,
} from './planned-writes.ts';
import { completeTargets, type FoundTargets } from './targets.ts';

export interface Update {
  readonly id: string;
  readonly replace: boolean;
  readonly read: ReadValues;
}

export interface UpdateConditions {
  readonly found: FoundTargets;
  /** The hash that the one record must have. */
  readonly ifHash?: string | undefined;
}

export async function applyUpdates(
  at: InCollection,
  changes: readonly Update[],
  conditions: UpdateConditions,
): Promise<Outcome> {
  let attempted: RecordWrite | undefined;
  try {
    const ids = [...new Set(changes.map((change) => change.id))];
    return await inTransaction(at, ids, async (tx) => {
      const { records, fence } = await lockRecords(tx, at.table, ids);
      assertGeneration(fence, at.table.generation);
      const elements = changes.map(({ id, read }) => ({ name: id, values: read.values }));
      const sizes = elementSizes(elements, records);
      if (sizes !== undefined) {
        const names = changes.map(({ id }) => id);
        const change = planner(at, changes, conditions);
        return writeInBatches(at, tx, { names, sizes, locked: records, created: NONE, change, failure: undefined });
      }
      const states = new Map([...records].map(([id, { rec }]) => [id, readState(at.collection, rec)]));
      const held = heldKeys(states.values());
      const { done: writes, failure } = await planWrites(at, changes, { ...conditions, states });
      const [only, ...others] = writes;
      if (only !== undefined && others.length === 0) {
        attempted = only;
        await writeOne(at, tx, only);
        return outcome(writes, failure);
      }
      return await writePlanned(at, tx, { writes, failure, heldKeys: held });
    });
  } catch (error) {
    // A single element is sent together with the commit, so the database's refusal arrives here.
    const duplicated =
      attempted && (await duplicatedValues(at.store, at.collection, { error, refused: draftOf(attempted) }));
    if (duplicated === undefined) throw error;
    return { texts: [], failure: { index: 0, fault: duplicated } };
  }
}

const NONE: ReadonlyMap<string, PlannedWrite> = new Map();

/** A transaction with locks never waits for byte budget: it is rolled back, and locks again after the wait. */
const inTransaction = <T>(
  at: InCollection,
  [id, ...others]: readonly string[],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> => {
  const run = () => at.store.dataTransaction(work);
  const isOne = id !== undefined && others.length === 0;
  return withBytes(at, () => (isOne ? inTurn(at, id, run) : run()));
};

function planWrites(
  at: InCollection,
  changes: readonly Update[],
  { states, ...conditions }: UpdateConditions & { states: Map<string, RecordState> },
): Promise<{ done: RecordWrite[]; failure?: Failure }> {
  const change = planner(at, changes, conditions);
  return inOrderInSlices(at, changes, function* ({ id }, index) {
    const next = yield* change(index, states.get(id));
    states.set(id, next.state);
    return next.write;
  });
}

/** A function that applies the update with the given index to its record; `state` is undefined if there is no record. */
function planner(at: InCollection, changes: readonly Update[], { found, ifHash }: UpdateConditions) {
  const now = isoTime(at.now());
  return function* (index: number, state: RecordState | undefined): Steps<PlannedWrite> {
    const change = changes[index]!;
    assertWritable(at, change.id, state?.record.createdBy.id);
    if (state === undefined) throw new Error('a missing record passed as writable');
    if (ifHash !== undefined && state.record.hash !== ifHash) throw fault('PRECONDITION_FAILED');
    completeTargets(change.read.targets, found, state.record.values);
    return yield* planUpdate(at, state, { values: mergeValues(state.record.values, change), now });
  };
}

/** The values after the change. */
export function mergeValues(current: Values, { replace, read }: Pick<Update, 'replace' | 'read'>): Values {
  if (replace) return read.values;
  const values = { ...current, ...read.values };
  for (const columnId of read.removed) delete values[columnId];
  return values;
}

async function writeOne(at: InCollection, tx: Transaction, write: RecordWrite): Promise<void> {
  reportWritten(at, [write.row.rec.length]);
  assertWritten([await commitLogged(at.store, tx, updateRecords(at.table, [write.row]), entriesOf(at, [write]))]);
}
