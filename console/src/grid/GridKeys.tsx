// The field that has the focus while the grid is used. Input methods compose only in a field: without it the first key of a
// Japanese word would arrive as a letter. It is invisible until somebody composes, and then stands over the active cell.

import { type RefObject, useState } from 'react';
import type { Cell } from './keys.ts';

interface GridKeysProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  /** The ID of the grid. */
  readonly grid: string;
  readonly label: string;
  readonly active: Cell;
  readonly onKeyDown: (event: React.KeyboardEvent) => void;
  readonly onCopy: (event: React.ClipboardEvent) => void;
  readonly onCut: (event: React.ClipboardEvent) => void;
  readonly onPaste: (event: React.ClipboardEvent) => void;
  /** A word that was composed over the active cell. */
  readonly onWord: (text: string) => void;
}

/** Tapping a cell of a phone must not open its keyboard. */
const IS_TOUCHED = matchMedia('(pointer: coarse)').matches;

export function GridKeys({ field, grid, label, active, onKeyDown, onWord, ...clipboard }: GridKeysProps) {
  const [over, setOver] = useState<DOMRect>();
  const cell = `cell-${active.row}-${active.column}`;
  return (
    <textarea
      ref={field}
      className={`grid-keys ${over === undefined ? '' : 'composing'}`}
      style={over && { left: over.left, top: over.top, width: over.width, height: over.height }}
      rows={1}
      autoComplete="off"
      spellCheck={false}
      inputMode={IS_TOUCHED ? 'none' : undefined}
      aria-label={label}
      aria-controls={grid}
      aria-activedescendant={cell}
      {...clipboard}
      onKeyDown={(event) => {
        if (!isComposing(event)) onKeyDown(event);
      }}
      onCompositionStart={() => setOver(document.getElementById(cell)?.getBoundingClientRect())}
      onCompositionEnd={({ currentTarget, data }) => {
        currentTarget.value = '';
        setOver(undefined);
        if (data !== '') onWord(data);
      }}
      onInput={({ currentTarget, nativeEvent }) => {
        // What no editor took, as in a column that cannot be changed.
        if (nativeEvent instanceof InputEvent && !nativeEvent.isComposing) currentTarget.value = '';
      }}
    />
  );
}

/** Safari and Chrome on a Mac tell the letter, but with the code that stands for an input method. */
const isComposing = ({ nativeEvent }: React.KeyboardEvent): boolean =>
  nativeEvent.isComposing || nativeEvent.key === 'Process' || nativeEvent.keyCode === 229;
