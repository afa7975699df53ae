// Updates of one record with one statement. The database builds the new text from the stored one and the parameters
// (store/records/records), so the record need not be read first. Only an update of some columns is built on a record that was
// read, on condition that it is unchanged.

import { isoTime } from '../../domain/dates/iso-time.ts';
import { writeScope } from '../../domain/people/access.ts';
import { hashPart, readRecordText, tailPart } from '../../domain/records/record-text.ts';
import { fault, tooBusy } from '../../faults.ts';
import { loggedWrite } from '../../store/activity/logged-write.ts';
import { Joining } from '../../store/database/joining.ts';
import type { Row } from '../../store/database/statements.ts';
import { assertGeneration } from '../../store/records/fence.ts';
import { type JoinedReplace, replaceStatement } from '../../store/records/joined-statements.ts';
import { isLongRecord } from '../../store/records/long-records.ts';
import { inspectRecord, replaceRecord } from '../../store/records/records.ts';
import type { Values } from '../../wire/values.ts';
import { recordEntries } from '../activity/entries.ts';
import { assertWritable, type InCollection, reportWritten } from '../in-collection.ts';
import { writeTogether } from '../write-together.ts';
import { inTurn } from './changes-in-turn.ts';
import { replaceOnCluster } from './cluster-writes.ts';
import { duplicatedValues } from './duplicated-values.ts';
import {
  CHANGES_UNDER_WAY,
  inOrderOfIds,
  isLongAmongOthers,
  type JoinedRecordWrite,
  joinedByCollection,
} from './joined-writes.ts';
import { draftInSlices } from './stored-forms.ts';
import { completeTargets, type FoundTargets, isFound } from './targets.ts';
import { mergeValues, type Update } from './updates.ts';

/** Attempts of a conditional write that matches no row although no reason for it is found. */
export const ATTEMPTS = 5;

/** New values, and the hash of the record that they were built on; undefined if any record will do. */
export interface BuiltValues {
  readonly values: Values;
  readonly onHash: string | undefined;
}

/** A replacement does not depend on the record, unless it names missing targets, which only the record may still hold. */
export function buildReplacement(
  { read }: Pick<Update, 'read'>,
  found: FoundTargets,
  ifHash: string | undefined,
): BuiltValues | undefined {
  if (!read.targets.every((target) => isFound(found, target))) return undefined;
  completeTargets(read.targets, found);
  return { values: read.values, onHash: ifHash };
}

/** An update of some columns builds on the stored values. A long record is read under its lock instead. */
export function buildOnStored(
  change: Update,
  found: FoundTargets,
  { stored, ifHash }: { stored: string | undefined; ifHash: string | undefined },
): BuiltValues | undefined {
  const { read } = change;
  if (stored === undefined || isLongRecord(stored) || !read.targets.every((target) => isFound(found, target)))
    return undefined;
  const record = readRecordText(stored);
  if (ifHash !== undefined && ifHash !== record.hash) return undefined;
  completeTargets(read.targets, found);
  return { values: mergeValues(record.values, change), onHash: record.hash };
}

type Replace = JoinedRecordWrite & JoinedReplace;

const replaceAlone = ({ store, table, replacement, conditions, entries }: Replace) =>
  store.engine === 'citus'
    ? replaceOnCluster(store, { table, replacement, conditions, entries: entries() })
    : loggedWrite(store, replaceRecord(table, replacement, conditions), entries());

const replaceJoined = joinedByCollection<Replace>(
  (texts) =>
    new Joining({
      underWayMax: CHANGES_UNDER_WAY,
      collectsTurn: true,
      alone: replaceAlone,
      together: (members) => {
        const change = replaceStatement(texts().replace, inOrderOfIds(members, idReplaced));
        return writeTogether(members, change, idReplaced);
      },
      keyOf: idReplaced,
    }),
);

const idReplaced = ({ replacement }: Replace): string => replacement.id;

/** The identifier and the new text; no row if the record does not fulfil the conditions or the definition is stale. */
const replaceOne = (replace: Replace): Promise<Row[]> =>
  isLongAmongOthers(replace.replacement.tailPart) ? replaceAlone(replace) : replaceJoined(replace);

/** One statement. Undefined if the record no longer has the values that the update was built on. */
export async function replace(
  at: InCollection,
  recordId: string,
  { values, onHash, ifHash }: BuiltValues & { ifHash: string | undefined },
): Promise<string | undefined> {
  const { store, caller, collection } = at;
  const made = await at.slices.run(at.scope, draftInSlices(at, recordId, values));
  const conditions = { scope: writeScope(collection.definition, caller), ifHash: onHash };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const now = isoTime(at.now());
    const parts = { hashPart: hashPart(made.hash), tailPart: tailPart(caller, made.valuesJson) };
    const replacement = { now, updatedBy: caller, ...parts, ...made };
    try {
      const [row] = await inTurn(at, recordId, () =>
        replaceOne({
          store,
          scope: at.scope,
          table: at.table,
          replacement,
          conditions,
          entries: () => recordEntries(at, { kind: 'record.update', recordIds: [recordId] }),
        }),
      );
      if (row !== undefined) {
        reportWritten(at, [made.valuesJson.length]);
        return row[1] as string;
      }
    } catch (error) {
      throw (await duplicatedValues(store, collection, { error, refused: made })) ?? error;
    }
    if (onHash !== ifHash) return undefined;
    await throwMissReason(at, recordId, ifHash);
  }
  throw tooBusy();
}

/** Throws the reason why a conditional write matched no row; returns if there is no reason any more. */
export async function throwMissReason(at: InCollection, recordId: string, ifHash: string | undefined): Promise<void> {
  const { record, fence } = await inspectRecord(at.store, at.table, recordId);
  assertGeneration(fence, at.table.generation);
  assertWritable(at, recordId, record?.createdBy);
  if (ifHash !== undefined && record?.hash !== ifHash) throw fault('PRECONDITION_FAILED');
}
