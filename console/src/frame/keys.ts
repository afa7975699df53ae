// Keys that work from anywhere on the page.

import { useEffect } from 'react';

/** Whether a key belongs to what is being typed, or to the browser. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey) return true;
  // The grid's own field takes what an input method composes; its other keys are the grid's.
  if (target instanceof Element && target.classList.contains('grid-keys')) return false;
  const isField = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  return isField || target instanceof HTMLSelectElement || (target instanceof HTMLElement && target.isContentEditable);
}

/** Whether a single character is meant for the page: neither typed into something, nor for what is open over the page. */
export const isForPage = (event: KeyboardEvent): boolean =>
  !isTyping(event) &&
  !(event.target instanceof Element && event.target.closest('[role=dialog], [role=menu], [role=listbox]') !== null);

/** Ctrl or ⌘ with a letter. */
export const isShortcut = (event: KeyboardEvent, letter: string): boolean =>
  (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === letter;

/** `matches`: for which keys. `always`: also where a control keeps its keys to itself, such as a button with a menu. */
export function useKey(
  matches: (event: KeyboardEvent) => boolean,
  action: () => void,
  { always = false }: { readonly always?: boolean } = {},
): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!matches(event)) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', onKey, { capture: always });
    return () => removeEventListener('keydown', onKey, { capture: always });
  });
}

export const MODIFIER = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl';
