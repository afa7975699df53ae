// Changes of cells that are not stored yet, kept in the browser for the person who made them.

import { forget, remember, remembered } from '../../frame/remembered.ts';
import type { Keeping, KeptEdit } from './cell-edits.ts';

/** A paste of thousands of cells changes as often; writing each time would take longer than storing. */
const PAUSE_MS = 300;

/** `place`: the user and the collection. */
export function keepingOf(place: string): Keeping {
  const name = `cells.${place}`;
  let pending: (() => readonly KeptEdit[]) | undefined;
  let writtenAt = 0;
  function write(): void {
    if (pending === undefined) return;
    const edits = pending();
    pending = undefined;
    writtenAt = performance.now();
    if (edits.length === 0) forget(name);
    else remember(name, JSON.stringify(edits));
  }
  addEventListener('pagehide', write);
  return {
    read: () => readKept(remembered(name)),
    write: (edits) => {
      const waiting = pending !== undefined;
      pending = edits;
      if (performance.now() - writtenAt > PAUSE_MS) write();
      else if (!waiting) setTimeout(write, PAUSE_MS);
    },
  };
}

/** What was on its way when the page was left may have arrived or not: it is sent again only when the person says so. */
function readKept(text: string | undefined): readonly KeptEdit[] {
  try {
    const kept = JSON.parse(text ?? '[]') as readonly KeptEdit[];
    return kept.map((edit) => {
      if (edit.state === 'refused') return edit;
      const { reason: _, ...unsent } = edit;
      return { ...unsent, state: 'unsent' };
    });
  } catch {
    return [];
  }
}
