// Listens to the keys of a record's page.

import { useEffect, useRef } from 'react';
import { type RecordKeys, recordKeyOf } from './key-meanings.ts';

/** Where letters are typed, or where arrows move something. */
const TAKES_KEYS = 'input, textarea, select, [contenteditable], [role="tab"], [role="application"], [role="slider"]';

/** Dialogs, lists and the like use these keys themselves and stop them there. */
export function useRecordKeys(keys: RecordKeys): void {
  // A list that is open takes Escape, and is closed when the key arrives here.
  const wasOpen = useRef(false);
  useEffect(() => {
    const onCapture = ({ target }: KeyboardEvent) => {
      wasOpen.current = target instanceof Element && target.matches('[aria-expanded="true"]');
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || wasOpen.current) return;
      const { target } = event;
      const place = target instanceof Element ? target : undefined;
      if (place?.closest('[role="dialog"], [role="alertdialog"]')) return;
      const meaning = recordKeyOf(event, place?.closest(TAKES_KEYS) != null);
      const act = meaning === undefined ? undefined : keys[meaning];
      // The browser's own Ctrl-S would save the page, which nobody means here.
      if (act !== undefined || meaning === 'onSave') event.preventDefault();
      act?.();
    };
    addEventListener('keydown', onCapture, { capture: true });
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', onCapture, { capture: true });
      removeEventListener('keydown', onKey);
    };
  });
}
