// Selecting records in the grid: one, a range, or all that match. What is selected stays while the list is scrolled.

import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { ListQuery } from '../api/list-query.ts';
import type { Rows } from '../api/pages.ts';
import { loadRows } from '../grid/edit/load-rows.ts';
import { EVERYTHING, isNothing, isSelected, NOTHING, type RecordSelection, withSelected } from './record-selection.ts';

/** Of one range. All that match can be selected whatever their number. */
const RANGE_MAX = 5_000;

interface List {
  readonly application: string;
  readonly collection: string;
  readonly query: ListQuery;
}

export interface Selecting {
  readonly selection: RecordSelection;
  readonly set: (selection: RecordSelection) => void;
  readonly isSelected: (id: string) => boolean;
  /** `extend`: every row from the last one that was selected up to this one. */
  readonly toggle: (row: number, extend: boolean) => void;
  readonly selectAll: () => void;
  readonly toggleAll: () => void;
}

export function useSelectedRecords(list: List, rows: Pick<Rows, 'at'>): Selecting {
  const queries = useQueryClient();
  const [selection, setSelection] = useState(NOTHING);
  const anchor = useRef(0);
  // The rows are memoized, so what they call must stay the same.
  const now = useRef({ list, rows, selection });
  now.current = { list, rows, selection };

  const toggle = useCallback(
    (row: number, extend: boolean) => {
      const { list: place, rows: known, selection: before } = now.current;
      const id = known.at(row)?.id;
      if (id === undefined) return;
      if (!extend) {
        anchor.current = row;
        setSelection(withSelected(before, [id], !isSelected(before, id)));
        return;
      }
      const first = Math.max(Math.min(anchor.current, row), row - RANGE_MAX + 1);
      const last = Math.min(Math.max(anchor.current, row), row + RANGE_MAX - 1);
      void loadRows(queries, place, { first, last }).then((at) => {
        const ids = Array.from({ length: last - first + 1 }, (_, offset) => at(first + offset)?.id ?? []).flat();
        setSelection((current) => withSelected(current, ids, true));
      });
    },
    [queries],
  );
  const selectAll = useCallback(() => setSelection(EVERYTHING), []);
  return {
    selection,
    set: setSelection,
    isSelected: (id) => isSelected(selection, id),
    toggle,
    selectAll,
    toggleAll: () => setSelection(isNothing(selection) ? EVERYTHING : NOTHING),
  };
}
