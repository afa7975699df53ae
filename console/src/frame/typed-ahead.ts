// What is typed between asking for the palette and its field having the focus: while it is loaded, and while it is drawn.
// Those keys must neither be lost nor reach what has the focus until then, such as a cell.

import { useCallback, useEffect, useRef } from 'react';

export interface Typed {
  readonly text: string;
  /** Enter came after it: the first that fits is meant. */
  readonly isEntered: boolean;
}

const NOTHING: Typed = { text: '', isEntered: false };

export interface TypedAhead {
  readonly begin: () => void;
  /** Ends it, with what was typed. */
  readonly take: () => Typed;
}

export function useTypedAhead(onEscape: () => void): TypedAhead {
  const typed = useRef(NOTHING);
  const end = useRef(() => {});
  useEffect(() => () => end.current(), []);

  const take = useCallback(() => {
    end.current();
    const taken = typed.current;
    typed.current = NOTHING;
    return taken;
  }, []);

  function begin(): void {
    take();
    const onKey = (event: KeyboardEvent) => {
      if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      if (event.key !== 'Escape') typed.current = after(typed.current, event.key);
      else {
        take();
        onEscape();
      }
    };
    document.addEventListener('keydown', onKey, { capture: true });
    end.current = () => document.removeEventListener('keydown', onKey, { capture: true });
  }

  return { begin, take };
}

function after({ text, isEntered }: Typed, key: string): Typed {
  if (key === 'Enter') return { text, isEntered: true };
  if (key === 'Backspace') return { text: text.slice(0, -1), isEntered: false };
  // Names of keys that write nothing are longer.
  return key.length === 1 ? { text: text + key, isEntered: false } : { text, isEntered };
}
