// The active cell and the range around it, moved by keys and the mouse.

import { useEffect, useRef, useState } from 'react';
import type { Cell } from '../keys.ts';
import { type Range, rangeOf } from './ranges.ts';

export interface Selection {
  readonly active: Cell;
  readonly range: Range;
  /** With `extend`, the range grows from where it began. */
  readonly select: (cell: Cell, extend?: boolean) => void;
  readonly selectRange: (from: Cell, to: Cell) => void;
  /** Somebody has selected something. */
  readonly isChosen: boolean;
  /** Takes the selection along with rows that moved. */
  readonly shift: (rows: number) => void;
  readonly onMouseDown: (event: React.MouseEvent) => void;
  readonly onMouseOver: (event: React.MouseEvent) => void;
  /** A finger on the cell that is active already means it. */
  readonly isSecondTap: (event: React.MouseEvent) => boolean;
}

/** `focus`: the grid has the keys. `begin`: the cell that was active when the list was left. */
export function useSelection(focus: () => void, begin: () => Cell | undefined): Selection {
  const [{ anchor, active, isChosen }, setEnds] = useState(() => {
    const begun = begin();
    const first = begun ?? { row: 0, column: 0 };
    return { anchor: first, active: first, isChosen: begun !== undefined };
  });
  const dragging = useRef(false);
  const tapped = useRef(false);
  useEffect(() => {
    const end = () => {
      dragging.current = false;
    };
    addEventListener('mouseup', end);
    return () => removeEventListener('mouseup', end);
  }, []);

  const select = (cell: Cell, extend = false) =>
    setEnds((ends) => ({ anchor: extend ? ends.anchor : cell, active: cell, isChosen: true }));
  return {
    active,
    range: rangeOf(anchor, active),
    select,
    selectRange: (from, to) => setEnds({ anchor: from, active: to, isChosen: true }),
    isChosen,
    shift: (rows) =>
      setEnds((ends) => ({
        anchor: { ...ends.anchor, row: Math.max(0, ends.anchor.row + rows) },
        active: { ...ends.active, row: Math.max(0, ends.active.row + rows) },
        isChosen: true,
      })),
    onMouseDown: (event) => {
      const cell = cellAt(event.target);
      if (cell === undefined || event.button !== 0) return;
      // Otherwise the browser would select text across the cells.
      event.preventDefault();
      focus();
      tapped.current = cell.row === active.row && cell.column === active.column;
      dragging.current = true;
      select(cell, event.shiftKey);
    },
    onMouseOver: (event) => {
      const cell = dragging.current ? cellAt(event.target) : undefined;
      if (cell !== undefined) select(cell, true);
    },
    isSecondTap: (event) =>
      tapped.current &&
      cellAt(event.target) !== undefined &&
      event.nativeEvent instanceof PointerEvent &&
      event.nativeEvent.pointerType === 'touch',
  };
}

const CELL_ID = /^cell-(\d+)-(\d+)$/;

/** Undefined outside of the cells, and within an editor: a double click there selects a word. */
export function cellAt(target: EventTarget): Cell | undefined {
  if (!(target instanceof Element) || target.closest('.grid-editor') !== null) return undefined;
  const found = CELL_ID.exec(target.closest('[role=gridcell]')?.id ?? '');
  return found === null ? undefined : { row: Number(found[1]), column: Number(found[2]) };
}
