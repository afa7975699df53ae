// The keys that move the active cell. One that is held down repeats faster than a page of rows is drawn: what comes before
// the last move is painted leads on from where it led, and only the last place is drawn, so that nothing runs on after
// the key is let go.

import { useEffect, useLayoutEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { Cell } from './keys.ts';

interface Move {
  readonly cell: Cell;
  readonly extend: boolean;
}

export interface Moves {
  /** Where the moves so far lead, if they are not drawn yet. */
  readonly ahead: () => Cell | undefined;
  readonly move: (cell: Cell, extend: boolean) => void;
  /** Draws them now, for a key that acts on the active cell. */
  readonly settle: () => void;
}

export function useMoves(go: (cell: Cell, extend: boolean) => void): Moves {
  const latest = useRef(go);
  const ahead = useRef<Move>(undefined);
  const painting = useRef<number>(undefined);
  useLayoutEffect(() => {
    latest.current = go;
  });
  useEffect(() => () => cancelAnimationFrame(painting.current ?? 0), []);

  function draw({ cell, extend }: Move): void {
    ahead.current = undefined;
    flushSync(() => latest.current(cell, extend));
    if (painting.current !== undefined) return;
    // The frame after the one that paints it.
    painting.current = requestAnimationFrame(() => {
      painting.current = requestAnimationFrame(() => {
        painting.current = undefined;
        if (ahead.current !== undefined) draw(ahead.current);
      });
    });
  }

  function settle(): void {
    if (ahead.current !== undefined) draw(ahead.current);
  }

  return {
    ahead: () => ahead.current?.cell,
    move: (cell, extend) => {
      if (ahead.current !== undefined && ahead.current.extend !== extend) settle();
      if (painting.current === undefined) draw({ cell, extend });
      else ahead.current = { cell, extend };
    },
    settle,
  };
}
