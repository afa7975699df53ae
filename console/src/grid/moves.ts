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
  const painting = useRef<() => void>(undefined);
  useLayoutEffect(() => {
    latest.current = go;
  });
  useEffect(() => () => painting.current?.(), []);

  function draw({ cell, extend }: Move): void {
    ahead.current = undefined;
    flushSync(() => latest.current(cell, extend));
    if (painting.current !== undefined) return;
    painting.current = afterPaint(() => {
      painting.current = undefined;
      if (ahead.current !== undefined) draw(ahead.current);
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

/** Does something right after the next frame is painted, and not only in the one that follows. Returns what cancels it. */
function afterPaint(work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(work);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
