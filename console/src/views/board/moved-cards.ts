// The cards of a lane with the moves that are not yet stored.

import type { ColumnDefinition, RawRecord } from '../../../../client/src/shapes.ts';
import type { PendingChanges } from '../pending-changes.ts';
import { groupOf, laneKey } from './lanes.ts';

/** Tells the records of a lane. */
export const isIn =
  (lane: string, column: ColumnDefinition) =>
  (record: RawRecord): boolean =>
    laneKey(groupOf(record, column)) === lane;

/** Cards that were moved away are gone, those that were moved here come first. */
export function withMoves(
  records: readonly RawRecord[],
  pending: PendingChanges,
  isHere: (record: RawRecord) => boolean,
): readonly RawRecord[] {
  if (pending.size === 0) return records;
  const listed = new Set(records.map(({ id }) => id));
  const come = [...pending.values()].filter(({ after }) => isHere(after) && !listed.has(after.id));
  const stay = records.map((record) => pending.get(record.id)?.after ?? record).filter(isHere);
  return [...come.map(({ after }) => after), ...stay];
}
