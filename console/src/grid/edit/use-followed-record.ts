// Rows move when a list is read again. The active cell goes along with its record, so that what is typed next changes the
// record that was chosen.

import { useLayoutEffect, useRef } from 'react';
import type { RawRecord } from '../../api/client.ts';
import type { Selection } from './use-selection.ts';

/** Where a moved record is looked for: what is farther away is out of sight. */
const NEAR_ROWS = 200;

/** `list`: another order or search is another list, in which the cell stays where it is. */
export function useFollowedRecord(
  list: string,
  { active: { row }, isChosen, shift }: Selection,
  at: (row: number) => RawRecord | undefined,
): void {
  const id = at(row)?.id;
  const followed = useRef({ list, row, id });
  useLayoutEffect(() => {
    const { current } = followed;
    const isSame = current.list === list && current.row === row;
    // Rows that are being read are not there for a moment.
    if (isSame && id === undefined) return;
    const moved = isChosen && isSame && current.id !== undefined && current.id !== id;
    const now = moved ? rowNear(row, (other) => at(other)?.id === current.id) : undefined;
    followed.current = now === undefined ? { list, row, id } : { ...current, row: now };
    if (now !== undefined) shift(now - row);
  });
}

/** The nearest first. */
function rowNear(row: number, isThere: (row: number) => boolean): number | undefined {
  for (let distance = 1; distance <= NEAR_ROWS; distance += 1) {
    if (isThere(row + distance)) return row + distance;
    if (row >= distance && isThere(row - distance)) return row - distance;
  }
  return undefined;
}
